import type { Config } from '../../config.ts';
import { dropKeysTakenBefore } from '../../http/idempotency.store.ts';
import { dropRunEventsBefore } from '../chat/index.ts';
import { dropArchivedBefore, dropUnlistedBefore } from '../conversations/index.ts';
import { dropNotificationsBefore } from '../notifications/index.ts';
import { dropDeliveriesBefore } from '../webhooks/index.ts';
import type { Purge } from './types.ts';

/**
 * What the settings say is kept for a time only. Never here: the audit (its chain has no gaps), the ledger (its sums are
 * the costs) and what people put in (documents, memory), which they or their admins delete.
 */
export const retentionPurges = (config: Config): Purge[] => [
  {
    name: 'archived_conversations',
    days: config.RETENTION_ARCHIVED_CONVERSATIONS_DAYS,
    async drop(tx, before, limit) {
      const tenants = await dropArchivedBefore(tx, before, limit);
      return { rows: tenants.length, more: tenants.length === limit, tenants };
    },
  },
  {
    name: 'unlisted_conversations',
    days: config.RETENTION_UNLISTED_CONVERSATIONS_DAYS,
    async drop(tx, before, limit) {
      const tenants = await dropUnlistedBefore(tx, before, limit);
      return { rows: tenants.length, more: tenants.length === limit, tenants };
    },
  },
  {
    name: 'run_events',
    days: config.RETENTION_RUN_EVENTS_DAYS,
    async drop(tx, before, limit, position) {
      const { rows, next, more } = await dropRunEventsBefore(tx, before, limit, position);
      return { rows, more, position: next };
    },
  },
  {
    name: 'webhook_deliveries',
    days: config.RETENTION_WEBHOOK_DELIVERIES_DAYS,
    async drop(tx, before, limit) {
      const rows = await dropDeliveriesBefore(tx, before, limit);
      return { rows, more: rows === limit };
    },
  },
  {
    name: 'notifications',
    days: config.RETENTION_NOTIFICATIONS_DAYS,
    async drop(tx, before, limit) {
      const rows = await dropNotificationsBefore(tx, before, limit);
      return { rows, more: rows === limit };
    },
  },
  {
    // A day, by the contract: the same key may be used anew after it.
    name: 'idempotency_keys',
    days: 1,
    async drop(tx, before, limit) {
      const rows = await dropKeysTakenBefore(tx, before, limit);
      return { rows, more: rows === limit };
    },
  },
];
