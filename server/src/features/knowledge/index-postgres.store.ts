import { type RawBuilder, sql } from 'kysely';
import type { Db, Queryable } from '../../db/db.ts';
import { ofTenant, raiseWalls } from '../../db/migrations/row-security.ts';
import type { Scope } from '../../kernel/caller.ts';
import { filteredSeqs, hiddenSeqs } from './filters.store.ts';
import type {
  Candidate,
  EmbeddingModel,
  IndexEntry,
  PassageIndex,
  QueryVector,
  RankingAsk,
  SemanticCandidate,
} from './passage-index.ts';
import { rolesIn, rolesOf } from './rules.ts';
import { COMMON_FROM, type QueryTerm } from './terms.rules.ts';

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

const roleLexeme = (tenantId: string, role: string): string => `\u0001r${tenantId}\u0001${role}`;

const quoted = (lexeme: string): string => `'${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;

const scopeQuery = (scope: Scope): string =>
  scope.reach === 'tenant'
    ? quoted(tenantLexeme(scope.tenantId))
    : `(${[
        sharedLexeme(scope.tenantId),
        ownerLexeme(scope.tenantId, scope.userId),
        ...(scope.roles ?? []).map((role) => roleLexeme(scope.tenantId, role)),
      ]
        .map(quoted)
        .join(' | ')})`;

const termQuery = (term: QueryTerm) =>
  term.prefix
    ? sql`to_tsquery('simple', ${`${quoted(term.text)}:*`})`
    : sql`plainto_tsquery('english', ${term.text})`;

/**
 * How often a passage has a word, of its `ts_rank`: that of one word without normalisation is the sum of 1/j² over its
 * places, divided by π²/6; what is missing to 1 is about 1/(n + ½), so n comes back out of it.
 */
const frequency = (rank: string) =>
  sql.raw(`case when ${rank} > 0 then 1 / (1.644934::float8 * greatest(1 - ${rank}, 0.002::float8)) - 0.5::float8
    else 0 end`);

/** One row for each word: its query and how often it was asked. Words that the dictionary drops match nothing. */
const termRows = (terms: readonly QueryTerm[]) =>
  sql.join(
    terms.map((term, i) => sql`(${sql.raw(String(i))}, ${termQuery(term)}, ${sql.raw(String(term.count))})`),
  );

const scopeLexemes = (entry: Omit<IndexEntry, 'vector'>): string[] => {
  const { tenantId, userId, visibility, readerRoles } = entry;
  const scope = [tenantLexeme(tenantId), ownerLexeme(tenantId, userId)];
  if (visibility === 'tenant') scope.push(sharedLexeme(tenantId));
  if (visibility === 'role') scope.push(...rolesIn(readerRoles).map((role) => roleLexeme(tenantId, role)));
  return scope;
};

const lexemes = (entry: Omit<IndexEntry, 'vector'>) =>
  sql`setweight(to_tsvector('english', ${entry.titleWords}), 'A') || to_tsvector('english', ${entry.words})
    || array_to_tsvector(${scopeLexemes(entry)}::text[])`;

const rolesColumn = (entry: Omit<IndexEntry, 'vector'>): number =>
  entry.visibility === 'role' ? entry.readerRoles : 0;

const wordCount = (words: string): number => (words === '' ? 0 : words.split(' ').length);

const lengthOf = (entry: Pick<IndexEntry, 'titleWords' | 'words'>): number =>
  wordCount(entry.titleWords) + wordCount(entry.words);

/** HNSW takes at most 2,000 dimensions of `vector` and 4,000 of `halfvec`. */
const columnType = (dimensions: number): 'vector' | 'halfvec' => (dimensions <= 2000 ? 'vector' : 'halfvec');
const MAX_INDEXED_DIMENSIONS = 4000;

interface CandidateRow {
  seq: number;
  document_id: string;
}

const candidateOf = (row: CandidateRow): Candidate => ({ seq: row.seq, documentId: row.document_id });

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

  /**
   * With `is true` the planner reads what the filters leave once, into a hash table. As a plain IN it becomes a join, for which
   * the planner, expecting few hits, looks each one up in `chunks` and `documents` (an array would be gone through for each).
   */
  const allowedSeqs = ({ scope, filters }: RankingAsk) =>
    sql`and seq not in ${hiddenSeqs(db.read)} ${
      filters === null ? sql`` : sql`and (seq in ${filteredSeqs(db.read, scope, filters)}) is true`
    }`;

  return {
    async prepare(tx, model) {
      const type = sql.raw(columnType(model.dimensions));
      const table = vectorTable(model);
      await sql`create table if not exists ${table} (
        seq bigint primary key references chunks (seq) on delete cascade, tenant_id text not null,
        user_id text not null, shared boolean not null,
        embedding ${type}(${sql.raw(String(model.dimensions))}) not null)`.execute(tx);
      await sql`alter table ${table} add column if not exists roles integer not null default 0`.execute(tx);
      const walled = await sql`select 1 from pg_policies where schemaname = current_schema()
        and tablename = ${`vectors_${model.n}`}`.execute(tx);
      if (walled.rows.length === 0) await raiseWalls(tx, [ofTenant(`vectors_${model.n}`)]);
      await sql`create index if not exists ${sql.ref(`vectors_${model.n}_scope`)} on ${table} (tenant_id, user_id)`.execute(
        tx,
      );
      if (model.dimensions <= MAX_INDEXED_DIMENSIONS) {
        await sql`create index if not exists ${sql.ref(`vectors_${model.n}_hnsw`)} on ${table}
          using hnsw (embedding ${sql.raw(`${columnType(model.dimensions)}_ip_ops`)})`.execute(tx);
      }
    },

    async add(tx, model, entries) {
      if (entries.length === 0) return;
      const column = <T>(of: (entry: IndexEntry) => T): T[] => entries.map(of);
      const type = sql.raw(columnType(model.dimensions));
      // Tokens of the scope hold no blank: a row's are one text, since arrays of arrays must all be of one length.
      await sql`insert into chunk_terms (seq, terms, length)
        select seq, setweight(to_tsvector('english', title), 'A') || to_tsvector('english', words)
          || array_to_tsvector(string_to_array(scope, ' ')), length
        from unnest(${column((e) => e.seq)}::bigint[], ${column((e) => e.titleWords)}::text[],
          ${column((e) => e.words)}::text[], ${column((e) => scopeLexemes(e).join(' '))}::text[],
          ${column(lengthOf)}::integer[]) as e (seq, title, words, scope, length)`.execute(tx);
      await sql`insert into ${vectorTable(model)} (seq, tenant_id, user_id, shared, roles, embedding)
        select seq, tenant_id, user_id, shared, roles, embedding::${type}
        from unnest(${column((e) => e.seq)}::bigint[], ${column((e) => e.tenantId)}::text[],
          ${column((e) => e.userId)}::text[], ${column((e) => e.visibility === 'tenant')}::boolean[],
          ${column(rolesColumn)}::integer[], ${column((e) => vectorText(e.vector))}::text[])
          as e (seq, tenant_id, user_id, shared, roles, embedding)`.execute(tx);
    },

    async share(tx, models, entry) {
      await sql`update chunk_terms set terms = ${lexemes(entry)}, length = ${lengthOf(entry)} where seq = ${entry.seq}`.execute(
        tx,
      );
      for (const model of models) {
        await sql`update ${vectorTable(model)} set shared = ${entry.visibility === 'tenant'}, roles = ${rolesColumn(entry)} where seq = ${entry.seq}`.execute(
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

    async byWords(ask, terms) {
      const { scope, depth } = ask;
      if (terms.length === 0) return [];
      // BM25 (k1 1.2, b 0.75) as FTS5 computes it, since PostgreSQL's own ranks know nothing of how rare a word is. A word
      // of the title counts twice. Words are counted first: one that over half of many passages have takes most of the time
      // and weighs nothing, so it is left out, but for the rarest that there is (as on SQLite). Then each word's own list is
      // read, so that no passage is asked for words which it lacks, and no text search vector, which may lie compressed or
      // out of line, is looked at or copied more often than for the two ranks of a hit. What is computed for each row is
      // floating point throughout: exact decimals take ten times as long.
      const { rows } = await sql<CandidateRow>`
        with q (i, word, times) as materialized (values ${termRows(terms)}),
        size as materialized (
          select coalesce(sum(chunk_count), 0)::float8 as passages from documents
          where tenant_id = ${scope.tenantId} and status = 'ready'
        ),
        counted as materialized (
          select word, times, (
            select count(*) from chunk_terms where terms @@ (${quoted(tenantLexeme(scope.tenantId))}::tsquery && q.word)
          )::float8 as often
          from q where numnode(word) > 0
        ),
        asked as materialized (
          select word, times * greatest(ln((greatest(passages - often, 0) + 0.5::float8) / (often + 0.5::float8)), 1e-6::float8)
            as weight
          from counted cross join size
          where often > 0 and (often <= greatest(${sql.raw(String(COMMON_FROM))}, passages / 2)
            or often = (select min(often) from counted where often > 0))
        ),
        hits as materialized (
          select seq, length, weight, ts_rank('{1, 1, 1, 1}', terms, word, 0) as anywhere,
            ts_rank('{0, 0, 0, 1}', terms, word, 0) as titled
          from asked join chunk_terms on terms @@ (${scopeQuery(scope)}::tsquery && word) ${allowedSeqs(ask)}
        ),
        mean as materialized (
          select greatest(avg(length), 1)::float8 as length from (select distinct seq, length from hits) found
        ),
        ranked as (
          select seq, sum(weight * often * 2.2::float8
            / (often + 1.2::float8 * (0.25::float8 + 0.75::float8 * h.length / mean.length))) as place
          from (select seq, length, weight, ${frequency('anywhere')} + ${frequency('titled')} as often from hits) h
            cross join mean
          group by seq order by place desc, seq limit ${depth}
        )
        select r.seq, c.document_id from ranked r join chunks c on c.seq = r.seq
        order by r.place desc, r.seq`.execute(db.read);
      return rows.map(candidateOf);
    },

    async byVectors(ask, vectors) {
      const { scope, depth } = ask;
      const allowed = allowedSeqs(ask);
      const byVector = async ({ model, vector }: QueryVector): Promise<SemanticCandidate[]> => {
        const readers =
          scope.reach === 'tenant'
            ? sql``
            : sql`and (shared or user_id = ${scope.userId} or roles & ${sql.raw(String(rolesOf(scope)))} <> 0)`;
        const asked = sql`${vectorText(vector)}::${sql.raw(columnType(model.dimensions))}`;
        const nearest = async (tx: Queryable, order: RawBuilder<unknown>) => {
          const { rows } = await sql<CandidateRow & { product: number }>`
            select r.seq, r.product, c.document_id from (
              select seq, embedding <#> ${asked} as product from ${vectorTable(model)}
              where tenant_id = ${scope.tenantId} ${readers} ${allowed}
              order by ${order} limit ${depth}
            ) r join chunks c on c.seq = r.seq order by r.product, r.seq`.execute(tx);
          return rows;
        };
        const rows = await db.write(async (tx) => {
          // Until there are enough rows: filters do not thin the answer out. The scan goes on in portions, and `strict_order`
          // would throw away what a later portion finds nearer than the earlier ones did: with near-duplicates, most of it.
          await sql`select set_config('hnsw.iterative_scan', 'relaxed_order', true),
            set_config('hnsw.ef_search', ${String(Math.min(1000, Math.max(100, depth)))}, true)`.execute(tx);
          return nearest(tx, sql`embedding <#> ${asked}`);
        });
        // The scan leaves off after hnsw.max_scan_tuples, and the graph does not lead everywhere: of 1,000 passages among
        // 20,000 near-duplicates it found 387. Where it came out short, those of the tenant are compared one by one.
        const all = rows.length < depth ? await nearest(db.read, sql`(embedding <#> ${asked}) + 0`) : rows;
        return all.map((row) => ({ ...candidateOf(row), similarity: -row.product }));
      };
      return Promise.all(vectors.map(byVector));
    },

    renew: () => Promise.resolve(),

    close: () => Promise.resolve(),
  };
};
