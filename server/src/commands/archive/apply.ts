import { createHash } from 'node:crypto';
import { mkdir, open } from 'node:fs/promises';
import path from 'node:path';
import { hasStoredBlobs, writeStoredBlob } from '../../db/archive/blobs.ts';
import { loadTable, modelNumbers, proofOf } from '../../db/archive/load.ts';
import { type Row, type Session, storeOfSession } from '../../db/archive/session.ts';
import { readShapes, type TableShape } from '../../db/archive/shape.ts';
import { VECTOR_COLUMNS, VECTOR_TABLE, vectorRows } from '../../db/archive/vectors.ts';
import { lineOf, rowOf } from '../../db/archive/view.ts';
import { createIndexLoader } from '../../features/knowledge/index.ts';
import type { BlobStore } from '../../kernel/blobs.ts';
import { isStorable, storable } from '../../kernel/storable.ts';
import { tableRows } from './make.ts';
import type { Manifest } from './manifest.ts';
import { type Archive, blobOf, fileOf, tableOf } from './read.ts';
import { bytesOf, linesOf, type TarEntry } from './tar.ts';

export interface ApplyOptions {
  archive: Archive;
  /** As `verifyArchive` proved it. */
  manifest: Manifest;
  /** Schema as the archive's or newer; what the archive brings must not be there. */
  session: Session;
  /** Path of the database file; null on PostgreSQL. */
  sqliteFile: string | null;
  /** Where blobs and files go. */
  folder: string;
  /** Where blobs go instead of the folder or the database; those of an archive that is refused are removed again. */
  objects: BlobStore | null;
  /** Rows before they are stored: renamed, or encrypted with this installation's keys; null leaves one out. */
  changed(table: string, row: Row): Row | null;
  sealed(table: string, row: Row): Row;
  opened(table: string, row: Row): Row;
  now(): number;
}

export interface TableProof {
  name: string;
  rows: number;
  sha256: string;
  /** Texts with signs that no store keeps, which came in with U+FFFD in their place. */
  replaced: number;
  /** What the database gives back. */
  stored: { rows: number; sha256: string };
}

const VECTORS_AT_ONCE = 128;

/** Entries of one table behind each other, as rows. */
async function* rowsOf(
  entries: TarEntry,
  rest: AsyncGenerator<TarEntry>,
  done: (next: TarEntry | null) => void,
) {
  const name = tableOf(entries);
  for (let entry: TarEntry | null = entries; entry !== null; ) {
    for await (const line of linesOf(entry)) yield rowOf(line);
    const next: IteratorResult<TarEntry> = await rest.next();
    if (next.done === true || tableOf(next.value) !== name) {
      done(next.done === true ? null : next.value);
      return;
    }
    entry = next.value;
  }
}

async function* mapped(rows: AsyncIterable<Row>, change: (row: Row) => Row | null): AsyncGenerator<Row> {
  for await (const row of rows) {
    const changed = change(row);
    if (changed !== null) yield changed;
  }
}

/** Stores of releases before this one hold texts (NUL) that PostgreSQL refuses. Calls `replaced` for each that it changes. */
export const storableRow = (row: Row, replaced: () => void): Row => {
  let clean: Row | null = null;
  for (const [column, value] of Object.entries(row)) {
    if (typeof value !== 'string' || isStorable(value)) continue;
    clean ??= { ...row };
    clean[column] = storable(value);
    replaced();
  }
  return clean ?? row;
};

/** Names of tables and columns go into statements: only those that the schema has. */
const checkColumns = (manifest: Manifest, shapes: readonly TableShape[]): void => {
  for (const { name, columns } of manifest.tables) {
    const known = name === VECTOR_TABLE ? VECTOR_COLUMNS : shapes.find((one) => one.name === name)?.columns;
    if (known === undefined) throw new Error(`this release has no table ${JSON.stringify(name)}`);
    const strange = columns.find((column) => !known.includes(column));
    if (strange !== undefined) throw new Error(`${name} has no column ${JSON.stringify(strange)}`);
  }
};

