import type { Db } from '../../db/db.ts';
import type { NodeMessages } from '../../kernel/cluster.ts';
import { defineModule, type Given } from '../../modules/module.ts';
import type { Audit } from '../audit/index.ts';
import { type AccountPort, firstAdminOf, type Users } from '../users/index.ts';
import { tenantRoutes } from './routes.ts';
import { createTenants } from './service.ts';

/** Whoever keeps something of a tenant in memory. */
interface Forgets {
  forgetTenant(tenantId: string): void;
}

export interface TenantsDeps extends Pick<Given, 'clock'> {
  audit: Audit;
  cluster: { messages: NodeMessages } | null;
  costs: Forgets;
  db: Db;
  identity: Forgets & { accounts: AccountPort };
  users: Users;
}

export const tenantsModule = defineModule({
  name: 'tenants',
  needs: ['audit', 'clock', 'cluster', 'costs', 'db', 'identity', 'users'],
  build({ audit, clock, cluster, costs, db, identity, users }: TenantsDeps) {
    const forget = (tenantId: string): void => {
      identity.forgetTenant(tenantId);
      costs.forgetTenant(tenantId);
    };
    cluster?.messages.receive('tenant.changed', (tenantId) => {
      if (typeof tenantId === 'string') forget(tenantId);
    });
    const tenants = createTenants({
      db,
      clock,
      audit,
      firstAdmin: firstAdminOf(users, identity.accounts),
      changed: (tenantId) => {
        forget(tenantId);
        cluster?.messages.send('tenant.changed', tenantId);
      },
    });
    return { service: tenants, routes: tenantRoutes(tenants) };
  },
});
