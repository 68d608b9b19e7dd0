import type { NodeMessages } from '../../kernel/cluster.ts';
import { firstAfter, type Jump, numberAt, type RunEvent } from './journal.rules.ts';
import type { RunEvents } from './run-events.ts';

/**
 * Runs of other nodes, followed and stopped from here. A reader asks the run's node for the events after those it has, and
 * asks again every second or two: that is at once the renewal of its subscription, the answer to lost messages (each
 * event carries its number), and how it finds the node that has taken the run over.
 *
 * | message     | from → to          | what                                              |
 * |-------------|--------------------|---------------------------------------------------|
 * | run.follow  | reader → run's node | events after `seen` please, to this `reader`      |
 * | run.events  | run's node → reader | numbered events after number `after`; `ended` after the last |
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
  /** Whoever has seen less than this lacks something that is not in `events`. */
  after: number;
  /** Numbers jump where a run was taken up again. */
  events: [n: number, event: RunEvent][];
  ended: boolean;
}

/** Where a run is now: here, at a node, or over (its events are in the store). */
type Whereabouts =
  | { at: 'here'; events: RunEvents }
  | { at: 'node'; nodeId: string }
  | { at: 'end'; events: RunEvent[]; jumps: Jump[] };

interface RemoteOptions {
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
  typeof m.after === 'number' &&
  typeof m.ended === 'boolean' &&
  Array.isArray(m.events) &&
  m.events.every(
    (pair) =>
      Array.isArray(pair) &&
      typeof pair[0] === 'number' &&
      isRecord(pair[1]) &&
      typeof pair[1].event === 'string',
  );

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
    let gathered: EventsMessage['events'] = [];
    let after = seen;
    let timer: NodeJS.Timeout | null = null;
    const flush = (ended: boolean): void => {
      if (timer !== null) clearTimeout(timer);
      timer = null;
      if (gathered.length === 0 && !ended) return;
      messages.send('run.events', { reader, after, events: gathered, ended } satisfies EventsMessage, from);
      after = gathered.at(-1)?.[0] ?? after;
      gathered = [];
    };
    const unfollow = run.events.follow(
      seen,
      (event, n) => {
        gathered.push([n, event]);
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
        onEvent(event, n);
      };

      readers.set(reader, (message) => {
        if (over) return;
        // What lies between was lost on the way, and the next question brings it.
        if (message.after > seen) return;
        for (const [n, event] of message.events) if (n > seen) take(event, n);
        if (message.ended) finish();
      });

      const ask = async (): Promise<void> => {
        const where = await options.locate(runId);
        if (over) return;
        if (where.at === 'end') {
          const { events, jumps } = where;
          const first = firstAfter(seen, events.length, jumps);
          for (const [i, event] of events.slice(first).entries()) take(event, numberAt(first + i, jumps));
          return finish();
        }
        if (where.at === 'here') {
          readers.delete(reader);
          local = where.events.follow(seen, take, finish);
          return;
        }
        messages.send('run.follow', { runId, reader, seen } satisfies FollowMessage, where.nodeId);
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
