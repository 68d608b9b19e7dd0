import type { Tx } from '../../db/db.ts';
import { isTaken } from '../../db/faults.ts';
import { type Caller, ROLES } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { conflict } from '../../kernel/errors.ts';
import { type Audit, actorOf } from '../audit/index.ts';
import {
  type AccountPort,
  changeUser,
  countActiveAdmins,
  directoryGivesRoles,
  findUserOfTenant,
  foldEmail,
  isActiveAdmin,
  leftDirectory,
  type UserChanges,
  type UserRow,
} from '../users/index.ts';
import { isNoAddress, noAddress, type Wanted } from './person-rows.ts';
import { createReach, DEFAULT_ROLE, groupRolesIn } from './reach.ts';
import { taken } from './refusals.ts';
import type { DirectoryPersonRow, ScimStore } from './store.ts';

/** The accounts of the directory's people: what the directory says, as changes of them. */

export interface DirectoryAccountsOptions {
  store: ScimStore;
  clock: Clock;
  audit: Audit;
  accounts: AccountPort;
  /** With an external provider nobody is invited: people come in by its tokens. */
  external: boolean;
}

/** Who has asked. */
export interface Asker {
  caller: Caller;
  requestId: string;
}

/** What is to be done once the transaction has been stored. */
export interface Afterwards {
  userId: string;
  invitation: { user: UserRow; url: string } | null;
}

/** Columns that the audit names. */
const TOLD: ReadonlySet<string> = new Set(['name', 'email', 'status', 'roles']);

export const addressTaken = () => taken('an account with this e-mail address exists already');

