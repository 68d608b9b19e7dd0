import { cleanName, foldName } from 'pentarch-prose';
import type { Along, Queryable, Tx } from '../../db/db.ts';
import { conflict } from '../../kernel/errors.ts';
import { noteForgotten } from './forgotten.store.ts';
import { moveObservations, moveRelations } from './merge.store.ts';
import { addObservations } from './observations.store.ts';
import type { EntityRecord, FactSource, NewObservation } from './records.ts';

export interface EntityPatch {
  name?: string;
  entityType?: string;
  importance?: number;
  owner?: string;
}

/** Throws CONFLICT when another entity of the owner has the name and type. */
export const updateEntity = async (
  tx: Queryable,
  entity: EntityRecord,
  patch: EntityPatch,
  nowMs: number,
): Promise<void> => {
  const name = patch.name === undefined ? undefined : cleanName(patch.name);
  const type = patch.entityType === undefined ? undefined : cleanName(patch.entityType);
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
};

/** What comes with a merge: the other name, from where, and what is written together with it. */
export interface MergeBy {
  alias: NewObservation | null;
  source: FactSource;
  nowMs: number;
  note?: Along | undefined;
}

/** Moves observations and relations of `other` to `kept` and deletes `other`. */
export const mergeEntity = async (
  tx: Tx,
  kept: EntityRecord,
  other: EntityRecord,
  { alias, source, nowMs, note }: MergeBy,
): Promise<void> => {
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
};

/** False when it was gone already. Observations and relations go with it. */
export const removeEntity = async (tx: Tx, id: string, nowMs: number, note?: Along): Promise<boolean> => {
  const said = await tx
    .selectFrom('memory_observations')
    .select(['tenant_id', 'user_id', 'message_id'])
    .where('entity_id', '=', id)
    .execute();
  await noteForgotten(tx, said, nowMs);
  const { numDeletedRows } = await tx.deleteFrom('memory_entities').where('id', '=', id).executeTakeFirst();
  if (numDeletedRows > 0n) await note?.(tx);
  return numDeletedRows > 0n;
};

export interface ObservationKey {
  entityId: string;
  id: string;
}

/** False when it was gone already. */
export const removeObservation = async (
  tx: Tx,
  { entityId, id }: ObservationKey,
  nowMs: number,
  note?: Along,
): Promise<boolean> => {
  const gone = await tx
    .deleteFrom('memory_observations')
    .where('id', '=', id)
    .where('entity_id', '=', entityId)
    .returning(['tenant_id', 'user_id', 'message_id'])
    .executeTakeFirst();
  if (gone === undefined) return false;
  await noteForgotten(tx, [gone], nowMs);
  await tx.updateTable('memory_entities').set({ updated_at: nowMs }).where('id', '=', entityId).execute();
  await note?.(tx);
  return true;
};

/** The statement held until now; it stays as history. */
export const endObservation = async (
  tx: Tx,
  { entityId, id }: ObservationKey,
  nowMs: number,
): Promise<void> => {
  await tx
    .updateTable('memory_observations')
    .set({ valid_to: nowMs })
    .where('id', '=', id)
    .where('entity_id', '=', entityId)
    .where('valid_to', 'is', null)
    .execute();
};
