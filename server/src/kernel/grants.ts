import type { Caller } from './caller.ts';
import { AppError } from './errors.ts';

/** What an account may do: its roles and its own permissions together. */
export interface AccountRights {
  permissions: ReadonlySet<string>;
  /** An administrator of the platform, and not of one tenant alone. */
  platformAdmin: boolean;
}

/** Whoever has this changes accounts: such an account is changed only by a credential that holds as much. */
const MANAGES_ACCOUNTS = 'users:manage';

const PLATFORM_ADMIN = 'platform administrator';

type Granter = Pick<Caller, 'permissions' | 'platformAdmin'>;

/** The first thing that `rights` has and the credential lacks; null where it covers them. */
export const missingFor = (caller: Granter, rights: AccountRights): string | null => {
  if (rights.platformAdmin && !caller.platformAdmin) return PLATFORM_ADMIN;
  for (const permission of rights.permissions) if (!caller.permissions.has(permission)) return permission;
  return null;
};

/**
 * Nobody grants, or gets hold of an account with, permissions that the credential lacks: accounts,
 * their roles, links to them, their keys, clients that act as an account. Throws FORBIDDEN naming what is missing.
 */
export const assertMayGrant = (caller: Granter, rights: AccountRights): void => {
  const missing = missingFor(caller, rights);
  if (missing === null) return;
  throw new AppError(
    'FORBIDDEN',
    `this would give more than this credential has: it lacks ${missing === PLATFORM_ADMIN ? 'the rights of a platform administrator' : missing}. Use a credential that has them all`,
    { details: { required: missing, reason: 'BEYOND_CREDENTIAL' } },
  );
};

/** An account that manages accounts itself is changed or switched off only by who holds all that it holds. Throws FORBIDDEN. */
export const assertMayManage = (caller: Granter, rights: AccountRights): void => {
  if (rights.platformAdmin || rights.permissions.has(MANAGES_ACCOUNTS)) assertMayGrant(caller, rights);
};

/** What a change adds to an account: only that is granted by it. */
export const addedRights = (before: AccountRights, after: AccountRights): AccountRights => ({
  permissions: new Set([...after.permissions].filter((permission) => !before.permissions.has(permission))),
  platformAdmin: after.platformAdmin && !before.platformAdmin,
});
