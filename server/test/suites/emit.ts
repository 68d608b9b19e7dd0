import { afterEach, describe, expect, it } from 'vitest';
import type { Db, Queryable, Tx } from '../../src/db/db.ts';
import type { NewEvent } from '../../src/kernel/events.ts';
import { req } from '../requirements.ts';
import { outletTo } from '../support/outbox.ts';

const named = (name: string): NewEvent => ({
  type: 'task.failed',
  tenantId: 't1',
  userId: 'ann',
  reach: 'own',
  permission: 'tasks:read',
  data: { name },
});

/** `open` gives an empty store. */
export const emitSuite = (
  database: string,
  open: () => Promise<{ db: Db; close(): Promise<void> }>,
): void => {
  describe(`${req('HOOK-06', 'events of a transaction')} on ${database}`, () => {
    let close = async (): Promise<void> => {};
    afterEach(() => close());

    const world = async () => {
      const store = await open();
      close = store.close;
      const { db } = store;
      const told: string[] = [];
      const recorded: string[] = [];
      const outlet = outletTo(
        (event) => told.push(String(event.data.name)),
        (event) => recorded.push(String(event.data.name)),
      );
      db.emitTo(outlet);
      const keys = async (from: Queryable = db.read): Promise<string[]> =>
        (await from.selectFrom('platform').select('name').orderBy('name').execute())
          .map((row) => row.name)
          .filter((name) => name.startsWith('e-'));
      const add = async (tx: Tx, name: string): Promise<void> => {
        await tx
          .insertInto('platform')
          .values({ name: `e-${name}`, value: '' })
          .execute();
        await tx.emit(named(name));
      };
      return { db, outlet, told, recorded, keys, add };
    };

    it('are recorded in it, and told when its rows can be read, before its writer goes on', async () => {
      const { db, outlet, told, recorded, keys, add } = await world();
      const seen: Promise<string[]>[] = [];
      db.emitTo({
        ...outlet,
        publish: (event) => {
          outlet.publish(event);
          seen.push(keys());
        },
      });
      await db.write(async (tx) => {
        await add(tx, 'a');
        expect(recorded).toEqual(['a']);
        expect(told).toEqual([]);
      });
      expect(told).toEqual(['a']);
      expect(await Promise.all(seen)).toEqual([['e-a']]);
    });

    it.each([
      ['that fails', {}],
      ['that may be run again', { repeatable: true }],
      ['that does not wait for the disk', { deferred: true }],
    ])('are not told of one %s and is rolled back, whoever shares its commit', async (_which, options) => {
      const { db, told, keys, add } = await world();
      const results = await Promise.allSettled([
        db.write((tx) => add(tx, 'before'), options),
        db.write(async (tx) => {
          await add(tx, 'lost');
          throw new Error('on purpose');
        }, options),
        db.write((tx) => add(tx, 'behind'), options),
      ]);
      expect(results.map((one) => one.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      expect(told.toSorted()).toEqual(['before', 'behind']);
      expect(await keys()).toEqual(['e-before', 'e-behind']);
    });

    it('are told in the order in which they were emitted, whichever was recorded first', async () => {
      const { db, outlet, told } = await world();
      const first = Promise.withResolvers<void>();
      db.emitTo({
        ...outlet,
        record: async (tx, event) => {
          if (event.data.name === 'first') await first.promise;
          else first.resolve();
          return outlet.record(tx, event);
        },
      });
      await db.write(async (tx) => {
        await Promise.all([tx.emit(named('first')), tx.emit(named('second'))]);
        await tx.emit(named('third'));
      });
      expect(told).toEqual(['first', 'second', 'third']);
    });

    it('come in the order of the commits where one writer waits for the other', async () => {
      const { db, told, add } = await world();
      for (const name of ['a', 'b', 'c']) await db.write((tx) => add(tx, name));
      await Promise.all(['d', 'e'].map((name) => db.write((tx) => add(tx, name))));
      expect(told.slice(0, 3)).toEqual(['a', 'b', 'c']);
      expect(told.slice(3).toSorted()).toEqual(['d', 'e']);
    });

    it('take the transaction down where they cannot be recorded, and are not told', async () => {
      const { db, outlet, told, keys, add } = await world();
      db.emitTo({ ...outlet, record: () => Promise.reject(new Error('no outbox')) });
      await expect(db.write((tx) => add(tx, 'a'))).rejects.toThrow('no outbox');
      expect(told).toEqual([]);
      expect(await keys()).toEqual([]);
    });

    it('go to webhooks alone, or to connections alone, where the writer says so', async () => {
      const { db, told, recorded } = await world();
      await db.write(async (tx) => {
        await tx.emit(named('hooks'), { connections: false });
        await tx.emit(named('sockets'), { webhooks: false });
      });
      expect(recorded).toEqual(['hooks']);
      expect(told).toEqual(['sockets']);
    });

    it('can be told once more under their number, where nobody could say whether their commit was told', async () => {
      const { db, outlet } = await world();
      const ids: string[] = [];
      db.emitTo({ ...outlet, publish: (event) => void ids.push(event.id) });
      const first = await db.write((tx) => tx.emit(named('first')));
      await db.write((tx) => tx.emit(first, { webhooks: false }));
      expect(ids).toEqual([first.id, first.id]);
    });

    it('are refused once the transaction has ended', async () => {
      const { db, told } = await world();
      let emit: Tx['emit'] | null = null;
      await db.write(async (tx) => {
        emit = tx.emit;
      });
      await expect(async () => emit?.(named('late'))).rejects.toThrow('has ended');
      expect(told).toEqual([]);
    });

    it('harm neither their writer nor others where a listener fails', async () => {
      const { db, outlet, told, add } = await world();
      db.emitTo({
        ...outlet,
        publish: (event) => {
          outlet.publish(event);
          throw new Error('a listener failed');
        },
      });
      await Promise.all([db.write((tx) => add(tx, 'a')), db.write((tx) => add(tx, 'b'))]);
      await db.write((tx) => add(tx, 'c'));
      expect(told.toSorted()).toEqual(['a', 'b', 'c']);
    });
  });
};
