import { setTimeout as delay } from 'node:timers/promises';
import { isStoreUnavailable } from '../../db/faults.ts';
import type { NodeLocks } from '../../kernel/cluster.ts';
import { AppError, conflict } from '../../kernel/errors.ts';

export const busy = () => conflict('this conversation is busy with an earlier message');

/** Another node has the turn, whatever the locks say: nothing of the transaction that claimed it stands. */
export class TurnTaken extends Error {
  constructor() {
    super('another node has the turn of this conversation');
    this.name = 'TurnTaken';
  }
}

/** `work` with the turn, which is entered again where the store says that it is another's; the turn stays entered after it. */
export const inTurn = async <T>(
  turn: { leave(): void },
  enter: () => Promise<() => void>,
  work: () => Promise<T>,
): Promise<T> => {
  for (;;) {
    turn.leave = await enter();
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof TurnTaken)) throw error;
      turn.leave();
    }
  }
};

/** How often a message looks whether another node has done with its conversation. */
const LOOK_MS = 50;

/** Where a message stands among those that wait: by the time of its acceptance, then by the id of its run. */
export interface Place {
  at: number;
  id: string;
}

/** Of a run that has begun already and takes its turn again: before all that have not begun. */
const BEGUN: Place = { at: 0, id: '' };

const placeOf = (place: Place | { begun: string }): Place => ('begun' in place ? BEGUN : place);

const isBefore = (a: Place, b: Place): boolean => a.at < b.at || (a.at === b.at && a.id < b.id);

/** It is stored and waits for nobody in particular: the way to the other nodes, and the store, come back. */
const whileAway = (error: unknown): null => {
  if (error instanceof AppError ? error.code === 'SERVICE_UNAVAILABLE' : isStoreUnavailable(error))
    return null;
  throw error;
};

/** What the store knows of a conversation's turns; asked only where there are other nodes. */
interface StoredTurns {
  /** Whether a message waits before this place (null: anywhere). */
  ahead(conversationId: string, place: Place | null): Promise<boolean>;
  /** Whether a run of another node is going on; `runId`: of a run that has begun itself, which only earlier ones precede. */
  goingOn(conversationId: string, runId: string | null): Promise<boolean>;
}

const NO_TURNS: StoredTurns = { ahead: async () => false, goingOn: async () => false };

interface Waiter {
  place: Place;
  go(): void;
}

/** Messages of one conversation on this node; there is none where nothing goes on. */
interface Line {
  busy: boolean;
  /** In the order of their places. */
  waiting: Waiter[];
  /** Messages that are being stored, and will wait: nobody gets in before them. */
  coming: number;
}

interface WaitOptions {
  /** Of a run that has begun already: its id. */
  place: Place | { begun: string };
  signal: AbortSignal;
}

/**
 * One run at a time per conversation: a second message waits its turn, so that history stays in pairs of question and
 * answer. On one node the order is that of the places; between nodes (`locks`) a turn is taken by whoever gets it and, among
 * messages that have not begun, has nobody `ahead` in the store. The locks only spare questions to the store: they may be
 * forgotten, so that a turn is had for sure by the write that claims it (`claimTurn` in `store.ts`).
 */
