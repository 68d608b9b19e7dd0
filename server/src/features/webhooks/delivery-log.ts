import type { Db } from '../../db/db.ts';
import type { Caller } from '../../kernel/caller.ts';
import { type PageResult, pageRequest, pageResult } from '../../kernel/pagination.ts';
import { deliveryOf, webhookOf } from './lookup.ts';
import type { Delivery, DeliveryWithLog, ListDeliveries } from './schema.ts';
import { attemptsOf, lastStatuses, listDeliveries } from './store.ts';
import { deliveryView, deliveryWithLog } from './wire.ts';

/** What has been sent to a webhook, and what came back. */
export const createDeliveryLog = (db: Db) => ({
  async deliveries(caller: Caller, id: string, query: ListDeliveries): Promise<PageResult<Delivery>> {
    const hook = await webhookOf(db, caller, id);
    const page = pageRequest(query);
    const { rows, total } = await listDeliveries(
      db.read,
      { webhookId: hook.id, status: query.status, event: query.event },
      page,
    );
    const statuses = await lastStatuses(
      db.read,
      rows.map((row) => row.id),
    );
    return pageResult(
      page,
      rows.map((row) => deliveryView(row, statuses.get(row.id) ?? null)),
      total,
      (item) => ({ createdAt: Date.parse(item.created_at), id: item.id }),
    );
  },

  async delivery(caller: Caller, id: string, deliveryId: string): Promise<DeliveryWithLog> {
    const { delivery } = await deliveryOf(db, caller, id, deliveryId);
    return deliveryWithLog(delivery, await attemptsOf(db.read, delivery.id), caller);
  },
});
