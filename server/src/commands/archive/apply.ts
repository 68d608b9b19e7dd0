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

/**
 * Loads an archive that `verifyArchive` has proved, and reads all of it back: counts and hashes of what the database now
 * holds stand beside those that came in. Throws when they differ, or the database refuses a row.
 */
export const applyArchive = async (options: ApplyOptions): Promise<TableProof[]> => {
  const { archive, manifest, session, folder, objects, changed, sealed, opened } = options;
  const staged: string[] = [];
  const shapes = await readShapes(session);
  checkColumns(manifest, shapes);
  const shared = await hasStoredBlobs(session);
  const reach = manifest.tenant === null ? null : { tenantId: manifest.tenant.id };
  const paths = new Map(manifest.files.map((file) => [file.n, file.path]));
  const db = storeOfSession(session);
  const loader = await createIndexLoader(db, options.sqliteFile);
  const loaded = new Map<string, { rows: number; sha256: string }>();
  const replaced = new Map<string, number>();
  let models = new Map<string, number>();
  const numbered = (row: Row): Row => {
    const n = models.get(String(row.model_n));
    // A document that was on its way in when the archive was made names no model yet.
    return { ...row, model_n: n ?? 0 };
  };

  try {
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
        const columns = manifest.tables.find((one) => one.name === table)?.columns ?? [];
        const rows = rowsOf(current, entries, (found) => {
          next = found;
        });
        if (table === 'embedding_models') {
          const wanted: { id: string; dimensions: number }[] = [];
          const hash = createHash('sha256');
          for await (const row of rows) {
            hash.update(`${lineOf(columns, row)}\n`);
            wanted.push({ id: String(row.id), dimensions: Number(row.dimensions) });
          }
          models = await modelNumbers(session, wanted, options.now());
          await loader.prepare(wanted.map((m) => ({ ...m, n: models.get(`${m.id}#${m.dimensions}`) ?? 0 })));
          loaded.set(table, { rows: wanted.length, sha256: hash.digest('hex') });
        } else if (table === VECTOR_TABLE) {
          loaded.set(table, await loadVectors(rows, loader.add));
        } else {
          if (!shapes.some((shape) => shape.name === table))
            throw new Error(`this release has no table ${table}`);
          const stored = (row: Row): Row => {
            const own = sealed(table, row);
            return table === 'documents' ? numbered(own) : own;
          };
          const clean = (row: Row): Row =>
            storableRow(row, () => replaced.set(table, (replaced.get(table) ?? 0) + 1));
          const renamed = mapped(rows, (row) => {
            const wanted = changed(table, row);
            return wanted === null ? null : clean(wanted);
          });
          loaded.set(table, await loadTable(session, { name: table, columns }, renamed, stored));
        }
      } else if (blob !== null) {
        const key = `${blob.sha256}.${blob.id}`;
        if (objects !== null) {
          await objects.stage(key, await bytesOf(current));
          staged.push(key);
        } else if (shared) await writeStoredBlob(session, key, await bytesOf(current));
        else await writeEntry(current, inside(folder, path.join('blobs', key.slice(0, 2), key)));
      } else if (file !== null) {
        const relative = paths.get(file);
        if (relative !== undefined) await writeEntry(current, inside(folder, relative));
      }
      if (next === undefined) {
        const following = await entries.next();
        next = following.done === true ? null : following.value;
      }
      entry = next;
    }

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
  } catch (error) {
    for (const key of staged) await objects?.remove(key);
    throw error;
  } finally {
    await loader.close();
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
