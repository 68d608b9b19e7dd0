import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Kysely } from 'kysely';
import { afterAll, describe, expect, it } from 'vitest';
import { req } from '../../../test/requirements.ts';
import { migrate, type SchemaStep } from '../migrate.ts';
import { openSqliteFile } from '../open.ts';
import { SqliteConnection, sqliteDialect } from '../sqlite/driver.ts';
import { migrations } from './index.ts';

/**
 * During a roll nodes of the release before go on with a schema that the new one has brought up to date. So a step only adds:
 * no table, no column and no type that they know goes away, and a row that they write (without the new columns) is taken.
 * What is to go is no longer used by one release, and dropped by the next (docs/operations.md).
 */
interface Column {
  type: string;
  /** A row must name it: it is NOT NULL and has no default. */
  required: boolean;
}
type Schema = Map<string, Map<string, Column>>;

/** Of SQLite alone, which one process has to itself: its full-text tables are never shared with a node of another release. */
const SQLITE_ALONE = 'chunk_terms*';

const folder = mkdtempSync(path.join(tmpdir(), 'pentarch-expand-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const schemasAfter = async (steps: readonly SchemaStep[]): Promise<Schema[]> => {
  const file = openSqliteFile(path.join(folder, `${steps.length}.sqlite`), {
    readOnly: false,
    synchronous: 'normal',
  });
  const db = new Kysely<unknown>({ dialect: sqliteDialect(new SqliteConnection(file)) });
  const read = (): Schema => {
    const tables = file
      .prepare(
        `select name from sqlite_master where type = 'table' and name not like 'sqlite_%' and name not glob ?`,
      )
      .all(SQLITE_ALONE);
    return new Map(
      tables.map((table) => {
        const name = String(table.name);
        const columns = file
          .prepare(`select name, type, "notnull" as needed, dflt_value, pk from pragma_table_info(?)`)
          .all(name);
        return [
          name,
          new Map(
            columns.map((column) => [
              String(column.name),
              {
                type: String(column.type),
                required: column.needed === 1 && column.dflt_value === null && column.pk === 0,
              },
            ]),
          ),
        ];
      }),
    );
  };
  const schemas: Schema[] = [];
  for (let n = 1; n <= steps.length; n++) {
    await migrate(db, 'sqlite', steps.slice(0, n));
    schemas.push(read());
  }
  file.close();
  return schemas;
};

/** What a node of before the step would stumble over after it. */
const breaks = (before: Schema, after: Schema): string[] => {
  const faults: string[] = [];
  for (const [table, columns] of before) {
    const now = after.get(table);
    if (now === undefined) {
      faults.push(`${table} is gone`);
      continue;
    }
    for (const [name, column] of columns) {
      const kept = now.get(name);
      if (kept === undefined) faults.push(`${table}.${name} is gone`);
      else if (kept.type !== column.type)
        faults.push(`${table}.${name} was ${column.type} and is ${kept.type}`);
      else if (kept.required && !column.required) faults.push(`${table}.${name} has become required`);
    }
    for (const [name, column] of now) {
      if (!columns.has(name) && column.required) faults.push(`${table}.${name} is new and required`);
    }
  }
  return faults;
};

describe('steps of the schema', () => {
  it(req('CLU-19', 'only add: nodes of the release before go on beside the one that ran them'), async () => {
    const schemas = await schemasAfter(migrations);
    const faults = schemas.flatMap((after, n) => {
      const before = schemas[n - 1];
      return before === undefined
        ? []
        : breaks(before, after).map((fault) => `${migrations[n]?.name}: ${fault}`);
    });
    expect(faults).toEqual([]);
  });

  it('would be found where they do not', async () => {
    const first: SchemaStep = {
      name: '1',
      async up(db) {
        await db.schema.createTable('a').addColumn('id', 'text').addColumn('old', 'text').execute();
        await db.schema.createTable('b').addColumn('id', 'text').execute();
      },
    };
    const second: SchemaStep = {
      name: '2',
      async up(db) {
        await db.schema.alterTable('a').dropColumn('old').execute();
        await db.schema.dropTable('b').execute();
        await db.schema
          .createTable('c')
          .addColumn('id', 'text', (c) => c.notNull())
          .execute();
      },
    };
    const [before, after] = await schemasAfter([first, second]);
    if (before === undefined || after === undefined) throw new Error('two steps have two schemas');
    expect(breaks(before, after)).toEqual(['a.old is gone', 'b is gone']);
  });
});
