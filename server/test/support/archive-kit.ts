import { createHash } from 'node:crypto';
import { createReadStream, writeFileSync } from 'node:fs';
import { createGunzip, gzipSync } from 'node:zlib';
import { bytesOf, readTar, TAR_END, tarHeader, tarPadding } from '../../src/commands/archive/tar.ts';

/** An archive taken apart, to be put together again as somebody else would have made it: with right counts and hashes. */
type Row = Record<string, unknown>;

interface ManifestFile {
  n: number;
  path: string;
  bytes: number;
  sha256: string;
}

export interface LooseManifest extends Row {
  tenant: { id: string; slug: string };
  tables: { name: string; columns: string[]; rows: number; sha256: string }[];
  files: ManifestFile[];
}

export interface ArchiveKit {
  manifest: LooseManifest;
  tables: Map<string, Row[]>;
  blobs: Map<string, Buffer>;
  files: { path: string; bytes: Buffer }[];
  rows(table: string): Row[];
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

export const takeApart = async (file: string): Promise<ArchiveKit> => {
  const tables = new Map<string, Row[]>();
  const blobs = new Map<string, Buffer>();
  const bodies = new Map<string, Buffer>();
  let manifest: LooseManifest | null = null;
  for await (const entry of readTar(createReadStream(file).pipe(createGunzip()))) {
    const bytes = await bytesOf(entry);
    const table = /^tables\/(\w+)\//.exec(entry.name)?.[1];
    if (table !== undefined) {
      const rows = bytes.toString().trimEnd().split('\n');
      tables.set(table, [...(tables.get(table) ?? []), ...rows.map((line) => JSON.parse(line) as Row)]);
    } else if (entry.name.startsWith('blobs/')) blobs.set(entry.name, bytes);
    else if (entry.name.startsWith('files/')) bodies.set(entry.name, bytes);
    else if (entry.name === 'manifest.json') manifest = JSON.parse(bytes.toString()) as LooseManifest;
  }
  if (manifest === null) throw new Error('no manifest');
  const files = manifest.files.map(({ n, path }) => ({
    path,
    bytes: bodies.get(`files/${n}`) ?? Buffer.alloc(0),
  }));
  return {
    manifest,
    tables,
    blobs,
    files,
    rows(table) {
      const rows = tables.get(table) ?? [];
      tables.set(table, rows);
      return rows;
    },
  };
};

const tarEntry = (name: string, bytes: Uint8Array, kind?: string): Buffer => {
  const header = tarHeader(name, bytes.byteLength, 0);
  if (kind !== undefined) {
    header.write(kind, 156);
    header.write('        ', 148);
    let sum = 0;
    for (const byte of header) sum += byte;
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  }
  return Buffer.concat([header, bytes, tarPadding(bytes.byteLength)]);
};

/** Writes it with counts and hashes that fit. `change`: the manifest at the very end. `more`: raw entries before the manifest. */
export const putTogether = (
  kit: ArchiveKit,
  file: string,
  options: {
    change?: (manifest: LooseManifest) => void;
    more?: { name: string; bytes?: Buffer; kind?: string }[];
  } = {},
): void => {
  const parts: Buffer[] = [];
  for (const [name, bytes] of kit.blobs) parts.push(tarEntry(name, bytes));
  kit.files.forEach(({ bytes }, i) => void parts.push(tarEntry(`files/${i + 1}`, bytes)));
  const tables: LooseManifest['tables'] = [];
  const named = new Map(kit.manifest.tables.map((table) => [table.name, table]));
  for (const name of kit.tables.keys()) {
    if (!named.has(name))
      named.set(name, { name, columns: Object.keys(kit.rows(name)[0] ?? {}).sort(), rows: 0, sha256: '' });
  }
  for (const { name, columns } of named.values()) {
    const rows = kit.tables.get(name) ?? [];
    const text = Buffer.from(
      rows
        .map((row) => `${JSON.stringify(Object.fromEntries(columns.map((c) => [c, row[c] ?? null])))}\n`)
        .join(''),
    );
    if (rows.length > 0) parts.push(tarEntry(`tables/${name}/000001.jsonl`, text));
    tables.push({ name, columns, rows: rows.length, sha256: sha256(text) });
  }
  const manifest: LooseManifest = {
    ...kit.manifest,
    tables,
    files: kit.files.map(({ path, bytes }, i) => ({
      n: i + 1,
      path,
      bytes: bytes.length,
      sha256: sha256(bytes),
    })),
    blobs: {
      count: kit.blobs.size,
      bytes: [...kit.blobs.values()].reduce((sum, bytes) => sum + bytes.length, 0),
    },
  };
  options.change?.(manifest);
  for (const { name, bytes = Buffer.alloc(0), kind } of options.more ?? [])
    parts.push(tarEntry(name, bytes, kind));
  parts.push(tarEntry('manifest.json', Buffer.from(JSON.stringify(manifest))), TAR_END);
  writeFileSync(file, gzipSync(Buffer.concat(parts)));
};
