import { type JobKind, tenantIn } from '../../jobs/index.ts';

/** Makes one attempt of a delivery; the next one is a job of its own, at the time that the delivery names. */
export interface DeliverPayload {
  v: 1;
  delivery_id: string;
  /** Null in payloads of before it was named. */
  tenant_id: string | null;
  /** `next_attempt_at` of the delivery that it was made for; null in payloads of before each attempt was a job. */
  due: number | null;
}

/** For an attempt that could not be recorded: the receiver has no part in these waits. */
const STORE_DELAYS_MS = [5_000, 30_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000];

export const deliverKind: JobKind<DeliverPayload> = {
  name: 'webhook.deliver',
  version: 1,
  parse: (stored) => {
    if (
      typeof stored === 'object' &&
      stored !== null &&
      'v' in stored &&
      stored.v === 1 &&
      'delivery_id' in stored &&
      typeof stored.delivery_id === 'string'
    ) {
      const due = 'due' in stored && typeof stored.due === 'number' ? stored.due : null;
      return { v: 1, delivery_id: stored.delivery_id, tenant_id: tenantIn(stored), due };
    }
    throw new Error('not a webhook.deliver payload of a known version');
  },
  retryDelaysMs: STORE_DELAYS_MS,
  tenantOf: (payload) => payload.tenant_id,
  leaseMs: 60_000,
};
