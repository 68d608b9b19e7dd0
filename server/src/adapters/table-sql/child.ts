import {
  type DuckDBConnection,
  DuckDBInstance,
  type DuckDBResult,
  JsonDuckDBValueConverter,
  StatementType,
} from '@duckdb/node-api';
import type { DataTable, TableAnswer, TableColumnType } from '../../kernel/table-sql.ts';
import { ownDataKib } from '../child-memory.ts';
import type { Outcome, Ready, ToChild } from './messages.ts';

/**
 * The process that runs one query: an engine in memory that has lost files, extensions and its own settings before it sees
 * a word of the query. It ends after its answer.
 */

const CAST: Record<TableColumnType, string> = {
  number: 'double',
  date: 'date',
  timestamp: 'timestamp',
  text: 'varchar',
};

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** No table of a document has this name: theirs hold no leading underscore. */
const STAGING = '__staging';

const load = async (connection: DuckDBConnection, table: DataTable): Promise<void> => {
  const columns = table.columns.map((column) => quoted(column.name));
  await connection.run(`create table ${STAGING} (${columns.map((name) => `${name} varchar`).join(', ')})`);
  const appender = await connection.createAppender(STAGING);
  for (const row of table.rows) {
    for (let i = 0; i < columns.length; i++) {
      const value = row[i] ?? null;
      if (value === null) appender.appendNull();
      else appender.appendVarchar(value);
    }
    appender.endRow();
  }
  appender.closeSync();
  const typed = table.columns.map(
    (column) => `try_cast(${quoted(column.name)} as ${CAST[column.type]}) as ${quoted(column.name)}`,
  );
  await connection.run(`create table ${quoted(table.name)} as select ${typed.join(', ')} from ${STAGING}`);
  await connection.run(`drop table ${STAGING}`);
};

const SMALLER = 'Select fewer or shorter columns, or summarise.';
const ONE_STATEMENT = 'Write exactly one SELECT statement.';

const LOCKS = [
  "set temp_directory = ''",
  'set autoinstall_known_extensions = false',
  'set autoload_known_extensions = false',
  'set allow_community_extensions = false',
  'set enable_external_access = false',
  'set lock_configuration = true',
];

const plain = (value: unknown): string | number | boolean | null => {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value !== 'string') return JSON.stringify(value);
  // 64-bit integers and decimals come as text; what a number holds exactly becomes one.
  return /^-?\d{1,15}$/.test(value) && !/^-?0\d/.test(value) ? Number(value) : value;
};

/** Row by row: what a statement gives may be far more than anybody will read. */
const rowsWithin = async (result: DuckDBResult, { maxRows, maxBytes }: ToChild): Promise<TableAnswer> => {
  const types = result.columnTypes();
  const columns = result.deduplicatedColumnNames();
  const rows: TableAnswer['rows'] = [];
  let sizeBytes = Buffer.byteLength(JSON.stringify(columns));
  for (let chunk = await result.fetchChunk(); chunk !== null; chunk = await result.fetchChunk()) {
    for (let i = 0; i < chunk.rowCount; i++) {
      if (rows.length === maxRows) return { columns, rows, truncated: true };
      const row = chunk.convertRowValues(i, JsonDuckDBValueConverter).map((value, at) =>
        // A text that looks like a number stays a text.
        types[at]?.toString() === 'VARCHAR' && typeof value === 'string' ? value : plain(value),
      );
      sizeBytes += Buffer.byteLength(JSON.stringify(row));
      if (sizeBytes > maxBytes) {
        if (rows.length === 0) throw new Error(`One row is larger than ${maxBytes} bytes. ${SMALLER}`);
        return { columns, rows, truncated: true };
      }
      rows.push(row);
    }
    if (chunk.rowCount === 0) break;
  }
  return { columns, rows, truncated: false };
};

const answer = async (job: ToChild): Promise<TableAnswer> => {
  const instance = await DuckDBInstance.create(':memory:', {
    threads: '1',
    memory_limit: `${job.memoryMib}MB`,
  });
  const connection = await instance.connect();
  for (const table of job.tables) await load(connection, table);
  for (const lock of LOCKS) await connection.run(lock);
  const statements = await connection.extractStatements(job.sql);
  if (statements.count !== 1) throw new Error(ONE_STATEMENT);
  const statement = await statements.prepare(0);
  if (statement.statementType !== StatementType.SELECT) throw new Error('Only SELECT is possible.');
  return rowsWithin(await statement.stream(), job);
};

/** The engine's advice on more memory is for its operator. */
const reasonOf = (error: unknown): string => {
  const text = error instanceof Error ? error.message : 'the query failed';
  // What the engine says of a text without any statement.
  if (text === 'Error in native callback') return ONE_STATEMENT;
  return text.startsWith('Out of Memory') ? 'The query needs more memory than is allowed.' : text;
};

const send = (outcome: Outcome): void => {
  process.stdout.write(JSON.stringify(outcome), () => process.exit(0));
};

process.once('message', (job: ToChild) => {
  answer(job).then(
    (found) => send({ type: 'answer', answer: found }),
    (error: unknown) => send({ type: 'fault', message: reasonOf(error) }),
  );
});
process.on('disconnect', () => process.exit(0));
process.send?.({ dataKib: ownDataKib() } satisfies Ready);