export const createDirectoryAccounts = (options: DirectoryAccountsOptions) => {
  const { store, clock, audit, accounts } = options;
  const reach = createReach(store);

  /** By the person's groups; null where no group of the tenant gives any: then they stay as they are. */
  const rolesOf = async (tx: Tx, tenantId: string, personId: string | null): Promise<string | null> => {
    if (!(await directoryGivesRoles(tx, tenantId))) return null;
    const given = personId === null ? [] : (await store.groupRolesOf(tx, personId)).flatMap(groupRolesIn);
    const roles = ROLES.filter((role) => given.includes(role));
    return JSON.stringify(roles.length === 0 ? [DEFAULT_ROLE] : roles);
  };

  /** The status that follows when the directory's word on `active` has become another one. */
  const statusFor = (row: UserRow, active: boolean): 'active' | 'invited' | 'deactivated' => {
    if (!active) return 'deactivated';
    return options.external || row.password_hash !== null || row.external_id !== null ? 'active' : 'invited';
  };

  const assertAdminStays = async (tx: Tx, before: UserRow, after: UserRow): Promise<void> => {
    if (
      isActiveAdmin(before) &&
      !isActiveAdmin(after) &&
      (await countActiveAdmins(tx, before.tenant_id)) === 0
    )
      throw conflict('this is the last active admin of the tenant');
  };

  const apply = async (tx: Tx, asker: Asker, row: UserRow, changes: UserChanges): Promise<Afterwards> => {
    const at = clock.now();
    const changed = await changeUser(tx, accounts, row, changes, at).catch((error: unknown) => {
      throw isTaken(error) ? addressTaken() : error;
    });
    if (changed === undefined) throw conflict('the account has just changed; try again');
    const { row: next, details } = changed;
    await assertAdminStays(tx, row, next);
    if (next.status === 'deactivated' && row.status !== 'deactivated')
      await accounts.endAccess(tx, row.id, { keepKeys: false, exceptSessionId: null });
    // A link that went to the address before must not open the account of now.
    else if (changes.email !== undefined) await accounts.endLinks(tx, row.id);
    await audit.append(tx, {
      ...actorOf(asker.caller),
      action: changes.status === 'deactivated' ? 'user.deactivated' : 'user.updated',
      targetType: 'user',
      targetId: row.id,
      requestId: asker.requestId,
      details: {
        by: 'scim',
        fields: Object.keys(changes).filter((field) => TOLD.has(field)),
        ...(changes.roles === undefined ? {} : { roles_before: row.roles, roles_after: changes.roles }),
        ...(changes.status === undefined ? {} : { status_before: row.status, status_after: changes.status }),
        ...details,
      },
    });
    const reached = accounts.mailDelivers && !options.external && !isNoAddress(next.email);
    const waits = next.status === 'invited' && reached;
    const ended =
      details.links_ended !== undefined || changes.email !== undefined || row.status !== 'invited';
    const url = waits && ended ? await accounts.addLink(tx, next, 'invitation', null) : null;
    return { userId: row.id, invitation: url === null ? null : { user: next, url } };
  };

  const accountOf = async (tx: Tx, person: DirectoryPersonRow): Promise<UserRow> => {
    const row = await findUserOfTenant(tx, person.tenant_id, person.user_id);
    if (row === undefined) throw conflict('the account is gone; try again');
    return row;
  };

  return {
    rolesOf,
    reach,
    statusFor,
    accountOf,

    /**
     * Brings the account in step with what the directory says; null where nothing has to change. Throws FORBIDDEN for another
     * address, name or id that leads to an account which is beyond the credential.
     */
    async follow(
      tx: Tx,
      asker: Asker,
      { person, wanted, was }: { person: DirectoryPersonRow; wanted: Wanted; was: DirectoryPersonRow | null },
    ): Promise<Afterwards | null> {
      const row = await accountOf(tx, person);
      const changes: UserChanges = {};
      const renamed =
        was !== null &&
        (was.external_id !== person.external_id || was.user_name_folded !== person.user_name_folded);
      if (wanted.name !== row.name) changes.name = wanted.name;
      const email = wanted.email ?? noAddress(person.id);
      const moved = foldEmail(email) !== row.email_folded;
      if (renamed || moved) await reach.assertCovers(tx, asker.caller, row, person.id);
      if (moved) {
        changes.email = email;
        changes.email_folded = foldEmail(email);
      }
      // The later word counts: what was switched off here stays off until the directory says something else than before.
      if (wanted.active !== (was === null || was.active === 1)) {
        const status = statusFor(row, wanted.active);
        // Beyond the credential it stays off: an administrator may have switched it off too, and can switch it on now.
        const stays =
          row.status === 'deactivated' &&
          !(wanted.active && (await reach.covers(tx, asker.caller, row, person.id)));
        if (status !== row.status && !stays) changes.status = status;
      }
      const roles = await rolesOf(tx, person.tenant_id, person.id);
      if (roles !== null && roles !== row.roles) changes.roles = roles;
      return Object.keys(changes).length === 0 ? null : apply(tx, asker, row, changes);
    },

    /** Roles alone, after a person's groups have become others; `otherwise` where no group of the tenant gives any now. */
    async regrant(
      tx: Tx,
      asker: Asker,
      person: DirectoryPersonRow,
      otherwise: string | null,
    ): Promise<Afterwards | null> {
      const row = await accountOf(tx, person);
      const roles = (await rolesOf(tx, person.tenant_id, person.id)) ?? otherwise;
      return roles === null || roles === row.roles ? null : apply(tx, asker, row, { roles });
    },

    /** The directory has removed the person: the account stays for the records that name it, and its address is free. */
    async leave(tx: Tx, asker: Asker, person: DirectoryPersonRow): Promise<Afterwards> {
      const row = await accountOf(tx, person);
      return apply(tx, asker, row, {
        status: 'deactivated',
        email_folded: leftDirectory(row.id),
        password_hash: null,
        password_permissions: null,
      });
    },

    /** After the commit. */
    async settle(done: readonly (Afterwards | null)[]): Promise<void> {
      for (const one of done) {
        if (one === null) continue;
        accounts.changed(one.userId);
        if (one.invitation !== null)
          await accounts.mailLink(one.invitation.user, 'invitation', one.invitation.url);
      }
    },
  };
};

export type DirectoryAccounts = ReturnType<typeof createDirectoryAccounts>;
