import { sql } from 'kysely';
import { type CostSumPart, SLOT_MS } from '../../db/cost-sums.ts';
import type { Queryable } from '../../db/db.ts';
import type { LedgerRow } from '../../db/tables/costs.ts';
import type { Span } from './periods.rules.ts';
import { piecesOf } from './span-pieces.ts';

export interface UsageFilter {
  tenantId: string;
  /** Null: all users of the tenant. */
  userId: string | null;
  span: Span;
}

export interface Page {
  limit: number;
  offset: number;
}

export interface UsageSum {
  /** `users`: only how many there are, in `requests`. */
  part: 'agent' | 'model' | 'tool' | 'slot' | 'user' | 'users';
  key: string | null;
  requests: number;
  cost_nano: number;
  input_tokens: number;
  output_tokens: number;
  cached_input_tokens: number;
  beyond_estimate: number;
}

/** Sums of what the statement reads; `sign` -1 takes them away. */
const counted = sql.raw(
  'requests, cost_nano, input_tokens, output_tokens, cached_input_tokens, beyond_estimate',
);
const COUNTED = [
  'requests',
  'cost_nano',
  'input_tokens',
  'output_tokens',
  'cached_input_tokens',
  'beyond_estimate',
] as const;
const added = sql.raw(COUNTED.map((name) => `sum(${name}) as ${name}`).join(', '));
const times = (sign: 1 | -1) => sql.raw(COUNTED.map((name) => `${sign} * ${name} as ${name}`).join(', '));
const rowsTimes = (sign: 1 | -1) =>
  sql.raw(
    ['count(*)', ...COUNTED.slice(1).map((name) => `sum(${name})`)]
      .map((of, i) => `${sign} * ${of} as ${COUNTED[i]}`)
      .join(', '),
  );
const summed = sql.raw(COUNTED.slice(1).join(', '));
const slotKey = sql.raw(`(created_at / ${SLOT_MS}) * ${SLOT_MS}`);

type Part = UsageSum['part'];

/** The ledger summed by each dimension in one statement, so that all parts see the same rows and add up exactly. */
export const sumRows = async (db: Queryable, filter: UsageFilter): Promise<UsageSum[]> => {
  const { tenantId, userId, span } = filter;
  const mine = userId === null ? sql`` : sql` and user_id = ${userId}`;
  const by = (part: Part, key: ReturnType<typeof sql>) => sql`
    select cast(${sql.lit(part)} as text) as part, ${key} as key, ${rowsTimes(1)} from mine group by ${key}`;
  const parts = [
    by('agent', sql`agent_id`),
    by('model', sql`model`),
    by('tool', sql`tool`),
    by('slot', sql`cast(${slotKey} as text)`),
    ...(userId === null ? [by('user', sql`user_id`)] : []),
  ];
  // The rows are read once; of a whole tenant they are too many to be kept meanwhile.
  const kept = sql.raw(userId === null ? 'not materialized' : 'materialized');
  const { rows } = await sql<UsageSum>`
    with mine as ${kept} (
      select user_id, agent_id, model, tool, created_at, ${summed} from ledger
      where tenant_id = ${tenantId} and created_at >= ${span.start} and created_at < ${span.end}${mine})
    ${sql.join(parts, sql` union all `)}`.execute(db);
  return rows;
};

/**
 * The same for a whole tenant from its sums, and from rows where the span begins or ends in the middle of one. With `days`, slots
 * of one of these spans come as one, at its beginning: a month has 3,000 slots.
 */
