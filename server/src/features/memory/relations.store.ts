import { type Selectable, type SqlBool, sql } from 'kysely';
import { foldName } from 'pentarch-prose';
import type { Along, Db, Queryable, Tx } from '../../db/db.ts';
import { listPage } from '../../db/page.ts';
import type { MemoryRelationRow } from '../../db/tables/memory.ts';
import type { Scope } from '../../kernel/caller.ts';
import { conflict } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { PageRequest } from '../../kernel/pagination.ts';
import { readableEntities } from './entity-rows.store.ts';
import type { FactSource, RelationRecord } from './records.ts';
import { untilItStands, withStoreFaults } from './store-faults.ts';

const propertiesOf = (text: string): Record<string, unknown> => {
  const value: unknown = JSON.parse(text);
  return typeof value === 'object' && value !== null ? { ...value } : {};
};

const relationRecord = (row: Selectable<MemoryRelationRow>): RelationRecord => ({
  id: row.id,
  tenantId: row.tenant_id,
  owner: row.owner,
  fromEntityId: row.from_entity_id,
  toEntityId: row.to_entity_id,
  relationType: row.relation_type,
  properties: propertiesOf(row.properties),
  validFrom: row.valid_from,
  validTo: row.valid_to,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

export interface RelationDraft {
  tenantId: string;
  owner: string;
  fromEntityId: string;
  toEntityId: string;
  relationType: string;
  properties: Record<string, unknown>;
  validFrom: number;
  validTo: number | null;
}

/**
 * Adds a relation inside a transaction; one that holds already is answered instead, its properties joined. With
 * `exclusive` the owner's other relations of this type from the same entity end.
 */
export const addRelation = async (
  tx: Queryable,
  draft: RelationDraft,
  source: FactSource,
  nowMs: number,
  exclusive: boolean,
): Promise<{ relation: RelationRecord; created: boolean }> => {
  const typeFolded = foldName(draft.relationType);
  if (exclusive) {
    await tx
      .updateTable('memory_relations')
      .set({ valid_to: nowMs, updated_at: nowMs })
      .where('owner', '=', draft.owner)
      .where('from_entity_id', '=', draft.fromEntityId)
      .where('to_entity_id', '<>', draft.toEntityId)
      .where('type_folded', '=', typeFolded)
      .where('valid_to', 'is', null)
      .execute();
  }
  const row = {
    id: newId(),
    tenant_id: draft.tenantId,
    owner: draft.owner,
    created_by: source.userId,
    from_entity_id: draft.fromEntityId,
    to_entity_id: draft.toEntityId,
    relation_type: draft.relationType.trim(),
    type_folded: typeFolded,
    properties: JSON.stringify(draft.properties),
    source_kind: source.kind,
    message_id: source.messageId,
    conversation_id: source.conversationId,
    valid_from: draft.validFrom,
    valid_to: draft.validTo,
    created_at: nowMs,
    updated_at: nowMs,
  };
  return untilItStands(async () => {
    const inserted = await tx
      .insertInto('memory_relations')
      .values(row)
      .onConflict((c) => c.doNothing())
      .executeTakeFirst();
    if (inserted.numInsertedOrUpdatedRows === 1n) return { relation: relationRecord(row), created: true };
    const [found] = await tx
      .updateTable('memory_relations')
      // Changes nothing: it locks the row until the end of `tx`.
      .set((eb) => ({ updated_at: eb.ref('updated_at') }))
      .where('owner', '=', draft.owner)
      .where('from_entity_id', '=', draft.fromEntityId)
      .where('to_entity_id', '=', draft.toEntityId)
      .where('type_folded', '=', typeFolded)
      .where('valid_to', 'is', null)
      .returningAll()
      .execute();
    // Deleted or ended since the insert met it: it may be made now.
    if (found === undefined) return null;
    if (Object.keys(draft.properties).length === 0)
      return { relation: relationRecord(found), created: false };
    const changed = {
      properties: JSON.stringify({ ...propertiesOf(found.properties), ...draft.properties }),
      updated_at: nowMs,
    };
    await tx.updateTable('memory_relations').set(changed).where('id', '=', found.id).execute();
    return { relation: relationRecord({ ...found, ...changed }), created: false };
  });
};

export interface RelationFilter {
  entityId?: string | undefined;
  type?: string | undefined;
  at?: number | undefined;
}

const holds = (atMs: number) =>
  sql<SqlBool>`valid_from <= ${atMs} and (valid_to is null or valid_to > ${atMs})`;

/** Both ends must be readable too: a relation never tells of an entity that the reader may not see. */
const endsReadable = (scope: Scope) =>
  scope.reach === 'tenant'
    ? sql<SqlBool>`1 = 1`
    : sql<SqlBool>`not exists (select 1 from memory_entities e
        where e.id in (memory_relations.from_entity_id, memory_relations.to_entity_id)
          and e.owner not in (${scope.userId}, '*'))`;

export const createRelationStore = (db: Db) => {
  const write = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
    withStoreFaults(db.write(work, { repeatable: true }));
  return {
    async list(scope: Scope, filter: RelationFilter, page: PageRequest) {
      let base = db.read
        .selectFrom('memory_relations')
        .where(readableEntities('memory_relations', scope))
        .where(endsReadable(scope));
      const { entityId, type, at } = filter;
      if (entityId !== undefined)
        base = base.where((eb) =>
          eb.or([eb('from_entity_id', '=', entityId), eb('to_entity_id', '=', entityId)]),
        );
      if (type !== undefined) base = base.where('type_folded', '=', foldName(type));
      if (at !== undefined) base = base.where(holds(at));
      const { rows, total } = await listPage(base.selectAll(), page);
      return { rows: rows.map(relationRecord), total };
    },

    async get(scope: Scope, id: string): Promise<RelationRecord | null> {
      const row = await db.read
        .selectFrom('memory_relations')
        .selectAll()
        .where('id', '=', id)
        .where(readableEntities('memory_relations', scope))
        .where(endsReadable(scope))
        .executeTakeFirst();
      return row ? relationRecord(row) : null;
    },

    /** All of a person's own relations, those that have ended included. */
    async ownedBy(person: { tenantId: string; userId: string }): Promise<RelationRecord[]> {
      const rows = await db.read
        .selectFrom('memory_relations')
        .selectAll()
        .where('tenant_id', '=', person.tenantId)
        .where('owner', '=', person.userId)
        .orderBy('created_at')
        .orderBy('id')
        .execute();
      return rows.map(relationRecord);
    },

    /** All readable relations that hold at `atMs`, the oldest first. */
    async all(scope: Scope, atMs: number): Promise<RelationRecord[]> {
      const rows = await db.read
        .selectFrom('memory_relations')
        .selectAll()
        .where(readableEntities('memory_relations', scope))
        .where(endsReadable(scope))
        .where(holds(atMs))
        .orderBy('created_at')
        .orderBy('id')
        .execute();
      return rows.map(relationRecord);
    },

    /** Readable relations that hold at `atMs` and touch one of `entityIds`, up to `limit`, oldest first. */
    async touching(
      scope: Scope,
      entityIds: readonly string[],
      atMs: number,
      limit: number,
    ): Promise<RelationRecord[]> {
      if (entityIds.length === 0) return [];
      const rows = await db.read
        .selectFrom('memory_relations')
        .selectAll()
        .where(readableEntities('memory_relations', scope))
        .where(endsReadable(scope))
        .where(holds(atMs))
        .where((eb) =>
          eb.or([eb('from_entity_id', 'in', [...entityIds]), eb('to_entity_id', 'in', [...entityIds])]),
        )
        .orderBy('created_at')
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map(relationRecord);
    },

    add: (draft: RelationDraft, source: FactSource, nowMs: number, exclusive = false) =>
      write((tx) => addRelation(tx, draft, source, nowMs, exclusive)),

    /** Throws CONFLICT when the change would make it the double of another one that holds. */
    update: (
      relation: RelationRecord,
      patch: {
        relationType?: string;
        properties?: Record<string, unknown>;
        validFrom?: number;
        validTo?: number | null;
      },
      nowMs: number,
    ): Promise<void> =>
      write(async (tx) => {
        const validTo = patch.validTo === undefined ? relation.validTo : patch.validTo;
        if (validTo === null) {
          const double = await tx
            .selectFrom('memory_relations')
            .select('id')
            .where('owner', '=', relation.owner)
            .where('from_entity_id', '=', relation.fromEntityId)
            .where('to_entity_id', '=', relation.toEntityId)
            .where('type_folded', '=', foldName(patch.relationType ?? relation.relationType))
            .where('valid_to', 'is', null)
            .where('id', '<>', relation.id)
            .executeTakeFirst();
          if (double) throw conflict('the same relation holds already', { relation_id: double.id });
        }
        await tx
          .updateTable('memory_relations')
          .set({
            updated_at: nowMs,
            valid_to: validTo,
            ...(patch.validFrom === undefined ? {} : { valid_from: patch.validFrom }),
            ...(patch.properties === undefined ? {} : { properties: JSON.stringify(patch.properties) }),
            ...(patch.relationType === undefined
              ? {}
              : { relation_type: patch.relationType.trim(), type_folded: foldName(patch.relationType) }),
          })
          .where('id', '=', relation.id)
          .execute();
      }),

    remove: (id: string, note?: Along): Promise<boolean> =>
      write(async (tx) => {
        const { numDeletedRows } = await tx
          .deleteFrom('memory_relations')
          .where('id', '=', id)
          .executeTakeFirst();
        if (numDeletedRows > 0n) await note?.(tx);
        return numDeletedRows > 0n;
      }),

    /** Ends (or, with `forget`, deletes) the owner's relations of a type from an entity. */
    endFrom: (
      owner: string,
      fromEntityId: string,
      type: string,
      nowMs: number,
      forget: boolean,
    ): Promise<void> =>
      write(async (tx) => {
        if (forget) {
          await tx
            .deleteFrom('memory_relations')
            .where('owner', '=', owner)
            .where('from_entity_id', '=', fromEntityId)
            .where('type_folded', '=', foldName(type))
            .execute();
          return;
        }
        await tx
          .updateTable('memory_relations')
          .set({ valid_to: nowMs, updated_at: nowMs })
          .where('owner', '=', owner)
          .where('from_entity_id', '=', fromEntityId)
          .where('type_folded', '=', foldName(type))
          .where('valid_to', 'is', null)
          .execute();
      }),
  };
};

export type RelationStore = ReturnType<typeof createRelationStore>;
