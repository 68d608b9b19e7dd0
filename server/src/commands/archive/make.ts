import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { hasStoredBlobs, hasUploads, readStoredBlob } from '../../db/archive/blobs.ts';
import type { Row, Session } from '../../db/archive/session.ts';
import { readShapes, readSteps, type TableShape } from '../../db/archive/shape.ts';
import { VECTOR_COLUMNS, VECTOR_TABLE, vectorRows } from '../../db/archive/vectors.ts';
import { isJobOfTenant, lineOf, type Reach, viewOf } from '../../db/archive/view.ts';
import type { BlobStore } from '../../kernel/blobs.ts';
import { iso } from '../../kernel/clock.ts';
import { VERSION } from '../../kernel/version.ts';
import { FORMAT, FORMAT_VERSION, type Manifest, type TableEntry } from './manifest.ts';
import type { ArchiveWriter } from './write.ts';

export interface MakeOptions {
  session: Session;
  dataDir: string;
  /** Where documents' bytes are looked for first; null without a store of objects. */
  objects: Pick<BlobStore, 'read'> | null;
  /** Null: everything, with the keys. */
  tenant: { id: string; slug: string } | null;
  /** Opens what is encrypted with this installation's keys; the rows of a backup stay as they are. */
  opened(table: string, row: Row): Row;
  /** Folder under `files/` that goes along; null: all of them. */
  filesFolder: string | null;
  /** Puts the mark of this platform under the manifest. */
  signed(manifest: Manifest): Manifest;
  now(): number;
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';

const README = (kind: string, createdAt: string): string => `Archive of Pentarch (${kind}), made ${createdAt}.

tables/<name>/<part>.jsonl   rows, a line of JSON each, in the order of the key
blobs/<sha256>/<id>          bytes of documents
files/<n>                    keys and files of agents; manifest.json names them
manifest.json                counts and SHA-256 of everything above

It holds messages, documents, password hashes and, in a backup, the keys that open what is encrypted in the store:
keep it as you keep the data folder itself, and encrypt it where it leaves your hands (--passphrase-file).
`;

/** The two places where a document's bytes may be (adapters/blobs/folder.ts). */
const blobFiles = (dataDir: string, sha256: string, id: string): string[] => {
  const key = `${sha256}.${id}`;
  const settled = path.join(dataDir, 'blobs', key.slice(0, 2), key);
  return [settled, path.join(dataDir, 'blobs', 'staged', key), settled];
};

const damaged = (id: string): Error =>
  new Error(`the bytes of document ${id} are damaged: their hash is not what the record says`);

const addBlobs = async (
  writer: ArchiveWriter,
  options: MakeOptions,
): Promise<{ count: number; bytes: number; gone: Set<string> }> => {
  const gone = new Set<string>();
  let count = 0;
  let bytes = 0;
  const shared = await hasStoredBlobs(options.session);
  const narrowed = options.tenant === null ? '' : 'and tenant_id = ?1';
  // A tenant leaves behind what is not read yet, and a store of an earlier release has no such table.
  const waiting =
    options.tenant === null && (await hasUploads(options.session))
      ? 'union all select id, sha256 from document_uploads'
      : '';
  const rows = options.session.stream(
    `select id, sha256 from documents where status <> 'deleting' ${narrowed} ${waiting} order by id`,
    options.tenant === null ? [] : [options.tenant.id],
  );
  for await (const row of rows) {
    const id = String(row.id);
    const sha256 = String(row.sha256);
    let added = false;
    const key = `${sha256}.${id}`;
    const stored =
      (await options.objects?.read(key)) ?? (shared ? await readStoredBlob(options.session, key) : null);
    if (stored !== null) {
      if (createHash('sha256').update(stored).digest('hex') !== sha256) throw damaged(id);
      await writer.add(`blobs/${sha256}/${id}`, stored);
      bytes += stored.byteLength;
      count += 1;
      continue;
    }
    for (const file of blobFiles(options.dataDir, sha256, id)) {
      try {
        const one = await writer.addFile(`blobs/${sha256}/${id}`, file);
        if (one.sha256 !== sha256) throw damaged(id);
        bytes += one.bytes;
        count += 1;
        added = true;
        break;
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
    }
    if (!added) gone.add(id);
  }
  return { count, bytes, gone };
};

const filesUnder = async (folder: string): Promise<string[]> => {
  const found: string[] = [];
  const walk = async (at: string): Promise<void> => {
    const entries = await readdir(path.join(folder, at), { withFileTypes: true }).catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw error;
    });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const name = path.posix.join(at, entry.name);
      if (entry.isDirectory()) await walk(name);
      else if (entry.isFile()) found.push(name);
    }
  };
  await walk('');
  return found;
};

