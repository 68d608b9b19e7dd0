import { parseArgs } from 'node:util';
import { loadConfig } from '../config.ts';
import { purgeNow, retentionPurges } from '../features/retention/index.ts';
import { iso } from '../kernel/clock.ts';
import { auditOf } from './audit.ts';
import type { Command, Io } from './command.ts';
import { platformKeysOf } from './keys.ts';
import { openForCommand } from './store.ts';

export const purge: Command = {
  name: 'purge',
  usage: '',
  about: 'Drop now what the RETENTION_… settings no longer keep; the server does so once a day',
  async run(args: readonly string[], io: Io): Promise<number> {
    parseArgs({ args: [...args], options: {} });
    const config = loadConfig(io.env, io.folder);
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
  },
};
