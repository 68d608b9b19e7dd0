/** Time as an argument: rules and services take it, tests move it. Milliseconds since the epoch. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** ISO 8601 UTC with milliseconds, the one form of the contract. */
export const iso = (epochMs: number): string => new Date(epochMs).toISOString();

export const isoOrNull = (epochMs: number | null | undefined): string | null =>
  epochMs === null || epochMs === undefined ? null : iso(epochMs);
