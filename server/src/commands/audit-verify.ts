import { parseArgs } from 'node:util';
import { loadConfig } from '../config.ts';
import { verifyAllAudits } from '../features/audit/index.ts';
import type { Command, Io } from './command.ts';
import { openForCommand } from './store.ts';

export const auditVerify: Command = {
  name: 'audit verify',
  usage: '',
  about: 'Prove the audit chain of every tenant from its first row to its head; exit 1 when one is broken',
  async run(args: readonly string[], io: Io): Promise<number> {
    parseArgs({ args: [...args], options: {} });
    const db = await openForCommand(loadConfig(io.env, io.folder));
    try {
      const results = await verifyAllAudits(db);
      let broken = 0;
      for (const { tenantId, verdict } of results) {
        if (verdict.ok) io.out(`ok      tenant ${tenantId}: ${verdict.events} events, chain and head fit`);
        else {
          broken += 1;
          io.out(`BROKEN  tenant ${tenantId}: event ${verdict.broken_at}: ${verdict.reason}`);
        }
      }
      const events = results.reduce((sum, { verdict }) => sum + verdict.events, 0);
      io.out(`${results.length} chains, ${events} events, ${broken} broken`);
      return broken === 0 ? 0 : 1;
    } finally {
      await db.close();
    }
  },
};
