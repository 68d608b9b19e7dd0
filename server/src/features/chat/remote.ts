import type { NodeMessages } from '../../kernel/cluster.ts';
import type { RunEvent } from './journal.rules.ts';
import type { RunEvents } from './run-events.ts';

/**
 * Runs of other nodes, followed and stopped from here. A reader asks the run's node for the events after those it has, and
 * asks again every second or two: that is at once the renewal of its subscription, the answer to lost messages (each
 * event carries its number), and how it finds the node that has taken the run over.
 *
 * | message     | from → to          | what                                              |
 * |-------------|--------------------|---------------------------------------------------|
 * | run.follow  | reader → run's node | events after `seen` please, to this `reader`      |
 * | run.events  | run's node → reader | events from number `from` on; `ended` after the last |
 * | run.stop    | reader → run's node | cancel it                                         |
 */
export interface FollowedRun {
  runId: string;
  events: Pick<RunEvents, 'follow'>;
}

interface FollowMessage {
  runId: string;
  reader: string;
  seen: number;
}

interface EventsMessage {
  reader: string;
  /** Number of the first of `events`. */
  from: number;
  events: RunEvent[];
  ended: boolean;
}

/** Where a run is now: here, at a node, or over (its events are in the store). */
export type Whereabouts =
  | { at: 'here'; events: RunEvents }
  | { at: 'node'; nodeId: string }
  | { at: 'end'; events: RunEvent[] };

export interface RemoteOptions {
  messages: NodeMessages;
  /** A run that goes on here. */
  running(runId: string): { events: RunEvents } | undefined;
  /** Throws where the store does not answer. */
  locate(runId: string): Promise<Whereabouts>;
  cancelHere(runId: string): void;
  newReader(): string;
  onError(error: unknown, message: string): void;
}

const ASK_MS = 1_000;
/** A position past every event: a run that was taken up again begins after what it had told before (run-events.ts). */
const AFTER_THE_TOLD = Number.MAX_SAFE_INTEGER;
/** A reader that has not asked for so long is gone. */
const SUBSCRIPTION_MS = 10_000;
/** Text comes in small pieces: what comes within this time goes in one message. */
const GATHER_MS = 20;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const isFollow = (m: unknown): m is FollowMessage =>
  isRecord(m) && typeof m.runId === 'string' && typeof m.reader === 'string' && typeof m.seen === 'number';

const isEvents = (m: unknown): m is EventsMessage =>
  isRecord(m) &&
  typeof m.reader === 'string' &&
  typeof m.from === 'number' &&
  typeof m.ended === 'boolean' &&
  Array.isArray(m.events) &&
  m.events.every((event) => isRecord(event) && typeof event.event === 'string');

interface Subscription {
  renewedAt: number;
  stop(): void;
}

