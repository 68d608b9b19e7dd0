import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Db, Queryable } from '../../db/db.ts';
import { createReaderThread } from '../../db/sqlite/reader-thread.ts';
import type { Scope } from '../../kernel/caller.ts';
import { filteredSeqs, hiddenChunks, hiddenSeqs } from './filters.store.ts';
import type { Candidate, EmbeddingModel, IndexEntry, PassageIndex } from './passage-index.ts';
import { rolesIn, rolesOf, setsThatMeet } from './rules.ts';
import type { QueryTerm } from './terms.rules.ts';

/**
 * FTS5 and sqlite-vec. Who may read a chunk is in both indexes (tokens of the column `scope`; partition and `audience`),
 * so ranking looks only at what the caller may see. Both rank in the reader thread.
 */

const digest = (kind: string, ...parts: string[]): Buffer =>
  createHash('sha256')
    .update(JSON.stringify([kind, ...parts]))
    .digest();

/** A word that no text has and no stemmer changes (none has a rule for a final x). */
const token = (kind: string, ...parts: string[]): string =>
  `${kind}${digest(kind, ...parts).toString('hex', 0, 16)}x`;

const tenantToken = (tenantId: string): string => token('t', tenantId);
const sharedToken = (tenantId: string): string => token('s', tenantId);
const ownerToken = (tenantId: string, userId: string): string => token('u', tenantId, userId);

const roleToken = (tenantId: string, role: string): string => token('r', tenantId, role);

/** A number that stands for the owner (48 bits of a hash, never 0). */
const audienceOf = (tenantId: string, userId: string): bigint =>
  BigInt(digest('u', tenantId, userId).readUIntBE(0, 6)) | 1n;

const bytesOf = (vector: Float32Array): Uint8Array =>
  new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);

const vectorTable = (model: EmbeddingModel) => sql.table(`vectors_${model.n}`);

const scopeMatch = (scope: Scope): string => {
  const { tenantId, userId } = scope;
  if (scope.reach === 'tenant') return `scope:"${tenantToken(tenantId)}"`;
  const roles = (scope.roles ?? []).map((role) => roleToken(tenantId, role));
  return `scope:(${[sharedToken(tenantId), ownerToken(tenantId, userId), ...roles].map((t) => `"${t}"`).join(' OR ')})`;
};

/** Every word is quoted: nothing of a query is ever read as syntax. What the query says twice counts twice. */
const textMatch = (terms: readonly QueryTerm[]): string =>
  terms
    .flatMap((term) =>
      Array<string>(term.count).fill(`"${term.text.replaceAll('"', '""')}"${term.prefix ? '*' : ''}`),
    )
    .join(' OR ');

const candidateOf = (row: Record<string, unknown>): Candidate => ({
  seq: Number(row.seq),
  documentId: String(row.document_id),
});

/** sqlite-vec answers at most this many. */
const MAX_K = 4096;

const addWords = async (tx: Queryable, entry: Omit<IndexEntry, 'vector'>): Promise<void> => {
  const { tenantId, userId, titleWords, words } = entry;
  const tokens = [tenantToken(tenantId), ownerToken(tenantId, userId)];
  if (entry.visibility === 'tenant') tokens.push(sharedToken(tenantId));
  if (entry.visibility === 'role')
    tokens.push(...rolesIn(entry.readerRoles).map((role) => roleToken(tenantId, role)));
  // node:sqlite binds numbers as floating point, which is no row number: hence bigint.
  await sql`insert into chunk_terms(rowid, scope, title, body)
    values (${BigInt(entry.seq)}, ${tokens.join(' ')}, ${titleWords}, ${words})`.execute(tx);
};

/** 0 = all of the tenant, below it a set of roles, above it the owner. */
const audience = (entry: Omit<IndexEntry, 'vector'>): bigint => {
  if (entry.visibility === 'tenant') return 0n;
  return entry.visibility === 'role' ? -BigInt(entry.readerRoles) : audienceOf(entry.tenantId, entry.userId);
};

