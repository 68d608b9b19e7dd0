import type { Queryable } from '../../db/db.ts';
import type { Caller } from '../../kernel/caller.ts';
import { assertMayGrant, missingFor } from '../../kernel/grants.ts';
import { findTenant } from '../tenants/index.ts';
import { rightsOf, type UserRow } from '../users/index.ts';
import type { ScimStore } from './store.ts';

/** What everybody of a directory has whose groups give nothing. */
export const DEFAULT_ROLE = 'user';

export const groupRolesIn = (json: string): string[] => {
  const parsed: unknown = JSON.parse(json);
  return Array.isArray(parsed) ? parsed.filter((item) => typeof item === 'string') : [];
};

/**
 * How far a directory's credential reaches: accounts of ordinary people, what the person's own groups give (the directory
 * fills them), and what the credential holds itself. Whoever names an account's address or id gets hold of it.
 */
export const createReach = (store: ScimStore) => {
  const compared = async (db: Queryable, caller: Caller, row: UserRow, personId: string | null) => {
    const slug = (await findTenant(db, row.tenant_id))?.slug ?? '';
    const given = personId === null ? [] : (await store.groupRolesOf(db, personId)).flatMap(groupRolesIn);
    const ordinary = rightsOf({ roles: JSON.stringify([DEFAULT_ROLE, ...given]), permissions: '[]' }, slug);
    const granter = {
      permissions: new Set([...caller.permissions, ...ordinary.permissions]),
      platformAdmin: caller.platformAdmin || ordinary.platformAdmin,
    };
    return { granter, rights: rightsOf(row, slug) };
  };

  return {
    /** To adopt, readdress or revive the account. `personId`: of its record in the directory; null where it has none yet. */
    async covers(db: Queryable, caller: Caller, row: UserRow, personId: string | null): Promise<boolean> {
      const { granter, rights } = await compared(db, caller, row, personId);
      return missingFor(granter, rights) === null;
    },

    /** Throws FORBIDDEN (BEYOND_CREDENTIAL). */
    async assertCovers(db: Queryable, caller: Caller, row: UserRow, personId: string | null): Promise<void> {
      const { granter, rights } = await compared(db, caller, row, personId);
      assertMayGrant(granter, rights);
    },
  };
};
