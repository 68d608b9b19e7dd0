import { type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import type { Queryable } from '../../db/db.ts';
import type { Tables } from '../../db/tables/index.ts';
import type { MemoryEntityRow } from '../../db/tables/memory.ts';
import type { Scope } from '../../kernel/caller.ts';
import { OBSERVATION_COLUMNS, observationRecord } from './observations.store.ts';
import type { EntityRecord, ObservationRecord } from './records.ts';
import { SHARED } from './rules.ts';

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
