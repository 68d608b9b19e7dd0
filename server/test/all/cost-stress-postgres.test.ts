import { costStressSuite } from '../suites/cost-stress.ts';
import { startCluster } from '../support/server.ts';

costStressSuite('PostgreSQL with two nodes', async (env) => {
  const cluster = await startCluster({ nodes: 2, env });
  return { servers: cluster.nodes, close: cluster.close };
});
