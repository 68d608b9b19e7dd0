import type { Tx } from '../../db/db.ts';
import { isTaken } from '../../db/faults.ts';
import { ROLES, type Role } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { notFound } from '../../kernel/errors.ts';
import { assertMayGrant } from '../../kernel/grants.ts';
import { newId } from '../../kernel/ids.ts';
import { type Audit, actorOf } from '../audit/index.ts';
import { findTenant } from '../tenants/index.ts';
import { rightsOf } from '../users/index.ts';
import type { Afterwards, Asker, DirectoryAccounts } from './accounts.ts';
import type { Parts } from './answers.ts';
import { GROUP, isObject, type Resource } from './attributes.ts';
import { etagOf, foldName, isVersion } from './comparing.ts';
import { createGroupReads, MAX_GROUPS } from './group-reads.ts';
import { operationsOf, patched } from './patch.ts';
import { badRequest, changedMeanwhile, taken } from './refusals.ts';
import type { DirectoryGroup } from './schema.ts';
import type { DirectoryGroupRow, ScimStore } from './store.ts';
import { MAX_MEMBERS, resourceOf } from './values.ts';

interface GroupsOptions {
  store: ScimStore;
  clock: Clock;
  audit: Audit;
  accounts: DirectoryAccounts;
  base(): string;
}

const nameTaken = () => taken('a group with this displayName exists already');

/** People whom the answer to a PATCH lists: a directory fills a large group by many of them. */
const MAX_ANSWERED = 1_000;

/** By its value, or the end of its address. */
const memberId = ({ value, $ref }: Resource): string[] => {
  if (typeof value === 'string') return [value];
  const last = typeof $ref === 'string' ? $ref.split('/').at(-1) : undefined;
  return last === undefined || last === '' ? [] : [last];
};

const memberIds = (resource: Resource): string[] => {
  const members = Array.isArray(resource.members) ? resource.members.filter(isObject) : [];
  for (const member of members)
    if (member.type !== undefined && String(member.type).toLowerCase() !== 'user')
      throw badRequest('invalidValue', 'members are people: groups within groups are not taken');
  return [...new Set(members.flatMap(memberId))];
};

const columnsOf = (resource: Resource) => ({
  display_name: String(resource.displayName).trim(),
  name_folded: foldName(String(resource.displayName)),
  external_id: typeof resource.externalId === 'string' ? resource.externalId : null,
});