export const sumSums = async (
  db: Queryable,
  { tenantId, span, days = null }: Pick<UsageFilter, 'tenantId' | 'span'> & { days?: readonly Span[] | null },
  users: Page,
): Promise<UsageSum[]> => {
  const pieces = piecesOf(span);
  const of = (part: CostSumPart, { start, end }: Span) =>
    sql`from cost_sums where tenant_id = ${tenantId} and part = ${sql.lit(part)}
      and starts_at >= ${start} and starts_at < ${end}`;
  const rowsOf = ({ start, end }: Span) =>
    sql`from ledger where tenant_id = ${tenantId} and created_at >= ${start} and created_at < ${end}`;
  const all = (list: readonly ReturnType<typeof sql>[]) => sql.join(list, sql` union all `);
  const edges = pieces.rows.map(
    (piece) => sql`select user_id, coalesce(agent_id, '') as agent_id, coalesce(model, '') as model,
      coalesce(tool, '') as tool, ${rowsTimes(piece.sign)} ${rowsOf(piece)}
      group by user_id, coalesce(agent_id, ''), coalesce(model, ''), coalesce(tool, '')`,
  );
  const edge = sql`select * from edge`;
  // A statement needs at least one part: of no time there is none.
  const none: Span = { start: 0, end: 0 };
  const edgeRows =
    edges.length > 0 ? edges : [sql`select user_id, agent_id, model, tool, ${counted} ${of('slot', none)}`];
  const kinds = [
    sql`select agent_id, model, tool, ${counted} ${of('day', pieces.days ?? none)}`,
    sql`select agent_id, model, tool, ${counted} from (${edge}) as e`,
  ];
  // Users are ranked by two sums, and the page alone gets the others: each sum of thousands of users is time.
  const people = (only: ReturnType<typeof sql>) => [
    sql`select user_id, ${counted} ${of('user_month', pieces.userMonths ?? none)}${only}`,
    ...pieces.userDays.map(
      (piece) => sql`select user_id, ${times(piece.sign)} ${of('user_day', piece)}${only}`,
    ),
    sql`select user_id, ${counted} from (${edge}) as e where true${only}`,
  ];
  const ofPage = sql` and user_id in (select user_id from page)`;
  const whole = pieces.slots ?? none;
  const slotsByDay = (list: readonly Span[]) => {
    const spans = sql.join(list.map(({ start, end }) => sql`(${sql.lit(start)}, ${sql.lit(end)})`));
    return sql`select d.column1 as slot, ${counted} from (values ${spans}) as d join cost_sums on tenant_id = ${tenantId}
      and part = 'slot' and starts_at >= d.column1 and starts_at < d.column2
      and starts_at >= ${whole.start} and starts_at < ${whole.end}`;
  };
  const slots = [
    days === null || days.length === 0
      ? sql`select starts_at as slot, ${counted} ${of('slot', whole)}`
      : slotsByDay(days),
    ...pieces.slotRows.map(
      (piece) => sql`select ${slotKey} as slot, ${rowsTimes(1)} ${rowsOf(piece)} group by ${slotKey}`,
    ),
  ];
  const byKind = (part: Part, column: 'agent_id' | 'model' | 'tool') =>
    sql`select cast(${sql.lit(part)} as text) as part, nullif(${sql.ref(column)}, '') as key, ${added}
      from kinds group by ${sql.ref(column)} having sum(requests) <> 0`;
  const { rows } = await sql<UsageSum>`
    with edge as materialized (${all(edgeRows)}),
      kinds as materialized (select agent_id, model, tool, ${added} from (${all(kinds)}) as k group by agent_id, model, tool),
      people as materialized (select user_id, sum(cost_nano) as cost_nano from (${all(people(sql``))}) as p
        group by user_id having sum(requests) <> 0),
      page as materialized (
        select user_id from people order by cost_nano desc, user_id limit ${users.limit} offset ${users.offset})
    ${byKind('agent', 'agent_id')} union all ${byKind('model', 'model')} union all ${byKind('tool', 'tool')}
    union all select 'slot', cast(slot as text), ${added} from (${all(slots)}) as s group by slot
    union all select 'user', user_id, ${added} from (${all(people(ofPage))}) as u group by user_id
    union all select 'users', null, count(*), 0, 0, 0, 0, 0 from people`.execute(db);
  return rows;
};

/** What models and embeddings of one run have cost by the ledger; `since` is when it began, in epoch ms. */
export const sumOfRun = async (
  db: Queryable,
  run: { tenantId: string; runId: string; since: number },
): Promise<number> => {
  const row = await db
    .selectFrom('ledger')
    .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('cost_nano'), eb.val(0)).as('sum'))
    .where('tenant_id', '=', run.tenantId)
    .where('created_at', '>=', run.since)
    .where('run_id', '=', run.runId)
    .where('kind', '!=', 'tool')
    .executeTakeFirstOrThrow();
  return Number(row.sum);
};

const EXPORT_PAGE = 1_000;

/** The ledger rows of a span, oldest first, in pages: an export of any length needs little memory. */
export async function* ledgerPages(db: Queryable, filter: UsageFilter): AsyncGenerator<LedgerRow[]> {
  const { tenantId, userId, span } = filter;
  let after: { at: number; id: string } | null = null;
  for (;;) {
    let query = db
      .selectFrom('ledger')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .where('created_at', '>=', after?.at ?? span.start)
      .where('created_at', '<', span.end)
      .orderBy('created_at')
      .orderBy('id')
      .limit(EXPORT_PAGE);
    if (userId !== null) query = query.where('user_id', '=', userId);
    if (after !== null) {
      const { at, id } = after;
      query = query.where((eb) => eb.or([eb('created_at', '>', at), eb('id', '>', id)]));
    }
    const rows: LedgerRow[] = await query.execute();
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < EXPORT_PAGE) return;
    after = { at: last.created_at, id: last.id };
  }
}
