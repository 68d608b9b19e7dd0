import { type SqlBool, sql } from 'kysely';
import { compiled } from '../../db/compiled.ts';
import type { Db } from '../../db/db.ts';
import type { Scope } from '../../kernel/caller.ts';
import { containing } from './entity-rows.store.ts';
import { OBSERVATION_COLUMNS, observationRecord } from './observations.store.ts';
import type { RecallQuery } from './recall.rules.ts';
import type { ObservationRecord } from './records.ts';
import { SHARED } from './rules.ts';

/** A statement that holds, with what is needed of its entity. */
export interface HeldStatement {
  observation: ObservationRecord;
  entity: {
    id: string;
    name: string;
    entityType: string;
    owner: string;
    subjectUserId: string | null;
    importance: number;
    usedCount: number;
    usedAt: number;
  };
}

const MAX_CANDIDATES = 400;
/** Statements compared by meaning: the newest. */
const MAX_VECTORS = 2_000;
const EMBED_BATCH = 64;

const vectorOf = (bytes: Uint8Array): Float32Array => {
  // A copy, since the engine's buffer need not start at a multiple of four.
  const copy = new Uint8Array(bytes);
  return new Float32Array(copy.buffer, 0, copy.byteLength >> 2);
};

const anyEntity = compiled<{ tenant: string; user: string }, { id: string }>((db, p) =>
  db
    .selectFrom('memory_entities')
    .select('id')
    .where('tenant_id', '=', p('tenant'))
    .where('owner', 'in', [p('user'), SHARED])
    .limit(1),
);

/**
 * Reads what a user may be reminded of: their own and the shared statements that hold; never those of others, whatever
 * the caller's role, and never what came in with foreign content.
 */
