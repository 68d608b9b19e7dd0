import type { Tx } from '../../db/db.ts';
import { isTaken } from '../../db/faults.ts';
import type { Clock } from '../../kernel/clock.ts';
import { notFound } from '../../kernel/errors.ts';
import { missingFor } from '../../kernel/grants.ts';
import { newId } from '../../kernel/ids.ts';
import { type Audit, actorOf } from '../audit/index.ts';
import { findTenant } from '../tenants/index.ts';
import {
  findUserByEmail,
  findUserByExternalId,
  foldEmail,
  insertUser,
  rightsOf,
  type UserRow,
  userCreated,
} from '../users/index.ts';
import {
  type Afterwards,
  type Asker,
  addressTaken,
  DEFAULT_ROLE,
  type DirectoryAccounts,
  type Wanted,
} from './accounts.ts';
import { type ListQuery, leavesOut, listAnswer, type Parts, pageOf, partsOf, scan } from './answers.ts';
import { type Resource, USER } from './attributes.ts';
import { equalities, parseFilter } from './filter.ts';
import { operationsOf, patched } from './patch.ts';
import {
  fold,
  noAddress,
  personColumns,
  personView,
  storedResource,
  versionOf,
  wantedOf,
} from './person.rules.ts';
import { changedMeanwhile, taken } from './refusals.ts';
import type { DirectoryPersonRow, Narrowed, ScimStore } from './store.ts';
import { resourceOf } from './values.ts';

export interface PeopleOptions {
  store: ScimStore;
  clock: Clock;
  audit: Audit;
  accounts: DirectoryAccounts;
  /** Address of the external provider; null with the embedded one. */
  issuer: string | null;
  invite(tx: Tx, user: UserRow): Promise<Afterwards['invitation']>;
  base(): string;
}

const nameTaken = () => taken('a person with this userName exists already');