/** `/Groups`, and the roles that administrators give to them. */
export const createScimGroups = (options: GroupsOptions) => {
  const { store, clock, audit, accounts } = options;
  const reads = createGroupReads(options);

  const note = (tx: Tx, { caller, requestId }: Asker, action: string, id: string, details: object) =>
    audit.append(tx, {
      ...actorOf(caller),
      action,
      targetType: 'directory_group',
      targetId: id,
      requestId,
      details: { ...details },
    });

  /** People whose groups have become others get the roles of those that they have now; `otherwise` where no group gives any. */
  const regrant = async (
    tx: Tx,
    asker: Asker,
    ids: readonly string[],
    otherwise: string | null = null,
  ): Promise<(Afterwards | null)[]> => {
    const done: (Afterwards | null)[] = [];
    // In one order, so that no two transactions wait for each other.
    for (const id of [...ids].sort()) {
      const person = await store.person(tx, asker.caller.tenantId, id);
      if (person !== undefined) done.push(await accounts.regrant(tx, asker, person, otherwise));
    }
    return done;
  };

  const setMembers = async (tx: Tx, asker: Asker, group: DirectoryGroupRow, wanted: readonly string[]) => {
    const { tenantId } = asker.caller;
    const before = new Set((await store.members(tx, group.id)).map(({ id }) => id));
    const after = new Set(wanted);
    const fresh = wanted.filter((id) => !before.has(id));
    const gone = [...before].filter((id) => !after.has(id));
    const known = await store.known(tx, tenantId, fresh);
    const unknown = fresh.find((id) => !known.has(id));
    if (unknown !== undefined)
      throw badRequest('invalidValue', `members: ${unknown.slice(0, 80)} is nobody of this directory`);
    if (after.size > MAX_MEMBERS) throw badRequest('tooMany', `a group has at most ${MAX_MEMBERS} members`);
    await store.addMembers(tx, tenantId, group.id, fresh);
    await store.removeMembers(tx, group.id, gone);
    return { changed: [...fresh, ...gone], added: fresh.length, removed: gone.length };
  };

  const held = async (tx: Tx, tenantId: string, id: string, ifMatch?: string): Promise<DirectoryGroupRow> => {
    const row = await store.group(tx, tenantId, id);
    if (row === undefined) throw notFound('group');
    if (ifMatch !== undefined && !isVersion(ifMatch, etagOf(row.version))) throw changedMeanwhile();
    return row;
  };

  const create = async (tx: Tx, asker: Asker, resource: Resource) => {
    const { tenantId } = asker.caller;
    if ((await store.countGroups(tenantId)) >= MAX_GROUPS)
      throw badRequest('tooMany', `a directory has at most ${MAX_GROUPS} groups here`);
    const at = clock.now();
    const row: DirectoryGroupRow = {
      id: newId(),
      tenant_id: tenantId,
      ...columnsOf(resource),
      roles: '[]',
      version: 1,
      created_at: at,
      updated_at: at,
    };
    await store.insertGroup(tx, row).catch((error: unknown) => {
      throw isTaken(error) ? nameTaken() : error;
    });
    const { added } = await setMembers(tx, asker, row, memberIds(resource));
    await note(tx, asker, 'directory_group.created', row.id, { by: 'scim', name: row.display_name, added });
    // Nobody has given it roles yet.
    return row.id;
  };

  const change = async (
    asker: Asker,
    id: string,
    ifMatch: string | undefined,
    next: (before: Resource) => Resource,
  ): Promise<void> => {
    const done = await store.write(async (tx) => {
      const before = await held(tx, asker.caller.tenantId, id, ifMatch);
      const members = (await store.members(tx, id)).map((member) => ({ value: member.id, type: 'User' }));
      const resource = next({
        displayName: before.display_name,
        ...(before.external_id === null ? {} : { externalId: before.external_id }),
        ...(members.length === 0 ? {} : { members }),
      });
      const columns = columnsOf(resource);
      const { changed, added, removed } = await setMembers(tx, asker, before, memberIds(resource));
      const renamed = columns.display_name !== before.display_name;
      if (!renamed && columns.external_id === before.external_id && changed.length === 0) return [];
      const row = { ...before, ...columns, version: before.version + 1, updated_at: clock.now() };
      await store.updateGroup(tx, row).catch((error: unknown) => {
        throw isTaken(error) ? nameTaken() : error;
      });
      const name = renamed ? { name_before: before.display_name, name_after: row.display_name } : {};
      await note(tx, asker, 'directory_group.updated', id, { by: 'scim', added, removed, ...name });
      return before.roles === '[]' ? [] : regrant(tx, asker, changed);
    });
    await accounts.settle(done);
  };

  return {
    list: reads.list,
    get: reads.get,
    groups: reads.groups,

    async create(asker: Asker, body: Resource, parts: Parts): Promise<Resource> {
      const resource = resourceOf(GROUP, body);
      const id = await store.write((tx) => create(tx, asker, resource));
      return reads.get(asker.caller.tenantId, id, parts);
    },

    async replace(asker: Asker, id: string, body: Resource, how: Parts & { ifMatch?: string | undefined }) {
      const resource = resourceOf(GROUP, body);
      await change(asker, id, how.ifMatch, () => resource);
      return reads.get(asker.caller.tenantId, id, how);
    },

    async patch(asker: Asker, id: string, body: Resource, how: Parts & { ifMatch?: string | undefined }) {
      const operations = operationsOf(body);
      await change(asker, id, how.ifMatch, (before) => patched(GROUP, before, operations));
      const large = (await store.membersCount(store.read, id)) > MAX_ANSWERED;
      return reads.get(asker.caller.tenantId, id, large ? { excludedAttributes: 'members', ...how } : how);
    },

    async remove(asker: Asker, id: string, ifMatch: string | undefined): Promise<void> {
      const done = await store.write(async (tx) => {
        const group = await held(tx, asker.caller.tenantId, id, ifMatch);
        const members = (await store.members(tx, id)).map((member) => member.id);
        // Without its roles first: those of its people are then what other groups give.
        await store.removeMembers(tx, id, members);
        const changed = group.roles === '[]' ? [] : await regrant(tx, asker, members);
        await store.deleteGroup(tx, asker.caller.tenantId, id);
        await note(tx, asker, 'directory_group.deleted', id, { by: 'scim', removed: members.length });
        return changed;
      });
      await accounts.settle(done);
    },

    /**
     * From now on the members of the group have these roles. With the first group that gives any, the roles of all the
     * directory's people follow from their groups. Throws FORBIDDEN for more than the caller has.
     */
    async setRoles(asker: Asker, id: string, roles: readonly Role[]): Promise<DirectoryGroup> {
      const { caller } = asker;
      const tenant = await findTenant(store.read, caller.tenantId);
      const wanted = JSON.stringify(ROLES.filter((role) => roles.includes(role)));
      assertMayGrant(caller, rightsOf({ roles: wanted, permissions: '[]' }, tenant?.slug ?? ''));
      const done = await store.write(async (tx) => {
        const before = await held(tx, caller.tenantId, id);
        if (before.roles === wanted) return [];
        const gaveBefore = await accounts.rolesOf(tx, caller.tenantId, null);
        await store.updateGroup(tx, { ...before, roles: wanted });
        await note(tx, asker, 'directory_group.roles_changed', id, {
          roles_before: before.roles,
          roles_after: wanted,
        });
        const ids =
          gaveBefore === null
            ? await store.allIds(tx, caller.tenantId)
            : (await store.members(tx, id)).map((member) => member.id);
        return regrant(tx, asker, ids, gaveBefore);
      });
      await accounts.settle(done);
      const [row] = await store.groups(caller.tenantId, { id }, { offset: 0, limit: 1 });
      if (row === undefined) throw notFound('group');
      return reads.groupOf(row);
    },
  };
};

export type ScimGroups = ReturnType<typeof createScimGroups>;
