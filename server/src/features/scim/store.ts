import type { Db, Queryable, Tx } from '../../db/db.ts';
import type { DirectoryGroupRow, DirectoryPersonRow } from '../../db/tables/directory.ts';
import { MAX_MEMBERS } from './values.ts';

export type { DirectoryGroupRow, DirectoryPersonRow };

/** Looks like `userName`, `externalId` and the like narrow a list to a few rows before its filter is asked. */
export interface Narrowed {
  id?: string | undefined;
  nameFolded?: string | undefined;
  externalId?: string | undefined;
}

export interface Membership {
  person_id: string;
  group_id: string;
  display_name: string;
}

const SCAN_ROWS = 500;

const people = (db: Queryable, tenantId: string, { id, nameFolded, externalId }: Narrowed) => {
  let query = db.selectFrom('directory_people').where('tenant_id', '=', tenantId);
  if (id !== undefined) query = query.where('id', '=', id);
  if (nameFolded !== undefined) query = query.where('user_name_folded', '=', nameFolded);
  if (externalId !== undefined) query = query.where('external_id', '=', externalId);
  return query;
};

const groups = (db: Queryable, tenantId: string, { id, nameFolded, externalId }: Narrowed) => {
  let query = db.selectFrom('directory_groups').where('tenant_id', '=', tenantId);
  if (id !== undefined) query = query.where('id', '=', id);
  if (nameFolded !== undefined) query = query.where('name_folded', '=', nameFolded);
  if (externalId !== undefined) query = query.where('external_id', '=', externalId);
  return query;
};

const total = async (query: { executeTakeFirst(): Promise<{ n: number } | undefined> }): Promise<number> =>
  Number((await query.executeTakeFirst())?.n ?? 0);

