import { createHash } from 'node:crypto';
import type { Selectable } from 'kysely';
import { foldName } from 'pentarch-prose';
import type { Queryable } from '../../db/db.ts';
import type { MemoryObservationRow } from '../../db/tables/memory.ts';
import { conflict } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { FactCategory, FactSource, NewObservation, ObservationRecord } from './records.ts';
import { MAX_OBSERVATIONS_PER_ENTITY } from './rules.ts';
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

const observationRow = (
  entity: { id: string; tenantId: string },
  observation: NewObservation,
  source: FactSource,
  nowMs: number,
) => {
  const folded = foldName(observation.text);
  return {
    id: newId(),
    tenant_id: entity.tenantId,
    entity_id: entity.id,
    user_id: source.userId,
    text: observation.text,
    text_folded: folded,
    text_key: textKey(folded),
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
  };
};

/** Rows of one statement: both engines limit its parameters. */
const ROWS_PER_STATEMENT = 500;

/** Statements for entities that have none yet; each list holds a text and a slot at most once (`isPlainList`). */
export const insertObservations = async (
  tx: Queryable,
  lists: readonly { entity: { id: string; tenantId: string }; observations: readonly NewObservation[] }[],
  source: FactSource,
  nowMs: number,
): Promise<void> => {
  const rows = lists.flatMap(({ entity, observations }) =>
    observations.map((observation) => observationRow(entity, observation, source, nowMs)),
  );
  for (let from = 0; from < rows.length; from += ROWS_PER_STATEMENT) {
    await tx
      .insertInto('memory_observations')
      .values(rows.slice(from, from + ROWS_PER_STATEMENT))
      .execute();
  }
};

/** May the list be written as it stands, without one of its statements ending or doubling another? */
export const isPlainList = (observations: readonly NewObservation[]): boolean => {
  const texts = new Set(observations.map((observation) => foldName(observation.text)));
  const slots = observations.flatMap(({ attribute }) => (attribute === null ? [] : [attribute]));
  return (
    observations.length <= MAX_OBSERVATIONS_PER_ENTITY &&
    texts.size === observations.length &&
    new Set(slots).size === slots.length
  );
};

/** Of each entity: the folded texts that the user has said and that hold. */
export const heldTexts = async (
  tx: Queryable,
  entityIds: readonly string[],
  userId: string,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> => {
  if (entityIds.length === 0) return new Map();
  const rows = await tx
    .selectFrom('memory_observations')
    .select(['entity_id', 'text_folded'])
    .where('entity_id', 'in', [...entityIds])
    .where('user_id', '=', userId)
    .where('valid_to', 'is', null)
    .execute();
  const held = new Map<string, Set<string>>();
  for (const row of rows) {
    const texts = held.get(row.entity_id) ?? new Set();
    held.set(row.entity_id, texts.add(row.text_folded));
  }
  return held;
};

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
    const row = observationRow(entity, observation, source, nowMs);
    await tx.insertInto('memory_observations').values(row).execute();
    held.set(key, { id: row.id, text_key: key, attribute: observation.attribute });
    added++;
  }
  if (added > 0) {
    await tx.updateTable('memory_entities').set({ updated_at: nowMs }).where('id', '=', entity.id).execute();
  }
  return { added, ended };
};
