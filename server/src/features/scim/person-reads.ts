import { notFound } from '../../kernel/errors.ts';
import { type ListQuery, leavesOut, listAnswer, type Parts, pageOf, partsOf, scan } from './answers.ts';
import type { Resource } from './attributes.ts';
import { foldName } from './comparing.ts';
import { equalities, parseFilter } from './filter.ts';
import { personView } from './person-rows.ts';
import type { DirectoryPersonRow, Narrowed, ScimStore } from './store.ts';

/** What is read of `/Users`. */
export const createPersonReads = ({ store, base }: { store: ScimStore; base(): string }) => {
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
        base(),
      ),
    );
  };

  const one = async (tenantId: string, id: string, parts: Parts): Promise<Resource> => {
    const [row] = await store.people(tenantId, { id }, { offset: 0, limit: 1 });
    if (row === undefined) throw notFound('user');
    const [resource = {}] = await shown([row], !leavesOut(parts, 'groups'));
    return partsOf(parts)(resource);
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
      nameFolded: userName === undefined ? undefined : foldName(userName),
    };
    const found = await scan(
      (offset, limit) => store.people(tenantId, narrowed, { offset, limit }),
      (rows) => shown(rows, true),
      filter,
    );
    return listAnswer(found.slice(startIndex - 1, startIndex - 1 + count).map(cut), found.length, startIndex);
  };

  return { list, get: one };
};
