import { sql } from 'kysely';
import { atMost } from '../kernel/races.ts';
import type { Db } from './db.ts';
import { refusalIn } from './refused-writes.ts';

/** Whoever asks within this time gets the same answer: /ready is open to everybody. */
const FRESH_MS = 1_000;
/** What a store with room takes at any time; a file that cannot grow is found out by it. */
const ROOM = 'x'.repeat(64 * 1024);
/** A table of its own, some hundred kilobytes, makes the catalogue a little longer each time. */
const GROWTH_EVERY_MS = 10_000;
const GROWTH_PATIENCE_MS = 500;

/** PostgreSQL changes rows in place with a full disk too: only a new file shows that there is room. */
const growPostgres = async (db: Pick<Db, 'write'>): Promise<void> => {
  try {
    await db.write(async (tx) => {
      await sql`create temporary table pentarch_room on commit drop as
        select md5(random()::text) as room from generate_series(1, 8000)`.execute(tx);
    });
  } catch (error) {
    // The role may have no right to temporary tables, which says nothing of the disk.
    if (refusalIn(error) !== null) throw error;
  }
};

/** Asks by a real write whether the store takes writes: a server that only reads, and a full disk, answer reads all the same. Rejects where it does not. */
export const createWriteProbe = (db: Pick<Db, 'write' | 'dialect'>): (() => Promise<void>) => {
  let last: { at: number; done: Promise<void> } | null = null;
  let growth: { at: number; done: Promise<void> } | null = null;

  /** Does not hold up who asks: where it takes its time, its fault is the next one's. */
  const grow = async (): Promise<void> => {
    if (db.dialect === 'sqlite') return;
    const now = performance.now();
    if (growth === null || now - growth.at > GROWTH_EVERY_MS) {
      const done = growPostgres(db);
      growth = { at: now, done };
      // After a fault it is asked again at once.
      done.catch(() => {
        if (growth?.done === done) growth.at = Number.NEGATIVE_INFINITY;
      });
    }
    await atMost(growth.done, GROWTH_PATIENCE_MS);
  };

  const probe = async (): Promise<void> => {
    await db.write(
      async (tx) => {
        if (db.dialect === 'sqlite') {
          await tx.insertInto('platform').values({ name: 'write_probe', value: ROOM }).execute();
          await tx.deleteFrom('platform').where('name', '=', 'write_probe').execute();
        }
        const value = String(Date.now());
        await tx
          .insertInto('platform')
          .values({ name: 'written_at', value })
          .onConflict((c) => c.column('name').doUpdateSet({ value }))
          .execute();
      },
      { deferred: true, repeatable: true },
    );
    await grow();
  };

  return () => {
    const now = performance.now();
    if (last === null || now - last.at > FRESH_MS) {
      last = { at: now, done: probe() };
      last.done.catch(() => {});
    }
    return last.done;
  };
};
