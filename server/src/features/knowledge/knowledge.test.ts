import { knowledgeHttpSuite } from '../../../test/suites/knowledge-http.ts';
import { openKnowledge } from '../../../test/support/knowledge.ts';

knowledgeHttpSuite('SQLite', () => openKnowledge());
