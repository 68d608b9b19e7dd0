import type { FirstAdminPort } from '../tenants/index.ts';
import type { AccountPort } from './ports.ts';
import type { Users } from './service.ts';

/** How a new tenant gets its first admin: an ordinary account with the role, in the tenant's own transaction. */
export const firstAdminOf = (users: Users, accounts: AccountPort): FirstAdminPort => ({
  async prepare(input, tenantId) {
    const newUser = { ...input, roles: ['admin'] };
    // Only platform administrators make tenants.
    const row = users.newRow(newUser, tenantId, await users.passwordHashOf(newUser), null);
    return {
      id: row.id,
      email: row.email,
      store: (tx, requestId) => users.add(tx, row, null, requestId),
      invite: async (link) => {
        if (link !== null && accounts.mailDelivers) await accounts.mailLink(row, 'invitation', link);
      },
    };
  },
});
