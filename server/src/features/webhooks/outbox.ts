import { afterCommit } from '../../db/after-commit.ts';
import type { Db, Queryable } from '../../db/db.ts';
import type { JobKind, Jobs } from '../../jobs/index.ts';
import { type Clock, iso } from '../../kernel/clock.ts';
import type { EventOutbox, NewEvent, PlatformEvent } from '../../kernel/events.ts';
import { newId } from '../../kernel/ids.ts';
import type { DeliverPayload } from './jobs.ts';
import type { Readings } from './readers.ts';
import { subscribes } from './rules.ts';
import { WEBHOOK_EVENTS } from './schema.ts';
import { activeWebhooks, insertDelivery } from './store.ts';

/**
 * From an event to one delivery for each webhook that wants it: inside the transaction of the change where the feature
 * records it, else right after it was published. An event that went both ways is delivered once.
 */
export interface Outbox extends EventOutbox<Queryable> {
  /** For the bus: takes what no transaction has recorded. */
  published(event: PlatformEvent): void;
  /** After a change to the webhooks of a tenant. */
  forget(tenantId: string): void;
  /** Resolves when what was published so far is stored. */
  settled(): Promise<void>;
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
  const recorded = new WeakSet<PlatformEvent>();
  /**
   * Whether a tenant has webhooks at all: most have none, and pay no write for an event then. Only one process on SQLite
   * can know it; elsewhere other nodes add webhooks.
   */
  const hasHooks = new Map<string, { any: boolean }>();
  const writing = new Set<Promise<void>>();

  const surelyNone = (tenantId: string): boolean => {
    const known = hasHooks.get(tenantId);
    if (known === undefined || known.any) return false;
    return db.dialect === 'sqlite';
  };

  const store = async (tx: Queryable, event: PlatformEvent): Promise<void> => {
    const hooks = await activeWebhooks(tx, event.tenantId);
    for (const hook of hooks) {
      const events: unknown = JSON.parse(hook.events);
      if (!Array.isArray(events) || !subscribes(events, event.type)) continue;
      const verdict = await options.readings.verdict(tx, hook, event);
      if (verdict === 'key_deleted' || verdict === 'account_inactive')
        afterCommit(tx, () => options.lost(hook));
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

  const learn = async (tenantId: string): Promise<boolean> => {
    if (surelyNone(tenantId)) return false;
    const any = (await activeWebhooks(db.read, tenantId)).length > 0;
    hasHooks.set(tenantId, { any });
    return any;
  };

  return {
    async record(tx, given: NewEvent) {
      const event: PlatformEvent = { ...given, id: newId(), createdAt: clock.now() };
      // With several nodes only the store itself knows for sure; on SQLite this process does. `published` skips it, too.
      if (!KNOWN.has(event.type) || surelyNone(event.tenantId)) return event;
      recorded.add(event);
      await store(tx, event);
      return event;
    },
    published(event) {
      if (!KNOWN.has(event.type) || recorded.has(event) || surelyNone(event.tenantId)) return;
      // A notification is recorded where its reader chose webhooks; published, it is for their own connections.
      if (event.type === 'notification') return;
      const work = learn(event.tenantId)
        .then(async (any) => {
          if (any) await db.write((tx) => store(tx, event));
        })
        .catch((error: unknown) => options.onError(error, `webhooks of ${event.type} could not be stored`))
        .finally(() => writing.delete(work));
      writing.add(work);
    },
    forget(tenantId) {
      hasHooks.delete(tenantId);
    },
    async settled() {
      while (writing.size > 0) await Promise.all(writing);
    },
  };
};
