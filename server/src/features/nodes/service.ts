import type { Clock } from '../../kernel/clock.ts';
import type { NodeStore } from './store.ts';

/**
 * Signs of life and what follows from their absence. A node is dead when it has not shown itself for `silentMs`; the one
 * that notices takes it off the list, and whoever finds work of a node that is not on the list may take it over. Each
 * taking over is one conditional UPDATE, and a node that comes back late finds its work to be somebody else's.
 *
 * After the store was away nobody has shown itself: a node takes others for dead only once it has itself been heard
 * without a break for as long as a dead one has been silent.
 *
 * A node that has been told to stop goes on with its signs of life, as draining, until its last run has ended: it judges and
 * takes over nobody any more, and nobody takes its work as long as it shows itself.
 */
export interface NodesOptions {
  store: NodeStore;
  clock: Clock;
  nodeId: string;
  version: string;
  /** This process has the store for itself: every other node is dead. */
  alone: boolean;
  /** Takes up what dead nodes have left; called after every sign of life. `fresh`: the first time, at start. */
  takeOver(fresh: boolean): Promise<void>;
  /** This node had been taken for dead: some of its work may be others' by now. */
  returned(): Promise<void>;
  onDead(ids: readonly string[]): void;
  onError(error: unknown, message: string): void;
  silentMs: number;
}

const BEAT_MS = 3_000;
/** So many signs of life may be lost before a node counts as dead. */
const BEATS_IN_SILENCE = 5;

export const createNodes = (options: NodesOptions) => {
  const { store, clock, alone } = options;
  const { silentMs } = options;
  const beatMs = Math.min(BEAT_MS, silentMs / BEATS_IN_SILENCE);
  const self = { id: options.nodeId, version: options.version, startedAt: clock.now(), draining: false };
  let timer: NodeJS.Timeout | undefined;
  let going: Promise<void> = Promise.resolve();
  let stopped = false;
  /** `performance.now()` of the first sign of life since the last that failed. */
  let steadySince: number | null = null;

  const beat = async (): Promise<void> => {
    const known = await store.beat(self, clock.now());
    steadySince ??= performance.now();
    if (!known) await options.returned();
    if (self.draining) return;
    const steady = performance.now() - steadySince >= silentMs;
    const dead = steady && !alone ? await store.dropSilent(silentMs, clock.now()) : [];
    if (dead.length > 0) options.onDead(dead);
    await options.takeOver(false);
  };

  const schedule = (): void => {
    timer = setTimeout(() => {
      going = beat()
        .catch((error: unknown) => {
          steadySince = null;
          options.onError(error, 'this node could not show itself as alive');
        })
        .finally(() => {
          if (!stopped) schedule();
        });
    }, beatMs);
    timer.unref();
  };

  return {
    /** Shows this node for the first time; from then on it counts as alive. */
    async join(): Promise<void> {
      await store.beat(self, clock.now());
      if (alone) await store.dropOthers(self.id);
      steadySince = performance.now();
    },
    /** Takes up what dead nodes have left, and goes on looking. */
    async start(): Promise<void> {
      await options.takeOver(true);
      // By itself a node needs no signs of life: whoever comes after it finds nobody else.
      if (!alone) schedule();
    },
    list: store.list,
    /** Told to stop: says so to the others at once, and goes on showing itself. */
    async drain(): Promise<void> {
      self.draining = true;
      await going;
      if (alone) return;
      going = beat().catch((error: unknown) =>
        options.onError(error, 'this node could not tell the others that it stops'),
      );
      await going;
    },
    /** Shows itself no more; what it has left is the others' after `leave`, or when it has been silent for long. */
    async stop(): Promise<void> {
      stopped = true;
      clearTimeout(timer);
      await going;
    },
    /** What this node has left open is free for the others at once. */
    async leave(): Promise<void> {
      await store.dropOne(self.id);
    },
  };
};

export type Nodes = ReturnType<typeof createNodes>;
