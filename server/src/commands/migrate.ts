import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { loadConfig } from '../config.ts';
import { openPostgresSession, openSqliteSession } from '../db/archive/session.ts';
import { readSteps } from '../db/archive/shape.ts';
import { lockDataDir } from '../db/lock.ts';
import { openPostgres, openSqlite } from '../db/open.ts';
import { sqliteFileOf } from './archive/place.ts';
import type { Command, Io } from './command.ts';

export const migrateCommand: Command = {
  name: 'migrate',
  usage: '',
  about: 'Bring the schema up to date and say what ran; "serve" does the same at its start',
  async run(args: readonly string[], io: Io): Promise<number> {
    parseArgs({ args: [...args], options: {} });
    const config = loadConfig(io.env, io.folder);
    const file = sqliteFileOf(config);
    const url = config.DATABASE_URL;
    const stepsNow = async (): Promise<string[]> => {
      if (url === null && !existsSync(file)) return [];
      const session =
        url === null ? openSqliteSession(file, { readOnly: true }) : await openPostgresSession(url);
      try {
        return await readSteps(session);
      } finally {
        await session.close();
      }
    };
    const lock = url === null ? lockDataDir(config.DATA_DIR) : null;
    try {
      const before = new Set(await stepsNow());
      const db =
        url === null
          ? await openSqlite({ file, synchronous: config.SQLITE_SYNCHRONOUS })
          : await openPostgres({ url, maxConnections: 2, unscoped: 'all', waitForIndexes: true });
      await db.close();
      const after = await stepsNow();
      const ran = after.filter((name) => !before.has(name));
      for (const name of ran) io.out(`ran ${name}`);
      io.out(`schema ${after.at(-1) ?? 'empty'}: ${after.length} steps, ${ran.length} of them now`);
      return 0;
    } finally {
      lock?.release();
    }
  },
};
