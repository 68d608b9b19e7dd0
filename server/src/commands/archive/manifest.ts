import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';

/** What an archive holds; its last file, `manifest.json`. */
export const FORMAT = 'pentarch-archive';
/** Readers refuse a newer one. */
export const FORMAT_VERSION = 1;

const TableEntry = Type.Object({
  name: Type.String(),
  columns: Type.Array(Type.String()),
  rows: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  /** Of all lines of the table, each with its line end. */
  sha256: Type.String(),
});

const Manifest = Type.Object({
  format: Type.Literal(FORMAT),
  version: Type.Integer({ minimum: 1 }),
  /** `backup`: the whole platform; `tenant`: one tenant, to be imported elsewhere. */
  kind: Type.Union([Type.Literal('backup'), Type.Literal('tenant')]),
  product: Type.String(),
  created_at: Type.String(),
  engine: Type.Union([Type.Literal('sqlite'), Type.Literal('postgres')]),
  /** Names of the schema's steps that had run. */
  schema: Type.Array(Type.String()),
  tenant: Type.Union([Type.Null(), Type.Object({ id: Type.String(), slug: Type.String() })]),
  tables: Type.Array(TableEntry),
  /** Bytes of documents. */
  blobs: Type.Object({ count: Type.Integer({ minimum: 0 }), bytes: Type.Integer({ minimum: 0 }) }),
  /** Documents that were deleted while the backup ran, after its snapshot: they are marked as being deleted. */
  deleted_meanwhile: Type.Integer(),
  /** Files of agents (MCP server `files`) and keys; path, size and hash by number. */
  files: Type.Array(
    Type.Object({
      n: Type.Integer({ minimum: 1 }),
      path: Type.String(),
      bytes: Type.Integer({ minimum: 0 }),
      sha256: Type.String(),
    }),
  ),
  /** Of everything above, by a key of the platform that made it (`signature.ts`). */
  signature: Type.Optional(Type.Object({ key: Type.String(), hmac: Type.String() })),
});

export type TableEntry = Static<typeof TableEntry>;
export type Manifest = Static<typeof Manifest>;

/** Throws with what is wrong. */
export const parseManifest = (text: string): Manifest => {
  const value: unknown = JSON.parse(text);
  if (!Value.Check(Manifest, value))
    throw new Error('the archive has no manifest that this release understands');
  if (value.version > FORMAT_VERSION) {
    throw new Error(`the archive has version ${value.version}; this release reads up to ${FORMAT_VERSION}`);
  }
  return value;
};
