import { sql } from 'kysely';
import { compiled } from '../../db/compiled.ts';
import type { DialectName, Queryable } from '../../db/db.ts';
import { listPage } from '../../db/page.ts';
import type { WebhookAttemptRow, WebhookDeliveryRow, WebhookRow } from '../../db/tables/webhooks.ts';
import type { PageRequest } from '../../kernel/pagination.ts';

export type { WebhookAttemptRow, WebhookDeliveryRow, WebhookRow };

/** What an event needs to know of a webhook. */
type Subscriber = Pick<WebhookRow, 'id' | 'tenant_id' | 'events' | 'created_by' | 'credential' | 'readers'>;

const activeOfTenant = compiled<{ tenantId: string }, Subscriber>((db, p) =>
  db
    .selectFrom('webhooks')
    .select(['id', 'tenant_id', 'events', 'created_by', 'credential', 'readers'])
    .where('tenant_id', '=', p('tenantId'))
    .where('status', '=', 'active'),
);

/** The switched-on webhooks of a tenant: asked for each event, so compiled once. */
export const activeWebhooks = (db: Queryable, tenantId: string): Promise<Subscriber[]> =>
  activeOfTenant(db, { tenantId });

/** As `findWebhook`, and nobody else changes the row until the transaction ends. */
export const lockWebhook = async (
  tx: Queryable,
  dialect: DialectName,
  tenantId: string,
  id: string,
): Promise<WebhookRow | undefined> => {
  if (dialect === 'postgres') await sql`select 1 from webhooks where id = ${id} for update`.execute(tx);
  return findWebhook(tx, tenantId, id);
};

/** The switched-on webhooks that a person's rights bound. */
export const activeOfPerson = (
  db: Queryable,
  userId: string,
): Promise<Pick<WebhookRow, 'id' | 'tenant_id'>[]> =>
  db
    .selectFrom('webhooks')
    .select(['id', 'tenant_id'])
    .where('status', '=', 'active')
    .where((eb) => eb.or([eb('created_by', '=', userId), eb('readers', 'like', `%${userId}%`)]))
    .execute();

/** Undefined where it is off already: of any number of nodes one switches it off, and tells. */
export const disableWebhook = (
  tx: Queryable,
  hook: { id: string; tenant_id: string },
  reason: string,
  at: number,
): Promise<WebhookRow | undefined> =>
  tx
    .updateTable('webhooks')
    .set({ status: 'disabled', disabled_reason: reason, updated_at: at })
    .where('id', '=', hook.id)
    .where('tenant_id', '=', hook.tenant_id)
    .where('status', '=', 'active')
    .returningAll()
    .executeTakeFirst();

export const insertWebhook = async (tx: Queryable, row: WebhookRow): Promise<void> => {
  await tx.insertInto('webhooks').values(row).execute();
};

export const countWebhooks = async (db: Queryable, tenantId: string): Promise<number> => {
  const row = await db
    .selectFrom('webhooks')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('tenant_id', '=', tenantId)
    .executeTakeFirstOrThrow();
  return Number(row.n);
};

export const findWebhook = (db: Queryable, tenantId: string, id: string): Promise<WebhookRow | undefined> =>
  db
    .selectFrom('webhooks')
    .selectAll()
    .where('id', '=', id)
    .where('tenant_id', '=', tenantId)
    .executeTakeFirst();

export type WebhookChanges = Partial<Omit<WebhookRow, 'id' | 'tenant_id' | 'created_by' | 'created_at'>>;

export const updateWebhook = (
  tx: Queryable,
  tenantId: string,
  id: string,
  changes: WebhookChanges,
): Promise<WebhookRow | undefined> =>
  tx
    .updateTable('webhooks')
    .set(changes)
    .where('id', '=', id)
    .where('tenant_id', '=', tenantId)
    .returningAll()
    .executeTakeFirst();

/** Keeps the time of the first failure of a series. */
export const markFailing = async (tx: Queryable, id: string, at: number): Promise<void> => {
  await tx
    .updateTable('webhooks')
    .set({ failing_since: at })
    .where('id', '=', id)
    .where('failing_since', 'is', null)
    .execute();
};

export const deleteWebhook = async (tx: Queryable, tenantId: string, id: string): Promise<boolean> => {
  const result = await tx
    .deleteFrom('webhooks')
    .where('id', '=', id)
    .where('tenant_id', '=', tenantId)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
};

export const listWebhooks = (
  db: Queryable,
  tenantId: string,
  page: PageRequest,
): Promise<{ rows: WebhookRow[]; total: number }> =>
  listPage(db.selectFrom('webhooks').where('tenant_id', '=', tenantId).selectAll(), page);

