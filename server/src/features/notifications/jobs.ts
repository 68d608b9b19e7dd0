import { type JobKind, tenantIn } from '../../jobs/index.ts';

/** Mails one notification. */
export interface EmailPayload {
  v: 1;
  notification_id: string;
  /** Null in payloads of before it was named. */
  tenant_id: string | null;
}

const MIN = 60_000;

export const emailKind: JobKind<EmailPayload> = {
  name: 'notification.email',
  version: 1,
  parse: (stored) => {
    if (
      typeof stored === 'object' &&
      stored !== null &&
      'v' in stored &&
      stored.v === 1 &&
      'notification_id' in stored &&
      typeof stored.notification_id === 'string'
    ) {
      return { v: 1, notification_id: stored.notification_id, tenant_id: tenantIn(stored) };
    }
    throw new Error('not a notification.email payload of a known version');
  },
  retryDelaysMs: [MIN, 10 * MIN, 60 * MIN],
  tenantOf: (payload) => payload.tenant_id,
  leaseMs: 60_000,
};
