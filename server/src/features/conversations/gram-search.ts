import type { Db } from '../../db/db.ts';
import { type Candidates, createGrams, type SearchingPerson } from './grams.store.ts';

/** The same person's messages are not looked through for new ones more often. */
const PAUSE_MS = 60_000;
/** People of whom it is known when that was. */
const MAX_KNOWN = 10_000;

export interface GramSearch {
  /** Null: everything is to be read. */
  candidates(person: SearchingPerson, piece: string): Promise<Candidates | null>;
  /** This person searches: the next search shall be quick. Not waited for. */
  searched(person: SearchingPerson): void;
  close(): Promise<void>;
}

/** The index of what people have said is made for those who search, in the background, so that chats do not pay for it. */
export const createGramSearch = (options: {
  db: Db;
  now: () => number;
  onError: (error: unknown) => void;
  pauseMs?: number;
}): GramSearch => {
  const { db, now, onError, pauseMs = PAUSE_MS } = options;
  const grams = createGrams(db, now);
  const stop = new AbortController();
  const running = new Map<string, Promise<void>>();
  const last = new Map<string, number>();

  const catchUp = async (person: SearchingPerson): Promise<void> => {
    try {
      await grams.catchUp(person, stop.signal);
    } catch (error) {
      if (!stop.signal.aborted) onError(error);
    }
  };

  return {
    candidates: (person, piece) => grams.candidates(person, piece),

    searched(person) {
      const key = `${person.tenantId} ${person.userId}`;
      const before = last.get(key);
      if (stop.signal.aborted || running.has(key) || (before !== undefined && now() - before < pauseMs))
        return;
      if (last.size >= MAX_KNOWN) last.clear();
      last.set(key, now());
      running.set(
        key,
        catchUp(person).finally(() => running.delete(key)),
      );
    },

    async close() {
      stop.abort();
      await Promise.all(running.values());
    },
  };
};
