import { type Expression, type SqlBool, sql } from 'kysely';
import type { Queryable } from '../../db/db.ts';
import type { Scope } from '../../kernel/caller.ts';
import type { SearchFilters } from './ports.ts';
import { canonicalJson, rolesOf } from './rules.ts';

/** Documents that are there and that `scope` may read: the one place where access becomes SQL. */
export const readableDocuments = (db: Queryable, scope: Scope) => {
  const ready = db
    .selectFrom('documents')
    .where('documents.tenant_id', '=', scope.tenantId)
    .where('documents.status', '=', 'ready');
  if (scope.reach === 'tenant') return ready;
  return ready.where((w) =>
    w.or([
      w('documents.user_id', '=', scope.userId),
      w('documents.visibility', '=', 'tenant'),
      w.and([
        w('documents.visibility', '=', 'role'),
        sql<SqlBool>`documents.reader_roles & ${sql.raw(String(rolesOf(scope)))} <> 0`,
      ]),
    ]),
  );
};

const hasFact = (key: string, values: readonly string[]): Expression<SqlBool> =>
  sql<SqlBool>`exists (select 1 from document_facts f where f.document_id = documents.id
    and f.key = ${key} and f.value in (${sql.join(values)}))`;

/** `readable` narrowed by the caller's filters. */
export const filtered = (db: Queryable, scope: Scope, filters: SearchFilters) => {
  let query = readableDocuments(db, scope);
  const { documentIds, contentTypes, tags, createdAfter, createdBefore, metadata } = filters;
  if (documentIds) query = query.where('documents.id', 'in', [...documentIds]);
  if (contentTypes) query = query.where('documents.content_type', 'in', [...contentTypes]);
  if (createdAfter !== undefined) query = query.where('documents.created_at', '>', createdAfter);
  if (createdBefore !== undefined) query = query.where('documents.created_at', '<', createdBefore);
  if (tags) query = query.where(hasFact('tags', tags.map(canonicalJson)));
  for (const [key, value] of Object.entries(metadata ?? {})) {
    query = query.where(hasFact(key, [canonicalJson(value)]));
  }
  return query;
};

/**
 * Chunks that are on their way in or out; mostly there are none. Written as a cross join, which keeps SQLite from going
 * through all chunks to ask of each whether it is hidden (25 ms at 100,000).
 */
export const hiddenChunks = (db: Queryable) =>
  db
    .selectFrom('hidden_generations')
    .crossJoin('chunks')
    .whereRef('chunks.document_id', '=', 'hidden_generations.document_id')
    .whereRef('chunks.generation', '=', 'hidden_generations.generation');

/** Row numbers of hidden chunks. */
export const hiddenSeqs = (db: Queryable) => hiddenChunks(db).select('chunks.seq');

/** Row numbers of the chunks of `filtered` documents. */
export const filteredSeqs = (db: Queryable, scope: Scope, filters: SearchFilters) =>
  db
    .selectFrom('chunks')
    .select('chunks.seq')
    .where('chunks.document_id', 'in', filtered(db, scope, filters).select('documents.id'));
