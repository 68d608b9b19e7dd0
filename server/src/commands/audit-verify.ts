import { parseArgs } from 'node:util';
import { loadConfig } from '../config.ts';
import { verifyAllAudits } from '../features/audit/index.ts';
import { auditProofOf } from './audit.ts';
import { type Command, type Io, UsageError } from './command.ts';
import { platformKeysOf } from './keys.ts';
import { openForCommand } from './store.ts';

const wantedHeads = (given: readonly string[]): Set<string> => {
  const heads = new Set(given.map((hash) => hash.toLowerCase()));
  for (const hash of heads)
    if (!/^[0-9a-f]{64}$/.test(hash)) throw new UsageError('--head: the 64 hexadecimal digits of a hash');
  return heads;
};

export const auditVerify: Command = {
  name: 'audit verify',
  usage: '[--head HASH …]',
  about:
    'Prove the audit chain of every tenant, its signatures and its head; --head: one that was noted elsewhere is still in it; exit 1 when one is broken',
  async run(args: readonly string[], io: Io): Promise<number> {
    const { values } = parseArgs({
      args: [...args],
      options: { head: { type: 'string', multiple: true, default: [] } },
    });
    const missing = wantedHeads(values.head);
    const config = loadConfig(io.env, io.folder);
    const db = await openForCommand(config);
    try {
      const proof = await auditProofOf(db, platformKeysOf(config));
      const results = await verifyAllAudits(db, { ...proof, onRow: (hash) => void missing.delete(hash) });
      let broken = 0;
      for (const { tenantId, verdict } of results) {
        const { events, signed } = verdict;
        const unsigned = events - signed;
        if (verdict.ok) {
          io.out(
            `ok      tenant ${tenantId}: ${events} events, chain and head fit${unsigned === 0 ? '' : `; the first ${unsigned} are of before this platform signed them`}`,
          );
        } else {
          broken += 1;
          io.out(`BROKEN  tenant ${tenantId}: event ${verdict.broken_at}: ${verdict.reason}`);
        }
      }
      for (const hash of missing) {
        broken += 1;
        io.out(`BROKEN  head ${hash} is in no chain: rows were rewritten or taken away since it was noted`);
      }
      const sum = (of: (one: (typeof results)[number]['verdict']) => number): number =>
        results.reduce((all, { verdict }) => all + of(verdict), 0);
      io.out(
        `${results.length} chains, ${sum((one) => one.events)} events, ${sum((one) => one.signed)} signed, ${broken} broken`,
      );
      return broken === 0 ? 0 : 1;
    } finally {
      await db.close();
    }
  },
};
