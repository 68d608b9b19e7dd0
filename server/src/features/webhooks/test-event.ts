import type { Db } from '../../db/db.ts';
import type { Caller } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { newId } from '../../kernel/ids.ts';
import type { OutgoingHttp } from '../../kernel/outgoing.ts';
import type { Deliverer } from './deliver.ts';
import { webhookOf } from './lookup.ts';
import { bodyOf } from './outbox.ts';
import type { DeliveryWithLog } from './schema.ts';
import { attemptsOf, findDelivery, insertDelivery, type WebhookDeliveryRow } from './store.ts';
import { checkWebhookUrl } from './subscriptions.ts';
import { deliveryWithLog } from './wire.ts';

export interface TestEventOptions {
  db: Db;
  clock: Clock;
  http: Pick<OutgoingHttp, 'check'>;
  deliverer: Pick<Deliverer, 'once'>;
}

/** Sends a `webhook.test` event at once, a single time, and tells what came of it. */
export const createTestEvent =
  ({ db, clock, http, deliverer }: TestEventOptions) =>
  async (caller: Caller, id: string, requestId: string): Promise<DeliveryWithLog> => {
    const hook = await webhookOf(db, caller, id);
    checkWebhookUrl(http, hook.url);
    const now = clock.now();
    const eventId = newId();
    const row: WebhookDeliveryRow = {
      id: newId(),
      webhook_id: hook.id,
      tenant_id: caller.tenantId,
      event_id: eventId,
      event: 'webhook.test',
      body: bodyOf({
        id: eventId,
        type: 'webhook.test',
        tenantId: caller.tenantId,
        userId: caller.userId,
        reach: 'own',
        permission: 'webhooks:read',
        data: { webhook_id: hook.id, message: 'This is a test of your webhook.' },
        createdAt: now,
      }),
      request_id: requestId,
      permission: 'webhooks:read',
      reach: 'tenant',
      owner: caller.userId,
      status: 'pending',
      cancelled_reason: null,
      attempts: 0,
      round_attempts: 0,
      next_attempt_at: null,
      created_at: now,
      finished_at: null,
    };
    await db.write((tx) => insertDelivery(tx, row));
    await deliverer.once(row, hook);
    const stored = await findDelivery(db.read, hook.id, row.id);
    return deliveryWithLog(stored ?? row, await attemptsOf(db.read, row.id), caller);
  };
