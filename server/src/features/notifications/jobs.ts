import type { JobKind } from '../../jobs/index.ts';

/** Mails one notification. */
export interface EmailPayload {
  v: 1;
  notification_id: string;
}

const MIN = 60_000;

export const emailKind: JobKind<EmailPayload> = {
  name: 'notification.email',
  parse: (stored) => {
    if (
      typeof stored === 'object' &&
      stored !== null &&
      'v' in stored &&
      stored.v === 1 &&
      'notification_id' in stored &&
      typeof stored.notification_id === 'string'
    ) {
      return { v: 1, notification_id: stored.notification_id };
    }
    throw new Error('not a notification.email payload of a known version');
  },
  retryDelaysMs: [MIN, 10 * MIN, 60 * MIN],
  leaseMs: 60_000,
};
