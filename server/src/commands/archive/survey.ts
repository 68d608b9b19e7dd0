import { createIdScan } from '../../db/archive/references.ts';
import type { Row, Session } from '../../db/archive/session.ts';
import type { TableShape } from '../../db/archive/shape.ts';
import { VECTOR_COLUMNS, VECTOR_TABLE } from '../../db/archive/vectors.ts';
import { conditionOf, rowOf } from '../../db/archive/view.ts';
import { foldEmail } from '../../features/users/index.ts';
import { isUuid } from '../../kernel/ids.ts';
import { UsageError } from '../command.ts';
import type { Manifest } from './manifest.ts';
import { filesFault } from './paths.rules.ts';
import { type Archive, blobOf, tableOf } from './read.ts';
import { linesOf } from './tar.ts';

/**
 * A look at a tenant's archive before anything of it is stored: only tables and columns that a tenant has, only files below its own
 * folder, bytes of its own documents alone, values of the right kind, nothing that this platform has already.
 */
export interface SurveyOptions {
  archive: Archive;
  manifest: Manifest;
  session: Session;
  shapes: readonly TableShape[];
  tenantId: string;
  /** Below the data folder: where files of this tenant's agents are. */
  filesFolder: string;
}

const MAX_MODELS = 32;
const MAX_DIMENSIONS = 16_000;
const MAX_MODEL_ID = 300;

const foreign = (text: string): Error => new Error(`${text}: nothing was imported`);

/** Throws for what a tenant's archive cannot hold. */
export const checkManifest = (
  manifest: Manifest,
  shapes: readonly TableShape[],
  filesFolder: string,
): void => {
  const names = new Set<string>();
  for (const { name, columns } of manifest.tables) {
    if (names.has(name)) throw foreign(`the manifest names the table ${name} twice`);
    names.add(name);
    if (name === VECTOR_TABLE) {
      if (columns.join() !== [...VECTOR_COLUMNS].join()) throw foreign('vectors have other columns');
      continue;
    }
    const shape = shapes.find((one) => one.name === name);
    if (shape === undefined) throw foreign(`this release has no table ${JSON.stringify(name)}`);
    if (name !== 'jobs' && conditionOf(shape, shapes) === null)
      throw foreign(`the table ${name} belongs to the platform, not to a tenant`);
    const strange = columns.find(
      (column, i) => !shape.columns.includes(column) || columns.indexOf(column) !== i,
    );
    if (strange !== undefined) throw foreign(`${name} has no column ${JSON.stringify(strange)}`);
  }
  const fault = filesFault(manifest.files, [`files/${filesFolder}`]);
  if (fault !== null) throw foreign(fault);
};

const kindFault = (shape: TableShape, column: string, value: unknown): boolean => {
  if (value === null || value === undefined) return false;
  if (shape.binary.has(column)) return !(value instanceof Uint8Array);
  if (shape.texts.has(column)) return typeof value !== 'string';
  return typeof value !== 'number' || !Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER;
};

const checkModel = (row: Row): void => {
  const { id, dimensions } = row;
  if (typeof id !== 'string' || id.length > MAX_MODEL_ID) throw foreign('an embedding model has no name');
  if (
    typeof dimensions !== 'number' ||
    !Number.isInteger(dimensions) ||
    dimensions < 1 ||
    dimensions > MAX_DIMENSIONS
  )
    throw foreign(`the embedding model ${id} has no number of dimensions`);
};

/** Throws for values of another kind than the column's, and for rows of another tenant. */
export const checkRow = (table: string, shape: TableShape, row: Row, tenantId: string): void => {
  if (table === 'embedding_models') return checkModel(row);
  for (const column of shape.columns) {
    // Numbers of models are carried as their names.
    if (table === 'documents' && column === 'model_n') continue;
    if (kindFault(shape, column, row[column]))
      throw foreign(`a row of ${table} has a value of another kind in ${column}`);
  }
  const owner = table === 'tenants' ? row.id : shape.columns.includes('tenant_id') ? row.tenant_id : tenantId;
  if (owner !== tenantId) throw foreign(`a row of ${table} belongs to another tenant`);
};

const IDS_AT_ONCE = 200;

const taken = async (
  session: Session,
  table: string,
  column: string,
  values: string[],
): Promise<string[]> => {
  const places = values.map((_, i) => `?${i + 1}`).join(', ');
  const rows = await session.all(
    `select "${column}" as value from "${table}" where "${column}" in (${places})`,
    values,
  );
  return rows.map((row) => String(row.value));
};

interface Found {
  /** By document id: the hash of its bytes. */
  documents: Map<string, string>;
  emails: string[];
  chunks: Set<string>;
  models: number;
}

const lookAt = (found: Found, table: string, row: Row): void => {
  if (table === 'documents') found.documents.set(String(row.id), String(row.sha256));
  if (table === 'users') found.emails.push(foldEmail(String(row.email)));
  if (table === 'chunks') found.chunks.add(String(row.id));
  if (table === 'embedding_models') found.models += 1;
};

const checkTaken = async (session: Session, found: Found): Promise<void> => {
  const ids = [...found.documents.keys()];
  for (let i = 0; i < ids.length; i += IDS_AT_ONCE) {
    const [known] = await taken(session, 'documents', 'id', ids.slice(i, i + IDS_AT_ONCE));
    if (known !== undefined) throw foreign(`the document ${known} is here already`);
  }
  const emails: string[] = [];
  for (let i = 0; i < found.emails.length; i += IDS_AT_ONCE)
    emails.push(...(await taken(session, 'users', 'email_folded', found.emails.slice(i, i + IDS_AT_ONCE))));
  if (emails.length > 0) {
    throw new UsageError(
      `${emails.length} e-mail addresses belong to accounts here: ${emails.slice(0, 5).join(', ')}. Change them on one side first (PATCH /v2/users), or import into an empty database`,
    );
  }
};

/** Reads everything but bytes and throws for the first thing that may not be. */
export const surveyTenant = async (options: SurveyOptions): Promise<void> => {
  const { archive, manifest, session, shapes, tenantId } = options;
  checkManifest(manifest, shapes, options.filesFolder);
  const found: Found = { documents: new Map(), emails: [], chunks: new Set(), models: 0 };
  const blobs = new Map<string, string>();
  const scan = createIdScan(session, shapes, tenantId);
  for await (const entry of archive.entries()) {
    const blob = blobOf(entry);
    if (blob !== null) {
      if (blobs.has(blob.id)) throw foreign(`the bytes of document ${blob.id} are there twice`);
      blobs.set(blob.id, blob.sha256);
    }
    const table = tableOf(entry);
    if (table === null) continue;
    if (table === VECTOR_TABLE) {
      for await (const line of linesOf(entry))
        if (!found.chunks.has(String(rowOf(line).chunk_id)))
          throw foreign('a vector belongs to a passage that is not in the archive');
      continue;
    }
    const shape = shapes.find((one) => one.name === table);
    if (shape === undefined) throw foreign(`this release has no table ${table}`);
    for await (const line of linesOf(entry)) {
      const row = rowOf(line);
      checkRow(table, shape, row, tenantId);
      lookAt(found, table, row);
      await scan.look(table, row);
    }
  }
  if (found.models > MAX_MODELS) throw foreign(`it names ${found.models} embedding models`);
  for (const [id, sha256] of blobs) {
    if (!isUuid(id) || found.documents.get(id) !== sha256)
      throw foreign(`it holds bytes that are not of one of its documents (${id})`);
  }
  await scan.flush();
  await checkTaken(session, found);
};
