import type { Config } from '../config.ts';
import type { Db } from '../db/db.ts';
import { migrations } from '../db/migrations/index.ts';
import { openStoreForTool } from '../db/open-tool.ts';
import { sqliteFileOf } from './archive/place.ts';

/** The platform's store beside a running server. */
export const openForCommand = (config: Config): Promise<Db> =>
  openStoreForTool({
    sqliteFile: config.DATABASE_URL === null ? sqliteFileOf(config) : null,
    databaseUrl: config.DATABASE_URL,
    steps: migrations.length,
  });
