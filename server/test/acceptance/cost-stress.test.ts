import { costStressSuite } from '../suites/cost-stress.ts';
import { startServer } from '../support/server.ts';

costStressSuite('one process', async (env) => {
  const server = await startServer({ env });
  return { servers: [server], close: server.close };
});
