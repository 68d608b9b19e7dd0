import { createHash } from 'node:crypto';
import path from 'node:path';
import { sql } from 'kysely';
import pg from 'pg';
import type { Db } from '../../server/src/db/db.ts';
import { openPostgres, openSqlite } from '../../server/src/db/open.ts';
import { createIndexLoader } from '../../server/src/features/knowledge/index.ts';
import { newId } from '../../server/src/kernel/ids.ts';

/** Documents by the thousand, written past the API: words as texts have them and vectors of no meaning. */

const CHUNKS_PER_DOCUMENT = 50;
const DIMENSIONS = 384;
const VOCABULARY = 20_000;

export interface Owner {
  tenantId: string;
  userId: string;
}

/** The same numbers in each run (a linear congruential generator, Numerical Recipes). */
let seed = 42;
const random = (): number => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 2 ** 32;
};
/** Words as texts have them: the n-th most frequent one about 1/n as often as the first (Zipf). */
export const word = (): string => `w${Math.floor(Math.exp(random() * Math.log(VOCABULARY))).toString(16)}`;
export const sentence = (words: number): string => Array.from({ length: words }, word).join(' ');

/** The store of a server that is down; `databaseUrl` is empty for SQLite. */
export const openStore = (dataDir: string, databaseUrl: string): Promise<Db> =>
  databaseUrl === ''
    ? openSqlite({ file: path.join(dataDir, 'pentarch.sqlite'), synchronous: 'normal' })
    : openPostgres({ url: databaseUrl, unscoped: 'all' });

const unitVector = (): Float32Array => {
  const vector = Float32Array.from({ length: DIMENSIONS }, () => random() - 0.5);
  const length = Math.hypot(...vector);
  return vector.map((x) => x / length);
};

/**
 * On PostgreSQL `work` without the two ranking indexes, which are made anew afterwards: a hundred times faster at this size.
 * `url` is empty for SQLite, where there is nothing to leave out.
 */
export const withoutIndexes = async (url: string, work: () => Promise<void>): Promise<void> => {
  if (url === '') return work();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("select set_config('app.tenant', '*', false)");
  try {
    const { rows: indexes } = await client.query<{ indexname: string; indexdef: string }>(
      "select indexname, indexdef from pg_indexes where indexname in ('chunk_terms_gin', 'vectors_1_hnsw')",
    );
    for (const { indexname } of indexes) await client.query(`drop index ${indexname}`);
    await work();
    await client.query("set maintenance_work_mem = '3GB'");
    for (const { indexdef } of indexes) await client.query(indexdef);
    await client.query('vacuum analyze');
  } finally {
    await client.end();
  }
};

/**
 * PostgreSQL, beyond what can be written passage by passage: `times` more of all documents, as copies with vectors of their
 * own, in statements of the database itself.
 */
export const multiplyChunks = async (url: string, times: number): Promise<void> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("select set_config('app.tenant', '*', false)");
  try {
    const { rows: names } = await client.query<{ name: string }>(
      `select attname as name from pg_attribute where attrelid = 'documents'::regclass and attnum > 0
       and not attisdropped and attname not in ('id', 'sha256')`,
    );
    const rest = names.map((row) => row.name).join(', ');
    for (let n = 1; n <= times; n += 1) {
      const copy = (id: string): string => `md5(${id} || '#${n}')::uuid::text`;
      await client.query('begin');
      await client.query(`create temporary table copied on commit drop as
        select seq, id, document_id from chunks where length(document_id) = 36 and document_id in
          (select id from documents where external_id is null and title = 'Book' and size_bytes = 1)`);
      await client.query(`insert into documents (id, sha256, ${rest})
        select ${copy('id')}, md5(id || '#${n}') || md5(id), ${rest.replace('size_bytes', '2')} from documents
        where id in (select document_id from copied)`);
      await client.query(`insert into chunks (id, document_id, tenant_id, ordinal, start_offset, end_offset, heading_path, text)
        select ${copy('c.id')}, ${copy('c.document_id')}, c.tenant_id, ordinal, start_offset, end_offset, heading_path, text
        from copied o join chunks c on c.seq = o.seq`);
      await client.query(`insert into chunk_terms (seq, terms, length)
        select n.seq, t.terms, t.length from copied o join chunk_terms t on t.seq = o.seq join chunks n on n.id = ${copy('o.id')}`);
      await client.query(`insert into vectors_1 (seq, tenant_id, user_id, shared, roles, embedding)
        select n.seq, v.tenant_id, v.user_id, v.shared, v.roles, (
          select l2_normalize(array_agg(random() - 0.5 + (g + v.seq) * 0)::vector) from generate_series(1, ${DIMENSIONS}) g)
        from copied o join vectors_1 v on v.seq = o.seq join chunks n on n.id = ${copy('o.id')}`);
      await client.query('commit');
    }
  } finally {
    await client.end();
  }
};

/** Whole documents until there are `wanted` chunks, turn by turn over the tenants. */
export const fillChunks = async (
  db: Db,
  dataDir: string,
  owners: readonly Owner[],
  have: number,
  wanted: number,
): Promise<void> => {
  const file = db.dialect === 'sqlite' ? path.join(dataDir, 'pentarch.sqlite') : null;
  const loader = await createIndexLoader(db, file);
  const [model] = await db.read.selectFrom('embedding_models').select(['n', 'id', 'dimensions']).execute();
  const [sample] = await db.read.selectFrom('documents').select(['chunking_version']).execute();
  if (model === undefined || sample === undefined) throw new Error('no document has been uploaded');
  await loader.prepare([model]);
  // It has just made the index again that `withoutIndexes` makes at the end.
  if (db.dialect === 'postgres') await sql`drop index if exists vectors_1_hnsw`.execute(db.read);
  for (let n = have; n < wanted; n += CHUNKS_PER_DOCUMENT) {
    const owner = owners[(n / CHUNKS_PER_DOCUMENT) % owners.length] ?? owners[0];
    if (owner === undefined) throw new Error('no tenant');
    const id = newId();
    const chunks = Array.from({ length: CHUNKS_PER_DOCUMENT }, (_, i) => ({
      id: newId(),
      document_id: id,
      tenant_id: owner.tenantId,
      ordinal: i,
      start_offset: 0,
      end_offset: 1,
      heading_path: '["Book"]',
      text: sentence(120),
    }));
    await db.write(async (tx) => {
      await tx
        .insertInto('documents')
        .values({
          id,
          tenant_id: owner.tenantId,
          user_id: owner.userId,
          status: 'ready',
          title: 'Book',
          content_type: 'text/plain',
          size_bytes: 1,
          sha256: createHash('sha256').update(id).digest('hex'),
          chunk_count: chunks.length,
          visibility: 'tenant',
          metadata: '{}',
          folded_name: 'book',
          text: 'x',
          model_n: model.n,
          chunking_version: sample.chunking_version,
          created_at: Date.now(),
        })
        .execute();
      await tx.insertInto('chunks').values(chunks).execute();
    });
    await loader.add(chunks.map((chunk) => ({ chunkId: chunk.id, vector: unitVector() })));
  }
  await loader.close();
};
