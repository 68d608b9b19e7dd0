import type { Db } from '../../db/db.ts';
import type { Caller } from '../../kernel/caller.ts';
import { notFound } from '../../kernel/errors.ts';
import { findDelivery, findWebhook, type WebhookRow } from './store.ts';

/** A webhook of the caller's tenant. Throws NOT_FOUND. */
export const webhookOf = async (db: Db, caller: Caller, id: string): Promise<WebhookRow> => {
  const row = await findWebhook(db.read, caller.tenantId, id);
  if (row === undefined) throw notFound('webhook');
  return row;
};

/** A delivery, asked for by the webhook that it belongs to. Throws NOT_FOUND. */
export const deliveryOf = async (db: Db, caller: Caller, id: string, deliveryId: string) => {
  const hook = await webhookOf(db, caller, id);
  const delivery = await findDelivery(db.read, hook.id, deliveryId);
  if (delivery === undefined) throw notFound('delivery');
  return { hook, delivery };
};
