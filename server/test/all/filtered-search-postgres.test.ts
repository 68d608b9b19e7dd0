import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Db } from '../../src/db/db.ts';
import { openPostgres } from '../../src/db/open.ts';
import { createPostgresIndex } from '../../src/features/knowledge/index-postgres.store.ts';
import { newDatabase, postgresServer } from '../support/stores.ts';

/**
 * A tenant's few passages among thousands of others' that are nearer to the question, found by way of the vector index:
 * without iterative scans it gives the nearest hundred of all, of which the filter leaves nothing.
 */
describe('search by vector under a filter', () => {
  let db: Db;
  let database: { url: string; drop(): Promise<void> };
  beforeAll(async () => {
    database = await newDatabase(postgresServer ?? '');
    db = await openPostgres({ url: database.url, maxConnections: 4, unscoped: 'all' });
  });
  afterAll(async () => {
    await db?.close();
    await database?.drop();
  });

  it('gives as many as are asked for among thousands that are all but equal', async () => {
    const model = { n: 2, id: 'same', dimensions: 8 };
    const index = await createPostgresIndex(db);
    await db.write(async (tx) => {
      await sql`insert into embedding_models (n, id, dimensions, created_at) values (2, 'same', 8, 1)`.execute(
        tx,
      );
      await index.prepare(tx, model);
      for (const tenant of ['a', 'b', 'c', 'd']) {
        await sql`insert into documents (id, tenant_id, user_id, status, title, content_type, size_bytes, sha256,
          chunk_count, visibility, metadata, folded_name, model_n, chunking_version, created_at, text)
          values (${`same ${tenant}`}, ${tenant}, 'u', 'ready', 't', 'text/plain', 1, ${tenant}, 1, 'tenant', '{}', 't', 2, 1, 1, 't')`.execute(
          tx,
        );
      }
      await sql`insert into chunks (id, document_id, tenant_id, ordinal, start_offset, end_offset, heading_path, text)
        select 'same ' || i, 'same ' || chr(97 + i % 4), chr(97 + i % 4), i, 0, 1, '[]', 't'
        from generate_series(1, 8000) i`.execute(tx);
      await sql`insert into vectors_2 (seq, tenant_id, user_id, shared, embedding)
        select c.seq, c.tenant_id, 'u', true,
          ('[' || cos(c.ordinal * 1e-7) || ',' || sin(c.ordinal * 1e-7) || ',0,0,0,0,0,0]')::vector
        from chunks c where c.id like 'same %'`.execute(tx);
    });
    const vector = new Float32Array(8);
    vector[0] = 1;
    for (const [tenant, depth] of [
      ['a', 40],
      ['b', 200],
      ['c', 1_000],
      ['d', 5_000],
    ] as const) {
      const [semantic = []] = await index.byVectors(
        { scope: { tenantId: tenant, userId: 'u', reach: 'tenant' }, filters: null, depth },
        [{ model, vector }],
      );
      expect(semantic.length, tenant).toBe(Math.min(depth, 2_000));
      expect(new Set(semantic.map((hit) => hit.documentId))).toEqual(new Set([`same ${tenant}`]));
      expect(new Set(semantic.map((hit) => hit.seq)).size).toBe(semantic.length);
    }
  });

  it('gives as many passages as there are', async () => {
    const model = { n: 1, id: 'test', dimensions: 8 };
    const index = await createPostgresIndex(db);
    await db.write(async (tx) => {
      await sql`insert into embedding_models (n, id, dimensions, created_at) values (1, 'test', 8, 1)`.execute(
        tx,
      );
      await index.prepare(tx, model);
      for (const tenant of ['few', 'many']) {
        await sql`insert into documents (id, tenant_id, user_id, status, title, content_type, size_bytes, sha256,
          chunk_count, visibility, metadata, folded_name, model_n, chunking_version, created_at, text)
          values (${tenant}, ${tenant}, 'u', 'ready', 't', 'text/plain', 1, ${tenant}, 1, 'tenant', '{}', 't', 1, 1, 1, 't')`.execute(
          tx,
        );
      }
      await sql`insert into chunks (id, document_id, tenant_id, ordinal, start_offset, end_offset, heading_path, text)
        select i::text, case when i <= 20 then 'few' else 'many' end, case when i <= 20 then 'few' else 'many' end,
          i, 0, 1, '[]', 't' from generate_series(1, 3000) i`.execute(tx);
      const type = sql.raw(
        (
          await sql<{ t: string }>`select format_type(atttypid, null) as t from pg_attribute
            where attrelid = 'vectors_1'::regclass and attname = 'embedding'`.execute(tx)
        ).rows[0]?.t ?? 'vector',
      );
      // On a quarter of a circle away from the question, which is (1, 0, …): the others' are all nearer to it than these.
      await sql`insert into vectors_1 (seq, tenant_id, user_id, shared, embedding)
        select c.seq, c.tenant_id, 'u', true,
          ('[' || cos(1.5 - c.ordinal * 0.0005) || ',' || sin(1.5 - c.ordinal * 0.0005) || ',0,0,0,0,0,0]')::${type}
        from chunks c`.execute(tx);
      // Leaves the planner the vector index alone, as a large table of many tenants makes it choose by cost.
      await sql`drop index vectors_1_scope`.execute(tx);
    });
    for (const name of ['enable_seqscan', 'enable_sort', 'enable_bitmapscan']) {
      await sql`alter database ${sql.ref(new URL(database.url).pathname.slice(1))} set ${sql.raw(name)} = off`.execute(
        db.read,
      );
    }
    // Settings of the database hold for connections made from now on.
    await db.close();
    db = await openPostgres({ url: database.url, maxConnections: 4, unscoped: 'all' });
    const again = await createPostgresIndex(db);
    const vector = new Float32Array(8);
    vector[0] = 1;
    const [semantic = []] = await again.byVectors(
      { scope: { tenantId: 'few', userId: 'u', reach: 'tenant' }, filters: null, depth: 20 },
      [{ model, vector }],
    );
    expect(semantic.length).toBe(20);
    expect(new Set(semantic.map((hit) => hit.documentId))).toEqual(new Set(['few']));
  });
});
