import { acrossTenants } from '../db/scope.ts';

/** Calls `tick` over and over, never twice at once. */
export interface Ticker {
  start(): void;
  /** Brings the next tick forward. */
  poke(delayMs?: number): void;
  /** Resolves when a tick that is going on has ended. */
  stop(): Promise<void>;
}

export const createTicker = (options: {
  everyMs: number;
  tick(): Promise<void>;
  onError(error: unknown): void;
}): Ticker => {
  let timer: NodeJS.Timeout | null = null;
  let going: Promise<void> | null = null;
  let again = false;
  let on = false;

  const schedule = (delayMs: number): void => {
    if (timer !== null) clearTimeout(timer);
    timer = setTimeout(run, delayMs);
    timer.unref();
  };

  const run = (): void => {
    timer = null;
    again = false;
    // Whoever brought it forward is in a scope of their own; a tick looks after all tenants.
    going = acrossTenants(options.tick)
      .catch(options.onError)
      .finally(() => {
        going = null;
        if (on) schedule(again ? 0 : options.everyMs);
      });
  };

  return {
    start() {
      on = true;
      schedule(0);
    },
    poke(delayMs = 0) {
      if (!on) return;
      if (going !== null) again = true;
      else schedule(delayMs);
    },
    async stop() {
      on = false;
      if (timer !== null) clearTimeout(timer);
      timer = null;
      await going;
    },
  };
};
