import { type Expression, type SqlBool, sql } from 'kysely';
import type { Queryable } from '../db/db.ts';
import type { JobRow } from '../db/tables/jobs.ts';
import type { WaitingJobs } from './port.ts';

/** Statements of the SQLite engine, and the dead letters of both. */

export const insertJob = async (tx: Queryable, row: JobRow): Promise<void> => {
  await tx.insertInto('jobs').values(row).execute();
};

/** Something to do now, or a lease that has run out? One read, so that idle polling writes nothing. */
export const anythingDue = async (db: Queryable, now: number): Promise<boolean> => {
  const row = await db
    .selectFrom('jobs')
    .select('id')
    .where((eb) =>
      eb.or([
        eb.and([eb('state', '=', 'queued'), eb('run_at', '<=', now)]),
        eb.and([eb('state', '=', 'running'), eb('lease_until', '<=', now)]),
      ]),
    )
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
};

export interface Claim {
  kind: string;
  now: number;
  leaseUntil: number;
  lease: string;
  /** Cap on running jobs of one group; null for none. */
  perGroup: number | null;
  /** Jobs that this process works on: a lease that ran out while it was busy is renewed, not taken over by itself. */
  held: readonly string[];
}

/** Takes the next due job of a kind: highest priority, then longest due. */
export const claimJob = (tx: Queryable, claim: Claim): Promise<JobRow | undefined> => {
  const { kind, now, perGroup } = claim;
  const next = tx
    .selectFrom('jobs as j')
    .select('j.id')
    .where('j.kind', '=', kind)
    .where((eb) => {
      const due: Expression<SqlBool>[] = [
        eb.and([eb('j.state', '=', 'queued'), eb('j.run_at', '<=', now)]),
        eb.and([eb('j.state', '=', 'running'), eb('j.lease_until', '<=', now)]),
      ];
      return eb.or(due);
    })
    .$if(perGroup !== null, (query) =>
      query.where(
        sql<SqlBool>`(j.group_key is null or (select count(*) from jobs r where r.kind = ${kind} and r.group_key = j.group_key and r.state = 'running' and r.lease_until > ${now}) < ${perGroup})`,
      ),
    )
    .$if(claim.held.length > 0, (query) => query.where('j.id', 'not in', claim.held))
    .orderBy('j.priority', 'desc')
    .orderBy('j.run_at')
    .orderBy('j.id')
    .limit(1);
  return tx
    .updateTable('jobs')
    .set({
      state: 'running',
      lease: claim.lease,
      lease_until: claim.leaseUntil,
      attempts: sql`attempts + 1`,
    })
    .where('id', '=', next)
    .returningAll()
    .executeTakeFirst();
};

interface Held {
  id: string;
  lease: string;
}

/** False when the lease belongs to somebody else by now. */
export const renewLease = async (tx: Queryable, held: Held, until: number): Promise<boolean> => {
  const result = await tx
    .updateTable('jobs')
    .set({ lease_until: until })
    .where('id', '=', held.id)
    .where('lease', '=', held.lease)
    .where('state', '=', 'running')
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
};

export const finishJob = async (tx: Queryable, held: Held): Promise<void> => {
  await tx.deleteFrom('jobs').where('id', '=', held.id).where('lease', '=', held.lease).execute();
};

export const requeueJob = async (
  tx: Queryable,
  held: Held,
  change: { runAt: number; error: string | null; countsAsAttempt: boolean },
): Promise<void> => {
  await tx
    .updateTable('jobs')
    .set({
      state: 'queued',
      lease: null,
      lease_until: null,
      run_at: change.runAt,
      error: change.error,
      ...(change.countsAsAttempt ? {} : { attempts: sql<number>`attempts - 1` }),
    })
    .where('id', '=', held.id)
    .where('lease', '=', held.lease)
    .execute();
};

export const buryJob = async (tx: Queryable, held: Held, error: string, now: number): Promise<void> => {
  await tx
    .updateTable('jobs')
    .set({ state: 'dead', lease: null, lease_until: null, error, finished_at: now })
    .where('id', '=', held.id)
    .where('lease', '=', held.lease)
    .execute();
};

