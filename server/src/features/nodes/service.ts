import type { Clock } from '../../kernel/clock.ts';
import type { NodeStore } from './store.ts';

/**
 * Signs of life and what follows from their absence. A node is dead when it has not shown itself for `SILENT_MS`; the one
 * that notices takes it off the list, and whoever finds work of a node that is not on the list may take it over. Each
 * taking over is one conditional UPDATE, and a node that comes back late finds its work to be somebody else's.
 *
 * After the store was away nobody has shown itself: a node takes others for dead only once it has itself been heard
 * without a break for as long as a dead one has been silent.
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
  beatMs?: number;
  silentMs?: number;
}

const BEAT_MS = 3_000;
const SILENT_MS = 15_000;

export const createNodes = (options: NodesOptions) => {
  const { store, clock, alone } = options;
  const beatMs = options.beatMs ?? BEAT_MS;
  const silentMs = options.silentMs ?? SILENT_MS;
  const self = { id: options.nodeId, version: options.version, startedAt: clock.now() };
  let timer: NodeJS.Timeout | undefined;
  let going: Promise<void> = Promise.resolve();
  let stopped = false;
  /** `performance.now()` of the first sign of life since the last that failed. */
  let steadySince: number | null = null;

  const beat = async (): Promise<void> => {
    const known = await store.beat(self, clock.now());
    steadySince ??= performance.now();
    if (!known) await options.returned();
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
    /** Takes nothing over any more; still alive for the others. */
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
