import type { Db } from './db.ts';
import { type Refusal, refusalIn } from './refused-writes.ts';
import { createWriteProbe } from './write-probe.ts';

/** The store with an eye on its writes: how long they take, and whether it takes them at all. */
export interface WatchedDb extends Db {
  /** Told how many seconds each write took, its wait for a connection and for the disk included. */
  onWrite(listener: (seconds: number) => void): void;
  /** Why the store takes no writes now, found out by a write and by what those of the platform met; null where it takes them. */
  refusal(): Promise<Refusal | null>;
}

/** A disk that is full for one table may have room for the next write: what was refused counts for this long. */
const REMEMBERED_MS = 5_000;

/** `told` hears once that writes are refused, and once that they are taken again (null). */
export const watchWrites = (db: Db, told: (refusal: Refusal | null, error: unknown) => void): WatchedDb => {
  let listener: (seconds: number) => void = () => {};
  let last: { refusal: Refusal; at: number } | null = null;
  const probe = createWriteProbe(db);

  const taken = (): void => {
    if (last === null) return;
    last = null;
    told(null, null);
  };
  const met = (error: unknown): Refusal | null => {
    const refusal = refusalIn(error);
    // A store that is away is another matter: it does not answer.
    if (refusal !== 'full' && refusal !== 'read_only') return refusal;
    if (last?.refusal !== refusal) told(refusal, error);
    last = { refusal, at: performance.now() };
    return refusal;
  };

  return {
    ...db,
    async write(work, options) {
      const from = performance.now();
      try {
        const result = await db.write(work, options);
        // PostgreSQL without room still changes rows in place: that says nothing.
        if (last !== null && (db.dialect === 'sqlite' || last.refusal !== 'full')) taken();
        return result;
      } catch (error) {
        met(error);
        throw error;
      } finally {
        listener((performance.now() - from) / 1000);
      }
    },
    onWrite(next) {
      listener = next;
    },
    async refusal() {
      try {
        await probe();
      } catch (error) {
        return met(error) ?? 'unavailable';
      }
      if (last !== null && performance.now() - last.at < REMEMBERED_MS) return last.refusal;
      taken();
      return null;
    },
  };
};
