import { sql } from 'kysely';
import type { Db } from '../../db/db.ts';

/** Which holds outlived their process. */

/** A process that has not shown itself for this long is taken for dead. */
export const NODE_TIMEOUT_MS = 120_000;

/** Nodes' own clocks may differ, so on PostgreSQL the store's counts; SQLite has one process. */
const nowOf = (db: Db, now: number) =>
  db.dialect === 'sqlite'
    ? sql<number>`${now}`
    : sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

export const touchNode = (db: Db, nodeId: string, now: number): Promise<void> =>
  db.write(async (tx) => {
    await tx
      .insertInto('cost_nodes')
      .values({ id: nodeId, seen_at: nowOf(db, now) })
      .onConflict((c) => c.column('id').doUpdateSet({ seen_at: nowOf(db, now) }))
      .execute();
  });

/**
 * Ids of holds whose process is gone. On SQLite the data folder is locked by one process, so every hold of another is
 * an orphan; on PostgreSQL those of nodes whose heartbeat has stopped.
 */
export const orphanedHolds = async (db: Db, nodeId: string, now: number): Promise<string[]> => {
  let query = db.read.selectFrom('cost_holds').select('id').where('node_id', '!=', nodeId);
  if (db.dialect === 'postgres') {
    query = query.where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('cost_nodes')
            .select('cost_nodes.id')
            .whereRef('cost_nodes.id', '=', 'cost_holds.node_id')
            .where('cost_nodes.seen_at', '>', sql<number>`${nowOf(db, now)} - ${sql.lit(NODE_TIMEOUT_MS)}`),
        ),
      ),
    );
  }
  return (await query.execute()).map((row) => row.id);
};

/** After the end of its run no call of it goes on; a little later, since what follows a run (its memories) names it as well. */
const ENDED_AFTER_MS = 60_000;
/** No single call takes this long. */
const FORGOTTEN_AFTER_MS = 3_600_000;

/** Over all tenants and processes: for metrics. */
export const openHolds = async (db: Db, now: number): Promise<{ count: number; oldestMs: number }> => {
  const row = await db.read
    .selectFrom('cost_holds')
    .select([(eb) => eb.fn.countAll<number>().as('n'), (eb) => eb.fn.min('created_at').as('oldest')])
    .executeTakeFirstOrThrow();
  return {
    count: Number(row.n),
    oldestMs: row.oldest === null ? 0 : Math.max(0, now - Number(row.oldest)),
  };
};

/** Ids of this process's own holds that nobody will settle: their run has ended without it, or they are too old for any call. */
export const forgottenHolds = async (db: Db, nodeId: string, now: number): Promise<string[]> => {
  const rows = await db.read
    .selectFrom('cost_holds')
    .select('cost_holds.id')
    .where('cost_holds.node_id', '=', nodeId)
    .where((w) =>
      w.or([
        w('cost_holds.created_at', '<', now - FORGOTTEN_AFTER_MS),
        w.exists(
          w
            .selectFrom('runs')
            .select('runs.id')
            .whereRef('runs.id', '=', 'cost_holds.run_id')
            .where('runs.finished_at', '<', now - ENDED_AFTER_MS),
        ),
      ]),
    )
    .execute();
  return rows.map((row) => row.id);
};

/** What the process still holds when it ends is nobody's: the others need not wait until it has been silent for long. */
export const leaveNodes = async (db: Db, nodeId: string): Promise<void> =>
  db.write(async (tx) => {
    await tx.deleteFrom('cost_nodes').where('id', '=', nodeId).execute();
  });

/** Drops heartbeats of dead nodes and counters of periods that ended long ago and carry nothing any more. */
export const dropOld = (db: Db, now: number, keepMs: number): Promise<void> =>
  db.write(async (tx) => {
    await tx
      .deleteFrom('cost_nodes')
      .where('seen_at', '<', sql<number>`${nowOf(db, now)} - ${sql.lit(10 * NODE_TIMEOUT_MS)}`)
      .execute();
    await tx
      .deleteFrom('cost_counters')
      .where('ends_at', '<', now - keepMs)
      .where('reserved_nano', '=', 0)
      .execute();
  });
