import type { Db, Tx } from '../../db/db.ts';
import { isTaken } from '../../db/faults.ts';
import { type Caller, ROLES, TIERS } from '../../kernel/caller.ts';
import { type Clock, iso, isoOrNull } from '../../kernel/clock.ts';
import { type AppError, conflict, forbidden, invalid, notFound } from '../../kernel/errors.ts';
import { type AccountRights, addedRights, assertMayGrant, assertMayManage } from '../../kernel/grants.ts';
import { newId } from '../../kernel/ids.ts';
import { type PageRequest, type PageResult, pageResult } from '../../kernel/pagination.ts';
import { type Audit, actorOf } from '../audit/index.ts';
import { findTenant, type TenantRow } from '../tenants/index.ts';
import { userCreated } from './events.rules.ts';
import { moveUser, noteMove, wasMovedAway } from './move.ts';
import type { AccountPort, CopyHolder, Person, PersonalData } from './ports.ts';
import { changeUser, permissionsOfMaker } from './raised.ts';
import { rightsOf } from './rights.ts';
import { USER_STATUSES, USER_TYPES, type UserBody } from './schema.ts';
import {
  countActiveAdmins,
  findUser,
  findUserByEmail,
  findUserOfTenant,
  foldEmail,
  insertUser,
  listUsers,
  type UserChanges,
  type UserFilter,
  type UserRow,
  updateUser,
} from './store.ts';

export interface UsersOptions {
  db: Db;
  clock: Clock;
  audit: Audit;
  accounts: AccountPort;
}

export interface NewUserInput {
  email: string;
  name?: string | undefined;
  password?: string | undefined;
  roles?: readonly string[] | undefined;
  permissions?: readonly string[] | undefined;
  type?: 'person' | 'service' | undefined;
  tier?: string | null | undefined;
  tenant_id?: string | undefined;
}

export interface UserChangeInput {
  name?: string | undefined;
  roles?: readonly string[] | undefined;
  permissions?: readonly string[] | undefined;
  tier?: string | null | undefined;
  status?: 'active' | 'deactivated' | undefined;
}

const strings = (json: string): string[] => {
  const parsed: unknown = JSON.parse(json);
  return Array.isArray(parsed) ? parsed.filter((item) => typeof item === 'string') : [];
};

export const userView = (row: UserRow, tenant: TenantRow): UserBody => ({
  id: row.id,
  type: USER_TYPES.find((type) => type === row.type) ?? 'person',
  email: row.email,
  name: row.name,
  roles: ROLES.filter((role) => strings(row.roles).includes(role)),
  permissions: strings(row.permissions),
  tenant_id: row.tenant_id,
  tier: TIERS.find((tier) => tier === (row.tier ?? tenant.tier)) ?? 'free',
  status: USER_STATUSES.find((status) => status === row.status) ?? 'deactivated',
  created_at: iso(row.created_at),
  last_seen_at: isoOrNull(row.last_seen_at),
});

const taken = (): AppError => conflict('an account with this e-mail exists already', { field: '/email' });

const DEFAULT_ROLES = ['user'];

/** The two columns that say what an account may do. */
const rolesAndPermissions = (input: Pick<NewUserInput, 'roles' | 'permissions'>) => ({
  roles: JSON.stringify([...new Set(input.roles ?? DEFAULT_ROLES)]),
  permissions: JSON.stringify([...new Set(input.permissions ?? [])].sort()),
});

const personOf = (row: UserRow): Person => ({
  tenantId: row.tenant_id,
  userId: row.id,
  type: row.type === 'service' ? 'service' : 'person',
});

