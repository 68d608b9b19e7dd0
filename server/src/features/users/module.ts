import type { Db } from '../../db/db.ts';
import { defineModule, type Given } from '../../modules/module.ts';
import type { Audit } from '../audit/index.ts';
import type { AccountPort } from './ports.ts';
import { userRoutes } from './routes.ts';
import { createUsers } from './service.ts';
import { profileTools } from './tools.ts';

export interface UsersDeps extends Pick<Given, 'clock'> {
  audit: Audit;
  collected(): Pick<ReturnType<Given['collected']>, 'personalData' | 'copies'>;
  db: Db;
  identity: { accounts: AccountPort };
}

export const usersModule = defineModule({
  name: 'users',
  needs: ['audit', 'clock', 'collected', 'db', 'identity'],
  build({ collected, identity, ...deps }: UsersDeps) {
    const users = createUsers({ ...deps, accounts: identity.accounts });
    return {
      service: users,
      routes: userRoutes(users),
      tools: [profileTools(deps.db)],
      start() {
        const { personalData, copies } = collected();
        for (const data of personalData) users.registerPersonalData(data);
        for (const holder of copies) users.registerCopies(holder);
      },
    };
  },
});
