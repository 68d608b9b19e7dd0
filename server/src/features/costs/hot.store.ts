import { type Kysely, sql } from 'kysely';
import { compiled, compiledCount } from '../../db/compiled.ts';
import type { DialectName, Queryable } from '../../db/db.ts';
import type { Tables } from '../../db/tables/index.ts';
import { MAX_NANO_USD } from '../../kernel/money.ts';

/**
 * The statements that every model call runs, compiled once. A hold touches up to six counters: day and month of the
 * tenant, the user and the agent. There is a statement for each number of them, since the engine looks every id of a list
 * up; what stands behind the number is not bound.
 */
export interface CounterIds {
  c0: string;
  c1: string;
  c2: string;
  c3: string;
  c4: string;
  c5: string;
}

const NAMES = ['c0', 'c1', 'c2', 'c3', 'c4', 'c5'] as const;
export const MAX_COUNTERS = NAMES.length;

/** The statement for so many ids; for more than `MAX_COUNTERS` the one for that many. */
const forEachNumber = <S>(make: (names: readonly (typeof NAMES)[number][]) => S) => {
  const all = make(NAMES);
  const made = NAMES.map((_, i) => make(NAMES.slice(0, i + 1)));
  return (ids: readonly string[]): S => made[ids.length - 1] ?? all;
};

export const counterIds = (ids: readonly string[]): CounterIds => {
  const first = ids[0] ?? '';
  return {
    c0: first,
    c1: ids[1] ?? first,
    c2: ids[2] ?? first,
    c3: ids[3] ?? first,
    c4: ids[4] ?? first,
    c5: ids[5] ?? first,
  };
};

/**
 * Reserves on all counters or, where one of them lacks the room, on none; how many rows it was. Fewer than asked but
 * not none: some counters do not exist yet, and `book` takes the rest back.
 */
const reserve = forEachNumber((names) =>
  compiledCount<CounterIds & { amount: number }>((db, p) => {
    const ids = names.map((name) => p(name));
    return db
      .updateTable('cost_counters')
      .set((eb) => ({ reserved_nano: eb('reserved_nano', '+', p('amount')) }))
      .where('id', 'in', ids)
      .where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom('cost_counters as full')
              .select('full.id')
              .where('full.id', 'in', ids)
              .where((full) =>
                full(
                  full('full.used_nano', '+', full('full.reserved_nano', '+', p('amount'))),
                  '>',
                  full.ref('full.limit_nano'),
                ),
              ),
          ),
        ),
      );
  }),
);

/**
 * PostgreSQL only: the counters' rows as they stand when every transaction before has left them, locked in one order, so
 * that two never wait for each other. None are locked while the first (the tenant's day, by which all others are guarded) is not there:
 * who makes it will want the others.
 */
const lockedRows = (db: Kysely<Tables>, ids: readonly string[], day: string) =>
  db
    .selectFrom('cost_counters')
    .select(['id', 'used_nano', 'reserved_nano', 'limit_nano'])
    .where('id', 'in', ids)
    .where((eb) =>
      eb.exists(eb.selectFrom('cost_counters as day').select('day.id').where('day.id', '=', day)),
    )
    .orderBy('id')
    .forUpdate();

/**
 * `reserve` for PostgreSQL, with the locks in the same statement: on all counters or on none. What is compared with the limits are the
 * locked rows: those of the statement's own view may be older.
 */
const reserveLocked = forEachNumber((names) =>
  compiledCount<CounterIds & { amount: number }>((db, p) =>
    db
      .with('locked', () =>
        lockedRows(
          db,
          names.map((name) => p(name)),
          p('c0'),
        ),
      )
      .updateTable('cost_counters')
      .from('locked')
      .set((eb) => ({ reserved_nano: eb('cost_counters.reserved_nano', '+', p('amount')) }))
      .whereRef('cost_counters.id', '=', 'locked.id')
      .where((eb) =>
        eb(
          eb.selectFrom('locked as each').select((each) => each.fn.countAll<number>().as('n')),
          '=',
          eb.lit(names.length),
        ),
      )
      .where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom('locked as full')
              .select('full.id')
              .where((full) =>
                full(
                  full('full.used_nano', '+', full('full.reserved_nano', '+', p('amount'))),
                  '>',
                  full.ref('full.limit_nano'),
                ),
              ),
          ),
        ),
      ),
  ),
);

