/** Whether this process's clock is that of the store, which all nodes share. */
export interface ClockWatch {
  /** In words; null where the clock is right or nobody knows. */
  detail(): string | null;
  look(): Promise<void>;
}

/** Beyond this tokens of other nodes are of a time to come, and due work starts at the wrong one. */
const TOLERATED_MS = 5_000;

/** Tells once that it is off, and once that it is right again. */
export const createClockWatch = (options: {
  skewMs(): Promise<number | null>;
  told(isOff: boolean, skewMs: number): void;
}): ClockWatch => {
  let off: number | null = null;
  return {
    detail: () =>
      off === null
        ? null
        : `this machine's clock is ${Math.round(Math.abs(off) / 1000)} s ${off > 0 ? 'ahead of' : 'behind'} the store's`,
    async look() {
      const skewMs = await options.skewMs();
      if (skewMs === null) return;
      const isOff = Math.abs(skewMs) > TOLERATED_MS;
      if (isOff !== (off !== null)) options.told(isOff, skewMs);
      off = isOff ? skewMs : null;
    },
  };
};