const writeEntry = async (entry: TarEntry, file: string): Promise<void> => {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const handle = await open(file, 'wx', 0o600);
  try {
    for await (const part of entry.parts()) await handle.write(part);
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** A path of the manifest inside `folder`; throws for one that leads out of it. */
const inside = (folder: string, relative: string): string => {
  const file = path.resolve(folder, relative);
  if (!file.startsWith(path.resolve(folder) + path.sep))
    throw new Error(`the archive names a path outside of its folder: ${relative}`);
  return file;
};

const toVector = (bytes: Uint8Array): Float32Array => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Float32Array.from({ length: bytes.byteLength / 4 }, (_, i) => view.getFloat32(i * 4, true));
};

/** Chunk by chunk into the indexes, and the hash of the lines. */
const loadVectors = async (
  rows: AsyncIterable<Row>,
  add: (entries: { chunkId: string; vector: Float32Array | null }[]) => Promise<void>,
): Promise<{ rows: number; sha256: string }> => {
  const hash = createHash('sha256');
  let count = 0;
  let held: { chunkId: string; vector: Float32Array | null }[] = [];
  const flush = async (): Promise<void> => {
    if (held.length > 0) await add(held);
    held = [];
  };
  for await (const row of rows) {
    hash.update(`${lineOf(VECTOR_COLUMNS, row)}\n`);
    count += 1;
    const bytes = row.embedding;
    held.push({
      chunkId: String(row.chunk_id),
      vector: bytes instanceof Uint8Array ? toVector(bytes) : null,
    });
    if (held.length >= VECTORS_AT_ONCE) await flush();
  }
  await flush();
  return { rows: count, sha256: hash.digest('hex') };
};

interface Counted {
  rows: number;
  sha256: string;
}

/** An archive on its way into the store. */
interface Loading {
  options: ApplyOptions;
  shapes: readonly TableShape[];
  loader: Awaited<ReturnType<typeof createIndexLoader>>;
  /** The store keeps blobs itself. */
  shared: boolean;
  /** Rows and hash of each table as it came in. */
  loaded: Map<string, Counted>;
  /** Texts of each table that no store keeps. */
  replaced: Map<string, number>;
  /** Numbers of the embedding models here. */
  models: Map<string, number>;
  /** Keys of blobs that are gone again where the archive is refused. */
  staged: string[];
}

const loadModels = async (loading: Loading, columns: readonly string[], rows: AsyncIterable<Row>) => {
  const { session, now } = loading.options;
  const wanted: { id: string; dimensions: number }[] = [];
  const hash = createHash('sha256');
  for await (const row of rows) {
    hash.update(`${lineOf(columns, row)}\n`);
    wanted.push({ id: String(row.id), dimensions: Number(row.dimensions) });
  }
  const models = await modelNumbers(session, wanted, now());
  loading.models = models;
  await loading.loader.prepare(wanted.map((m) => ({ ...m, n: models.get(`${m.id}#${m.dimensions}`) ?? 0 })));
  return { rows: wanted.length, sha256: hash.digest('hex') };
};

const loadRows = async (loading: Loading, table: string, rows: AsyncIterable<Row>): Promise<Counted> => {
  const { shapes, replaced, options } = loading;
  const columns = options.manifest.tables.find((one) => one.name === table)?.columns ?? [];
  if (table === 'embedding_models') return loadModels(loading, columns, rows);
  if (table === VECTOR_TABLE) return loadVectors(rows, loading.loader.add);
  if (!shapes.some((shape) => shape.name === table)) throw new Error(`this release has no table ${table}`);
  const stored = (row: Row): Row => {
    const own = options.sealed(table, row);
    // A document that was on its way in when the archive was made names no model yet.
    return table === 'documents' ? { ...own, model_n: loading.models.get(String(own.model_n)) ?? 0 } : own;
  };
  const clean = (row: Row): Row =>
    storableRow(row, () => replaced.set(table, (replaced.get(table) ?? 0) + 1));
  const renamed = mapped(rows, (row) => {
    const wanted = options.changed(table, row);
    return wanted === null ? null : clean(wanted);
  });
  return loadTable(options.session, { name: table, columns }, renamed, stored);
};

const loadBlob = async (
  { options, shared, staged }: Loading,
  blob: { sha256: string; id: string },
  entry: TarEntry,
): Promise<void> => {
  const { objects, session, folder } = options;
  const key = `${blob.sha256}.${blob.id}`;
  if (objects !== null) {
    await objects.stage(key, await bytesOf(entry));
    staged.push(key);
  } else if (shared) await writeStoredBlob(session, key, await bytesOf(entry));
  else await writeEntry(entry, inside(folder, path.join('blobs', key.slice(0, 2), key)));
};

/** Every entry in the archive's order; a table takes all of its own that stand behind each other. */
const loadEntries = async (loading: Loading): Promise<void> => {
  const { archive, manifest, folder } = loading.options;
  const paths = new Map(manifest.files.map((file) => [file.n, file.path]));
  const entries = archive.entries();
  const first = await entries.next();
  let entry: TarEntry | null = first.done === true ? null : first.value;
  while (entry !== null) {
    const current: TarEntry = entry;
    let next: TarEntry | null | undefined;
    const table = tableOf(current);
    const blob = blobOf(current);
    const file = fileOf(current);
    if (table !== null) {
      const rows = rowsOf(current, entries, (found) => {
        next = found;
      });
      loading.loaded.set(table, await loadRows(loading, table, rows));
    } else if (blob !== null) await loadBlob(loading, blob, current);
    else if (file !== null) {
      const relative = paths.get(file);
      if (relative !== undefined) await writeEntry(current, inside(folder, relative));
    }
    if (next === undefined) {
      const following = await entries.next();
      next = following.done === true ? null : following.value;
    }
    entry = next;
  }
};

/** What the database holds now beside what came in. Throws where they differ. */
const readBack = async ({ options, shapes, loaded, replaced }: Loading): Promise<TableProof[]> => {
  const { manifest, session, opened } = options;
  const reach = manifest.tenant === null ? null : { tenantId: manifest.tenant.id };
  const proofs: TableProof[] = [];
  for (const table of manifest.tables) {
    const came = loaded.get(table.name) ?? { rows: 0, sha256: createHash('sha256').digest('hex') };
    const shape = shapes.find((one) => one.name === table.name);
    const view = shape === undefined ? null : await tableRows(session, shape, shapes, reach, table.columns);
    const rows = table.name === VECTOR_TABLE ? vectorRows(session, reach) : (view?.rows ?? null);
    if (rows === null) throw new Error(`the table ${table.name} cannot be read back`);
    const stored = await proofOf(
      table.columns,
      mapped(rows, (row) => opened(table.name, row)),
    );
    if (came.rows !== stored.rows || came.sha256 !== stored.sha256) {
      throw new Error(
        `the table ${table.name} does not read back as it came: ${stored.rows} rows (${stored.sha256.slice(0, 12)}) of ${came.rows} (${came.sha256.slice(0, 12)})`,
      );
    }
    proofs.push({ name: table.name, ...came, replaced: replaced.get(table.name) ?? 0, stored });
  }
  return proofs;
};

/**
 * Loads an archive that `verifyArchive` has proved, and reads all of it back: counts and hashes of what the database now
 * holds stand beside those that came in. Throws when they differ, or the database refuses a row.
 */
export const applyArchive = async (options: ApplyOptions): Promise<TableProof[]> => {
  const { manifest, session, objects } = options;
  const shapes = await readShapes(session);
  checkColumns(manifest, shapes);
  const loading: Loading = {
    options,
    shapes,
    shared: await hasStoredBlobs(session),
    loader: await createIndexLoader(storeOfSession(session), options.sqliteFile),
    loaded: new Map(),
    replaced: new Map(),
    models: new Map(),
    staged: [],
  };
  try {
    await loadEntries(loading);
    return await readBack(loading);
  } catch (error) {
    for (const key of loading.staged) await objects?.remove(key);
    throw error;
  } finally {
    await loading.loader.close();
  }
};

/** The comparison, a line for each table that has rows. */
export const proofLines = (proofs: readonly TableProof[]): string[] =>
  proofs
    .filter((proof) => proof.rows > 0)
    .map(
      (proof) =>
        `  ${proof.name.padEnd(26)} ${String(proof.rows).padStart(9)} rows   sha256 ${proof.sha256.slice(0, 16)} = ${proof.stored.sha256.slice(0, 16)}`,
    );

/** What was changed on the way in, a line for each table; none where all came as it was. */
export const replacedLines = (proofs: readonly TableProof[]): string[] =>
  proofs
    .filter((proof) => proof.replaced > 0)
    .map(
      (proof) =>
        `LOOK: ${proof.replaced} texts of ${proof.name} held signs that no store keeps (U+0000); U+FFFD stands in their place`,
    );
