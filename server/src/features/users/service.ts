import type { Db } from '../../db/db.ts';
import type { Caller } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { type PageRequest, type PageResult, pageResult } from '../../kernel/pagination.ts';
import type { Audit } from '../audit/index.ts';
import { createAccountLink } from './account-link.ts';
import { createChanges } from './change.ts';
import { createCreation } from './create.ts';
import { createAccountLookup } from './lookup.ts';
import { createPersonMove } from './move-person.ts';
import { createPersonData } from './person-data.ts';
import type { AccountPort } from './ports.ts';
import type { UserBody } from './schema.ts';
import { listUsers, type UserFilter } from './store.ts';
import { userView } from './wire.ts';

export interface UsersOptions {
  db: Db;
  clock: Clock;
  audit: Audit;
  accounts: AccountPort;
}

export const createUsers = (options: UsersOptions) => {
  const { db } = options;
  const lookup = createAccountLookup(db);
  const { tenantOf, find, view } = lookup;

  return {
    async list(
      caller: Caller,
      filter: Omit<UserFilter, 'tenantId'>,
      page: PageRequest,
    ): Promise<PageResult<UserBody>> {
      const tenant = await tenantOf(caller.tenantId);
      const { rows, total } = await listUsers(db.read, { ...filter, tenantId: caller.tenantId }, page);
      const result = pageResult(page, rows, total, (row) => ({ createdAt: row.created_at, id: row.id }));
      return { ...result, items: result.items.map((row) => userView(row, tenant)) };
    },

    get: async (caller: Caller, id: string): Promise<UserBody> => view(await find(caller, id)),

    ...createCreation(options),
    ...createChanges({ ...options, lookup }),
    move: createPersonMove({ ...options, lookup }),
    link: createAccountLink({ ...options, lookup }),
    ...createPersonData({ ...options, lookup }),
  };
};

export type Users = ReturnType<typeof createUsers>;
