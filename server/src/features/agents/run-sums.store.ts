import { sql } from 'kysely';
import type { Db, Queryable, Tx } from '../../db/db.ts';
import { RUN_DAY_MS, RUN_HOUR_MS, RUN_PART_MS, RUN_SUMS_LOCK, type RunSumPart } from '../../db/run-sums.ts';
import type { RunTotals } from './rules.ts';
import { coverOf, type Period, packTotals, type Sealed, type Stretch, unpackTotals } from './run-periods.ts';
import {
  type RunSamples,
  rowTotals,
  sumByAgent,
  type TotalsByAgent,
  type TotalsSource,
  type TotalsSpan,
} from './totals.store.ts';

/** Figures of periods as they are kept: a row of agent '' says that the period is summed up. */

const NONE: ReadonlySet<number> = new Set();
const SEAL = '';

const startsOf = async (
  db: Queryable,
  tenantId: string,
  part: RunSumPart,
  stretches: readonly Stretch[],
): Promise<ReadonlySet<number>> => {
  const long = stretches.filter(({ since, until }) => until - since >= RUN_PART_MS[part]);
  if (long.length === 0) return NONE;
  const rows = await db
    .selectFrom('run_sums')
    .select('starts_at')
    .where('tenant_id', '=', tenantId)
    .where('part', '=', part)
    .where((eb) =>
      eb.or(
        long.map(({ since, until }) => eb.and([eb('starts_at', '>=', since), eb('starts_at', '<', until)])),
      ),
    )
    .where('agent_id', '=', SEAL)
    .execute();
  return new Set(rows.map((row) => Number(row.starts_at)));
};

/** All that is summed up of a time. */
export const allSealed = async (db: Queryable, tenantId: string, stretch: Stretch): Promise<Sealed> => ({
  day: await startsOf(db, tenantId, 'day', [stretch]),
  hour: await startsOf(db, tenantId, 'hour', [stretch]),
  slot: await startsOf(db, tenantId, 'slot', [stretch]),
});

/** What a reader needs: hours are asked for only where no day is, and slots only where neither is. */
export const sealedFor = async (db: Queryable, tenantId: string, stretch: Stretch): Promise<Sealed> => {
  const sealed = { day: NONE, hour: NONE, slot: NONE };
  for (const part of ['day', 'hour', 'slot'] as const)
    sealed[part] = await startsOf(db, tenantId, part, coverOf(stretch, sealed).rows);
  return sealed;
};

/** The sums of these periods, all as of one moment; null where one of them is gone by now. */
export const readSums = async (
  db: Queryable,
  { tenantId, agentIds }: Pick<TotalsSpan, 'tenantId' | 'agentIds'>,
  periods: readonly Period[],
): Promise<TotalsByAgent | null> => {
  if (periods.length === 0) return new Map();
  const of = (part: RunSumPart) => periods.filter((one) => one.part === part).map((one) => one.startsAt);
  const rows = await db
    .selectFrom('run_sums')
    .select(['agent_id', 'totals'])
    .where('tenant_id', '=', tenantId)
    .where('agent_id', 'in', [SEAL, ...agentIds])
    .where((eb) =>
      eb.or(
        (['day', 'hour', 'slot'] as const)
          .map((part) => ({ part, starts: of(part) }))
          .filter(({ starts }) => starts.length > 0)
          .map(({ part, starts }) => eb.and([eb('part', '=', part), eb('starts_at', 'in', starts)])),
      ),
    )
    .execute();
  if (rows.filter((row) => row.agent_id === SEAL).length !== periods.length) return null;
  const found = rows
    .filter((row) => row.agent_id !== SEAL)
    .map((row) => new Map<string, RunTotals>([[row.agent_id, unpackTotals(row.totals)]]));
  return sumByAgent(found, agentIds);
};

/** A period as its rows have it; a day as its hours have it, where all of them are summed up. */
const totalsOfPeriod = async (
  tx: Queryable,
  source: TotalsSource,
  of: Pick<TotalsSpan, 'tenantId' | 'agentIds'>,
  { part, startsAt }: Period,
): Promise<TotalsByAgent | null> => {
  const until = startsAt + RUN_PART_MS[part];
  if (part !== 'day') return rowTotals(tx, source, { ...of, since: startsAt, until });
  const hours = Array.from({ length: RUN_DAY_MS / RUN_HOUR_MS }, (_, n) => startsAt + n * RUN_HOUR_MS);
  return readSums(
    tx,
    of,
    hours.map((hour) => ({ part: 'hour', startsAt: hour })),
  );
};

/** Long enough to be worth a transaction, short enough that nobody waits for it. */
const AT_ONCE_MS = 10;

/**
 * Sums up periods of a tenant, as many as fit into a moment; the number of those that are done, or null where a run of the tenant is
 * ending just now. Such a transaction holds the lock from before it drops sums to its end, so that none is made of what was before it.
 */
export const seal = (
  db: Db,
  samples: RunSamples,
  of: Pick<TotalsSpan, 'tenantId' | 'agentIds'>,
  periods: readonly Period[],
): Promise<number | null> =>
  db.write(async (tx) => {
    if (!(await alone(db, tx, of.tenantId))) return null;
    const startedMs = performance.now();
    let done = 0;
    for (const { part, startsAt } of periods) {
      if (done > 0 && performance.now() - startedMs > AT_ONCE_MS) break;
      const totals = await totalsOfPeriod(tx, { dialect: db.dialect, samples }, of, { part, startsAt });
      done += 1;
      if (totals === null) continue;
      const row = { tenant_id: of.tenantId, part, starts_at: startsAt };
      const rows = [...totals].map(([agent, own]) => ({ ...row, agent_id: agent, totals: packTotals(own) }));
      await tx
        .insertInto('run_sums')
        .values([{ ...row, agent_id: SEAL, totals: '' }, ...rows])
        .onConflict((c) => c.doNothing())
        .execute();
    }
    return done;
  });

/** Tried and not waited for: whoever waits here would hold up the runs that end behind it. */
const alone = async (db: Db, tx: Tx, tenantId: string): Promise<boolean> => {
  if (db.dialect === 'sqlite') return true;
  const { rows } = await sql<{ got: boolean }>`
    select pg_try_advisory_xact_lock(${RUN_SUMS_LOCK}, hashtext(${tenantId})) as got`.execute(tx);
  return rows[0]?.got === true;
};

/** What no window reaches any more, and slots whose hours are over. */
export const dropOldRunSums = (
  db: Db,
  tenantId: string,
  before: { all: number; slots: number },
): Promise<void> =>
  db.write(async (tx) => {
    for (const [part, at] of [
      ['day', before.all],
      ['hour', before.all],
      ['slot', before.slots],
    ] as const)
      await tx
        .deleteFrom('run_sums')
        .where('tenant_id', '=', tenantId)
        .where('part', '=', part)
        .where('starts_at', '<', at)
        .execute();
  });

/** All sums that there are, with what the rows say of the same time. */
export const keptSums = (db: Queryable, tenantId: string) =>
  db
    .selectFrom('run_sums')
    .select(['part', 'starts_at', 'agent_id', 'totals'])
    .where('tenant_id', '=', tenantId)
    .orderBy('starts_at')
    .orderBy('part')
    .execute();

export const tenantsWithRunSums = async (db: Queryable): Promise<string[]> =>
  (await db.selectFrom('run_sums').select('tenant_id').distinct().orderBy('tenant_id').execute()).map(
    (row) => row.tenant_id,
  );

export const dropAll = async (tx: Queryable): Promise<void> => {
  await tx.deleteFrom('run_sums').execute();
};
