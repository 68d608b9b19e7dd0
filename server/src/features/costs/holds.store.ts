import type { Db } from '../../db/db.ts';

/** Which holds outlived their process. */

/** A process that has not shown itself for this long is taken for dead. */
export const NODE_TIMEOUT_MS = 120_000;

export const touchNode = (db: Db, nodeId: string, now: number): Promise<void> =>
  db.write(async (tx) => {
    await tx
      .insertInto('cost_nodes')
      .values({ id: nodeId, seen_at: now })
      .onConflict((c) => c.column('id').doUpdateSet({ seen_at: now }))
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
            .where('cost_nodes.seen_at', '>', now - NODE_TIMEOUT_MS),
        ),
      ),
    );
  }
  return (await query.execute()).map((row) => row.id);
};

/** Drops heartbeats of dead nodes and counters of periods that ended long ago and carry nothing any more. */
export const dropOld = (db: Db, now: number, keepMs: number): Promise<void> =>
  db.write(async (tx) => {
    await tx
      .deleteFrom('cost_nodes')
      .where('seen_at', '<', now - 10 * NODE_TIMEOUT_MS)
      .execute();
    await tx
      .deleteFrom('cost_counters')
      .where('ends_at', '<', now - keepMs)
      .where('reserved_nano', '=', 0)
      .execute();
  });
