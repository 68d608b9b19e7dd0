import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Db, Queryable } from '../../src/db/db.ts';
import { isStoreUnavailable } from '../../src/db/faults.ts';
import { openPostgres } from '../../src/db/open.ts';
import { newDatabase, postgresServer } from '../support/stores.ts';

/** Two transactions that wait for each other: PostgreSQL ends one of them. */
describe('a deadlock', () => {
  let db: Db;
  let drop: () => Promise<void>;

  beforeAll(async () => {
    const database = await newDatabase(postgresServer ?? '');
    drop = database.drop;
    db = await openPostgres({ url: database.url, unscoped: 'all' });
    for (const caller_id of ['a', 'b']) {
      await db.write((tx) =>
        tx
          .insertInto('idempotency_keys')
          .values({ caller_id, key: 'k', fingerprint: 'f', state: 'running', created_at: 0 })
          .execute(),
      );
    }
  });
  afterAll(async () => {
    await db.close();
    await drop();
  });

  const touch = (tx: Queryable, caller: string) =>
    tx
      .updateTable('idempotency_keys')
      .set((eb) => ({ created_at: eb('created_at', '+', 1) }))
      .where('caller_id', '=', caller)
      .execute();

  /** Both take their first row before either asks for its second: the first time they must meet. */
  const crossing = (repeatable: boolean) => {
    const both = Promise.withResolvers<void>();
    let held = 0;
    return Promise.allSettled(
      [
        ['a', 'b'],
        ['b', 'a'],
      ].map(([first = '', second = '']) =>
        db.write(
          async (tx) => {
            await touch(tx, first);
            held += 1;
            if (held >= 2) both.resolve();
            await both.promise;
            await touch(tx, second);
          },
          { repeatable },
        ),
      ),
    );
  };
  const counts = async () =>
    (await db.read.selectFrom('idempotency_keys').select('created_at').orderBy('caller_id').execute()).map(
      (row) => Number(row.created_at),
    );

  it('is run anew where the write may be repeated: both stand, each once', async () => {
    const before = await counts();
    expect((await crossing(true)).map((result) => result.status)).toEqual(['fulfilled', 'fulfilled']);
    expect(await counts()).toEqual(before.map((n) => n + 2));
  });

  it('is else a fault that passes, with nothing of the write left', async () => {
    const before = await counts();
    const failed = (await crossing(false)).filter((result) => result.status === 'rejected');
    expect(failed).toHaveLength(1);
    expect(isStoreUnavailable(failed[0]?.reason)).toBe(true);
    expect(await counts()).toEqual(before.map((n) => n + 1));
  });
});
