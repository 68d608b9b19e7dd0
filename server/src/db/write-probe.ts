import type { Db } from './db.ts';

/** Whoever asks within this time gets the same answer: /ready is open to everybody. */
const FRESH_MS = 1_000;
/** What a store with room takes at any time; a file that cannot grow is found out by it. */
const ROOM = 'x'.repeat(64 * 1024);

/** Asks by a real write whether the store takes writes: a server that only reads, and a full disk, answer reads all the same. Rejects where it does not. */
export const createWriteProbe = (db: Pick<Db, 'write' | 'dialect'>): (() => Promise<void>) => {
  let last: { at: number; done: Promise<void> } | null = null;

  const probe = (): Promise<void> =>
    db.write(
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

  return () => {
    const now = performance.now();
    if (last === null || now - last.at > FRESH_MS) {
      last = { at: now, done: probe() };
      last.done.catch(() => {});
    }
    return last.done;
  };
};