/** `/Users`. */
export const createScimPeople = (options: PeopleOptions) => {
  const { store, clock, audit, accounts } = options;

  const shown = async (rows: DirectoryPersonRow[], withGroups: boolean): Promise<Resource[]> => {
    if (rows.length === 0) return [];
    const groups = withGroups
      ? await store.groupsOf(
          store.read,
          rows.map(({ id }) => id),
        )
      : [];
    const byPerson = Map.groupBy(groups, ({ person_id }) => person_id);
    const users = await store.statuses(rows.map(({ user_id }) => user_id));
    return rows.map((row) =>
      personView(
        row,
        { status: users.get(row.user_id) ?? 'deactivated' },
        byPerson.get(row.id) ?? [],
        options.base(),
      ),
    );
  };

  const one = async (tenantId: string, id: string, parts: Parts): Promise<Resource> => {
    const [row] = await store.people(tenantId, { id }, { offset: 0, limit: 1 });
    if (row === undefined) throw notFound('user');
    const [resource = {}] = await shown([row], !leavesOut(parts, 'groups'));
    return partsOf(parts)(resource);
  };

  const held = async (tx: Tx, tenantId: string, id: string, ifMatch: string | undefined) => {
    const row = await store.person(tx, tenantId, id);
    if (row === undefined) throw notFound('user');
    if (ifMatch !== undefined && ifMatch !== '*' && ifMatch !== versionOf(row.version))
      throw changedMeanwhile();
    return row;
  };

  /** An account of the tenant that the new person of the directory already has. Throws CONFLICT where it is not to be had. */
  const findOwn = async (
    tx: Tx,
    { caller }: Asker,
    wanted: Wanted,
    externalId: string | null,
  ): Promise<UserRow | undefined> => {
    const signedIn =
      options.issuer === null || externalId === null
        ? undefined
        : await findUserByExternalId(tx, `${options.issuer}|${externalId}`);
    const byAddress = wanted.email === null ? undefined : await findUserByEmail(tx, wanted.email);
    const row =
      signedIn?.tenant_id === caller.tenantId && signedIn.status !== 'deactivated' ? signedIn : byAddress;
    if (row === undefined) return undefined;
    const isFree =
      row.tenant_id === caller.tenantId &&
      row.type === 'person' &&
      (await store.personOf(tx, caller.tenantId, row.id)) === undefined;
    if (!isFree) throw addressTaken();
    const rights = rightsOf(row, (await findTenant(tx, row.tenant_id))?.slug ?? '');
    // An account that manages others is not got hold of by a key that may do less.
    const isManager = rights.platformAdmin || rights.permissions.has('users:manage');
    if (isManager && missingFor(caller, rights) !== null)
      throw taken(
        'this address is the account of an administrator, which a directory does not take over: an administrator gives it another role first',
      );
    return row;
  };

  const newAccount = async (
    tx: Tx,
    { caller, requestId }: Asker,
    wanted: Wanted,
    personId: string,
  ): Promise<UserRow> => {
    const at = clock.now();
    const email = wanted.email ?? noAddress(personId);
    const row: UserRow = {
      id: newId(),
      tenant_id: caller.tenantId,
      type: 'person',
      email,
      email_folded: foldEmail(email),
      name: wanted.name,
      password_hash: null,
      password_permissions: null,
      roles: JSON.stringify([DEFAULT_ROLE]),
      permissions: '[]',
      tier: null,
      status: wanted.active ? (options.issuer === null ? 'invited' : 'active') : 'deactivated',
      external_id: null,
      created_at: at,
      updated_at: at,
      last_seen_at: null,
      claims_at: null,
      placed_by_admin: null,
    };
    await insertUser(tx, row).catch((error: unknown) => {
      throw isTaken(error) ? addressTaken() : error;
    });
    await tx.emit(userCreated(row, requestId));
    return row;
  };

  const add = async (tx: Tx, asker: Asker, resource: Resource) => {
    const { caller, requestId } = asker;
    const wanted = wantedOf(resource);
    const columns = personColumns(resource);
    const [known] = await store.people(
      caller.tenantId,
      { nameFolded: columns.user_name_folded },
      { offset: 0, limit: 1 },
    );
    if (known !== undefined) throw nameTaken();
    const own = await findOwn(tx, asker, wanted, columns.external_id);
    const id = newId();
    const user = own ?? (await newAccount(tx, asker, wanted, id));
    const at = clock.now();
    const person: DirectoryPersonRow = {
      id,
      tenant_id: caller.tenantId,
      user_id: user.id,
      ...columns,
      version: 1,
      created_at: at,
      updated_at: at,
    };
    await store.insertPerson(tx, person).catch((error: unknown) => {
      throw isTaken(error) ? nameTaken() : error;
    });
    await audit.append(tx, {
      ...actorOf(caller),
      action: own === undefined ? 'user.created' : 'user.adopted',
      targetType: 'user',
      targetId: user.id,
      requestId,
      details: { by: 'scim', roles: user.roles },
    });
    // Whom an administrator has switched off stays off.
    const followed =
      own === undefined ? null : await accounts.follow(tx, asker, { person, wanted, was: { active: true } });
    const invitation =
      own === undefined && user.status === 'invited' && wanted.email !== null
        ? await options.invite(tx, user)
        : null;
    return { person, done: [followed, { userId: user.id, invitation }] };
  };

  const change = async (
    asker: Asker,
    id: string,
    ifMatch: string | undefined,
    next: (before: Resource) => Resource,
  ): Promise<void> => {
    const { tenantId } = asker.caller;
    const done = await store.write(async (tx) => {
      const before = await held(tx, tenantId, id, ifMatch);
      const resource = next(storedResource(before, before.active === 1));
      const columns = personColumns(resource);
      const same = Object.entries(columns).every(
        ([name, value]) => Object.entries(before).find(([key]) => key === name)?.[1] === value,
      );
      const person = same
        ? before
        : { ...before, ...columns, version: before.version + 1, updated_at: clock.now() };
      if (!same)
        await store.updatePerson(tx, person).catch((error: unknown) => {
          throw isTaken(error) ? nameTaken() : error;
        });
      const was = { active: before.active === 1 };
      return accounts.follow(tx, asker, { person, wanted: wantedOf(resource), was });
    });
    await accounts.settle([done]);
  };

  const list = async (tenantId: string, query: ListQuery): Promise<Resource> => {
    const { startIndex, count } = pageOf(query);
    const cut = partsOf(query);
    const withGroups = !leavesOut(query, 'groups');
    if (query.filter === undefined || query.filter === '') {
      const total = await store.countPeople(tenantId);
      const rows =
        count === 0 ? [] : await store.people(tenantId, {}, { offset: startIndex - 1, limit: count });
      return listAnswer((await shown(rows, withGroups)).map(cut), total, startIndex);
    }
    const filter = parseFilter(query.filter);
    const equal = equalities(filter);
    const userName = equal.get('username');
    const narrowed: Narrowed = {
      id: equal.get('id'),
      externalId: equal.get('externalid'),
      nameFolded: userName === undefined ? undefined : fold(userName),
    };
    const found = await scan(
      (offset, limit) => store.people(tenantId, narrowed, { offset, limit }),
      (rows) => shown(rows, true),
      filter,
    );
    return listAnswer(found.slice(startIndex - 1, startIndex - 1 + count).map(cut), found.length, startIndex);
  };

  return {
    list,
    get: one,

    async create({ caller, requestId }: Asker, body: Resource, parts: Parts): Promise<Resource> {
      const resource = resourceOf(USER, body);
      const { person, done } = await store.write((tx) => add(tx, { caller, requestId }, resource));
      await accounts.settle(done);
      return one(caller.tenantId, person.id, parts);
    },

    async replace(asker: Asker, id: string, body: Resource, how: Parts & { ifMatch?: string | undefined }) {
      const resource = resourceOf(USER, body);
      await change(asker, id, how.ifMatch, (before) =>
        // What says nothing of `active` switches nobody on or off.
        resource.active === undefined ? { ...resource, active: before.active } : resource,
      );
      return one(asker.caller.tenantId, id, how);
    },

    async patch(asker: Asker, id: string, body: Resource, how: Parts & { ifMatch?: string | undefined }) {
      const operations = operationsOf(body);
      await change(asker, id, how.ifMatch, (before) => patched(USER, before, operations));
      return one(asker.caller.tenantId, id, how);
    },

    async remove(asker: Asker, id: string, ifMatch: string | undefined): Promise<void> {
      const { tenantId } = asker.caller;
      const done = await store.write(async (tx) => {
        const person = await held(tx, tenantId, id, ifMatch);
        await store.deletePerson(tx, tenantId, id);
        return accounts.leave(tx, asker, person);
      });
      await accounts.settle([done]);
    },
  };
};

export type ScimPeople = ReturnType<typeof createScimPeople>;
