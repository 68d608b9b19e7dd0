import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll } from 'vitest';
import { memoryHttpSuite } from '../../../test/suites/memory-http.ts';
import { openSqlite } from '../../db/open.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'pentarch-memory-'));
afterAll(() => rmSync(folder, { recursive: true }));

memoryHttpSuite('SQLite', () => openSqlite({ file: path.join(folder, 'p.sqlite'), synchronous: 'normal' }));
