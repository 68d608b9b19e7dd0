import type { Db } from '../../db/db.ts';
import type { Jobs } from '../../jobs/index.ts';
import type { Caller } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { conflict, notFound } from '../../kernel/errors.ts';
import type { Audit } from '../audit/index.ts';
import { webhookEntry } from './audit-entry.ts';
import { deliverKind } from './jobs.ts';
import { deliveryOf } from './lookup.ts';
import { needsOf, type Readings } from './readers.ts';
import type { Delivery } from './schema.ts';
import { findDelivery, lastStatuses, updateDelivery } from './store.ts';
import type { SwitchOff } from './switch-off.ts';
import { deliveryView } from './wire.ts';

export interface RedeliveryOptions {
  db: Db;
  clock: Clock;
  jobs: Pick<Jobs, 'enqueue'>;
  audit: Audit;
  readings: Pick<Readings, 'verdict'>;
  off: Pick<SwitchOff, 'ifLost'>;
}

/**
 * Sends now, and begins the whole schedule again, with the same id and body; a wait for a next try ends by it. Throws
 * CONFLICT while the webhook is off, or may not read the record (any more).
 */
export const createRedelivery =
  ({ db, clock, jobs, audit, readings, off }: RedeliveryOptions) =>
  async (caller: Caller, id: string, deliveryId: string, requestId: string): Promise<Delivery> => {
    const { hook, delivery } = await deliveryOf(db, caller, id, deliveryId);
    if (hook.status !== 'active' || (await off.ifLost(hook)) !== null)
      throw conflict('the webhook is switched off');
    if ((await readings.verdict(db.read, hook, needsOf(delivery))) === 'may_not')
      throw conflict('the webhook may not read the record that this tells of');
    const row = await db.write(async (tx) => {
      const current = await findDelivery(tx, hook.id, deliveryId);
      if (current === undefined) throw notFound('delivery');
      // Its own moment: the job of another round has another one.
      const now = current.next_attempt_at === clock.now() ? clock.now() + 1 : clock.now();
      await jobs.enqueue(
        tx,
        deliverKind,
        { v: 1, delivery_id: deliveryId, tenant_id: hook.tenant_id, due: now },
        { group: hook.id },
      );
      const details = { delivery_id: deliveryId };
      await audit.append(tx, webhookEntry(caller, 'webhook.redelivered', hook.id, requestId, details));
      return updateDelivery(tx, deliveryId, {
        status: 'pending',
        cancelled_reason: null,
        round_attempts: 0,
        next_attempt_at: now,
        finished_at: null,
      });
    });
    if (row === undefined) throw notFound('delivery');
    const statuses = await lastStatuses(db.read, [row.id]);
    return deliveryView(row, statuses.get(row.id) ?? null);
  };
