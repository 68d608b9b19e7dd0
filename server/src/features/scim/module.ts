import type { Db } from '../../db/db.ts';
import { defineModule, type Given } from '../../modules/module.ts';
import type { Audit } from '../audit/index.ts';
import type { AccountPort } from '../users/index.ts';
import { createDirectoryAccounts } from './accounts.ts';
import { createScimGroups } from './groups.ts';
import { createScimPeople } from './people.ts';
import { directoryData } from './personal-data.ts';
import { scimRoutes } from './routes.ts';
import { createScimStore } from './store.ts';

export interface ScimDeps extends Pick<Given, 'clock' | 'publicUrl'> {
  audit: Audit;
  config: { IDP_URL: string | null };
  db: Db;
  identity: { accounts: AccountPort };
}

export const scimModule = defineModule({
  name: 'scim',
  needs: ['audit', 'clock', 'config', 'db', 'identity', 'publicUrl'],
  build({ audit, clock, config, db, identity, publicUrl }: ScimDeps) {
    const store = createScimStore(db);
    const base = (): string => `${publicUrl()}/scim/v2`;
    const accounts = createDirectoryAccounts({
      store,
      clock,
      audit,
      accounts: identity.accounts,
      external: config.IDP_URL !== null,
    });
    const people = createScimPeople({
      store,
      clock,
      audit,
      accounts,
      issuer: config.IDP_URL,
      base,
      // Nobody but the mailbox sees the link.
      invite: async (tx, user) =>
        identity.accounts.mailDelivers
          ? { user, url: await identity.accounts.addLink(tx, user, 'invitation', null) }
          : null,
    });
    const groups = createScimGroups({ store, clock, audit, accounts, base });
    return {
      service: {},
      routes: scimRoutes({ people, groups, base }),
      personalData: [directoryData(store)],
    };
  },
});
