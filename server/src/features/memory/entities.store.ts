import type { Along, Db, Tx } from '../../db/db.ts';
import {
  type EntityPatch,
  endObservation,
  type MergeBy,
  mergeEntity,
  removeEntity,
  removeObservation,
  updateEntity,
} from './entity-changes.store.ts';
import { createEntityReads } from './entity-reads.store.ts';
import { loadEntities } from './entity-rows.store.ts';
import { type EntityDraft, type EntityImport, importEntities, upsertEntity } from './entity-upsert.store.ts';
import { addObservations } from './observations.store.ts';
import type { EntityRecord, FactSource, NewObservation } from './records.ts';
import { withStoreFaults } from './store-faults.ts';

/**
 * Entities with their observations. A name is unique within its owner whichever way it comes (by hand, import, rename,
 * merge), and those ways share what they look at.
 */
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
    ...createEntityReads(db),

    /** Makes the entity or joins the observations to the one there is. */
    upsert: (
      draft: EntityDraft,
      observations: readonly NewObservation[],
      source: FactSource,
      nowMs: number,
    ) => write((tx) => upsertEntity(tx, draft, observations, source, nowMs)),

    /** The same, with the entity as it stood then: right after, somebody may have deleted it. */
    put: (draft: EntityDraft, observations: readonly NewObservation[], source: FactSource, nowMs: number) =>
      write(async (tx) => {
        const { id, created } = await upsertEntity(tx, draft, observations, source, nowMs);
        const row = await tx.selectFrom('memory_entities').selectAll().where('id', '=', id).execute();
        const [entity] = await loadEntities(tx, row);
        if (entity === undefined) throw new Error('an entity that is locked is not there');
        return { created, entity };
      }),

    importMany: (items: readonly EntityImport[], source: FactSource, nowMs: number) =>
      write((tx) => importEntities(tx, items, source, nowMs)),

    observe: (
      entity: { id: string; tenantId: string },
      observations: readonly NewObservation[],
      source: FactSource,
      nowMs: number,
    ) => write((tx) => addObservations(tx, entity, observations, source, nowMs)),

    update: (entity: EntityRecord, patch: EntityPatch, nowMs: number): Promise<void> =>
      write((tx) => updateEntity(tx, entity, patch, nowMs)),

    remove: (id: string, nowMs: number, note?: Along): Promise<boolean> =>
      write((tx) => removeEntity(tx, id, nowMs, note)),

    removeObservation: (entityId: string, id: string, nowMs: number, note?: Along): Promise<boolean> =>
      write((tx) => removeObservation(tx, { entityId, id }, nowMs, note)),

    endObservation: (entityId: string, id: string, nowMs: number): Promise<void> =>
      write((tx) => endObservation(tx, { entityId, id }, nowMs)),

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

    merge: (kept: EntityRecord, other: EntityRecord, by: MergeBy): Promise<void> =>
      write((tx) => mergeEntity(tx, kept, other, by)),
  };
};

export type EntityStore = ReturnType<typeof createEntityStore>;