export const createUsers = (options: UsersOptions) => {
  const { db, clock, audit, accounts } = options;
  const personalData: PersonalData[] = [];
  const copyHolders: CopyHolder[] = [];

  const tenantOf = async (id: string): Promise<TenantRow> => {
    const tenant = await findTenant(db.read, id);
    if (tenant === undefined) throw notFound('tenant');
    return tenant;
  };

  const find = async (caller: Caller, id: string): Promise<UserRow> => {
    const row = await findUserOfTenant(db.read, caller.tenantId, id);
    if (row === undefined) throw notFound('user');
    return row;
  };

  const view = async (row: UserRow): Promise<UserBody> => userView(row, await tenantOf(row.tenant_id));

  /**
   * A row for a new account. `status` follows from whether it can sign in at once. `maker`: what the credential can that
   * gives it the password (`permissionsOfMaker`).
   */
  const newRow = (
    input: NewUserInput,
    tenantId: string,
    passwordHash: string | null,
    maker: string | null,
  ): UserRow => {
    const at = clock.now();
    return {
      id: newId(),
      tenant_id: tenantId,
      type: input.type ?? 'person',
      email: input.email.trim(),
      email_folded: foldEmail(input.email),
      name: input.name ?? input.email.split('@')[0] ?? input.email,
      password_hash: passwordHash,
      password_permissions: passwordHash === null ? null : maker,
      ...rolesAndPermissions(input),
      tier: input.tier ?? null,
      status: passwordHash === null && input.type !== 'service' ? 'invited' : 'active',
      external_id: null,
      created_at: at,
      updated_at: at,
      last_seen_at: null,
    };
  };

  /**
   * Makes an account inside a transaction. Throws CONFLICT for a taken e-mail. Returns the invitation's address, if any.
   */
  const add = async (
    tx: Tx,
    row: UserRow,
    maker: string | null,
    requestId: string,
  ): Promise<string | null> => {
    if ((await findUserByEmail(tx, row.email)) !== undefined) {
      throw taken();
    }
    // An account of another tenant is not seen from here; its address is taken all the same.
    await insertUser(tx, row).catch((error: unknown) => {
      throw isTaken(error) ? taken() : error;
    });
    await tx.emit(userCreated(row, requestId));
    return row.status === 'invited' ? accounts.addLink(tx, row, 'invitation', maker) : null;
  };

  const passwordHashOf = async (input: NewUserInput): Promise<string | null> => {
    if (input.password === undefined) return null;
    if (input.type === 'service') {
      throw invalid({ field: '/password', reason: 'is not for service accounts; give them a machine key' });
    }
    accounts.assertPassword(input.password, '/password');
    // Before the hash; the transaction looks again.
    if ((await findUserByEmail(db.read, input.email)) !== undefined) throw taken();
    return accounts.hashPassword(input.password);
  };

  const isAdmin = (row: UserRow): boolean => row.status === 'active' && strings(row.roles).includes('admin');

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
      const ended = await changeUser(tx, accounts, row, changes, at);
      if (ended === undefined) throw notFound('user');
      const next = ended.row;
      if (isAdmin(row) && !isAdmin(next) && (await countActiveAdmins(tx, row.tenant_id)) === 0) {
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

  /** Their own data, or an admin's business; for everybody else the account does not exist. */
  const findPerson = async (caller: Caller, id: string, permission: string): Promise<UserRow> => {
    const row = await find(caller, id);
    if (id === caller.userId) {
      if (!caller.permissions.has(permission)) throw forbidden(permission);
    } else if (!caller.permissions.has('users:manage')) {
      // Not 403: that would tell accounts that exist from those that do not.
      throw notFound('user');
    }
    // All that the account may read or delete: no less a credential gets it in one piece.
    assertMayGrant(caller, await rightsOfRow(row));
    return row;
  };

  /** Tiers cost the platform money: its administrators set them, as those of tenants. */
  const assertMaySetTier = (caller: Caller): void => {
    if (!caller.platformAdmin) throw forbidden('tenants:manage');
  };

  const rightsOfRow = async (row: UserRow): Promise<AccountRights> =>
    rightsOf(row, (await tenantOf(row.tenant_id)).slug);

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
    newRow,
    add,
    passwordHashOf,

    registerPersonalData(data: PersonalData): void {
      personalData.push(data);
    },
    registerCopies(holder: CopyHolder): void {
      copyHolders.push(holder);
    },

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

    /** Throws CONFLICT for a taken e-mail, FORBIDDEN for another tenant or a tier unless a platform administrator asks. */
    async create(
      caller: Caller,
      input: NewUserInput,
      requestId: string,
    ): Promise<UserBody & { invitation_url?: string }> {
      const tenantId = input.tenant_id ?? caller.tenantId;
      if (tenantId !== caller.tenantId && !caller.platformAdmin) throw forbidden('tenants:manage');
      if (input.tier !== undefined && input.tier !== null) assertMaySetTier(caller);
      const tenant = await findTenant(db.read, tenantId);
      if (tenant === undefined) throw invalid({ field: '/tenant_id', reason: 'names no tenant' });
      assertMayGrant(caller, rightsOf(rolesAndPermissions(input), tenant.slug));
      const maker = permissionsOfMaker(caller);
      const row = newRow(input, tenantId, await passwordHashOf(input), maker);
      const url = await db.write(async (tx) => {
        const link = await add(tx, row, maker, requestId);
        await audit.append(tx, {
          ...actorOf(caller),
          tenantId,
          action: 'user.created',
          targetType: 'user',
          targetId: row.id,
          requestId,
          details: { type: row.type, roles: row.roles },
        });
        return link;
      });
      if (url !== null && accounts.mailDelivers) await accounts.mailLink(row, 'invitation', url);
      return { ...userView(row, tenant), ...(url === null ? {} : { invitation_url: url }) };
    },

    async update(caller: Caller, id: string, input: UserChangeInput, requestId: string): Promise<UserBody> {
      const row = await find(caller, id);
      if (input.tier !== undefined) assertMaySetTier(caller);
      const changes: UserChanges = {};
      if (input.name !== undefined) changes.name = input.name;
      if (input.roles !== undefined) changes.roles = JSON.stringify(input.roles);
      if (input.permissions !== undefined)
        changes.permissions = JSON.stringify([...input.permissions].sort());
      if (input.tier !== undefined) changes.tier = input.tier;
      if (input.status === 'deactivated') changes.status = 'deactivated';
      if (input.status === 'active' && row.status !== 'active') {
        if (wasMovedAway(row)) throw conflict('this person goes on in another tenant');
        const canSignIn = row.password_hash !== null || row.external_id !== null || row.type === 'service';
        if (!canSignIn && row.status === 'invited') {
          throw conflict('the person has not accepted the invitation yet');
        }
        changes.status = canSignIn ? 'active' : 'invited';
      }
      if (Object.keys(changes).length === 0) return view(row);
      await assertMayChange(caller, row, changes);
      return view(await change(caller, row, changes, 'user.updated', requestId));
    },

    /** The account stays for the records that name it; its tokens die at once. Again is no fault. */
    async deactivate(caller: Caller, id: string, requestId: string): Promise<void> {
      const row = await find(caller, id);
      if (row.status === 'deactivated') return;
      assertMayManage(caller, await rightsOfRow(row));
      await change(caller, row, { status: 'deactivated' }, 'user.deactivated', requestId);
    },

    /**
     * Moves a person to another tenant, where they begin with `roles`: for platform administrators, about people of every
     * tenant. See `moveUser` for what stays behind.
     */
    async move(
      caller: Caller,
      id: string,
      input: { tenant_id: string; roles?: readonly string[] | undefined },
      requestId: string,
    ): Promise<UserBody & { moved_from: string }> {
      if (!caller.platformAdmin) {
        await find(caller, id);
        throw forbidden('tenants:manage');
      }
      const row = await findUser(db.read, id);
      if (row === undefined) throw notFound('user');
      const tenant = await findTenant(db.read, input.tenant_id);
      if (tenant === undefined) throw invalid({ field: '/tenant_id', reason: 'names no tenant' });
      if (row.id === caller.userId) throw conflict('ask another platform administrator to move you');
      if (row.type !== 'person') throw conflict('only people move; a service account belongs to its tenant');
      if (row.tenant_id === tenant.id) throw conflict('the person is in this tenant already');
      if (wasMovedAway(row)) throw conflict('this person goes on in another tenant already');
      const goneOn = await db.write(async (tx) => {
        const roles = [...new Set(input.roles ?? DEFAULT_ROLES)];
        const at = clock.now();
        const moved = await moveUser(tx, accounts, row, { tenantId: tenant.id, roles, at });
        if (moved === null) throw conflict('the account has just changed; look at it and try again');
        if (isAdmin(row) && (await countActiveAdmins(tx, row.tenant_id)) === 0) {
          throw conflict('this is the last active admin of the tenant');
        }
        const { row: after, details } = moved;
        await noteMove(tx, audit, { before: row, after, by: caller, requestId, ended: details });
        await tx.emit(userCreated(after, requestId));
        return after;
      });
      accounts.changed(row.id);
      return { ...userView(goneOn, tenant), moved_from: row.id };
    },

    /** A new invitation or reset link. Answers its address where no mail server is set. */
    async link(
      caller: Caller,
      id: string,
      purpose: 'invitation' | 'password_reset',
      requestId: string,
    ): Promise<{ url: string | null }> {
      const row = await find(caller, id);
      // Whoever opens the link has the account.
      assertMayGrant(caller, await rightsOfRow(row));
      if (row.type !== 'person' || row.status !== (purpose === 'invitation' ? 'invited' : 'active')) {
        throw conflict(
          purpose === 'invitation'
            ? 'this account is not waiting for an invitation'
            : 'this account has no password to reset',
        );
      }
      const url = await db.write(async (tx) => {
        // What goes by mail is seen by nobody else.
        const maker = accounts.mailDelivers ? null : permissionsOfMaker(caller);
        const made = await accounts.addLink(tx, row, purpose, maker);
        await audit.append(tx, {
          ...actorOf(caller),
          action: `user.${purpose}_link_created`,
          targetType: 'user',
          targetId: row.id,
          requestId,
        });
        return made;
      });
      if (!accounts.mailDelivers) return { url };
      await accounts.mailLink(row, purpose, url);
      return { url: null };
    },

    async exportData(caller: Caller, id: string, requestId: string) {
      const row = await findPerson(caller, id, 'keys:read');
      const person = personOf(row);
      const data: Record<string, unknown> = {};
      for (const part of personalData) data[part.name] = await part.exportData(person);
      await db.write((tx) =>
        audit.append(tx, {
          ...actorOf(caller),
          action: 'user.data_exported',
          targetType: 'user',
          targetId: row.id,
          requestId,
        }),
      );
      return { user: await view(row), exported_at: iso(clock.now()), data };
    },

    /** Erases the person's content; of a deactivated account the name and e-mail too. Safe to repeat after a failure. */
    async eraseData(caller: Caller, id: string, requestId: string) {
      const row = await findPerson(caller, id, 'profile:write');
      const person = personOf(row);
      const erased: Record<string, number> = {};
      // Of many transactions: that it began stands in the chain before the first of them.
      await db.write((tx) =>
        audit.append(tx, {
          ...actorOf(caller),
          action: 'user.erasure_started',
          targetType: 'user',
          targetId: row.id,
          requestId,
        }),
      );
      const recordIds = new Set([row.id]);
      const collect = async (part: PersonalData): Promise<void> => {
        for (const id of (await part.recordIds?.(person)) ?? []) recordIds.add(id);
      };
      const eraseCopies = async (): Promise<void> => {
        for (const holder of copyHolders)
          erased[holder.name] = (erased[holder.name] ?? 0) + (await holder.erase(person, recordIds));
      };
      // The copies first: whoever repeats this after a failure must find the ids of what they are copies of.
      for (const part of personalData) await collect(part);
      await eraseCopies();
      // Backwards, since tasks start conversations: what makes new records goes before what it makes.
      for (const part of personalData.toReversed()) {
        await part.settle?.(person);
        await collect(part);
        erased[part.name] = await part.eraseData(person);
      }
      // What was told to others meanwhile.
      await eraseCopies();
      const gone = `erased-${row.id}@invalid`;
      await db.write(async (tx) => {
        if (row.status === 'deactivated') {
          await updateUser(
            tx,
            { id: row.id, tenantId: row.tenant_id },
            { name: 'Erased', email: gone, email_folded: gone, password_hash: null, external_id: null },
            clock.now(),
          );
        }
        await audit.append(tx, {
          ...actorOf(caller),
          action: 'user.data_erased',
          targetType: 'user',
          targetId: row.id,
          requestId,
          details: { erased },
        });
      });
      accounts.changed(row.id);
      return { user_id: row.id, erased };
    },
  };
};

export type Users = ReturnType<typeof createUsers>;
