import { costStressSuite } from '../suites/cost-stress.ts';
import { startServer } from '../support/server.ts';

costStressSuite('one process', async (env) => [await startServer({ env })]);