export const createSqliteIndex = (db: Db, file: string): PassageIndex => {
  const thread = createReaderThread(file);

  const countHidden = async (tenantId: string): Promise<number> => {
    const row = await hiddenChunks(db.read)
      .select((w) => w.fn.countAll<number>().as('n'))
      .where('chunks.tenant_id', '=', tenantId)
      .executeTakeFirst();
    return Number(row?.n ?? 0);
  };

  /** The sets of roles that the caller has shared documents with, as audiences, where the caller has none of the roles. */
  const ownSets = async (scope: Scope): Promise<number[]> => {
    const rows = await db.read
      .selectFrom('documents')
      .select('reader_roles')
      .distinct()
      .where('tenant_id', '=', scope.tenantId)
      .where('user_id', '=', scope.userId)
      .where('visibility', '=', sql.lit('role'))
      .execute();
    return rows.flatMap((row) => ((row.reader_roles & rolesOf(scope)) === 0 ? [-row.reader_roles] : []));
  };

  return {
    async prepare(tx, model) {
      // chunk_size: rows per block; the default of 1,024 costs 1.6 MB for each tenant.
      await sql`create virtual table if not exists ${vectorTable(model)} using vec0(
        tenant text partition key, audience integer,
        embedding float[${sql.raw(String(model.dimensions))}], chunk_size=64)`.execute(tx);
    },

    async add(tx, model, entries) {
      for (const entry of entries) {
        await addWords(tx, entry);
        await sql`insert into ${vectorTable(model)}(rowid, tenant, audience, embedding)
          values (${BigInt(entry.seq)}, ${entry.tenantId}, ${audience(entry)}, ${bytesOf(entry.vector)})`.execute(
          tx,
        );
      }
    },

    async share(tx, models, entry) {
      await sql`delete from chunk_terms where rowid = ${BigInt(entry.seq)}`.execute(tx);
      await addWords(tx, entry);
      for (const model of models) {
        await sql`update ${vectorTable(model)} set audience = ${audience(entry)} where rowid = ${BigInt(entry.seq)}`.execute(
          tx,
        );
      }
    },

    async remove(tx, models, seqs) {
      for (const number of seqs) {
        const seq = BigInt(number);
        await sql`delete from chunk_terms where rowid = ${seq}`.execute(tx);
        for (const model of models)
          await sql`delete from ${vectorTable(model)} where rowid = ${seq}`.execute(tx);
      }
    },

    async drop(tx, model) {
      await sql`drop table if exists ${vectorTable(model)}`.execute(tx);
    },

    async candidates({ scope, filters, terms, vectors, depth }) {
      // Mostly there are none, and passing over none costs half as much again in FTS5. What is hidden from here on drops
      // out when the passages are read, which ranks again.
      const hidden = await countHidden(scope.tenantId);
      const allowed = filters === null ? null : filteredSeqs(db.read, scope, filters);
      const queries = [];
      if (terms.length > 0) {
        // Words need no column filter, which doubles the time: a word that is a token finds only what the scope has anyway.
        const match = `${scopeMatch(scope)} AND (${textMatch(terms)})`;
        // The plus keeps SQLite from asking the index once for each allowed row.
        const narrowed = allowed === null ? sql`` : sql`and +rowid in ${allowed}`;
        queries.push(
          sql`select r.seq, c.document_id from (
              select rowid as seq, rank as place from chunk_terms where chunk_terms match ${match}
              ${hidden === 0 ? sql`` : sql`and +rowid not in ${hiddenSeqs(db.read)}`} ${narrowed}
              order by rank limit ${BigInt(depth)}
            ) r join chunks c on c.seq = r.seq order by r.place`.compile(db.read),
        );
      }
      if (vectors.length > 0) {
        const own = scope.reach === 'tenant' ? [] : await ownSets(scope);
        const readers =
          scope.reach === 'tenant'
            ? sql``
            : // An owner's own sets of roles as well: what of them is somebody else's is dropped by the reader of the rows.
              sql`and audience in (${sql.raw(
                [
                  0,
                  audienceOf(scope.tenantId, scope.userId),
                  ...setsThatMeet(rolesOf(scope)).map((set) => -set),
                  ...own,
                ].join(', '),
              )})`;
        const narrowed = allowed === null ? sql`` : sql`and rowid in ${allowed}`;
        // These filter after the nearest have been found, hence more of them are asked for.
        const unhidden = hidden === 0 ? sql`` : sql`where r.seq not in ${hiddenSeqs(db.read)}`;
        for (const { model, vector } of vectors) {
          queries.push(
            sql`select r.seq, r.distance, c.document_id from (
                select rowid as seq, distance from ${vectorTable(model)} where embedding match ${bytesOf(vector)}
                and k = ${BigInt(Math.min(depth + hidden, MAX_K))} and tenant = ${scope.tenantId} ${readers} ${narrowed}
              ) r join chunks c on c.seq = r.seq ${unhidden} order by r.distance
              limit ${BigInt(depth)}`.compile(db.read),
          );
        }
      }
      const results = queries.length === 0 ? [] : await thread.all(queries);
      const lexical = terms.length > 0 ? (results.shift() ?? []) : [];
      return {
        lexical: lexical.map(candidateOf),
        // Euclidean distance of unit vectors to cosine.
        semantic: results.map((rows) =>
          rows.map((row) => ({ ...candidateOf(row), similarity: 1 - Number(row.distance) ** 2 / 2 })),
        ),
      };
    },

    close: () => thread.close(),
  };
};
