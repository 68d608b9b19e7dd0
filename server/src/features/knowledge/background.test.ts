import { knowledgeBackgroundSuite } from '../../../test/suites/knowledge-background.ts';

knowledgeBackgroundSuite('SQLite', () => Promise.resolve({}));
