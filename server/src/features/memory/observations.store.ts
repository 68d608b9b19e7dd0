import { createHash } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { Queryable } from '../../db/db.ts';
import type { MemoryObservationRow } from '../../db/tables/memory.ts';
import { conflict } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { FactCategory, FactSource, NewObservation, ObservationRecord } from './records.ts';
import { foldName, MAX_OBSERVATIONS_PER_ENTITY } from './rules.ts';
import { SOURCE_KINDS, type SourceKind } from './schema.ts';

const sourceKind = (text: string): SourceKind => SOURCE_KINDS.find((kind) => kind === text) ?? 'api';
const category = (text: string): FactCategory =>
  text === 'preference' || text === 'identity' ? text : 'fact';

export const observationRecord = (
  row: Omit<Selectable<MemoryObservationRow>, 'embedding' | 'embedding_model' | 'text_folded' | 'text_key'>,
): ObservationRecord => ({
  id: row.id,
  entityId: row.entity_id,
  text: row.text,
  attribute: row.attribute,
  category: category(row.category),
  source: {
    kind: sourceKind(row.source_kind),
    messageId: row.message_id,
    conversationId: row.conversation_id,
    userId: row.user_id,
  },
  validFrom: row.valid_from,
  validTo: row.valid_to,
  createdAt: row.created_at,
});

/** Columns of an observation without its vector. */
export const OBSERVATION_COLUMNS = [
  'memory_observations.id',
  'memory_observations.tenant_id',
  'memory_observations.entity_id',
  'memory_observations.user_id',
  'memory_observations.text',
  'memory_observations.attribute',
  'memory_observations.category',
  'memory_observations.source_kind',
  'memory_observations.message_id',
  'memory_observations.conversation_id',
  'memory_observations.valid_from',
  'memory_observations.valid_to',
  'memory_observations.created_at',
] as const;

const textKey = (folded: string): string => createHash('sha256').update(folded).digest('base64url');

/**
 * Adds statements to an entity inside a transaction. What the same user has said already is left as it is; a newer
 * value of a slot ends their own earlier one, never that of somebody else. Returns how many were added, and the slots
 * whose earlier value ended.
 */
export const addObservations = async (
  tx: Queryable,
  entity: { id: string; tenantId: string },
  observations: readonly NewObservation[],
  source: FactSource,
  nowMs: number,
): Promise<{ added: number; ended: string[] }> => {
  if (observations.length === 0) return { added: 0, ended: [] };
  // Takes the row's lock, so that parallel statements on one entity follow each other.
  await tx
    .updateTable('memory_entities')
    .set((eb) => ({ updated_at: eb.ref('updated_at') }))
    .where('id', '=', entity.id)
    .execute();
  const present = await tx
    .selectFrom('memory_observations')
    .select(['id', 'text_key', 'attribute'])
    .where('entity_id', '=', entity.id)
    .where('user_id', '=', source.userId)
    .where('valid_to', 'is', null)
    .execute();
  const { count } = await tx
    .selectFrom('memory_observations')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('entity_id', '=', entity.id)
    .executeTakeFirstOrThrow();
  const held = new Map(present.map((row) => [row.text_key, row]));
  const ended: string[] = [];
  let added = 0;
  for (const observation of observations) {
    const folded = foldName(observation.text);
    const key = textKey(folded);
    if (held.has(key)) continue;
    if (Number(count) + added >= MAX_OBSERVATIONS_PER_ENTITY) {
      throw conflict(`an entity holds at most ${MAX_OBSERVATIONS_PER_ENTITY} observations`);
    }
    if (observation.attribute !== null) {
      const older = [...held.values()].filter((row) => row.attribute === observation.attribute);
      for (const row of older) {
        await tx
          .updateTable('memory_observations')
          .set({ valid_to: nowMs })
          .where('id', '=', row.id)
          .execute();
        held.delete(row.text_key);
      }
      if (older.length > 0) ended.push(observation.attribute);
    }
    const id = newId();
    await tx
      .insertInto('memory_observations')
      .values({
        id,
        tenant_id: entity.tenantId,
        entity_id: entity.id,
        user_id: source.userId,
        text: observation.text,
        text_folded: folded,
        text_key: key,
        attribute: observation.attribute,
        category: observation.category,
        source_kind: source.kind,
        message_id: source.messageId,
        conversation_id: source.conversationId,
        embedding: null,
        embedding_model: null,
        valid_from: nowMs,
        valid_to: null,
        created_at: nowMs,
      })
      .execute();
    held.set(key, { id, text_key: key, attribute: observation.attribute });
    added++;
  }
  if (added > 0) {
    await tx.updateTable('memory_entities').set({ updated_at: nowMs }).where('id', '=', entity.id).execute();
  }
  return { added, ended };
};
