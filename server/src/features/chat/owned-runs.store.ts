import type { Db } from '../../db/db.ts';
import type { RunRow } from '../../db/tables/chat.ts';
import type { Cluster } from '../../kernel/cluster.ts';

/** An earlier release does not say whose its runs are: it may still be at work beside this one. */
const NOBODYS_AFTER_MS = 15 * 60_000;

/** Which node has a run: taken over from those that are not alive any more, and looked for where nothing works on it. */
export const createOwnedRuns = (db: Db, { nodeId, alone }: Cluster) => ({
  /**
   * Takes over the unfinished runs of nodes that are not alive any more, each by one node alone; with `fresh` also those
   * that this node left when it was last started.
   */
  async adopt(now: number, fresh: boolean): Promise<RunRow[]> {
    const orphaned = await db.read
      .selectFrom('runs')
      .select(['id', 'node_id'])
      .where('finished_at', 'is', null)
      .where((w) =>
        w.or([
          w.and([w('node_id', 'is', null), w('created_at', '<', alone ? now : now - NOBODYS_AFTER_MS)]),
          w.and([
            w('node_id', '<>', nodeId),
            w('node_id', 'not in', w.selectFrom('nodes').select('nodes.id')),
          ]),
          ...(fresh ? [w('node_id', '=', nodeId)] : []),
        ]),
      )
      .orderBy('created_at')
      .orderBy('id')
      .execute();
    const taken: RunRow[] = [];
    for (const { id, node_id: from } of orphaned) {
      const row = await db.write((tx) =>
        tx
          .updateTable('runs')
          .set({ node_id: nodeId })
          .where('id', '=', id)
          .where('node_id', from === null ? 'is' : '=', from)
          .where('finished_at', 'is', null)
          .where((w) =>
            w.or([
              w('node_id', 'is', null),
              w('node_id', '=', nodeId),
              w('node_id', 'not in', w.selectFrom('nodes').select('nodes.id')),
            ]),
          )
          .returningAll()
          .executeTakeFirst(),
      );
      if (row !== undefined) taken.push(row);
    }
    return taken;
  },

  /** Those that have not ended and are this node's, whether it knows of them or not. */
  unfinishedHere: (): Promise<RunRow[]> =>
    db.read
      .selectFrom('runs')
      .selectAll()
      .where('node_id', '=', nodeId)
      .where('finished_at', 'is', null)
      .orderBy('created_at')
      .orderBy('id')
      .execute(),

  /** Which of the runs are this node's still. */
  async own(ids: readonly string[]): Promise<Set<string>> {
    if (ids.length === 0) return new Set();
    const rows = await db.read
      .selectFrom('runs')
      .select('id')
      .where('id', 'in', ids)
      .where('node_id', '=', nodeId)
      .execute();
    return new Set(rows.map((row) => row.id));
  },

  /** Whether this node has written the end of the run. */
  async endedHere(id: string): Promise<boolean> {
    const row = await db.read
      .selectFrom('runs')
      .select('id')
      .where('id', '=', id)
      .where('node_id', '=', nodeId)
      .where('finished_at', 'is not', null)
      .executeTakeFirst();
    return row !== undefined;
  },
});
