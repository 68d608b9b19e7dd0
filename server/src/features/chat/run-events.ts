import type { RunEvent, RunEventName } from './journal.rules.ts';

/** Events of one running run: kept from the first, so that whoever comes later (or again) gets all of them in order. */
export interface RunEvents {
  delta(agentId: string, text: string): void;
  emit(event: RunEventName, data: unknown): void;
  /** After the last event: readers are told, nothing can be added. */
  end(): void;
  ended(): boolean;
  all(): readonly RunEvent[];
  /**
   * Calls `onEvent` with what comes after the first `seen` events, at once for what is there, and `onEnd` after the last.
   * Returns the unsubscribe function.
   */
  follow(seen: number, onEvent: (event: RunEvent, n: number) => void, onEnd: () => void): () => void;
}

interface Reader {
  onEvent(event: RunEvent, n: number): void;
  onEnd(): void;
}

/** `told`: events that an earlier process had told; a reader that had seen more than these gets what comes after them. */
export const createRunEvents = (told: readonly RunEvent[] = []): RunEvents => {
  const events: RunEvent[] = [...told];
  const toldBefore = told.length;
  const readers = new Set<Reader>();
  let ended = false;

  const push = (event: RunEvent): void => {
    if (ended) return;
    events.push(event);
    for (const reader of readers) reader.onEvent(event, events.length);
  };

  return {
    delta: (agentId, text) => push({ event: 'message.delta', agentId, text }),
    emit: (event, data) => push({ event, data }),
    end() {
      if (ended) return;
      ended = true;
      for (const reader of readers) reader.onEnd();
      readers.clear();
    },
    ended: () => ended,
    all: () => events,
    follow(seen, onEvent, onEnd) {
      const from = seen > events.length ? toldBefore : seen;
      for (let i = from; i < events.length; i++) {
        const event = events[i];
        if (event) onEvent(event, i + 1);
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
