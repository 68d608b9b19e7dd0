import { knowledgeRolesSuite } from '../../../test/suites/knowledge-roles.ts';
import { openKnowledge } from '../../../test/support/knowledge.ts';

knowledgeRolesSuite('SQLite', openKnowledge);
