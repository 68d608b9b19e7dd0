import { knowledgeRecoverySuite } from '../../../test/suites/knowledge-recovery.ts';

knowledgeRecoverySuite('SQLite', async () => ({}));
