import type { JobKind } from '../../jobs/index.ts';

/** Drops what has become old. */
export interface PurgePayload {
  v: 1;
}

const MIN_MS = 60_000;

export const purgeKind: JobKind<PurgePayload> = {
  name: 'retention.purge',
  version: 1,
  parse: (stored) => {
    if (typeof stored === 'object' && stored !== null && 'v' in stored && stored.v === 1) return { v: 1 };
    throw new Error('not a retention.purge payload of a known version');
  },
  retryDelaysMs: [5 * MIN_MS, 30 * MIN_MS],
  tenantOf: () => null,
  leaseMs: 60_000,
};
