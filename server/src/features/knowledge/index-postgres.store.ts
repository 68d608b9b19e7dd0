import { sql } from 'kysely';
import type { Db } from '../../db/db.ts';
import type { Scope } from '../../kernel/caller.ts';
import { filteredSeqs } from './filters.store.ts';
import type { EmbeddingModel, IndexEntry, PassageIndex } from './passage-index.ts';
import type { QueryTerm } from './terms.rules.ts';

/**
 * PostgreSQL's full text and pgvector. The scope stands in the vector table as columns and in the terms as lexemes, so
 * that both indexes narrow by it before they rank.
 */

const vectorTable = (model: EmbeddingModel) => sql.table(`vectors_${model.n}`);

const vectorText = (vector: Float32Array): string => `[${vector.join(',')}]`;

/** Lexemes of the scope hold a control character, which no word of a text has. */
const tenantLexeme = (tenantId: string): string => `\u0001t${tenantId}`;
const sharedLexeme = (tenantId: string): string => `\u0001s${tenantId}`;
const ownerLexeme = (tenantId: string, userId: string): string => `\u0001u${tenantId}\u0001${userId}`;

const quoted = (lexeme: string): string => `'${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;

const scopeQuery = (scope: Scope): string =>
  scope.reach === 'tenant'
    ? quoted(tenantLexeme(scope.tenantId))
    : `(${quoted(sharedLexeme(scope.tenantId))} | ${quoted(ownerLexeme(scope.tenantId, scope.userId))})`;

const bodyQuery = (terms: readonly QueryTerm[]) =>
  sql.join(
    terms.map((term) =>
      term.prefix
        ? sql`to_tsquery('simple', ${`${quoted(term.text)}:*`})`
        : sql`plainto_tsquery('english', ${term.text})`,
    ),
    sql` || `,
  );

const lexemes = ({ tenantId, userId, visibility, words }: Omit<IndexEntry, 'vector'>) => {
  const scope = [tenantLexeme(tenantId), ownerLexeme(tenantId, userId)];
  if (visibility === 'tenant') scope.push(sharedLexeme(tenantId));
  return sql`to_tsvector('english', ${words}) || array_to_tsvector(${scope}::text[])`;
};

/** HNSW takes at most 2,000 dimensions of `vector` and 4,000 of `halfvec`. */
const columnType = (dimensions: number): 'vector' | 'halfvec' => (dimensions <= 2000 ? 'vector' : 'halfvec');
const MAX_INDEXED_DIMENSIONS = 4000;

const advice = (what: string): string =>
  `${what}. Install pgvector 0.8 or newer for your server (Debian and Ubuntu: postgresql-<version>-pgvector) and run CREATE EXTENSION vector in the database of DATABASE_URL as a superuser`;

/** pgvector below 0.8 has no iterative scan: a filtered search would then return too few results. */
const checkExtension = async (db: Db): Promise<void> => {
  const version = async (): Promise<string | undefined> =>
    (
      await sql<{ v: string }>`select extversion as v from pg_extension where extname = 'vector'`.execute(
        db.read,
      )
    ).rows[0]?.v;
  let found = await version();
  if (found === undefined) {
    try {
      await sql`create extension if not exists vector`.execute(db.read);
    } catch (error) {
      throw new Error(advice('the PostgreSQL database lacks the extension pgvector'), { cause: error });
    }
    found = await version();
  }
  const [major = 0, minor = 0] = (found ?? '').split('.').map(Number);
  if (major === 0 && minor < 8)
    throw new Error(advice(`the database has pgvector ${found}, which is too old`));
};

export const createPostgresIndex = async (db: Db): Promise<PassageIndex> => {
  await checkExtension(db);

  return {
    async prepare(tx, model) {
      const type = sql.raw(columnType(model.dimensions));
      const table = vectorTable(model);
      await sql`create table if not exists ${table} (
        seq bigint primary key references chunks (seq) on delete cascade, tenant_id text not null,
        user_id text not null, shared boolean not null,
        embedding ${type}(${sql.raw(String(model.dimensions))}) not null)`.execute(tx);
      await sql`create index if not exists ${sql.ref(`vectors_${model.n}_scope`)} on ${table} (tenant_id, user_id)`.execute(
        tx,
      );
      if (model.dimensions <= MAX_INDEXED_DIMENSIONS) {
        await sql`create index if not exists ${sql.ref(`vectors_${model.n}_hnsw`)} on ${table}
          using hnsw (embedding ${sql.raw(`${columnType(model.dimensions)}_ip_ops`)})`.execute(tx);
      }
    },

    async add(tx, model, entries) {
      for (const entry of entries) {
        await sql`insert into chunk_terms (seq, terms) values (${entry.seq}, ${lexemes(entry)})`.execute(tx);
        await sql`insert into ${vectorTable(model)} (seq, tenant_id, user_id, shared, embedding)
          values (${entry.seq}, ${entry.tenantId}, ${entry.userId}, ${entry.visibility === 'tenant'},
            ${vectorText(entry.vector)}::${sql.raw(columnType(model.dimensions))})`.execute(tx);
      }
    },

    async share(tx, models, entry) {
      await sql`update chunk_terms set terms = ${lexemes(entry)} where seq = ${entry.seq}`.execute(tx);
      for (const model of models) {
        await sql`update ${vectorTable(model)} set shared = ${entry.visibility === 'tenant'} where seq = ${entry.seq}`.execute(
          tx,
        );
      }
    },

    async remove(tx, models, seqs) {
      if (seqs.length === 0) return;
      await sql`delete from chunk_terms where seq = any(${seqs}::bigint[])`.execute(tx);
      for (const model of models) {
        await sql`delete from ${vectorTable(model)} where seq = any(${seqs}::bigint[])`.execute(tx);
      }
    },

    async drop(tx, model) {
      await sql`drop table if exists ${vectorTable(model)}`.execute(tx);
    },

    async candidates({ scope, filters, terms, vector, model, depth }) {
      const allowed = filters === null ? sql`` : sql`and seq in ${filteredSeqs(db.read, scope, filters)}`;
      const byWords = async (): Promise<number[]> => {
        if (terms.length === 0) return [];
        const { rows } = await sql<{ seq: number }>`
          with q as (select (${bodyQuery(terms)}) as body)
          select seq from chunk_terms, q
          where terms @@ (${scopeQuery(scope)}::tsquery && q.body) and numnode(q.body) > 0 ${allowed}
          order by ts_rank(terms, q.body, 1) desc, seq limit ${depth}`.execute(db.read);
        return rows.map((row) => Number(row.seq));
      };
      const byVector = async (): Promise<{ seq: number; similarity: number }[]> => {
        if (vector === null) return [];
        const readers = scope.reach === 'tenant' ? sql`` : sql`and (shared or user_id = ${scope.userId})`;
        const asked = sql`${vectorText(vector)}::${sql.raw(columnType(model.dimensions))}`;
        return db.write(async (tx) => {
          // In order and until there are enough rows: filters do not thin the answer out.
          await sql`select set_config('hnsw.iterative_scan', 'strict_order', true),
            set_config('hnsw.ef_search', ${String(Math.min(1000, Math.max(100, depth)))}, true)`.execute(tx);
          const { rows } = await sql<{ seq: number; product: number }>`
            select seq, embedding <#> ${asked} as product from ${vectorTable(model)}
            where tenant_id = ${scope.tenantId} ${readers} ${allowed}
            order by embedding <#> ${asked} limit ${depth}`.execute(tx);
          return rows.map((row) => ({ seq: Number(row.seq), similarity: -row.product }));
        });
      };
      const [lexical, semantic] = await Promise.all([byWords(), byVector()]);
      return { lexical, semantic };
    },

    close: () => Promise.resolve(),
  };
};
