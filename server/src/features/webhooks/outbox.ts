import type { Db, EventOutlet, Tx } from '../../db/db.ts';
import type { JobKind, Jobs } from '../../jobs/index.ts';
import { type Clock, iso } from '../../kernel/clock.ts';
import type { PlatformEvent } from '../../kernel/events.ts';
import { newId } from '../../kernel/ids.ts';
import type { DeliverPayload } from './jobs.ts';
import type { Readings } from './readers.ts';
import { subscribes } from './rules.ts';
import { WEBHOOK_EVENTS } from './schema.ts';
import { activeWebhooks, insertDelivery } from './store.ts';

/** From an event to one delivery for each webhook that wants it, inside the transaction of the change that it reports. */
export interface Outbox {
  /** `tx.emit` calls it; nobody else does. */
  record: EventOutlet['record'];
  /** After a change to the webhooks of a tenant. */
  forget(tenantId: string): void;
}

export interface OutboxOptions {
  db: Db;
  clock: Clock;
  jobs: Pick<Jobs, 'enqueue'>;
  kind: JobKind<DeliverPayload>;
  readings: Pick<Readings, 'verdict'>;
  /** A webhook has nobody left to read for it: it is looked at apart from the work that brought the event. */
  lost(hook: { id: string; tenant_id: string }): void;
  onError(error: unknown, message: string): void;
}

const KNOWN: ReadonlySet<string> = new Set(WEBHOOK_EVENTS);
export const bodyOf = (event: PlatformEvent): string =>
  JSON.stringify({ event: event.type, timestamp: iso(event.createdAt), data: event.data });

export const createOutbox = (options: OutboxOptions): Outbox => {
  const { db, clock } = options;
  /** Tenants that surely have no webhooks, as most: their events cost no statement. */
  const without = new Set<string>();

  const store = async (tx: Tx, event: PlatformEvent): Promise<void> => {
    const hooks = await activeWebhooks(tx, event.tenantId);
    // Elsewhere a webhook may be on its way, or another node's.
    if (hooks.length === 0 && db.oneWriter) tx.afterCommit(() => without.add(event.tenantId));
    for (const hook of hooks) {
      const events: unknown = JSON.parse(hook.events);
      if (!Array.isArray(events) || !subscribes(events, event.type)) continue;
      const verdict = await options.readings.verdict(tx, hook, event);
      if (verdict === 'key_deleted' || verdict === 'account_inactive')
        tx.afterCommit(() => options.lost(hook));
      if (verdict !== 'may') continue;
      const id = newId();
      const now = clock.now();
      const inserted = await insertDelivery(tx, {
        id,
        webhook_id: hook.id,
        tenant_id: event.tenantId,
        event_id: event.id,
        event: event.type,
        body: bodyOf(event),
        request_id: event.requestId ?? null,
        permission: event.permission,
        reach: event.reach,
        owner: event.userId,
        status: 'pending',
        cancelled_reason: null,
        attempts: 0,
        round_attempts: 0,
        next_attempt_at: now,
        created_at: now,
        finished_at: null,
      });
      if (inserted)
        await options.jobs.enqueue(
          tx,
          options.kind,
          { v: 1, delivery_id: id, tenant_id: event.tenantId, due: now },
          { group: hook.id },
        );
    }
  };

  return {
    async record(tx, given) {
      const event: PlatformEvent = { ...given, id: newId(), createdAt: clock.now() };
      if (KNOWN.has(event.type) && !without.has(event.tenantId)) await store(tx, event);
      return event;
    },
    forget(tenantId) {
      without.delete(tenantId);
    },
  };
};
