import { sql } from 'kysely';
import { cleanName, foldName } from 'pentarch-prose';
import type { Queryable } from '../../db/db.ts';
import { newId } from '../../kernel/ids.ts';
import { addObservations, heldTexts, insertObservations, isPlainList } from './observations.store.ts';
import type { FactSource, NewObservation } from './records.ts';
import { DEFAULT_IMPORTANCE } from './rules.ts';
import { untilItStands } from './store-faults.ts';

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
export const importEntities = async (
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

/** Makes the entity or joins the observations to the one there is. */
export const upsertEntity = async (
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
