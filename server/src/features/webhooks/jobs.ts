import { type JobKind, tenantIn } from '../../jobs/index.ts';
import { RETRY_DELAYS_MS } from './rules.ts';

/** Sends one delivery. */
export interface DeliverPayload {
  v: 1;
  delivery_id: string;
  /** Null in payloads of before it was named. */
  tenant_id: string | null;
  /** Of the delivery when this was asked for; jobs of an earlier round leave it alone. Absent in older payloads: 0. */
  round?: number;
}

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
      const round = 'round' in stored && typeof stored.round === 'number' ? stored.round : 0;
      return { v: 1, delivery_id: stored.delivery_id, tenant_id: tenantIn(stored), round };
    }
    throw new Error('not a webhook.deliver payload of a known version');
  },
  retryDelaysMs: RETRY_DELAYS_MS,
  tenantOf: (payload) => payload.tenant_id,
  leaseMs: 60_000,
};
