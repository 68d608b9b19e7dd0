import { type JobKind, tenantIn } from '../../../jobs/index.ts';

/** Makes one attempt to tell a client how its task stands; the next one is a job of its own. */
export interface PushPayload {
  v: 1;
  config_id: string;
  tenant_id: string | null;
  /** `due` of the configuration that it was made for. */
  due: number;
}

/** For an attempt that could not be recorded: the receiver has no part in these waits. */
const STORE_DELAYS_MS = [5_000, 30_000, 300_000, 1_800_000];

export const pushKind: JobKind<PushPayload> = {
  name: 'a2a.push',
  version: 1,
  parse: (stored) => {
    if (
      typeof stored === 'object' &&
      stored !== null &&
      'v' in stored &&
      stored.v === 1 &&
      'config_id' in stored &&
      typeof stored.config_id === 'string' &&
      'due' in stored &&
      typeof stored.due === 'number'
    )
      return { v: 1, config_id: stored.config_id, tenant_id: tenantIn(stored), due: stored.due };
    throw new Error('not an a2a.push payload of a known version');
  },
  retryDelaysMs: STORE_DELAYS_MS,
  tenantOf: (payload) => payload.tenant_id,
  leaseMs: 60_000,
};