export const createConversationQueue = (locks: NodeLocks | null = null, turns: StoredTurns = NO_TURNS) => {
  const lines = new Map<string, Line>();
  const lockOf = (conversationId: string): string => `conversation:${conversationId}`;

  const drop = (conversationId: string, line: Line): void => {
    if (!line.busy && line.waiting.length === 0 && line.coming === 0) lines.delete(conversationId);
  };

  const lineOf = (conversationId: string): Line => {
    const line = lines.get(conversationId) ?? { busy: false, waiting: [], coming: 0 };
    lines.set(conversationId, line);
    return line;
  };

  const leaveHere = (conversationId: string, line: Line): void => {
    line.busy = false;
    const next = line.waiting.shift();
    if (next !== undefined) {
      line.busy = true;
      next.go();
    } else drop(conversationId, line);
  };

  /** Rejects with the signal's reason. */
  const enterHere = (line: Line, place: Place, signal: AbortSignal | null): Promise<void> => {
    if (!line.busy && line.waiting.length === 0) {
      line.busy = true;
      return Promise.resolve();
    }
    return new Promise<void>((resolve, reject) => {
      const stop = (): void => {
        line.waiting = line.waiting.filter((other) => other !== waiter);
        reject(signal?.reason);
      };
      const waiter: Waiter = {
        place,
        go() {
          signal?.removeEventListener('abort', stop);
          resolve();
        },
      };
      const behind = line.waiting.findIndex((other) => isBefore(place, other.place));
      line.waiting.splice(behind === -1 ? line.waiting.length : behind, 0, waiter);
      signal?.addEventListener('abort', stop, { once: true });
    });
  };

  const leaver = (
    conversationId: string,
    line: Line,
    release: (() => Promise<void>) | null,
  ): (() => void) => {
    let left = false;
    return () => {
      if (left) return;
      left = true;
      void release?.();
      leaveHere(conversationId, line);
    };
  };

  const isFree = async (conversationId: string, place: WaitOptions['place'] | null): Promise<boolean> => {
    if (place !== null && 'begun' in place) return !(await turns.goingOn(conversationId, place.begun));
    // In this order: one that begins between the two questions is seen by the second.
    if (await turns.ahead(conversationId, place)) return false;
    return !(await turns.goingOn(conversationId, null));
  };

  /** The turn over all nodes, or null where it is not this message's. */
  const takeEverywhere = async (
    everywhere: NodeLocks,
    conversationId: string,
    place: WaitOptions['place'] | null,
  ) => {
    const release = await everywhere.take(lockOf(conversationId));
    if (release === null) return null;
    let goes = false;
    try {
      goes = await isFree(conversationId, place);
    } finally {
      if (!goes) await release();
    }
    return goes ? release : null;
  };

  /** With the turn on this node: until it has the turn everywhere. Gives way to whoever stands before it here by then. */
  const enterEverywhere = async (
    everywhere: NodeLocks,
    conversationId: string,
    line: Line,
    { place: wanted, signal }: WaitOptions,
  ): Promise<() => void> => {
    const place = placeOf(wanted);
    let here = true;
    try {
      for (;;) {
        signal.throwIfAborted();
        const first = line.waiting[0];
        if (first !== undefined && isBefore(first.place, place)) {
          const again = enterHere(line, place, signal);
          here = false;
          leaveHere(conversationId, line);
          await again;
          here = true;
        }
        const release = await takeEverywhere(everywhere, conversationId, wanted).catch(whileAway);
        if (release !== null) return leaver(conversationId, line, release);
        await delay(LOOK_MS);
      }
    } catch (error) {
      if (here) leaveHere(conversationId, line);
      throw error;
    }
  };

  return {
    /** The first turn of a conversation that is not stored yet: nobody can be before it. */
    enterNew(conversationId: string): () => void {
      const line = lineOf(conversationId);
      line.busy = true;
      // Not waited for: the run's row says the same to other nodes.
      const taken = locks?.take(lockOf(conversationId)).catch(() => null) ?? null;
      return leaver(conversationId, line, taken === null ? null : async () => (await taken)?.());
    },

    /** The turn where it is free at once, as the function that lets the next one in; null where it is not. */
    async tryEnter(conversationId: string): Promise<(() => void) | null> {
      if (lines.has(conversationId)) return null;
      const line = lineOf(conversationId);
      line.busy = true;
      if (locks === null) return leaver(conversationId, line, null);
      try {
        const release = await takeEverywhere(locks, conversationId, null);
        if (release !== null) return leaver(conversationId, line, release);
      } catch (error) {
        leaveHere(conversationId, line);
        throw error;
      }
      leaveHere(conversationId, line);
      return null;
    },

    /** Keeps later messages of this node behind one that is being stored, until the function is called. */
    announce(conversationId: string): () => void {
      const line = lineOf(conversationId);
      line.coming += 1;
      return () => {
        line.coming -= 1;
        drop(conversationId, line);
      };
    },

    /** Resolves when it is the caller's turn, with the function that lets the next one in. Rejects with the signal's reason. */
    async enter(conversationId: string, how: WaitOptions): Promise<() => void> {
      how.signal.throwIfAborted();
      const line = lineOf(conversationId);
      await enterHere(line, placeOf(how.place), how.signal);
      return locks === null
        ? leaver(conversationId, line, null)
        : enterEverywhere(locks, conversationId, line, how);
    },
  };
};
