import type { Db } from '../../db/db.ts';
import { defineModule, type Given } from '../../modules/module.ts';
import { createNodeStore } from '../nodes/index.ts';
import { findTenantBySlug } from '../tenants/index.ts';
import { findRights } from '../users/index.ts';
import { type AuditKeys, createChainSigning } from './chain-signing.ts';
import { createRefusedRequests } from './refused-requests.ts';
import { auditRoutes } from './routes.ts';
import { createAudit } from './service.ts';
import { auditTools } from './tools.ts';

export interface AuditDeps extends Pick<Given, 'clock' | 'logger' | 'onError'> {
  db: Db;
  keys: AuditKeys;
}

export const auditModule = defineModule({
  name: 'audit',
  needs: ['clock', 'db', 'keys', 'logger', 'onError'],
  build({ clock, db, keys, logger, onError }: AuditDeps) {
    const signing = createChainSigning({ db, clock, keys, store: createNodeStore(db), logger });
    const audit = createAudit(clock, signing);
    const refusals = createRefusedRequests({
      db,
      clock,
      audit,
      defaultTenantId: async () => (await findTenantBySlug(db.read, 'default'))?.id ?? null,
      onError,
    });
    return {
      service: {
        append: audit.append,
        refusals,
        /** Signs all chains; `identity` calls it, once the keys are kept and before the first row of this process. */
        beginSigning: () => signing.start(),
      },
      routes: auditRoutes(db, { signer: signing.signer, began: true }),
      tools: [auditTools({ db, findUser: (tenantId, user) => findRights(db, tenantId, user) })],
      async stop() {
        signing.close();
        await refusals.close();
      },
    };
  },
});
