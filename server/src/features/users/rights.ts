import { ROLES } from '../../kernel/caller.ts';
import type { AccountRights } from '../../kernel/grants.ts';
import { effectivePermissions } from '../../kernel/permissions.ts';
import { DEFAULT_TENANT } from '../../kernel/tenant.ts';

const strings = (json: string): string[] => {
  const parsed: unknown = JSON.parse(json);
  return Array.isArray(parsed) ? parsed.filter((item) => typeof item === 'string') : [];
};

/** What an account may do, by its row and the slug of its tenant. */
export const rightsOf = (
  account: { roles: string; permissions: string },
  tenantSlug: string,
): AccountRights => {
  const named = strings(account.roles);
  const roles = ROLES.filter((role) => named.includes(role));
  return {
    permissions: effectivePermissions(roles, strings(account.permissions)),
    platformAdmin: tenantSlug === DEFAULT_TENANT && roles.includes('admin'),
  };
};
