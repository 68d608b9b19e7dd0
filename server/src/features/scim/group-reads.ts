import { type Caller, ROLES, type Role } from '../../kernel/caller.ts';
import { iso } from '../../kernel/clock.ts';
import { notFound } from '../../kernel/errors.ts';
import { type PageResult, pageOfAll, pageRequest } from '../../kernel/pagination.ts';
import { type ListQuery, leavesOut, listAnswer, type Parts, pageOf, partsOf, scan } from './answers.ts';
import { GROUP_SCHEMA, type Resource } from './attributes.ts';
import { foldName } from './comparing.ts';
import { equalities, parseFilter } from './filter.ts';
import { metaOf } from './person-rows.ts';
import type { DirectoryGroup } from './schema.ts';
import type { DirectoryGroupRow, Narrowed, ScimStore } from './store.ts';

/** A tenant has no more: its administrators see them as one list. */
export const MAX_GROUPS = 1_000;

const rolesIn = (json: string): Role[] => {
  const parsed: unknown = JSON.parse(json);
  return ROLES.filter((role) => Array.isArray(parsed) && parsed.includes(role));
};

/** What is read of groups, by the directory and by administrators. */
export const createGroupReads = ({ store, base: baseOf }: { store: ScimStore; base(): string }) => {
  const view = async (row: DirectoryGroupRow, withMembers: boolean): Promise<Resource> => {
    const base = baseOf();
    const members = withMembers ? await store.members(store.read, row.id) : [];
    return {
      schemas: [GROUP_SCHEMA],
      id: row.id,
      ...(row.external_id === null ? {} : { externalId: row.external_id }),
      displayName: row.display_name,
      ...(members.length === 0
        ? {}
        : {
            members: members.map(({ id }) => ({
              value: id,
              $ref: `${base}/Users/${id}`,
              type: 'User',
            })),
          }),
      meta: metaOf('Group', row, `${base}/Groups/${row.id}`),
    };
  };

  const one = async (tenantId: string, id: string, parts: Parts): Promise<Resource> => {
    const [row] = await store.groups(tenantId, { id }, { offset: 0, limit: 1 });
    if (row === undefined) throw notFound('group');
    return partsOf(parts)(await view(row, !leavesOut(parts, 'members')));
  };

  const list = async (tenantId: string, query: ListQuery): Promise<Resource> => {
    const { startIndex, count } = pageOf(query);
    const cut = partsOf(query);
    const filter = query.filter === undefined || query.filter === '' ? null : parseFilter(query.filter);
    const withMembers = !leavesOut(query, 'members');
    const shown = (rows: DirectoryGroupRow[], full: boolean): Promise<Resource[]> =>
      Promise.all(rows.map((row) => view(row, full)));
    if (filter === null) {
      const total = await store.countGroups(tenantId);
      const rows =
        count === 0 ? [] : await store.groups(tenantId, {}, { offset: startIndex - 1, limit: count });
      return listAnswer((await shown(rows, withMembers)).map(cut), total, startIndex);
    }
    const equal = equalities(filter);
    const name = equal.get('displayname');
    const narrowed: Narrowed = {
      id: equal.get('id'),
      externalId: equal.get('externalid'),
      nameFolded: name === undefined ? undefined : foldName(name),
    };
    const asksMembers = /members/i.test(query.filter ?? '');
    const found = await scan(
      (offset, limit) => store.groups(tenantId, narrowed, { offset, limit }),
      (rows) => shown(rows, withMembers || asksMembers),
      filter,
    );
    return listAnswer(found.slice(startIndex - 1, startIndex - 1 + count).map(cut), found.length, startIndex);
  };

  const groupOf = async (row: DirectoryGroupRow): Promise<DirectoryGroup> => ({
    id: row.id,
    name: row.display_name,
    external_id: row.external_id,
    roles: rolesIn(row.roles),
    members: await store.membersCount(store.read, row.id),
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  });

  return {
    list,
    get: one,
    groupOf,

    /** For administrators: the groups that the directory has sent, with the roles that they give. */
    async groups(
      caller: Caller,
      query: Parameters<typeof pageRequest>[0],
    ): Promise<PageResult<DirectoryGroup>> {
      const rows = await store.groups(caller.tenantId, {}, { offset: 0, limit: MAX_GROUPS });
      const page = pageOfAll(rows, pageRequest(query));
      return { ...page, items: await Promise.all(page.items.map(groupOf)) };
    },
  };
};
