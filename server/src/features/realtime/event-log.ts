import type { PlatformEvent } from '../../kernel/events.ts';

/**
 * The events of the last minutes in the order in which they were published. Positions only grow, so that a reader keeps
 * its place as a number whatever has been dropped behind it.
 */
export interface EventLog {
  add(event: PlatformEvent): void;
  /** Position after the newest event. */
  end(): number;
  /** Undefined for what has been dropped or is not there yet. */
  at(position: number): PlatformEvent | undefined;
  /** Where to go on after an event; `complete` is false when events between may be missing. */
  after(eventId: string): { position: number; complete: boolean };
}

export const createEventLog = (limits: { keepMs: number; keepCount: number }): EventLog => {
  let events: PlatformEvent[] = [];
  /** Position of `events[0]`. */
  let first = 0;
  /** Dropped entries at the front of `events`, cut off once they are many. */
  let dropped = 0;
  /**
   * Positions by id of the events before `indexed`: written down when a reader comes back and asks, each once. Most events
   * are never asked for, and an entry for each costs more than all else that publishing does.
   */
  const positions = new Map<string, number>();
  let indexed = 0;

  const drop = (): void => {
    const event = events[dropped];
    if (event !== undefined && first + dropped < indexed) positions.delete(event.id);
    dropped += 1;
    if (dropped > 1024 && dropped * 2 > events.length) {
      events = events.slice(dropped);
      first += dropped;
      dropped = 0;
    }
  };

  const prune = (now: number): void => {
    for (;;) {
      const oldest = events[dropped];
      if (oldest === undefined) return;
      if (events.length - dropped <= limits.keepCount && now - oldest.createdAt <= limits.keepMs) return;
      drop();
    }
  };

  const end = (): number => first + events.length;

  const positionOf = (eventId: string): number | undefined => {
    for (let at = Math.max(indexed, first + dropped); at < end(); at++) {
      const event = events[at - first];
      if (event !== undefined) positions.set(event.id, at);
    }
    indexed = end();
    return positions.get(eventId);
  };

  return {
    add(event) {
      prune(event.createdAt);
      events.push(event);
    },
    end,
    at: (position) => (position < first + dropped ? undefined : events[position - first]),
    after(eventId) {
      const known = positionOf(eventId);
      if (known !== undefined) return { position: known + 1, complete: true };
      // An id of another process, or too old: what is newer by the time inside the id is all that can be given.
      let position = end();
      while (position > first + dropped && (events[position - 1 - first]?.id ?? '') > eventId) position -= 1;
      return { position, complete: false };
    },
  };
};
