import { emitSuite } from '../../test/suites/emit.ts';
import { openTestSqlite } from '../../test/support/sqlite.ts';

emitSuite('SQLite', openTestSqlite);