/** The statement that reserves on so many counters at once. */
export const reserveOn = (dialect: DialectName, ids: readonly string[]) =>
  (dialect === 'postgres' ? reserveLocked : reserve)(ids);

/** Moves an amount out of the reservations and a cost into what is spent. */
export const book = forEachNumber((names) =>
  compiledCount<CounterIds & { released: number; spent: number }>((db, p) =>
    db
      .updateTable('cost_counters')
      .set((eb) => ({
        reserved_nano: eb('reserved_nano', '-', p('released')),
        used_nano: eb('used_nano', '+', p('spent')),
      }))
      .where(
        'id',
        'in',
        names.map((name) => p(name)),
      ),
  ),
);

/** PostgreSQL only: takes the row locks, as `reserveOn` does. */
export const lockCounters = compiled<CounterIds, { id: string }>((db, p) =>
  lockedRows(db, [p('c0'), p('c1'), p('c2'), p('c3'), p('c4'), p('c5')], p('c0')),
);

export interface HoldValues {
  id: string;
  tenant: string;
  user: string;
  agent: string | null;
  run: string | null;
  node: string;
  amount: number;
  runAmount: number;
  /** What the run has spent so far. */
  runUsed: number;
  /** Id of the counter of the tenant's day. */
  dayCounter: string;
  /** Ids of the counters that carry it, one a line. */
  counters: string;
  at: number;
}

/**
 * Writes the hold unless the run's spending, its other open holds and this one together pass the run's limit, which
 * stands on the counter of the tenant's day. `runAmount` 0: not counted against the run.
 */
export const insertHold = compiledCount<HoldValues>((db, p) => ({
  compile: () =>
    sql`
      insert into cost_holds
        (id, tenant_id, user_id, agent_id, run_id, node_id, amount_nano, run_nano, counters, created_at)
      select cast(${p('id')} as text), cast(${p('tenant')} as text), cast(${p('user')} as text),
        cast(${p('agent')} as text), cast(${p('run')} as text), cast(${p('node')} as text),
        cast(${p('amount')} as bigint), cast(${p('runAmount')} as bigint), cast(${p('counters')} as text),
        cast(${p('at')} as bigint)
      where cast(${p('runAmount')} as bigint) = 0 or cast(${p('runUsed')} as bigint) + cast(${p('runAmount')} as bigint)
        + coalesce((select sum(run_nano) from cost_holds where run_id = cast(${p('run')} as text)), 0)
        <= coalesce((select run_limit_nano from cost_counters where id = cast(${p('dayCounter')} as text)), ${sql.lit(MAX_NANO_USD)})`.compile(
      db,
    ),
}));

export const deleteHold = compiled<{ id: string }, { counters: string; amount_nano: number }>((db, p) =>
  db.deleteFrom('cost_holds').where('id', '=', p('id')).returning(['counters', 'amount_nano']),
);

export interface LedgerValues {
  id: string;
  tenant: string;
  user: string;
  kind: string;
  agent: string | null;
  model: string | null;
  tool: string | null;
  conversation: string | null;
  run: string | null;
  request: string | null;
  input: number;
  output: number;
  cached: number;
  cacheWrite: number;
  reasoning: number;
  cost: number;
  reported: number | null;
  estimated: number;
  beyond: number;
  at: number;
}

export const insertLedger = compiled<LedgerValues, never>((db, p) =>
  db.insertInto('ledger').values({
    id: p('id'),
    tenant_id: p('tenant'),
    user_id: p('user'),
    kind: p('kind'),
    agent_id: p('agent'),
    model: p('model'),
    tool: p('tool'),
    conversation_id: p('conversation'),
    run_id: p('run'),
    request_id: p('request'),
    input_tokens: p('input'),
    output_tokens: p('output'),
    cached_input_tokens: p('cached'),
    cache_write_tokens: p('cacheWrite'),
    reasoning_tokens: p('reasoning'),
    cost_nano: p('cost'),
    reported_nano: p('reported'),
    estimated: p('estimated'),
    beyond_estimate: p('beyond'),
    created_at: p('at'),
  }),
);

/** What the run's other open calls have reserved. */
export const reservedByRun = async (tx: Queryable, runId: string): Promise<number> => {
  const row = await tx
    .selectFrom('cost_holds')
    .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('run_nano'), eb.val(0)).as('sum'))
    .where('run_id', '=', runId)
    .executeTakeFirstOrThrow();
  return Number(row.sum);
};
