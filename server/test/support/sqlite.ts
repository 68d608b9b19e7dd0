import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Db } from '../../src/db/db.ts';
import { openSqlite } from '../../src/db/open.ts';

/** An empty SQLite store in a folder of its own, removed on close. */
export const openTestSqlite = async (): Promise<{ db: Db; file: string; close(): Promise<void> }> => {
  const folder = mkdtempSync(path.join(tmpdir(), 'pentarch-test-'));
  const file = path.join(folder, 'p.sqlite');
  const db = await openSqlite({ file, synchronous: 'normal' });
  return {
    db,
    file,
    async close() {
      await db.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