/** One process holds the data folder: what another left running is free at once. */
export const freeLeases = async (tx: Queryable): Promise<void> => {
  await tx.updateTable('jobs').set({ lease_until: 0 }).where('state', '=', 'running').execute();
};

export const deleteDeadBefore = async (tx: Queryable, before: number): Promise<void> => {
  await tx.deleteFrom('jobs').where('state', '=', 'dead').where('finished_at', '<', before).execute();
};

export const countJobs = async (db: Queryable): Promise<Record<string, number>> => {
  const rows = await db
    .selectFrom('jobs')
    .select(['state', (eb) => eb.fn.countAll<number>().as('n')])
    .groupBy('state')
    .execute();
  return Object.fromEntries(rows.map((row) => [row.state, Number(row.n)]));
};

/** Open jobs by state as pg-boss keeps them. */
export const countBossJobs = async (
  db: Queryable,
  kinds: readonly string[],
): Promise<Record<string, number>> => {
  if (kinds.length === 0) return {};
  const result = await sql<{ state: string; n: number }>`
    select state::text as state, count(*) as n from pgboss.job
    where name in (${sql.join(kinds)}) and state in ('created', 'retry', 'active') group by state`.execute(
    db,
  );
  return Object.fromEntries(result.rows.map((row) => [row.state, Number(row.n)]));
};

/** Each of `kinds`, what waits of it or not. */
const ofKinds = (
  kinds: readonly string[],
  rows: readonly { kind: string; n: number; oldest_ms: number | null }[],
): WaitingJobs[] =>
  kinds.map((kind) => {
    const row = rows.find((one) => one.kind === kind);
    return { kind, queued: Number(row?.n ?? 0), oldestMs: Math.max(0, Number(row?.oldest_ms ?? 0)) };
  });

export const waitingJobs = async (
  db: Queryable,
  kinds: readonly string[],
  now: number,
): Promise<WaitingJobs[]> => {
  const rows = await db
    .selectFrom('jobs')
    .select(['kind', (eb) => eb.fn.countAll<number>().as('n')])
    .select(sql<number | null>`${now} - min(run_at)`.as('oldest_ms'))
    .where('state', '=', 'queued')
    .groupBy('kind')
    .execute();
  return ofKinds(kinds, rows);
};

/** The same as pg-boss keeps them, by the clock of the store. */
export const waitingBossJobs = async (db: Queryable, kinds: readonly string[]): Promise<WaitingJobs[]> => {
  if (kinds.length === 0) return [];
  const { rows } = await sql<{ kind: string; n: number; oldest_ms: number | null }>`
    select name as kind, count(*) as n,
      (extract(epoch from clock_timestamp() - min(greatest(start_after, created_on))) * 1000)::bigint as oldest_ms
    from pgboss.job where name in (${sql.join(kinds)}) and state in ('created', 'retry') group by name`.execute(
    db,
  );
  return ofKinds(kinds, rows);
};

/** Until the end of the transaction no other node fetches jobs of this kind (PostgreSQL). */
export const lockKind = async (tx: Queryable, kind: string): Promise<void> => {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`jobs:${kind}`}, 0))`.execute(tx);
};

/**
 * Takes open jobs out of the table, some at a time: a restore or an import puts them there, whatever engine they come from.
 * PostgreSQL only; nodes that start together take different ones.
 */
export const takeOpenJobs = async (
  tx: Queryable,
  kinds: readonly string[],
  limit: number,
): Promise<JobRow[]> => {
  if (kinds.length === 0) return [];
  const rows = await tx
    .selectFrom('jobs')
    .selectAll()
    .where('state', 'in', ['queued', 'running'])
    .where('kind', 'in', kinds)
    .orderBy('id')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute();
  if (rows.length > 0) {
    await tx
      .deleteFrom('jobs')
      .where(
        'id',
        'in',
        rows.map((row) => row.id),
      )
      .execute();
  }
  return rows;
};
