import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll } from 'vitest';
import { memoryDialogSuite } from '../../../test/suites/memory-dialogs.ts';
import { memoryStoreSuite } from '../../../test/suites/memory-store.ts';
import { openSqlite } from '../../db/open.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'pentarch-memory-'));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
const open = () => openSqlite({ file: path.join(folder, `${++files}.sqlite`), synchronous: 'normal' });

memoryDialogSuite('SQLite', open);
memoryStoreSuite('SQLite', open);
