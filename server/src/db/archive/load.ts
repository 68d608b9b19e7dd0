import { createHash } from 'node:crypto';
import { Migrator } from 'kysely/migration';
import type { SchemaStep } from '../migrate.ts';
import { columnTypes } from '../migrations/types.ts';
import type { Row, Session } from './session.ts';
import type { TableShape } from './shape.ts';
import { lineOf } from './view.ts';

/** Most values of one statement: PostgreSQL takes 65,535. */
const MAX_VALUES = 20_000;
const MAX_ROWS = 200;

/** Brings the schema up to the step `last` (null: the newest), inside the session's transaction. */
export const migrateSession = async (
  session: Session,
  steps: readonly SchemaStep[],
  last: string | null,
): Promise<void> => {
  const types = columnTypes(session.dialect);
  const migrator = new Migrator({
    db: session.tx,
    provider: {
      getMigrations: () =>
        Promise.resolve(
          Object.fromEntries(
            steps.map((step) => [
              step.name,
              { up: (target: Parameters<SchemaStep['up']>[0]) => step.up(target, types) },
            ]),
          ),
        ),
    },
    disableTransactions: true,
  });
  const { error } = await (last === null ? migrator.migrateToLatest() : migrator.migrateTo(last));
  if (error) throw new Error('the schema could not be made', { cause: error });
};

/** The newest of two releases' steps that the archive's database had; throws when this release lacks one of them. */
export const lastStep = (archived: readonly string[], known: readonly SchemaStep[]): string => {
  const names = new Set(known.map((step) => step.name));
  const foreign = archived.filter((name) => !names.has(name));
  const last = archived.at(-1);
  if (foreign.length > 0 || last === undefined) {
    throw new Error(
      `the archive was made by a newer release (its schema has ${foreign.join(', ') || 'no steps'}): use that release or a newer one`,
    );
  }
  return last;
};

/** Inserts rows and gives their number and the hash of their lines. */
export const loadTable = async (
  session: Session,
  table: { name: string; columns: readonly string[] },
  rows: AsyncIterable<Row>,
  stored: (row: Row) => Row,
): Promise<{ rows: number; sha256: string }> => {
  const hash = createHash('sha256');
  const list = table.columns.map((column) => `"${column}"`).join(', ');
  const atOnce = Math.max(1, Math.min(MAX_ROWS, Math.floor(MAX_VALUES / Math.max(1, table.columns.length))));
  let held: Row[] = [];
  let count = 0;
  const flush = async (): Promise<void> => {
    if (held.length === 0) return;
    let n = 0;
    const places = held.map(() => `(${table.columns.map(() => `?${++n}`).join(', ')})`);
    const values = held.flatMap((row) => table.columns.map((column) => row[column] ?? null));
    held = [];
    await session.all(`insert into "${table.name}" (${list}) values ${places.join(', ')}`, values);
  };
  for await (const row of rows) {
    hash.update(`${lineOf(table.columns, row)}\n`);
    held.push(stored(row));
    count += 1;
    if (held.length >= atOnce) await flush();
  }
  await flush();
  return { rows: count, sha256: hash.digest('hex') };
};

/** The number and the hash of rows as they stand in the database now. */
export const proofOf = async (
  columns: readonly string[],
  rows: AsyncIterable<Row>,
): Promise<{ rows: number; sha256: string }> => {
  const hash = createHash('sha256');
  let count = 0;
  for await (const row of rows) {
    hash.update(`${lineOf(columns, row)}\n`);
    count += 1;
  }
  return { rows: count, sha256: hash.digest('hex') };
};

/** The numbers of embedding models in this database by `id#dimensions`; makes those that are missing. */
export const modelNumbers = async (
  session: Session,
  wanted: readonly { id: string; dimensions: number }[],
  now: number,
): Promise<Map<string, number>> => {
  const known = await session.all('select n, id, dimensions from embedding_models order by n');
  const numbers = new Map(known.map((row) => [`${String(row.id)}#${String(row.dimensions)}`, Number(row.n)]));
  let next = Math.max(0, ...numbers.values());
  for (const { id, dimensions } of wanted) {
    const key = `${id}#${dimensions}`;
    if (numbers.has(key)) continue;
    next += 1;
    numbers.set(key, next);
    await session.all(
      'insert into embedding_models (n, id, dimensions, created_at) values (?1, ?2, ?3, ?4)',
      [next, id, dimensions, now],
    );
  }
  return numbers;
};

/**
 * Loads what may be a large ledger into PostgreSQL: its rows are summed up by the servers that start afterwards, and not one by one
 * at the commit. The database must be this session's alone.
 */
export const withoutSums = async <T>(session: Session, load: () => Promise<T>): Promise<T> => {
  const [sums] = await session.all(`select 1 as yes where to_regclass('cost_sums') is not null`);
  if (sums === undefined) return load();
  await session.exec('alter table ledger disable trigger ledger_sums');
  const loaded = await load();
  await session.exec(
    `alter table ledger enable trigger ledger_sums;
     insert into cost_sums_pending (tenant_id, next_at)
       select id, 0 from tenants where exists (select 1 from ledger where tenant_id = tenants.id)`,
  );
  return loaded;
};

/** Tables and functions of an earlier platform in this schema of PostgreSQL, and the queue. */
export const dropPlatform = async (session: Session, shapes: readonly TableShape[]): Promise<void> => {
  const engine = await session.all(
    `select relname as name from pg_class where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace
     and (relname like 'kysely\\_%' or relname like 'vectors\\_%' or relname in ('chunk_terms', 'blobs', 'cost_sums', 'cost_sums_pending', 'run_sums', 'message_segments', 'message_grams'))`,
  );
  for (const name of [...shapes.map((shape) => shape.name), ...engine.map((row) => String(row.name))]) {
    await session.exec(`drop table if exists "${name}" cascade`);
  }
  const functions = await session.all(
    `select p.oid::regprocedure::text as signature from pg_proc p
     where p.pronamespace = current_schema()::regnamespace
       and not exists (select 1 from pg_depend d where d.objid = p.oid and d.deptype = 'e')`,
  );
  for (const { signature } of functions)
    await session.exec(`drop function if exists ${String(signature)} cascade`);
  await session.exec('drop schema if exists pgboss cascade');
};
