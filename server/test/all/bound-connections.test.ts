import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compiled } from '../../src/db/compiled.ts';
import type { Db, Queryable } from '../../src/db/db.ts';
import { openPostgres } from '../../src/db/open.ts';
import { acrossTenants, withinTenant } from '../../src/db/scope.ts';
import { together } from '../../src/db/together.ts';
import { req } from '../requirements.ts';
import { newDatabase, postgresServer } from '../support/stores.ts';

/**
 * One connection that goes from tenant to tenant, with what is sent before the answer to what came before: nothing runs
 * under another's binding, nothing outlives its transaction.
 */

const AT = 1_700_000_000_000;
/** PostgreSQL takes no text with this in it: the binding itself fails. */
const UNBINDABLE = 'ours\u0000';

let database: { url: string; drop(): Promise<void> };
let db: Db;
beforeAll(async () => {
  database = await newDatabase(postgresServer ?? '');
  db = await openPostgres({ url: database.url, maxConnections: 1 });
  for (const id of ['ours', 'theirs'])
    await acrossTenants(() =>
      db.write((tx) =>
        tx
          .insertInto('tenants')
          .values({
            id,
            slug: id,
            name: id,
            tier: 'free',
            status: 'active',
            settings: '{}',
            external_id: null,
            created_at: AT,
            updated_at: AT,
          })
          .execute(),
      ),
    );
});
afterAll(async () => {
  await db?.close();
  await database?.drop();
});

const names = async (on: Queryable): Promise<string[]> =>
  (await on.selectFrom('tenants').select('name').orderBy('name').execute()).map((row) => row.name);
const named = compiled<Record<string, never>, { name: string }>((on) =>
  on.selectFrom('tenants').select('name').orderBy('name'),
);
const rename = (on: Queryable, name: string) => on.updateTable('tenants').set({ name }).execute();

it(req('CLU-17', 'work whose connection cannot be bound fails, and changes and learns nothing'), async () => {
  // The connection is bound to another at that moment.
  expect(await withinTenant('ours', () => names(db.read))).toEqual(['ours']);
  await withinTenant(UNBINDABLE, async () => {
    await expect(names(db.read)).rejects.toThrow();
    await expect(named(db.read, {})).rejects.toThrow();
    await expect(rename(db.read, 'taken')).rejects.toThrow();
    await expect(db.write((tx) => rename(tx, 'taken'))).rejects.toThrow();
  });
  expect(await acrossTenants(() => names(db.read))).toEqual(['ours', 'theirs']);
});

it(req('CLU-17', 'a binding that was rolled back with its transaction is made again'), async () => {
  expect(await withinTenant('ours', () => names(db.read))).toEqual(['ours']);
  const failing = withinTenant('theirs', () =>
    db.write(async (tx) => {
      expect(await named(tx, {})).toEqual([{ name: 'theirs' }]);
      throw new Error('on purpose');
    }),
  );
  await expect(failing).rejects.toThrow('on purpose');
  expect(await withinTenant('theirs', () => names(db.read))).toEqual(['theirs']);
  expect(await withinTenant('ours', () => named(db.read, {}))).toEqual([{ name: 'ours' }]);
  expect(await withinTenant('theirs', () => db.write(names))).toEqual(['theirs']);
  expect(await withinTenant('theirs', () => names(db.read))).toEqual(['theirs']);
});

it(req('CLU-17', 'a statement that comes after the end of its transaction is refused'), async () => {
  for (const fails of [false, true]) {
    let late: Queryable | null = null;
    await withinTenant('ours', () =>
      db.write(async (tx) => {
        late = tx;
        if (fails) throw new Error('on purpose');
      }),
    ).catch(() => {});
    // The connection is another tenant's by now.
    await withinTenant('theirs', () => names(db.read));
    const tx = late ?? db.read;
    await expect(rename(tx, 'taken')).rejects.toThrow('after the end of its transaction');
    await expect(named(tx, {})).rejects.toThrow('after the end of its transaction');
  }
  expect(await acrossTenants(() => names(db.read))).toEqual(['ours', 'theirs']);
});

it('statements sent together stand or fall together, and the cause is what is told', async () => {
  const write = (last: string) =>
    withinTenant('ours', () =>
      db.write((tx) =>
        together(rename(tx, 'first'), sql.raw(last).execute(tx), names(tx), rename(tx, 'last')),
      ),
    );
  await expect(write('select 1 / 0')).rejects.toThrow('division by zero');
  expect(await withinTenant('ours', () => names(db.read))).toEqual(['ours']);
  expect((await write('select 1'))[2]).toEqual(['first']);
  expect(await withinTenant('ours', () => names(db.read))).toEqual(['last']);
  await withinTenant('ours', () => db.write((tx) => rename(tx, 'ours')));
});

it('a transaction whose failed statement nobody has looked at is not taken for one that stands', async () => {
  const careless = withinTenant('ours', () =>
    db.write(async (tx) => {
      await rename(tx, 'lost');
      await sql`select 1 / 0`.execute(tx).catch(() => {});
    }),
  );
  await expect(careless).rejects.toThrow('rolled back');
  expect(await withinTenant('ours', () => names(db.read))).toEqual(['ours']);
});

it('statements that are kept prepared go on when a newer node adds a column', async () => {
  const all = compiled<{ id: string }, { name: string }>((on, p) =>
    on.selectFrom('tenants').selectAll().where('id', '=', p('id')),
  );
  const read = () => withinTenant('ours', () => all(db.read, { id: 'ours' }));
  expect((await read())[0]?.name).toBe('ours');
  const newer = new pg.Client({ connectionString: database.url });
  await newer.connect();
  await newer.query('alter table tenants add column added_later text');
  await newer.end();
  expect((await read())[0]?.name).toBe('ours');
  expect(await withinTenant('ours', () => named(db.read, {}))).toEqual([{ name: 'ours' }]);
});
