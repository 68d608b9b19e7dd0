import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Db } from '../../db/db.ts';
import { createReaderThread } from '../../db/sqlite/reader-thread.ts';
import type { Scope } from '../../kernel/caller.ts';
import { filteredSeqs, hiddenChunks, hiddenSeqs } from './filters.store.ts';
import type { Candidate, EmbeddingModel, IndexEntry, PassageIndex } from './passage-index.ts';
import { rolesOf, setsThatMeet } from './rules.ts';
import { createSqliteWords } from './words-sqlite.store.ts';

/**
 * FTS5 and sqlite-vec. Who may read a chunk is in both indexes (tokens of the column `scope`; partition and `audience`),
 * so ranking looks only at what the caller may see. Both rank in the reader thread.
 */

const digest = (kind: string, ...parts: string[]): Buffer =>
  createHash('sha256')
    .update(JSON.stringify([kind, ...parts]))
    .digest();

/** A number that stands for the owner (48 bits of a hash, never 0). */
const audienceOf = (tenantId: string, userId: string): bigint =>
  BigInt(digest('u', tenantId, userId).readUIntBE(0, 6)) | 1n;

const bytesOf = (vector: Float32Array): Uint8Array =>
  new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);

const vectorTable = (model: EmbeddingModel) => sql.table(`vectors_${model.n}`);

const candidateOf = (row: Record<string, unknown>): Candidate => ({
  seq: Number(row.seq),
  documentId: String(row.document_id),
});

/** sqlite-vec answers at most this many. */
const MAX_K = 4096;

/** 0 = all of the tenant, below it a set of roles, above it the owner. */
const audience = (entry: Omit<IndexEntry, 'vector'>): bigint => {
  if (entry.visibility === 'tenant') return 0n;
  return entry.visibility === 'role' ? -BigInt(entry.readerRoles) : audienceOf(entry.tenantId, entry.userId);
};

export const createSqliteIndex = (db: Db, file: string): PassageIndex => {
  const thread = createReaderThread(file);
  const words = createSqliteWords(db);

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
        await words.add(tx, entry);
        await sql`insert into ${vectorTable(model)}(rowid, tenant, audience, embedding)
          values (${BigInt(entry.seq)}, ${entry.tenantId}, ${audience(entry)}, ${bytesOf(entry.vector)})`.execute(
          tx,
        );
      }
    },

    async share(tx, models, entry) {
      await words.share(tx, entry);
      for (const model of models) {
        await sql`update ${vectorTable(model)} set audience = ${audience(entry)} where rowid = ${BigInt(entry.seq)}`.execute(
          tx,
        );
      }
    },

    async remove(tx, models, seqs) {
      await words.remove(tx, seqs);
      for (const seq of seqs) {
        for (const model of models)
          await sql`delete from ${vectorTable(model)} where rowid = ${BigInt(seq)}`.execute(tx);
      }
    },

    async drop(tx, model) {
      await sql`drop table if exists ${vectorTable(model)}`.execute(tx);
    },

    async byWords({ scope, filters, depth }, terms) {
      if (terms.length === 0) return [];
      // Mostly there are none, and passing over none costs half as much again in FTS5. What is hidden from here on drops
      // out when the passages are read, which ranks again.
      const hidden = await countHidden(scope.tenantId);
      // The plus keeps SQLite from asking the index once for each allowed row.
      const narrowed = sql`${hidden === 0 ? sql`` : sql`and +rowid not in ${hiddenSeqs(db.read)}`}
        ${filters === null ? sql`` : sql`and +rowid in ${filteredSeqs(db.read, scope, filters)}`}`;
      const ranked = async (): Promise<Candidate[]> => {
        const query = await words.ranking(scope, terms, narrowed, depth);
        if (query === null) return [];
        const [rows = []] = await thread.all([query]);
        return rows.map(candidateOf);
      };
      // A second time: the table of an earlier release goes when the last words have been moved out of it.
      return ranked().catch(ranked);
    },

    async byVectors({ scope, filters, depth }, vectors) {
      if (vectors.length === 0) return [];
      const hidden = await countHidden(scope.tenantId);
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
      const narrowed = filters === null ? sql`` : sql`and rowid in ${filteredSeqs(db.read, scope, filters)}`;
      // This filters after the nearest have been found, hence more of them are asked for.
      const unhidden = hidden === 0 ? sql`` : sql`where r.seq not in ${hiddenSeqs(db.read)}`;
      const queries = vectors.map(({ model, vector }) =>
        sql`select r.seq, r.distance, c.document_id from (
            select rowid as seq, distance from ${vectorTable(model)} where embedding match ${bytesOf(vector)}
            and k = ${BigInt(Math.min(depth + hidden, MAX_K))} and tenant = ${scope.tenantId} ${readers} ${narrowed}
          ) r join chunks c on c.seq = r.seq ${unhidden} order by r.distance
          limit ${BigInt(depth)}`.compile(db.read),
      );
      const found = await thread.all(queries);
      // Euclidean distance of unit vectors to cosine.
      return found.map((rows) =>
        rows.map((row) => ({ ...candidateOf(row), similarity: 1 - Number(row.distance) ** 2 / 2 })),
      );
    },

    renew: words.move,

    close: () => thread.close(),
  };
};