/** False where this event has a delivery for the webhook already. */
export const insertDelivery = async (tx: Queryable, row: WebhookDeliveryRow): Promise<boolean> => {
  const inserted = await tx
    .insertInto('webhook_deliveries')
    .values(row)
    .onConflict((conflict) => conflict.columns(['webhook_id', 'event_id']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return inserted !== undefined;
};

export const findDelivery = (
  db: Queryable,
  webhookId: string,
  id: string,
): Promise<WebhookDeliveryRow | undefined> =>
  db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('id', '=', id)
    .where('webhook_id', '=', webhookId)
    .executeTakeFirst();

export const listDeliveries = (
  db: Queryable,
  filter: { webhookId: string; status?: string | undefined; event?: string | undefined },
  page: PageRequest,
): Promise<{ rows: WebhookDeliveryRow[]; total: number }> => {
  let all = db.selectFrom('webhook_deliveries').where('webhook_id', '=', filter.webhookId);
  if (filter.status !== undefined) all = all.where('status', '=', filter.status);
  if (filter.event !== undefined) all = all.where('event', '=', filter.event);
  return listPage(all.selectAll(), page);
};

export const updateDelivery = (
  tx: Queryable,
  id: string,
  changes: Partial<
    Pick<
      WebhookDeliveryRow,
      'status' | 'cancelled_reason' | 'attempts' | 'round_attempts' | 'next_attempt_at' | 'finished_at'
    >
  >,
): Promise<WebhookDeliveryRow | undefined> =>
  tx.updateTable('webhook_deliveries').set(changes).where('id', '=', id).returningAll().executeTakeFirst();

/**
 * What came of an attempt: false where its delivery has been begun anew meanwhile. Such an attempt counts, and says only that
 * the delivery has arrived.
 */
export const settleAttempt = async (
  tx: Queryable,
  { id, next_attempt_at }: Pick<WebhookDeliveryRow, 'id' | 'next_attempt_at'>,
  state: Pick<WebhookDeliveryRow, 'status' | 'next_attempt_at' | 'finished_at'>,
  roundAttempts: number,
): Promise<boolean> => {
  await tx
    .updateTable('webhook_deliveries')
    .set({ attempts: sql`attempts + 1` })
    .where('id', '=', id)
    .execute();
  let whole = tx
    .updateTable('webhook_deliveries')
    .set({ ...state, round_attempts: roundAttempts })
    .where('id', '=', id);
  if (state.status !== 'delivered')
    whole = whole.where('next_attempt_at', 'is not distinct from', next_attempt_at);
  return (await whole.returning('id').executeTakeFirst()) !== undefined;
};

/** What is still open of a webhook that was switched off. */
export const cancelPending = async (tx: Queryable, webhookId: string, at: number): Promise<void> => {
  await tx
    .updateTable('webhook_deliveries')
    .set({
      status: 'cancelled',
      cancelled_reason: 'switched_off',
      next_attempt_at: null,
      finished_at: at,
    })
    .where('webhook_id', '=', webhookId)
    .where('status', '=', 'pending')
    .execute();
};

/** A delivery with what is needed to send it. */
export const deliveryWithHook = async (
  db: Queryable,
  id: string,
): Promise<{ delivery: WebhookDeliveryRow; hook: WebhookRow } | undefined> => {
  const delivery = await db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirst();
  if (delivery === undefined) return undefined;
  const hook = await findWebhook(db, delivery.tenant_id, delivery.webhook_id);
  return hook === undefined ? undefined : { delivery, hook };
};

export const insertAttempt = async (tx: Queryable, row: WebhookAttemptRow): Promise<void> => {
  await tx.insertInto('webhook_attempts').values(row).execute();
};

export const attemptsOf = (db: Queryable, deliveryId: string): Promise<WebhookAttemptRow[]> =>
  db
    .selectFrom('webhook_attempts')
    .selectAll()
    .where('delivery_id', '=', deliveryId)
    .orderBy('attempted_at')
    .orderBy('id')
    .execute();

/** Status code of the newest attempt of each delivery. */
export const lastStatuses = async (
  db: Queryable,
  deliveryIds: readonly string[],
): Promise<Map<string, number | null>> => {
  if (deliveryIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('webhook_attempts')
    .select(['delivery_id', 'status_code'])
    .where('delivery_id', 'in', deliveryIds)
    .orderBy('attempted_at')
    .orderBy('id')
    .execute();
  return new Map(rows.map((row) => [row.delivery_id, row.status_code]));
};

/** Deliveries that ended before `before`, with their attempts; at most `limit`, how many there were. */
export const dropDeliveriesBefore = async (tx: Queryable, before: number, limit: number): Promise<number> => {
  const old = tx
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('finished_at', '<', before)
    .where('status', '!=', 'pending')
    .limit(limit);
  const gone = await tx.deleteFrom('webhook_deliveries').where('id', 'in', old).executeTakeFirst();
  return Number(gone.numDeletedRows);
};

/** Deliveries of a tenant with what they say, by id after `after`. */
export const deliveriesAfter = (
  db: Queryable,
  tenantId: string,
  after: string,
  limit: number,
): Promise<Pick<WebhookDeliveryRow, 'id' | 'body'>[]> =>
  db
    .selectFrom('webhook_deliveries')
    .select(['id', 'body'])
    .where('tenant_id', '=', tenantId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();

/** With their attempts; what has not been sent yet is not sent any more. */
export const dropDeliveries = async (tx: Queryable, ids: readonly string[]): Promise<number> => {
  if (ids.length === 0) return 0;
  const gone = await tx.deleteFrom('webhook_deliveries').where('id', 'in', ids).executeTakeFirst();
  return Number(gone.numDeletedRows);
};
