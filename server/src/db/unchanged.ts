import { LRUCache } from 'lru-cache';
import type { Db } from './db.ts';

/**
 * Reads that are asked again and again (a list that a client polls): an answer is given out again for as long as
 * nothing at all has been committed since it was read, so it is never stale by a single write. Only where this process
 * is the store's one writer; elsewhere every call reads.
 */
export const createUnchanged = <T extends object>(
  db: Pick<Db, 'commits'>,
  maxEntries: number,
): ((key: string, read: () => Promise<T>) => T | Promise<T>) => {
  const entries = new LRUCache<string, { commits: number; value: T }>({ max: maxEntries });
  return (key, read) => {
    // Taken before the read: a commit in between makes the entry useless, never wrong.
    const commits = db.commits();
    if (commits === null) return read();
    const known = entries.get(key);
    if (known?.commits === commits) return known.value;
    return read().then((value) => {
      entries.set(key, { commits, value });
      return value;
    });
  };
};
