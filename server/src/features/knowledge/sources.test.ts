import { knowledgeSourcesSuite } from '../../../test/suites/knowledge-sources.ts';
import { openKnowledge } from '../../../test/support/knowledge.ts';
import { createGuardedFetch } from '../../adapters/guarded-fetch/index.ts';

knowledgeSourcesSuite('SQLite', (options) => openKnowledge({ http: createGuardedFetch(options) }));
