import type { Queryable } from '../../db/db.ts';
import type { Caller } from '../../kernel/caller.ts';
import { conflict } from '../../kernel/errors.ts';
import { type AccountRights, addedRights, missingFor } from '../../kernel/grants.ts';
import { PERMISSIONS } from '../../kernel/permissions.ts';
import { findTenant } from '../tenants/index.ts';
import type { AccountPort } from './ports.ts';
import { rightsOf } from './rights.ts';
import { type UserChanges, type UserRow, updateUser } from './store.ts';

/**
 * An account that is raised leaves behind what others could enter it with: links that were made when it could less, and a
 * password that a credential may know which has less than it has now.
 */

const EVERY = '*';

/** What a maker of a link or password can, for its column; null for platform administrators, beyond whom nothing is. */
export const permissionsOfMaker = (caller: Pick<Caller, 'permissions' | 'platformAdmin'>): string | null => {
  if (caller.platformAdmin) return null;
  const every = PERMISSIONS.every((permission) => caller.permissions.has(permission));
  return JSON.stringify(every ? [EVERY] : [...caller.permissions].sort());
};

/** Whether `rights` hold more than such a maker could. */
export const isBeyond = (maker: string | null, rights: AccountRights): boolean => {
  if (maker === null) return false;
  const listed: unknown = JSON.parse(maker);
  const held = Array.isArray(listed) ? listed.filter((one) => typeof one === 'string') : [];
  const permissions = new Set<string>(held.includes(EVERY) ? PERMISSIONS : held);
  return missingFor({ permissions, platformAdmin: false }, rights) !== null;
};

const isMore = ({ permissions, platformAdmin }: AccountRights): boolean =>
  platformAdmin || permissions.size > 0;

type RightsRow = Pick<UserRow, 'roles' | 'permissions' | 'tenant_id'>;

/** Whether the account may now do what it could not with these roles and permissions. */
export const mayMoreThan = async (
  tx: Queryable,
  before: { roles: string; permissions: string },
  now: RightsRow,
): Promise<boolean> => {
  const slug = (await findTenant(tx, now.tenant_id))?.slug ?? '';
  return isMore(addedRights(rightsOf(before, slug), rightsOf(now, slug)));
};

export interface Ended {
  row: UserRow;
  /** For the audit; nothing where nothing ended. */
  details: { links_ended?: number; machine_keys_ended?: number; password_ended?: true };
}

/** What ends the ways into an account. */
export type AccountEnds = Pick<AccountPort, 'endAccess' | 'endLinks' | 'endMachineKeys'>;

/** In the transaction that has changed the account to `next`. Without a password a person waits for an invitation again. */
export const endWaysBeyond = async (
  tx: Queryable,
  accounts: AccountEnds,
  change: { before: UserRow; next: UserRow; at: number },
): Promise<Ended> => {
  const { before, next, at } = change;
  const details: Ended['details'] = {};
  if (await mayMoreThan(tx, before, next)) {
    const links = await accounts.endLinks(tx, next.id);
    if (links > 0) details.links_ended = links;
  }
  const rights = rightsOf(next, (await findTenant(tx, next.tenant_id))?.slug ?? '');
  const known = isBeyond(next.password_permissions, rights);
  if (next.type === 'service') {
    if (known && next.status === 'active') {
      throw conflict(
        'a credential that has less registered the client of this account and knows its secret: delete the client and register another one',
      );
    }
    const keys = await accounts.endMachineKeys(tx, next.id, rights);
    if (keys === 0) return { row: next, details };
    await accounts.endAccess(tx, next.id, { keepKeys: false, exceptSessionId: null });
    return { row: next, details: { ...details, machine_keys_ended: keys } };
  }
  if (next.password_hash === null || !known) return { row: next, details };
  await accounts.endAccess(tx, next.id, { keepKeys: false, exceptSessionId: null });
  const waits = next.status === 'active' && next.external_id === null;
  const row = await updateUser(
    tx,
    { id: next.id, tenantId: next.tenant_id },
    { password_hash: null, password_permissions: null, ...(waits ? { status: 'invited' } : {}) },
    at,
  );
  return { row: row ?? next, details: { ...details, password_ended: true } };
};

/** The one way to change an account, whoever says so: a raise ends what lies beyond. Undefined: it is not there any more. */
export const changeUser = async (
  tx: Queryable,
  accounts: AccountEnds,
  before: UserRow,
  changes: UserChanges,
  at: number,
): Promise<Ended | undefined> => {
  const next = await updateUser(tx, { id: before.id, tenantId: before.tenant_id }, changes, at);
  return next === undefined ? undefined : endWaysBeyond(tx, accounts, { before, next, at });
};