const addFiles = async (writer: ArchiveWriter, options: MakeOptions): Promise<Manifest['files']> => {
  const folders = options.tenant === null ? ['keys', 'files'] : [];
  if (options.filesFolder !== null) folders.push(path.posix.join('files', options.filesFolder));
  const files: Manifest['files'] = [];
  for (const folder of folders) {
    for (const name of await filesUnder(path.join(options.dataDir, folder))) {
      const n = files.length + 1;
      const relative = path.posix.join(folder, name);
      try {
        const { bytes, sha256 } = await writer.addFile(`files/${n}`, path.join(options.dataDir, relative));
        files.push({ n, path: relative, bytes, sha256 });
      } catch (error) {
        // An agent deleted its file since the folder was listed.
        if (!isMissing(error)) throw error;
      }
    }
  }
  return files;
};

async function* lines(
  columns: readonly string[],
  rows: AsyncIterable<Row>,
  change: (row: Row) => Row,
): AsyncGenerator<string> {
  for await (const row of rows) yield lineOf(columns, change(row));
}

async function* jobsOf(session: Session, rows: AsyncIterable<Row>, tenantId: string): AsyncGenerator<Row> {
  for await (const row of rows) if (await isJobOfTenant(session, row, tenantId)) yield row;
}

/** Rows of a table for an archive; null when a tenant's archive has nothing of it. */
export const tableRows = async (
  session: Session,
  shape: TableShape,
  shapes: readonly TableShape[],
  reach: Reach,
  columns?: readonly string[],
): Promise<{ columns: string[]; rows: AsyncGenerator<Row> } | null> => {
  if (shape.name === 'jobs' && reach !== null) {
    const all = await viewOf(session, shape, shapes, null, columns);
    if (all === null) return null;
    return {
      columns: all.columns,
      rows: jobsOf(session, session.stream(all.sql, all.values), reach.tenantId),
    };
  }
  const view = await viewOf(session, shape, shapes, reach, columns);
  if (view === null) return null;
  return { columns: view.columns, rows: session.stream(view.sql, view.values) };
};

/** Writes everything of one snapshot (`session` is inside its transaction) and the manifest; what was written. */
export const makeArchive = async (
  writer: ArchiveWriter,
  options: MakeOptions,
): Promise<{ manifest: Manifest; bytes: number }> => {
  const { session, tenant } = options;
  const reach: Reach = tenant === null ? null : { tenantId: tenant.id };
  const kind = tenant === null ? 'backup' : 'tenant';
  const createdAt = iso(options.now());
  const schema = await readSteps(session);
  const shapes = await readShapes(session);
  await writer.add('README.txt', Buffer.from(README(kind, createdAt)));
  // The bytes first: a document that goes while they are copied is marked in the rows, which the snapshot still has.
  const { gone, ...blobs } = await addBlobs(writer, options);
  const files = await addFiles(writer, options);
  const tables: TableEntry[] = [];
  // Models before documents, which name them.
  const ordered = [...shapes].sort(
    (a, b) => Number(b.name === 'embedding_models') - Number(a.name === 'embedding_models'),
  );
  for (const shape of ordered) {
    const table = await tableRows(session, shape, shapes, reach);
    if (table === null) continue;
    const change = (row: Row): Row =>
      options.opened(
        shape.name,
        shape.name === 'documents' && gone.has(String(row.id)) ? { ...row, status: 'deleting' } : row,
      );
    tables.push(await writer.table(shape.name, table.columns, lines(table.columns, table.rows, change)));
  }
  const vectors = lines(VECTOR_COLUMNS, vectorRows(session, reach), (row) => row);
  tables.push(await writer.table(VECTOR_TABLE, VECTOR_COLUMNS, vectors));
  const manifest: Manifest = {
    format: FORMAT,
    version: FORMAT_VERSION,
    kind,
    product: VERSION,
    created_at: createdAt,
    engine: session.dialect,
    schema,
    tenant,
    tables,
    blobs,
    deleted_meanwhile: gone.size,
    files,
  };
  const signed = options.signed(manifest);
  return { manifest: signed, bytes: await writer.finish(signed) };
};
