import { statfs } from 'node:fs/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { Db } from './db/db.ts';
import { clockSkewMs } from './db/store-clock.ts';
import { openHolds } from './features/costs/index.ts';
import { waitingProposals } from './features/governance/index.ts';
import type { NodeStore } from './features/nodes/index.ts';
import { type Check, createClockWatch, type StoreFigures } from './features/system/index.ts';
import { createTicker } from './jobs/index.ts';
import type { Clock } from './kernel/clock.ts';

/** The part of the composition that tells operators how it goes. */

export interface ObservedParts {
  db: Db;
  clock: Clock;
  nodes: NodeStore;
  redisPing: (() => Promise<void>) | null;
  dataDir: string;
}

export /** Below this /ready says so. */
const LOW_DISK_BYTES = 512 * 2 ** 20;
/** The records of SQLite stand in the data folder: with less than this a chat would wait for room. */
const NO_ROOM_BYTES = 4 * 2 ** 20;

/** What the room in the data folder means for who asks /ready. */
export const diskCheck = (free: number, dialect: Db['dialect']): Check => {
  if (free >= LOW_DISK_BYTES) return { status: 'ok' };
  const detail = `${Math.floor(free / 2 ** 20)} MiB left for the data folder`;
  return { status: dialect === 'sqlite' && free < NO_ROOM_BYTES ? 'failed' : 'degraded', detail };
};

const freeBytes = async (folder: string): Promise<number> => {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
};

/** What metrics ask the store for; the queue adds its own. */
export const storeFigures = (parts: ObservedParts): Omit<StoreFigures, 'jobs' | 'waitingJobs'> => {
  const { db, clock } = parts;
  return {
    ping: db.ping,
    redisPing: parts.redisPing,
    connections: db.connections,
    votes: () => waitingProposals(db.read, clock.now()),
    reservations: () => openHolds(db, clock.now()),
    nodes: async () => {
      const all = await parts.nodes.list();
      const draining = all.filter((node) => node.draining === 1).length;
      return { alive: all.length - draining, draining };
    },
    clockSkewMs: () => clockSkewMs(db, clock.now),
    dataFreeBytes: () => freeBytes(parts.dataDir),
  };
};

const CLOCK_EVERY_MS = 30_000;

/** Looks at this machine's clock now and then; `detail` is for /ready. */
export const watchClock = (
  skewMs: () => Promise<number | null>,
  logger: Pick<FastifyBaseLogger, 'warn' | 'info'>,
): { detail(): { detail?: string }; start(): Promise<void>; stop(): Promise<void> } => {
  const watch = createClockWatch({
    skewMs,
    told: (isOff, ms) =>
      isOff
        ? logger.warn(
            { skew_s: Math.round(ms / 1000) },
            "this machine's clock is off: run a time service on it and on the database's machine",
          )
        : logger.info({ skew_s: Math.round(ms / 1000) }, "this machine's clock is right again"),
  });
  const ticker = createTicker({
    everyMs: CLOCK_EVERY_MS,
    tick: watch.look,
    // The store is away, which is told elsewhere.
    onError: () => {},
  });
  return {
    detail: () => {
      const detail = watch.detail();
      return detail === null ? {} : { detail };
    },
    async start() {
      await watch.look().catch(() => {});
      ticker.start();
    },
    stop: ticker.stop,
  };
};
