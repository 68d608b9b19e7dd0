import type { FastifyBaseLogger } from 'fastify';
import { createClockWatch } from '../features/system/index.ts';
import { createTicker } from '../jobs/index.ts';

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
