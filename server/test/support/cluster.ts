import type { Db } from '../../src/db/db.ts';
import type { Cluster } from '../../src/kernel/cluster.ts';

/** The one process on its store. */
export const ALONE: Cluster = { nodeId: 'alone', alone: true };

/** As a node of a store that others may be on as well, where the engine lets them. */
export const nodeOf = (db: Pick<Db, 'dialect'>, nodeId = 'node'): Cluster => ({
  nodeId,
  alone: db.dialect === 'sqlite',
});