/** Statements of the directory; every one names the tenant. */
export const createScimStore = (db: Db) => ({
  write: <T>(work: (tx: Tx) => Promise<T>): Promise<T> => db.write(work),
  read: db.read,

  countPeople: (tenantId: string): Promise<number> =>
    total(people(db.read, tenantId, {}).select((eb) => eb.fn.countAll<number>().as('n'))),

  /** In the order in which they came, so that pages do not shift. */
  people: (
    tenantId: string,
    narrowed: Narrowed,
    { offset, limit }: { offset: number; limit: number },
  ): Promise<DirectoryPersonRow[]> =>
    people(db.read, tenantId, narrowed)
      .selectAll()
      .orderBy('created_at')
      .orderBy('id')
      .limit(limit)
      .offset(offset)
      .execute(),

  countGroups: (tenantId: string): Promise<number> =>
    total(groups(db.read, tenantId, {}).select((eb) => eb.fn.countAll<number>().as('n'))),

  groups: (
    tenantId: string,
    narrowed: Narrowed,
    { offset, limit }: { offset: number; limit: number },
  ): Promise<DirectoryGroupRow[]> =>
    groups(db.read, tenantId, narrowed)
      .selectAll()
      .orderBy('created_at')
      .orderBy('id')
      .limit(limit)
      .offset(offset)
      .execute(),

  /** The row is held until the transaction ends, where others write at the same time. */
  async person(tx: Tx, tenantId: string, id: string): Promise<DirectoryPersonRow | undefined> {
    const query = people(tx, tenantId, { id }).selectAll();
    return (db.oneWriter ? query : query.forUpdate()).executeTakeFirst();
  },

  async group(tx: Tx, tenantId: string, id: string): Promise<DirectoryGroupRow | undefined> {
    const query = groups(tx, tenantId, { id }).selectAll();
    return (db.oneWriter ? query : query.forUpdate()).executeTakeFirst();
  },

  async insertPerson(tx: Tx, row: DirectoryPersonRow): Promise<void> {
    await tx.insertInto('directory_people').values(row).execute();
  },

  async updatePerson(tx: Tx, { id, tenant_id, ...changes }: DirectoryPersonRow): Promise<void> {
    await tx
      .updateTable('directory_people')
      .set(changes)
      .where('id', '=', id)
      .where('tenant_id', '=', tenant_id)
      .execute();
  },

  async deletePerson(tx: Tx, tenantId: string, id: string): Promise<void> {
    await tx.deleteFrom('directory_people').where('id', '=', id).where('tenant_id', '=', tenantId).execute();
  },

  async insertGroup(tx: Tx, row: DirectoryGroupRow): Promise<void> {
    await tx.insertInto('directory_groups').values(row).execute();
  },

  async updateGroup(tx: Tx, { id, tenant_id, ...changes }: DirectoryGroupRow): Promise<void> {
    await tx
      .updateTable('directory_groups')
      .set(changes)
      .where('id', '=', id)
      .where('tenant_id', '=', tenant_id)
      .execute();
  },

  async deleteGroup(tx: Tx, tenantId: string, id: string): Promise<void> {
    await tx.deleteFrom('directory_groups').where('id', '=', id).where('tenant_id', '=', tenantId).execute();
  },

  /** Of accounts, by their ids. */
  statuses: async (userIds: readonly string[]): Promise<Map<string, string>> =>
    new Map(
      (
        await db.read
          .selectFrom('users')
          .select(['id', 'status'])
          .where('id', 'in', [...userIds])
          .execute()
      ).map(({ id, status }) => [id, status]),
    ),

  statusOf: async (query: Queryable, userId: string): Promise<string | undefined> =>
    (await query.selectFrom('users').select('status').where('id', '=', userId).executeTakeFirst())?.status,

  /** Ids of the people of a group. */
  members: (query: Queryable, groupId: string): Promise<{ id: string }[]> =>
    query
      .selectFrom('directory_members as m')
      .innerJoin('directory_people as p', 'p.id', 'm.person_id')
      .select('p.id')
      .where('m.group_id', '=', groupId)
      .orderBy('p.created_at')
      .orderBy('p.id')
      .limit(MAX_MEMBERS)
      .execute(),

  membersCount: (query: Queryable, groupId: string): Promise<number> =>
    total(
      query
        .selectFrom('directory_members')
        .select((eb) => eb.fn.countAll<number>().as('n'))
        .where('group_id', '=', groupId),
    ),

  /** Groups of people, by the group's name. */
  groupsOf: async (query: Queryable, personIds: readonly string[]): Promise<Membership[]> =>
    personIds.length === 0
      ? []
      : query
          .selectFrom('directory_members as m')
          .innerJoin('directory_groups as g', 'g.id', 'm.group_id')
          .select(['m.person_id', 'm.group_id', 'g.display_name'])
          .where('m.person_id', 'in', [...personIds])
          .orderBy('g.name_folded')
          .execute(),

  /** Roles that the groups of a person give. */
  groupRolesOf: async (query: Queryable, personId: string): Promise<string[]> =>
    (
      await query
        .selectFrom('directory_members as m')
        .innerJoin('directory_groups as g', 'g.id', 'm.group_id')
        .select('g.roles')
        .where('m.person_id', '=', personId)
        .execute()
    ).map((row) => row.roles),

  async addMembers(tx: Tx, tenantId: string, groupId: string, personIds: readonly string[]): Promise<void> {
    for (let at = 0; at < personIds.length; at += SCAN_ROWS) {
      const rows = personIds
        .slice(at, at + SCAN_ROWS)
        .map((person_id) => ({ tenant_id: tenantId, group_id: groupId, person_id }));
      await tx
        .insertInto('directory_members')
        .values(rows)
        .onConflict((c) => c.columns(['group_id', 'person_id']).doNothing())
        .execute();
    }
  },

  async removeMembers(tx: Tx, groupId: string, personIds: readonly string[]): Promise<void> {
    for (let at = 0; at < personIds.length; at += SCAN_ROWS)
      await tx
        .deleteFrom('directory_members')
        .where('group_id', '=', groupId)
        .where('person_id', 'in', personIds.slice(at, at + SCAN_ROWS))
        .execute();
  },

  /** Those of the ids that are people of the tenant's directory. */
  async known(tx: Tx, tenantId: string, ids: readonly string[]): Promise<Set<string>> {
    const found = new Set<string>();
    for (let at = 0; at < ids.length; at += SCAN_ROWS) {
      const rows = await people(tx, tenantId, {})
        .select('id')
        .where('id', 'in', ids.slice(at, at + SCAN_ROWS))
        .execute();
      for (const { id } of rows) found.add(id);
    }
    return found;
  },

  /** All ids of the tenant's people, oldest first. */
  allIds: async (tx: Tx, tenantId: string): Promise<string[]> =>
    (await people(tx, tenantId, {}).select('id').orderBy('created_at').execute()).map(({ id }) => id),

  personOf: (tx: Queryable, tenantId: string, userId: string): Promise<DirectoryPersonRow | undefined> =>
    people(tx, tenantId, {}).selectAll().where('user_id', '=', userId).executeTakeFirst(),
});

export type ScimStore = ReturnType<typeof createScimStore>;