export const createRemoteRuns = (options: RemoteOptions) => {
  const { messages } = options;
  const readers = new Map<string, (message: EventsMessage) => void>();
  const subscriptions = new Map<string, Subscription>();

  /** Sends a reader what it lacks, and what comes, for as long as it asks. */
  const serve = ({ runId, reader, seen }: FollowMessage, from: string): void => {
    const key = `${from}/${reader}`;
    subscriptions.get(key)?.stop();
    const run = options.running(runId);
    if (run === undefined) return;
    let gathered: RunEvent[] = [];
    let first = 0;
    let timer: NodeJS.Timeout | null = null;
    const flush = (ended: boolean): void => {
      if (timer !== null) clearTimeout(timer);
      timer = null;
      if (gathered.length === 0 && !ended) return;
      messages.send(
        'run.events',
        { reader, from: first, events: gathered, ended } satisfies EventsMessage,
        from,
      );
      gathered = [];
    };
    const unfollow = run.events.follow(
      seen,
      (event, n) => {
        if (gathered.length === 0) first = n;
        gathered.push(event);
        timer ??= setTimeout(() => flush(false), GATHER_MS);
      },
      () => {
        flush(true);
        subscriptions.delete(key);
      },
    );
    const subscription: Subscription = {
      renewedAt: performance.now(),
      stop: () => {
        unfollow();
        if (timer !== null) clearTimeout(timer);
        subscriptions.delete(key);
      },
    };
    if (!run.events.ended()) subscriptions.set(key, subscription);
  };

  const sweep = setInterval(() => {
    const before = performance.now() - SUBSCRIPTION_MS;
    for (const subscription of subscriptions.values())
      if (subscription.renewedAt < before) subscription.stop();
  }, SUBSCRIPTION_MS);
  sweep.unref();

  const leave = [
    messages.receive('run.follow', (message, from) => {
      if (isFollow(message)) serve(message, from);
    }),
    messages.receive('run.events', (message) => {
      if (isEvents(message)) readers.get(message.reader)?.(message);
    }),
    messages.receive('run.stop', (message) => {
      if (typeof message === 'string') options.cancelHere(message);
    }),
  ];

  /** Follows a run wherever it goes on, over the death of its node too. */
  const follow =
    (runId: string): RunEvents['follow'] =>
    (seenAtFirst, onEvent, onEnd) => {
      const reader = options.newReader();
      let seen = seenAtFirst;
      let askedNode: string | null = null;
      /** Another node has it now: its numbers begin after its last finished step, wherever this reader was. */
      let anew = false;
      /** The last event has been handed on. */
      let told = false;
      let over = false;
      let timer: NodeJS.Timeout | undefined;
      let local: (() => void) | null = null;

      const finish = (): void => {
        if (over) return;
        over = true;
        clearTimeout(timer);
        readers.delete(reader);
        onEnd();
      };
      const take = (event: RunEvent, n: number): void => {
        seen = n;
        told = event.event === 'message.completed' || event.event === 'error';
        onEvent(event, n);
      };

      readers.set(reader, (message) => {
        if (over) return;
        if (anew && message.events.length > 0) {
          seen = message.from - 1;
          anew = false;
        }
        // A gap: what lies between was lost on the way, and the next question brings it.
        if (message.from > seen + 1 && message.events.length > 0) return;
        for (const [i, event] of message.events.entries()) {
          const n = message.from + i;
          if (n === seen + 1) take(event, n);
        }
        if (
          message.ended &&
          (message.events.length === 0 || message.from + message.events.length - 1 <= seen)
        )
          finish();
      });

      const ask = async (): Promise<void> => {
        const where = await options.locate(runId);
        if (over) return;
        if (where.at === 'end') {
          const { events } = where;
          const last = events.at(-1);
          // A reader may have seen more than a restart has left: it gets the end all the same.
          if (seen >= events.length && last !== undefined && !told) take(last, seen + 1);
          else for (let i = seen; i < events.length; i++) take(events[i] as RunEvent, i + 1);
          return finish();
        }
        if (where.at === 'here') {
          readers.delete(reader);
          const from = askedNode === null || seen === 0 ? seen : AFTER_THE_TOLD;
          local = where.events.follow(from, take, finish);
          return;
        }
        if (askedNode !== null && askedNode !== where.nodeId && seen > 0) anew = true;
        askedNode = where.nodeId;
        const position = anew ? AFTER_THE_TOLD : seen;
        messages.send('run.follow', { runId, reader, seen: position } satisfies FollowMessage, where.nodeId);
        timer = setTimeout(again, ASK_MS);
      };
      const again = (): void => {
        ask().catch((error: unknown) => {
          options.onError(error, 'a run of another node could not be followed');
          if (!over) timer = setTimeout(again, ASK_MS);
        });
      };
      again();
      return () => {
        over = true;
        clearTimeout(timer);
        readers.delete(reader);
        local?.();
      };
    };

  return {
    follow: (runId: string): FollowedRun => ({ runId, events: { follow: follow(runId) } }),
    stop: (runId: string, nodeId: string): void => messages.send('run.stop', runId, nodeId),
    close(): void {
      clearInterval(sweep);
      for (const each of leave) each();
      for (const subscription of subscriptions.values()) subscription.stop();
    },
  };
};

export type RemoteRuns = ReturnType<typeof createRemoteRuns>;