export const createRecallStore = (db: Db) => {
  const held = (scope: Scope) =>
    db.read
      .selectFrom('memory_observations')
      .innerJoin('memory_entities', 'memory_entities.id', 'memory_observations.entity_id')
      .where('memory_entities.tenant_id', '=', scope.tenantId)
      .where('memory_entities.owner', 'in', [scope.userId, SHARED])
      .where('memory_observations.valid_to', 'is', null)
      .where('memory_observations.source_kind', '<>', 'untrusted');

  const withEntity = (scope: Scope) =>
    held(scope)
      .select(OBSERVATION_COLUMNS)
      .select([
        'memory_entities.name as entity_name',
        'memory_entities.entity_type as entity_type',
        'memory_entities.owner as owner',
        'memory_entities.subject_user_id as subject_user_id',
        'memory_entities.importance as importance',
        'memory_entities.used_count as used_count',
        'memory_entities.used_at as used_at',
      ])
      .orderBy('memory_observations.created_at', 'desc')
      .orderBy('memory_observations.id', 'desc');

  type Row = Awaited<ReturnType<ReturnType<typeof withEntity>['execute']>>[number];
  const statement = (row: Row): HeldStatement => ({
    observation: observationRecord(row),
    entity: {
      id: row.entity_id,
      name: row.entity_name,
      entityType: row.entity_type,
      owner: row.owner,
      subjectUserId: row.subject_user_id,
      importance: row.importance,
      usedCount: row.used_count,
      usedAt: row.used_at,
    },
  });

  return {
    /** Is there anything that the user may be reminded of? */
    async any(scope: Scope): Promise<boolean> {
      return (await anyEntity(db.read, { tenant: scope.tenantId, user: scope.userId })).length > 0;
    },

    /** Statements that share a word, a slot or a name with the query. */
    async candidates(scope: Scope, query: RecallQuery): Promise<HeldStatement[]> {
      const terms = query.beginnings.slice(0, 32);
      const rows = await withEntity(scope)
        .where((eb) =>
          eb.or([
            ...terms.map((term) => containing('memory_observations.text_folded', term)),
            ...terms.map((term) => containing('memory_entities.name_folded', term)),
            ...(query.attributes.length > 0
              ? [eb('memory_observations.attribute', 'in', query.attributes)]
              : []),
            ...query.prefixes.map(
              (prefix) => sql<SqlBool>`memory_observations.attribute like ${`${prefix}%`}`,
            ),
            ...(query.preferences ? [eb('memory_observations.category', '=', 'preference')] : []),
            ...(query.aboutMe ? [eb('memory_entities.subject_user_id', '=', scope.userId)] : []),
            sql<SqlBool>`1 = 0`,
          ]),
        )
        .limit(MAX_CANDIDATES)
        .execute();
      return rows.map(statement);
    },

    async byIds(scope: Scope, ids: readonly string[]): Promise<HeldStatement[]> {
      if (ids.length === 0) return [];
      const rows = await withEntity(scope)
        .where('memory_observations.id', 'in', [...ids])
        .execute();
      return rows.map(statement);
    },

    /** What the user themself likes and wants, the newest first. */
    async preferences(scope: Scope, limit: number): Promise<HeldStatement[]> {
      const rows = await withEntity(scope)
        .where('memory_entities.subject_user_id', '=', scope.userId)
        .where('memory_observations.user_id', '=', scope.userId)
        .where((eb) =>
          eb.or([
            eb('memory_observations.category', '=', 'preference'),
            eb('memory_observations.attribute', 'in', ['name', 'language', 'timezone']),
          ]),
        )
        .limit(limit)
        .execute();
      return rows.map(statement);
    },

    /** All statements of the user in their own memory, those that no longer hold included. */
    async stated(scope: Scope, limit: number): Promise<HeldStatement[]> {
      const rows = await db.read
        .selectFrom('memory_observations')
        .innerJoin('memory_entities', 'memory_entities.id', 'memory_observations.entity_id')
        .where('memory_entities.tenant_id', '=', scope.tenantId)
        .where('memory_entities.owner', '=', scope.userId)
        .where('memory_observations.user_id', '=', scope.userId)
        .select(OBSERVATION_COLUMNS)
        .select([
          'memory_entities.name as entity_name',
          'memory_entities.entity_type as entity_type',
          'memory_entities.owner as owner',
          'memory_entities.subject_user_id as subject_user_id',
          'memory_entities.importance as importance',
          'memory_entities.used_count as used_count',
          'memory_entities.used_at as used_at',
        ])
        .orderBy('memory_observations.created_at', 'desc')
        .orderBy('memory_observations.id', 'desc')
        .limit(limit)
        .execute();
      return rows.map(statement);
    },

    /** Vectors of one model, the newest statements first. */
    async vectors(scope: Scope, model: string): Promise<{ id: string; vector: Float32Array }[]> {
      const rows = await held(scope)
        .select(['memory_observations.id as id', 'memory_observations.embedding as embedding'])
        .where('memory_observations.embedding_model', '=', model)
        .orderBy('memory_observations.created_at', 'desc')
        .limit(MAX_VECTORS)
        .execute();
      return rows.flatMap((row) =>
        row.embedding === null ? [] : [{ id: row.id, vector: vectorOf(row.embedding) }],
      );
    },

    /** Statements without a vector of this model, a batch of the newest. */
    async pending(scope: Scope, model: string): Promise<{ id: string; text: string }[]> {
      const rows = await held(scope)
        .select([
          'memory_observations.id as id',
          'memory_observations.text as text',
          'memory_entities.name as name',
        ])
        .where((eb) =>
          eb.or([
            eb('memory_observations.embedding_model', 'is', null),
            eb('memory_observations.embedding_model', '<>', model),
          ]),
        )
        .orderBy('memory_observations.created_at', 'desc')
        .limit(EMBED_BATCH)
        .execute();
      return rows.map((row) => ({ id: row.id, text: `${row.name}: ${row.text}` }));
    },

    saveVectors: (model: string, vectors: readonly { id: string; vector: Float32Array }[]): Promise<void> =>
      db.write(async (tx) => {
        for (const { id, vector } of vectors) {
          await tx
            .updateTable('memory_observations')
            .set({
              // A Buffer: the PostgreSQL driver takes it as bytea, and SQLite as a blob.
              embedding: Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength),
              embedding_model: model,
            })
            .where('id', '=', id)
            .execute();
        }
      }),
  };
};

export type RecallStore = ReturnType<typeof createRecallStore>;
