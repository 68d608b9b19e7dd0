import { sql } from 'kysely';
import type { Db } from '../../db/db.ts';
import type { Cluster } from '../../kernel/cluster.ts';

/** Which holds outlived their node. */

/** A node of the release before, which shows itself in `cost_nodes` alone, is dead when it has not for this long. */
export const NODE_TIMEOUT_MS = 120_000;

/** Nodes' own clocks may differ, so on PostgreSQL the store's counts; SQLite has one process. */
const nowOf = (db: Db, now: number) =>
  db.dialect === 'sqlite'
    ? sql<number>`${now}`
    : sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

/** The first sign of life, before the node is in `nodes`. */
export const touchNode = (db: Db, nodeId: string, now: number): Promise<void> =>
  db.write(async (tx) => {
    await tx
      .insertInto('cost_nodes')
      .values({ id: nodeId, seen_at: nowOf(db, now) })
      .onConflict((c) => c.column('id').doUpdateSet({ seen_at: nowOf(db, now) }))
      .execute();
  });

/**
 * Ids of holds whose node is gone: all of others where there can be no others, else those of nodes that are not in `nodes` any
 * more. `fresh`: this one's too, which an earlier process of it has left.
 */
export const orphanedHolds = async (
  db: Db,
  cluster: Cluster,
  { now, fresh }: { now: number; fresh: boolean },
): Promise<string[]> => {
  const { nodeId, alone } = cluster;
  const rows = await db.read
    .selectFrom('cost_holds')
    .select('id')
    .where((w) => {
      const shown = w
        .selectFrom('cost_nodes')
        .select('cost_nodes.id')
        .where('cost_nodes.seen_at', '>', sql<number>`${nowOf(db, now)} - ${sql.lit(NODE_TIMEOUT_MS)}`);
      const gone = w.and([
        w('node_id', 'not in', w.selectFrom('nodes').select('nodes.id')),
        w('node_id', 'not in', shown),
      ]);
      const others = w('node_id', '<>', nodeId);
      const orphaned = alone ? others : w.and([others, gone]);
      return fresh ? w.or([orphaned, w('node_id', '=', nodeId)]) : orphaned;
    })
    .execute();
  return rows.map((row) => row.id);
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
