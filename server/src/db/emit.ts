import type { NewEvent, PlatformEvent } from '../kernel/events.ts';
import { newId } from '../kernel/ids.ts';
import type { EmitTo, EventOutlet, Queryable, Tx } from './db.ts';

/** Record in the transaction, tell after the commit: the one place that does both, for either engine. */

export interface Written<T> {
  result: T;
  /** To be called when the rows are where their writer is told that they are; never after a rollback. Does not throw. */
  committed(): void;
}

const isNumbered = (event: NewEvent | PlatformEvent): event is PlatformEvent => 'id' in event;

/** Until the platform has its webhooks and its bus nobody can have subscribed to anything: events are numbered, no more. */
const NOWHERE: EventOutlet = {
  // One that an earlier transaction has recorded keeps its number.
  record: async (_tx, event) =>
    isNumbered(event) ? event : { ...event, id: newId(), createdAt: Date.now() },
  publish: () => {},
};

export const createEmitter = (onError: (error: unknown) => void = () => {}) => {
  let outlet = NOWHERE;

  const attempt = (then: () => void): void => {
    try {
      then();
    } catch (error) {
      // The commit stands, and others wait behind it.
      onError(error);
    }
  };

  return {
    emitTo(next: EventOutlet): void {
      outlet = next;
    },

    /** Runs `work` in the transaction that is open on `connection`, and gives what is left to do after its commit. */
    async within<T>(connection: Queryable, work: (tx: Tx) => Promise<T>): Promise<Written<T>> {
      const waiting: (() => void)[] = [];
      let open = true;
      const afterCommit = (then: () => void): void => {
        if (!open) throw new Error('the transaction has ended');
        waiting.push(then);
      };
      const emit = async (event: NewEvent, to: EmitTo = {}): Promise<PlatformEvent> => {
        const bus = outlet;
        const outbox = to.webhooks === false ? NOWHERE : outlet;
        let recorded: PlatformEvent | null = null;
        // Its place is taken before anything is waited for: events are told in the order in which they were emitted.
        afterCommit(() => {
          if (recorded !== null && to.connections !== false) bus.publish(recorded);
        });
        recorded = await outbox.record(tx, event);
        return recorded;
      };
      const tx: Tx = Object.assign(connection, { emit, afterCommit });
      try {
        const result = await work(tx);
        return {
          result,
          committed() {
            for (const then of waiting) attempt(then);
          },
        };
      } finally {
        open = false;
      }
    },
  };
};
