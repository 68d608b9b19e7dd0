import type { Db } from '../../db/db.ts';
import { tellsOf } from '../../kernel/told-records.ts';
import { deliveriesAfter, dropDeliveries } from './store.ts';

/** Rows that are looked at in one step when copies of erased records are sought. */
const COPIES_AT_ONCE = 500;

const tellsOfRecords = (body: string, recordIds: ReadonlySet<string>): boolean => {
  const parsed: unknown = JSON.parse(body);
  return typeof parsed === 'object' && parsed !== null && 'data' in parsed
    ? tellsOf(parsed.data, recordIds)
    : false;
};

/** Deliveries that tell of these records go, for the erasure of a person's data; how many. */
export const eraseDeliveryCopies = async (
  db: Db,
  tenantId: string,
  recordIds: ReadonlySet<string>,
): Promise<number> => {
  let erased = 0;
  for (let after = ''; ; ) {
    const rows = await deliveriesAfter(db.read, tenantId, after, COPIES_AT_ONCE);
    const ids = rows.filter(({ body }) => tellsOfRecords(body, recordIds)).map((row) => row.id);
    if (ids.length > 0) erased += await db.write((tx) => dropDeliveries(tx, ids));
    const last = rows.at(-1);
    if (last === undefined || rows.length < COPIES_AT_ONCE) return erased;
    after = last.id;
  }
};
