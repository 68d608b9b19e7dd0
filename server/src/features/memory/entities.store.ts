import { type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import type { Along, Db, Queryable, Tx } from '../../db/db.ts';
import { listPage } from '../../db/page.ts';
import type { Tables } from '../../db/tables/index.ts';
import type { MemoryEntityRow } from '../../db/tables/memory.ts';
import type { Scope } from '../../kernel/caller.ts';
import { conflict } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { PageRequest } from '../../kernel/pagination.ts';
import { moveObservations, moveRelations } from './merge.store.ts';
import {
  addObservations,
  heldTexts,
  insertObservations,
  isPlainList,
  OBSERVATION_COLUMNS,
  observationRecord,
} from './observations.store.ts';
import type { EntityRecord, FactSource, NewObservation, ObservationRecord } from './records.ts';
import { cleanName, DEFAULT_IMPORTANCE, foldName, SHARED } from './rules.ts';
import { untilItStands, withStoreFaults } from './store-faults.ts';

/**
 * Entities with their observations. Long since a name is unique within its owner whichever way it comes (by hand, import,
 * rename, merge), and those ways share what they look at.
 */
const entityRecord = (row: MemoryEntityRow, observations: ObservationRecord[]): EntityRecord => ({
  id: row.id,
  tenantId: row.tenant_id,
  owner: row.owner,
  subjectUserId: row.subject_user_id,
  name: row.name,
  entityType: row.entity_type,
  importance: row.importance,
  usedCount: row.used_count,
  usedAt: row.used_at,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  observations,
});

/** Rows of `table` that the scope may read: the own ones and the shared ones, or all of the tenant. */
export const readableEntities =
  <T extends 'memory_entities' | 'memory_relations'>(table: T, scope: Scope) =>
  (eb: ExpressionBuilder<Tables, T>) => {
    const owner = sql.ref<string>(`${table}.owner`);
    const tenant = sql<SqlBool>`${sql.ref(`${table}.tenant_id`)} = ${scope.tenantId}`;
    return scope.reach === 'tenant'
      ? eb.and([tenant])
      : eb.and([tenant, sql<SqlBool>`${owner} in (${scope.userId}, ${SHARED})`]);
  };

/** A LIKE pattern that finds `part` anywhere; both engines are told the escape character. */
export const containing = (column: string, part: string) => {
  const pattern = `%${part.replaceAll(/[\\%_]/g, (c) => `\\${c}`)}%`;
  return sql<SqlBool>`${sql.ref(column)} like ${pattern} escape '\\'`;
};

/** Reads entities by id with their observations, in the order of `ids`. */
export const loadEntities = async (
  db: Queryable,
  rows: readonly MemoryEntityRow[],
): Promise<EntityRecord[]> => {
  if (rows.length === 0) return [];
  const observations = await db
    .selectFrom('memory_observations')
    .select(OBSERVATION_COLUMNS)
    .where(
      'entity_id',
      'in',
      rows.map((row) => row.id),
    )
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  const byEntity = Map.groupBy(observations.map(observationRecord), (o) => o.entityId);
  return rows.map((row) => entityRecord(row, byEntity.get(row.id) ?? []));
};

export interface EntityDraft {
  tenantId: string;
  owner: string;
  name: string;
  entityType: string;
  /** Null keeps what an existing entity has, and takes the default for a new one. */
  importance: number | null;
  /** Set for the entity that stands for this user. */
  subjectUserId: string | null;
}

const entityRow = (id: string, draft: EntityDraft, source: FactSource, nowMs: number) => ({
  id,
  tenant_id: draft.tenantId,
  owner: draft.owner,
  created_by: source.userId,
  source_kind: source.kind,
  subject_user_id: draft.subjectUserId,
  name: cleanName(draft.name),
  name_folded: foldName(draft.name),
  entity_type: cleanName(draft.entityType),
  type_folded: foldName(draft.entityType),
  importance: draft.importance ?? DEFAULT_IMPORTANCE,
  used_count: 0,
  used_at: nowMs,
  created_at: nowMs,
  updated_at: nowMs,
});

export interface EntityImport {
  draft: EntityDraft;
  observations: readonly NewObservation[];
}

/**
 * Many entities of one owner in a few statements. The answer, in the same order: what was made or found to say nothing
 * new; null for each that must be joined with care (`upsert`). No two drafts have the same name and type.
 */
const importMany = async (
  tx: Queryable,
  items: readonly EntityImport[],
  source: FactSource,
  nowMs: number,
): Promise<({ id: string; changed: boolean } | null)[]> => {
  const first = items[0];
  if (first === undefined) return [];
  const rows = items.map(({ draft }) => entityRow(newId(), draft, source, nowMs));
  const fresh = rows.filter((_row, i) => isPlainList(items[i]?.observations ?? []));
  if (fresh.length > 0)
    await tx
      .insertInto('memory_entities')
      .values(fresh)
      .onConflict((c) => c.doNothing())
      .execute();
  const stored = await tx
    .selectFrom('memory_entities')
    .select(['id', 'name_folded', 'type_folded'])
    .where('tenant_id', '=', first.draft.tenantId)
    .where('owner', '=', first.draft.owner)
    .where(
      'name_folded',
      'in',
      rows.map((row) => row.name_folded),
    )
    .execute();
  const keyOf = (row: { name_folded: string; type_folded: string }): string =>
    JSON.stringify([row.name_folded, row.type_folded]);
  const idOf = new Map(stored.map((row) => [keyOf(row), row.id]));
  const made = new Set(rows.filter((row) => idOf.get(keyOf(row)) === row.id).map((row) => row.id));
  const { tenantId } = first.draft;
  const lists = rows.flatMap((row, i) =>
    made.has(row.id)
      ? [{ entity: { id: row.id, tenantId }, observations: items[i]?.observations ?? [] }]
      : [],
  );
  await insertObservations(tx, lists, source, nowMs);
  const held = await heldTexts(
    tx,
    [...idOf.values()].filter((id) => !made.has(id)),
    source.userId,
  );
  return rows.map((row, i) => {
    if (made.has(row.id)) return { id: row.id, changed: true };
    const id = idOf.get(keyOf(row));
    if (id === undefined) return null;
    const said = items[i]?.observations ?? [];
    return said.every(({ text }) => held.get(id)?.has(foldName(text))) ? { id, changed: false } : null;
  });
};

/** The row stays locked until the end of `tx`: the update changes nothing, and is what PostgreSQL waits on. */
const lockEntity = (tx: Queryable, id: string): Promise<{ id: string } | undefined> =>
  tx
    .updateTable('memory_entities')
    .set((eb) => ({ updated_at: eb.ref('updated_at') }))
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();

const findNamed = (tx: Queryable, draft: EntityDraft) =>
  tx
    .selectFrom('memory_entities')
    .select(['id', 'subject_user_id'])
    .where('tenant_id', '=', draft.tenantId)
    .where((eb) =>
      eb.or([
        eb.and([
          eb('owner', '=', draft.owner),
          eb('name_folded', '=', foldName(draft.name)),
          eb('type_folded', '=', foldName(draft.entityType)),
        ]),
        eb('subject_user_id', '=', draft.subjectUserId ?? ''),
      ]),
    )
    // The one that stands for the user first, should a namesake exist as well.
    .orderBy(sql`case when subject_user_id is null then 1 else 0 end`)
    .executeTakeFirst();

const findSelf = (tx: Queryable, draft: EntityDraft) =>
  tx
    .selectFrom('memory_entities')
    .select('id')
    .where('tenant_id', '=', draft.tenantId)
    .where('subject_user_id', '=', draft.subjectUserId)
    .executeTakeFirst();

/**
 * Finds or makes the entity of this owner, type and name; the unique index decides between parallel makers, and it is locked
 * so that nobody deletes it before the end of `tx`. A draft with `subjectUserId` finds that user's own entity whatever it is
 * called.
 */
export const findOrMake = (
  tx: Queryable,
  draft: EntityDraft,
  source: FactSource,
  nowMs: number,
): Promise<{ id: string; created: boolean }> =>
  untilItStands(async () => {
    const self = draft.subjectUserId === null ? undefined : await findSelf(tx, draft);
    if (self !== undefined && (await lockEntity(tx, self.id)) !== undefined)
      return { id: self.id, created: false };
    const id = newId();
    const inserted = await tx
      .insertInto('memory_entities')
      .values(entityRow(id, draft, source, nowMs))
      .onConflict((c) => c.doNothing())
      .executeTakeFirst();
    if (inserted.numInsertedOrUpdatedRows === 1n) return { id, created: true };
    const found = await findNamed(tx, draft);
    // Deleted since the insert met it: it may be made now.
    if (found === undefined || (await lockEntity(tx, found.id)) === undefined) return null;
    if (draft.subjectUserId !== null && found.subject_user_id === null) {
      await tx
        .updateTable('memory_entities')
        .set({ subject_user_id: draft.subjectUserId })
        .where('id', '=', found.id)
        .execute();
    }
    return { id: found.id, created: false };
  });

const upsertIn = async (
  tx: Queryable,
  draft: EntityDraft,
  observations: readonly NewObservation[],
  source: FactSource,
  nowMs: number,
) => {
  const { id, created } = await findOrMake(tx, draft, source, nowMs);
  const entity = { id, tenantId: draft.tenantId };
  const { added, ended } = await addObservations(tx, entity, observations, source, nowMs);
  if (!created && draft.importance !== null) {
    await tx
      .updateTable('memory_entities')
      .set({ importance: draft.importance, used_at: nowMs, updated_at: nowMs })
      .where('id', '=', id)
      .execute();
  }
  return { id, created, added, ended };
};

export interface EntityFilter {
  q?: string | undefined;
  type?: string | undefined;
}

export const createEntityStore = (db: Db) => {
  let changes = 0;
  const write = async <T>(work: (tx: Tx) => Promise<T>): Promise<T> => {
    try {
      return await withStoreFaults(db.write(work, { repeatable: true }));
    } finally {
      changes += 1;
    }
  };
  return {
    /** Counts the writes of this process after which somebody may see an entity that they did not see before. */
    changes: (): number => changes,

    async list(scope: Scope, filter: EntityFilter, page: PageRequest) {
      let base = db.read.selectFrom('memory_entities').where(readableEntities('memory_entities', scope));
      if (filter.type !== undefined) base = base.where('type_folded', '=', foldName(filter.type));
      if (filter.q !== undefined) {
        const q = foldName(filter.q);
        base = base.where((eb) =>
          eb.or([
            containing('memory_entities.name_folded', q),
            eb.exists(
              eb
                .selectFrom('memory_observations')
                .select('memory_observations.id')
                .whereRef('memory_observations.entity_id', '=', 'memory_entities.id')
                .where(containing('memory_observations.text_folded', q)),
            ),
          ]),
        );
      }
      const { rows, total } = await listPage(base.selectAll('memory_entities'), page);
      return { rows: await loadEntities(db.read, rows), total };
    },

    async get(scope: Scope, id: string): Promise<EntityRecord | null> {
      const rows = await db.read
        .selectFrom('memory_entities')
        .selectAll()
        .where('id', '=', id)
        .where(readableEntities('memory_entities', scope))
        .execute();
      return (await loadEntities(db.read, rows))[0] ?? null;
    },

    /** Those of `ids` that the scope may read. */
    async many(scope: Scope, ids: readonly string[]): Promise<EntityRecord[]> {
      if (ids.length === 0) return [];
      const rows = await db.read
        .selectFrom('memory_entities')
        .selectAll()
        .where('id', 'in', [...ids])
        .where(readableEntities('memory_entities', scope))
        .orderBy('created_at')
        .orderBy('id')
        .execute();
      return loadEntities(db.read, rows);
    },

    /** Up to `limit` readable entities, the newest first. */
    async some(scope: Scope, limit: number): Promise<EntityRecord[]> {
      const rows = await db.read
        .selectFrom('memory_entities')
        .selectAll()
        .where(readableEntities('memory_entities', scope))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return loadEntities(db.read, rows);
    },

    /** All readable entities, the oldest first. */
    async all(scope: Scope): Promise<EntityRecord[]> {
      const rows = await db.read
        .selectFrom('memory_entities')
        .selectAll()
        .where(readableEntities('memory_entities', scope))
        .orderBy('created_at')
        .orderBy('id')
        .execute();
      const records: EntityRecord[] = [];
      for (let from = 0; from < rows.length; from += 500)
        records.push(...(await loadEntities(db.read, rows.slice(from, from + 500))));
      return records;
    },

    /** By name (any type when none is given): the own one before the shared one. */
    async byName(scope: Scope, name: string, type: string | null): Promise<EntityRecord | null> {
      let query = db.read
        .selectFrom('memory_entities')
        .selectAll()
        .where('tenant_id', '=', scope.tenantId)
        .where('owner', 'in', [scope.userId, SHARED])
        .where('name_folded', '=', foldName(name));
      if (type !== null) query = query.where('type_folded', '=', foldName(type));
      const rows = await query
        .orderBy(sql`case when owner = ${SHARED} then 1 else 0 end`)
        .orderBy('created_at')
        .limit(1)
        .execute();
      return (await loadEntities(db.read, rows))[0] ?? null;
    },

    /** The entity that stands for the user of the scope. */
    async self(scope: Scope): Promise<EntityRecord | null> {
      const rows = await db.read
        .selectFrom('memory_entities')
        .selectAll()
        .where('tenant_id', '=', scope.tenantId)
        .where('subject_user_id', '=', scope.userId)
        .execute();
      return (await loadEntities(db.read, rows))[0] ?? null;
    },

    /** Makes the entity or joins the observations to the one there is. */
    upsert: (
      draft: EntityDraft,
      observations: readonly NewObservation[],
      source: FactSource,
      nowMs: number,
    ) => write((tx) => upsertIn(tx, draft, observations, source, nowMs)),

    /** The same, with the entity as it stood then: right after, somebody may have deleted it. */
    put: (draft: EntityDraft, observations: readonly NewObservation[], source: FactSource, nowMs: number) =>
      write(async (tx) => {
        const { id, created } = await upsertIn(tx, draft, observations, source, nowMs);
        const row = await tx.selectFrom('memory_entities').selectAll().where('id', '=', id).execute();
        const [entity] = await loadEntities(tx, row);
        if (entity === undefined) throw new Error('an entity that is locked is not there');
        return { created, entity };
      }),

    importMany: (items: readonly EntityImport[], source: FactSource, nowMs: number) =>
      write((tx) => importMany(tx, items, source, nowMs)),

    observe: (
      entity: { id: string; tenantId: string },
      observations: readonly NewObservation[],
      source: FactSource,
      nowMs: number,
    ) => write((tx) => addObservations(tx, entity, observations, source, nowMs)),

    /** Throws CONFLICT when another entity of the owner has the name and type. */
    async update(
      entity: EntityRecord,
      patch: { name?: string; entityType?: string; importance?: number; owner?: string },
      nowMs: number,
    ): Promise<void> {
      const name = patch.name === undefined ? undefined : cleanName(patch.name);
      const type = patch.entityType === undefined ? undefined : cleanName(patch.entityType);
      await write(async (tx) => {
        const taken = await tx
          .selectFrom('memory_entities')
          .select('id')
          .where('tenant_id', '=', entity.tenantId)
          .where('owner', '=', patch.owner ?? entity.owner)
          .where('name_folded', '=', foldName(name ?? entity.name))
          .where('type_folded', '=', foldName(type ?? entity.entityType))
          .where('id', '<>', entity.id)
          .executeTakeFirst();
        if (taken) throw conflict('another entity has this name and type', { entity_id: taken.id });
        await tx
          .updateTable('memory_entities')
          .set({
            updated_at: nowMs,
            ...(name === undefined ? {} : { name, name_folded: foldName(name) }),
            ...(type === undefined ? {} : { entity_type: type, type_folded: foldName(type) }),
            ...(patch.importance === undefined ? {} : { importance: patch.importance, used_at: nowMs }),
            // A shared entity stands for nobody: its facts would otherwise be joined to what the user says privately.
            ...(patch.owner === undefined ? {} : { owner: patch.owner, subject_user_id: null }),
          })
          .where('id', '=', entity.id)
          .execute();
      });
    },

    /** False when it was gone already. Observations and relations go with it. */
    remove: (id: string, note?: Along): Promise<boolean> =>
      write(async (tx) => {
        const { numDeletedRows } = await tx
          .deleteFrom('memory_entities')
          .where('id', '=', id)
          .executeTakeFirst();
        if (numDeletedRows > 0n) await note?.(tx);
        return numDeletedRows > 0n;
      }),

    removeObservation: (entityId: string, id: string, nowMs: number, note?: Along): Promise<boolean> =>
      write(async (tx) => {
        const { numDeletedRows } = await tx
          .deleteFrom('memory_observations')
          .where('id', '=', id)
          .where('entity_id', '=', entityId)
          .executeTakeFirst();
        if (numDeletedRows === 0n) return false;
        await tx
          .updateTable('memory_entities')
          .set({ updated_at: nowMs })
          .where('id', '=', entityId)
          .execute();
        await note?.(tx);
        return true;
      }),

    /** The statement held until now; it stays as history. */
    endObservation: (entityId: string, id: string, nowMs: number): Promise<void> =>
      write(async (tx) => {
        await tx
          .updateTable('memory_observations')
          .set({ valid_to: nowMs })
          .where('id', '=', id)
          .where('entity_id', '=', entityId)
          .where('valid_to', 'is', null)
          .execute();
      }),

    /** Notes that these were of use: they fade more slowly from now on. */
    used: (ids: readonly string[], nowMs: number): Promise<void> =>
      db.write(async (tx) => {
        if (ids.length === 0) return;
        await tx
          .updateTable('memory_entities')
          .set((eb) => ({ used_count: eb('used_count', '+', 1), used_at: nowMs }))
          .where('id', 'in', [...ids])
          .execute();
      }),

    /** Moves observations and relations of `other` to `kept` and deletes `other`, in one transaction. */
    merge: (
      kept: EntityRecord,
      other: EntityRecord,
      alias: NewObservation | null,
      source: FactSource,
      nowMs: number,
      note?: Along,
    ) =>
      write(async (tx) => {
        await tx
          .updateTable('memory_entities')
          .set({
            importance: Math.max(kept.importance, other.importance),
            used_count: kept.usedCount + other.usedCount,
            used_at: Math.max(kept.usedAt, other.usedAt),
            updated_at: nowMs,
          })
          .where('id', '=', kept.id)
          .execute();
        await moveObservations(tx, kept.id, other.id, nowMs);
        await moveRelations(tx, kept.id, other.id);
        await tx.deleteFrom('memory_entities').where('id', '=', other.id).execute();
        if (other.subjectUserId !== null && kept.subjectUserId === null) {
          await tx
            .updateTable('memory_entities')
            .set({ subject_user_id: other.subjectUserId })
            .where('id', '=', kept.id)
            .execute();
        }
        if (alias) await addObservations(tx, kept, [alias], source, nowMs);
        await note?.(tx);
      }),
  };
};

export type EntityStore = ReturnType<typeof createEntityStore>;
