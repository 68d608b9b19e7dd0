import { statSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Config, loadConfig } from '../config.ts';
import { lockDataDir } from '../db/lock.ts';
import { vacuumSqlite } from '../db/open.ts';
import { purgeNow, retentionPurges } from '../features/retention/index.ts';
import { iso } from '../kernel/clock.ts';
import { sqliteFileOf } from './archive/place.ts';
import { auditOf } from './audit.ts';
import { type Command, type Io, UsageError } from './command.ts';
import { platformKeysOf } from './keys.ts';
import { openForCommand } from './store.ts';

export const purge: Command = {
  name: 'purge',
  usage: '[--vacuum]',
  about: 'Drop now what the RETENTION_… settings no longer keep; the server does so once a day',
  async run(args: readonly string[], io: Io): Promise<number> {
    const { values } = parseArgs({
      args: [...args],
      options: { vacuum: { type: 'boolean', default: false } },
    });
    const config = loadConfig(io.env, io.folder);
    if (values.vacuum && config.DATABASE_URL !== null)
      throw new UsageError('--vacuum is for SQLite: PostgreSQL has its own VACUUM');
    // The file is written anew: no server may be at work on it.
    const lock = values.vacuum ? lockDataDir(config.DATA_DIR) : null;
    try {
      const code = await purgeAll(config, io);
      if (values.vacuum) io.out(`${'vacuum'.padEnd(24)} ${vacuum(config)} bytes freed`);
      return code;
    } finally {
      lock?.release();
    }
  },
};

/** Writes the file anew without what was deleted before releases that overwrite it; how much smaller it is. */
const vacuum = (config: Config): number => {
  const file = sqliteFileOf(config);
  const before = statSync(file).size;
  vacuumSqlite(file);
  return before - statSync(file).size;
};

const purgeAll = async (config: Config, io: Io): Promise<number> => {
  const db = await openForCommand(config);
  const clock = { now: io.now };
  try {
    const reports = await purgeNow({
      db,
      clock,
      audit: await auditOf(db, platformKeysOf(config), clock),
      purges: retentionPurges(config),
      purged: () => {},
    });
    for (const { name, before, rows } of reports) {
      io.out(
        before === null
          ? `${name.padEnd(24)} all are kept`
          : `${name.padEnd(24)} ${rows} older than ${iso(before)}`,
      );
    }
    return 0;
  } finally {
    await db.close();
  }
};
