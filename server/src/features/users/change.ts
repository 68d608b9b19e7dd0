import type { Db } from '../../db/db.ts';
import type { Caller } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { conflict, notFound } from '../../kernel/errors.ts';
import { addedRights, assertMayGrant, assertMayManage } from '../../kernel/grants.ts';
import { type Audit, actorOf } from '../audit/index.ts';
import { assertDirectoryAgrees, hasLeft } from './directory.ts';
import type { AccountLookup } from './lookup.ts';
import { wasMovedAway } from './move.ts';
import type { AccountPort } from './ports.ts';
import { changeUser } from './raised.ts';
import type { UserBody } from './schema.ts';
import { countActiveAdmins, holdUser, type UserChanges, type UserRow } from './store.ts';
import { assertMaySetTier } from './tier.rules.ts';
import { isActiveAdmin } from './wire.ts';

export interface UserChangeInput {
  name?: string | undefined;
  roles?: readonly string[] | undefined;
  permissions?: readonly string[] | undefined;
  tier?: string | null | undefined;
  status?: 'active' | 'deactivated' | undefined;
}

export interface UserChangeOptions {
  db: Db;
  clock: Clock;
  audit: Audit;
  accounts: AccountPort;
  lookup: AccountLookup;
}

/** What a request asks for, in columns; `status` follows from whether the person can sign in. Throws CONFLICT. */
const changesOf = (row: UserRow, input: UserChangeInput): UserChanges => {
  const changes: UserChanges = {};
  if (input.name !== undefined) changes.name = input.name;
  if (input.roles !== undefined) changes.roles = JSON.stringify(input.roles);
  if (input.permissions !== undefined) changes.permissions = JSON.stringify([...input.permissions].sort());
  if (input.tier !== undefined) changes.tier = input.tier;
  if (input.status === 'deactivated') changes.status = 'deactivated';
  if (input.status === 'active' && row.status !== 'active') {
    if (wasMovedAway(row)) throw conflict('this person goes on in another tenant');
    if (hasLeft(row)) throw conflict('the company’s directory has removed this person');
    const canSignIn = row.password_hash !== null || row.external_id !== null || row.type === 'service';
    if (!canSignIn && row.status === 'invited') {
      throw conflict('the person has not accepted the invitation yet');
    }
    changes.status = canSignIn ? 'active' : 'invited';
  }
  return changes;
};

/** Changes of accounts: rights, status, and the end of access with them. */
export const createChanges = ({ db, clock, audit, accounts, lookup }: UserChangeOptions) => {
  const { find, view, rightsOfRow } = lookup;

  const change = async (
    caller: Caller,
    row: UserRow,
    changes: UserChanges,
    action: string,
    requestId: string,
  ): Promise<UserRow> => {
    const ends = changes.status === 'deactivated';
    const changed = await db.write(async (tx) => {
      const at = clock.now();
      // Whoever changes the same account at this moment has finished: what it was is what it is now.
      const before = await holdUser(tx, row.id, row.tenant_id);
      const ended = before === undefined ? undefined : await changeUser(tx, accounts, before, changes, at);
      if (before === undefined || ended === undefined) throw notFound('user');
      const next = ended.row;
      if (
        isActiveAdmin(before) &&
        !isActiveAdmin(next) &&
        (await countActiveAdmins(tx, row.tenant_id)) === 0
      ) {
        throw conflict('this is the last active admin of the tenant');
      }
      if (ends) await accounts.endAccess(tx, row.id, { keepKeys: false, exceptSessionId: null });
      await audit.append(tx, {
        ...actorOf(caller),
        action,
        targetType: 'user',
        targetId: row.id,
        requestId,
        // What changed, not the person's name.
        details: {
          fields: Object.keys(changes),
          ...(changes.roles === undefined ? {} : { roles_before: row.roles, roles_after: changes.roles }),
          ...(changes.status === undefined
            ? {}
            : { status_before: row.status, status_after: changes.status }),
          ...ended.details,
        },
      });
      return next;
    });
    accounts.changed(row.id);
    return changed;
  };

  /** Takes rights away who may manage accounts; gives them who has them. */
  const assertMayChange = async (caller: Caller, row: UserRow, changes: UserChanges): Promise<void> => {
    const before = await rightsOfRow(row);
    if (row.id !== caller.userId) assertMayManage(caller, before);
    if (changes.roles === undefined && changes.permissions === undefined && changes.status === undefined)
      return;
    const after = await rightsOfRow({ ...row, ...changes });
    const comesBack = row.status === 'deactivated' && changes.status !== undefined;
    assertMayGrant(caller, comesBack ? after : addedRights(before, after));
  };

  return {
    async update(caller: Caller, id: string, input: UserChangeInput, requestId: string): Promise<UserBody> {
      const row = await find(caller, id);
      if (input.tier !== undefined) assertMaySetTier(caller);
      const changes = changesOf(row, input);
      if (Object.keys(changes).length === 0) return view(row);
      await assertMayChange(caller, row, changes);
      await assertDirectoryAgrees(db.read, row, changes);
      return view(await change(caller, row, changes, 'user.updated', requestId));
    },

    /** The account stays for the records that name it; its tokens die at once. Again is no fault. */
    async deactivate(caller: Caller, id: string, requestId: string): Promise<void> {
      const row = await find(caller, id);
      if (row.status === 'deactivated') return;
      assertMayManage(caller, await rightsOfRow(row));
      await change(caller, row, { status: 'deactivated' }, 'user.deactivated', requestId);
    },
  };
};
