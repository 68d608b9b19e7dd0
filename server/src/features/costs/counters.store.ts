import type { Queryable } from '../../db/db.ts';
import type { CostCounterRow } from '../../db/tables/costs.ts';
import type { Span } from './periods.rules.ts';

/** Counters off the hot path: the first call of a period makes them, refusals and reports read them. */
export interface CounterKey {
  id: string;
  tenantId: string;
  scope: 'tenant' | 'user' | 'agent';
  subject: string;
  period: 'day' | 'month';
  span: Span;
}

const PREFIX = { tenant: '0', user: '1', agent: '2' } as const;

/** Sorts the tenant's own counters first: whoever has locked them has locked out every other writer of the tenant. */
export const counterId = (
  tenantId: string,
  scope: CounterKey['scope'],
  subject: string,
  period: 'day' | 'month',
  start: number,
): string =>
  `${tenantId}|${PREFIX[scope]}${scope === 'tenant' ? '' : subject}|${period === 'day' ? 'd' : 'm'}|${start}`;

export const selectCounters = (tx: Queryable, ids: readonly string[]): Promise<CostCounterRow[]> =>
  tx
    .selectFrom('cost_counters')
    .selectAll()
    .where('id', 'in', [...ids])
    .orderBy('id')
    .execute();

/** What the ledger holds of a subject in a span, in nano-dollars. */
export const spentBetween = async (
  db: Queryable,
  { tenantId, scope, subject, span }: Omit<CounterKey, 'id' | 'period'>,
): Promise<number> => {
  const row = await db
    .selectFrom('ledger')
    .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('cost_nano'), eb.val(0)).as('sum'))
    .where('tenant_id', '=', tenantId)
    .where('created_at', '>=', span.start)
    .where('created_at', '<', span.end)
    .$if(scope === 'user', (q) => q.where('user_id', '=', subject))
    .$if(scope === 'agent', (q) => q.where('agent_id', '=', subject))
    .executeTakeFirstOrThrow();
  return Number(row.sum);
};

/**
 * Takes away the counters of the same subject whose period overlaps this one: those of a time zone that the tenant has
 * left. Nothing is counted there any more, so one that stayed would lack what is spent from now on, were the zone to come
 * back; it is then made anew from the ledger.
 */
const dropOverlapping = async (
  tx: Queryable,
  { id, tenantId, scope, subject, period, span }: CounterKey,
): Promise<void> => {
  await tx
    .deleteFrom('cost_counters')
    .where('tenant_id', '=', tenantId)
    .where('ends_at', '>', span.start)
    .where('starts_at', '<', span.end)
    .where('scope', '=', scope)
    .where('subject', '=', subject)
    .where('period', '=', period)
    .where('id', '!=', id)
    .execute();
};

/**
 * Makes a counter that does not exist yet, in place of one of another time zone. It starts from the ledger and from the
 * open holds of the period, so that it is right when it comes late too (the tenant's time zone has changed in mid-day);
 * those holds then settle on it as well.
 */
export const createCounter = async (
  tx: Queryable,
  key: CounterKey,
  limits: { limitNano: number | null; runLimitNano: number | null },
): Promise<void> => {
  const { tenantId, scope, subject, span } = key;
  // First: it waits for who is writing there, and what they have written is read below.
  await dropOverlapping(tx, key);
  const spent = await spentBetween(tx, key);
  const open = await tx
    .selectFrom('cost_holds')
    .select(['id', 'amount_nano', 'counters'])
    .where('tenant_id', '=', tenantId)
    .where('created_at', '>=', span.start)
    .where('created_at', '<', span.end)
    .$if(scope === 'user', (q) => q.where('user_id', '=', subject))
    .$if(scope === 'agent', (q) => q.where('agent_id', '=', subject))
    .execute();
  const created = await tx
    .insertInto('cost_counters')
    .values({
      id: key.id,
      tenant_id: tenantId,
      scope,
      subject,
      period: key.period,
      starts_at: span.start,
      ends_at: span.end,
      limit_nano: limits.limitNano,
      run_limit_nano: limits.runLimitNano,
      used_nano: spent,
      reserved_nano: open.reduce((sum, hold) => sum + hold.amount_nano, 0),
      alerted: 0,
      refused: 0,
    })
    .onConflict((c) => c.column('id').doNothing())
    .returning('id')
    .execute();
  if (created.length === 0) return;
  for (const hold of open) {
    // It may stand there from a time when the counter was kept before.
    if (hold.counters.split('\n').includes(key.id)) continue;
    await tx
      .updateTable('cost_holds')
      .set({ counters: `${hold.counters}\n${key.id}` })
      .where('id', '=', hold.id)
      .execute();
  }
};

/**
 * The counter as it stands after every transaction that was writing it; the row stays locked until the end of `tx`.
 * The update changes nothing: it is what both engines wait on.
 */
export const lockCounter = async (tx: Queryable, id: string): Promise<CostCounterRow | undefined> => {
  const [row] = await tx
    .updateTable('cost_counters')
    .set((eb) => ({ alerted: eb.ref('alerted') }))
    .where('id', '=', id)
    .returningAll()
    .execute();
  return row;
};

export const markTold = async (
  tx: Queryable,
  id: string,
  told: { alerted?: number; refused?: number },
): Promise<void> => {
  await tx.updateTable('cost_counters').set(told).where('id', '=', id).execute();
};
