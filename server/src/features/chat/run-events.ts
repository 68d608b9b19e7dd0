import { firstAfter, type Jump, numberAt, type RunEvent } from './journal.rules.ts';

/** Events of one running run: kept from the first, so that whoever comes later (or again) gets all of them in order. */
export interface RunEvents {
  delta(agentId: string, text: string): void;
  emit(event: Exclude<RunEvent['event'], 'message.delta'>, data: unknown): void;
  /** After the last event: readers are told, nothing can be added. */
  end(): void;
  ended(): boolean;
  all(): readonly RunEvent[];
  jumps(): readonly Jump[];
  /** The number that the next event gets. */
  next(): number;
  /**
   * Calls `onEvent` with what comes after the event of number `seen`, at once for what is there, and `onEnd` after the last.
   * Returns the unsubscribe function.
   */
  follow(seen: number, onEvent: (event: RunEvent, n: number) => void, onEnd: () => void): () => void;
}

interface Reader {
  onEvent(event: RunEvent, n: number): void;
  onEnd(): void;
}

/** `told`: events of the start, or those that an earlier process had told and stored, numbered by `jumps`. */
export const createRunEvents = (told: readonly RunEvent[] = [], jumps: readonly Jump[] = []): RunEvents => {
  const events: RunEvent[] = [...told];
  const readers = new Set<Reader>();
  let ended = false;

  const push = (event: RunEvent): void => {
    if (ended) return;
    events.push(event);
    const n = numberAt(events.length - 1, jumps);
    for (const reader of readers) reader.onEvent(event, n);
  };

  return {
    delta: (agentId, text) => push({ event: 'message.delta', agentId, text }),
    emit: (event, data) => push({ event, data }),
    end() {
      ended = true;
      for (const reader of readers) reader.onEnd();
      readers.clear();
    },
    ended: () => ended,
    all: () => events,
    jumps: () => jumps,
    next: () => numberAt(events.length, jumps),
    follow(seen, onEvent, onEnd) {
      for (let i = firstAfter(seen, events.length, jumps); i < events.length; i++) {
        const event = events[i];
        if (event) onEvent(event, numberAt(i, jumps));
      }
      if (ended) {
        onEnd();
        return () => {};
      }
      const reader = { onEvent, onEnd };
      readers.add(reader);
      return () => readers.delete(reader);
    },
  };
};
