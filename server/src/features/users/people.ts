import type { Db } from '../../db/db.ts';
import { ROLES } from '../../kernel/caller.ts';
import { effectivePermissions } from '../../kernel/permissions.ts';
import { listActivePeople } from './store.ts';

/** A person as far as it matters to who is asked or told. */
export interface RightsHolder {
  id: string;
  roles: readonly string[];
  permissions: ReadonlySet<string>;
}

const MAX_PEOPLE = 10_000;

const strings = (json: string): string[] => {
  const value: unknown = JSON.parse(json);
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
};

/** The active people of a tenant with the rights that they have now. */
export const activePeople = async (db: Db, tenantId: string): Promise<RightsHolder[]> =>
  (await listActivePeople(db.read, tenantId, MAX_PEOPLE)).map((row) => {
    const roles = strings(row.roles);
    const known = ROLES.filter((role) => roles.includes(role));
    return { id: row.id, roles, permissions: effectivePermissions(known, strings(row.permissions)) };
  });
