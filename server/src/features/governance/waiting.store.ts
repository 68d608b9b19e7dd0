import type { Queryable } from '../../db/db.ts';

/** What waits for votes or for a person, over all tenants: for metrics. */
export const waitingProposals = async (
  db: Queryable,
  now: number,
): Promise<{ status: string; count: number; oldestMs: number }[]> => {
  const open = ['voting', 'awaiting_human'] as const;
  const rows = await db
    .selectFrom('proposals')
    .select([
      'status',
      (eb) => eb.fn.countAll<number>().as('n'),
      (eb) => eb.fn.min('created_at').as('oldest'),
    ])
    .where('settled', '=', 0)
    .where('status', 'in', open)
    .groupBy('status')
    .execute();
  return open.map((status) => {
    const row = rows.find((one) => one.status === status);
    return {
      status,
      count: Number(row?.n ?? 0),
      oldestMs: row === undefined ? 0 : Math.max(0, now - Number(row.oldest)),
    };
  });
};
