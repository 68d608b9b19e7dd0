import { ROLES, TIERS } from '../../kernel/caller.ts';
import { iso, isoOrNull } from '../../kernel/clock.ts';
import type { TenantRow } from '../tenants/index.ts';
import type { NewUserInput } from './new-user.ts';
import { USER_STATUSES, USER_TYPES, type UserBody } from './schema.ts';
import type { UserRow } from './store.ts';

const storedStrings = (json: string): string[] => {
  const parsed: unknown = JSON.parse(json);
  return Array.isArray(parsed) ? parsed.filter((item) => typeof item === 'string') : [];
};

export const userView = (row: UserRow, tenant: TenantRow): UserBody => ({
  id: row.id,
  type: USER_TYPES.find((type) => type === row.type) ?? 'person',
  email: row.email,
  name: row.name,
  roles: ROLES.filter((role) => storedStrings(row.roles).includes(role)),
  permissions: storedStrings(row.permissions),
  tenant_id: row.tenant_id,
  tier: TIERS.find((tier) => tier === (row.tier ?? tenant.tier)) ?? 'free',
  status: USER_STATUSES.find((status) => status === row.status) ?? 'deactivated',
  created_at: iso(row.created_at),
  last_seen_at: isoOrNull(row.last_seen_at),
});

export const DEFAULT_ROLES = ['user'];

/** The two columns that say what an account may do. */
export const rolesAndPermissions = (input: Pick<NewUserInput, 'roles' | 'permissions'>) => ({
  roles: JSON.stringify([...new Set(input.roles ?? DEFAULT_ROLES)]),
  permissions: JSON.stringify([...new Set(input.permissions ?? [])].sort()),
});

export const isActiveAdmin = (row: UserRow): boolean =>
  row.status === 'active' && storedStrings(row.roles).includes('admin');
