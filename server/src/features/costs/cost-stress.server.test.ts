import { costStressSuite } from '../../../test/suites/cost-stress.ts';
import { startServer } from '../../../test/support/server.ts';

costStressSuite('one process', async (env) => {
  const server = await startServer({ env });
  return { servers: [server], close: server.close };
});
