import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Db } from '../../src/db/db.ts';
import { openPostgres } from '../../src/db/open.ts';
import { createPostgresIndex } from '../../src/features/knowledge/index-postgres.store.ts';
import type { PassageIndex } from '../../src/features/knowledge/passage-index.ts';
import { queryTerms } from '../../src/features/knowledge/terms.rules.ts';
import { newDatabase, postgresServer } from '../support/stores.ts';

/** A tenant of many passages that nearly all have the same words; another tenant has the rare one in all of its own. */
describe('words on PostgreSQL', () => {
  const MANY = 2_200;
  let db: Db;
  let index: PassageIndex;
  let database: { url: string; drop(): Promise<void> };

  const document = async (id: string, tenantId: string, contentType: string, texts: readonly string[]) => {
    const vector = new Float32Array(8).fill(Math.sqrt(1 / 8));
    await db.write(async (tx) => {
      await sql`insert into documents (id, tenant_id, user_id, status, title, content_type, size_bytes, sha256,
        chunk_count, visibility, metadata, folded_name, model_n, chunking_version, created_at, text)
        values (${id}, ${tenantId}, 'ann', 'ready', 't', ${contentType}, 1, ${id}, ${texts.length}, 'private', '{}', 't',
          1, 1, 1, 't')`.execute(tx);
      const { rows } = await sql<{ seq: number; ordinal: number }>`
        insert into chunks (id, document_id, tenant_id, ordinal, start_offset, end_offset, heading_path, text)
        select ${id} || ' ' || i, ${id}, ${tenantId}, i, 0, 1, '[]', 't' from generate_series(0, ${texts.length - 1}::integer) i
        returning seq, ordinal`.execute(tx);
      await index.add(
        tx,
        { n: 1, id: 'test', dimensions: 8 },
        rows.map(({ seq, ordinal }) => ({
          seq,
          tenantId,
          userId: 'ann',
          visibility: 'private',
          readerRoles: 0,
          titleWords: '',
          words: texts[ordinal] ?? '',
          vector,
        })),
      );
    });
  };

  const found = async (
    query: string,
    { userId = 'ann', contentTypes }: { userId?: string; contentTypes?: string[] } = {},
  ): Promise<string[]> => {
    const filters = contentTypes === undefined ? null : { contentTypes };
    const scope = { tenantId: 'north', userId, reach: 'own' } as const;
    const hits = await index.byWords({ scope, filters, depth: 50 }, queryTerms(query));
    return hits.map((hit) => hit.documentId);
  };

  beforeAll(async () => {
    database = await newDatabase(postgresServer ?? '');
    db = await openPostgres({ url: database.url, maxConnections: 4, unscoped: 'all' });
    index = await createPostgresIndex(db);
    await db.write(async (tx) => {
      await sql`insert into embedding_models (n, id, dimensions, created_at) values (1, 'test', 8, 1)`.execute(
        tx,
      );
      await index.prepare(tx, { n: 1, id: 'test', dimensions: 8 });
    });
    const filler = Array.from({ length: MANY }, (_, i) => `the harbour keeps its light number ${i}`);
    await document('filler', 'north', 'text/plain', filler);
    await document('rare', 'north', 'text/markdown', ['the harbour has a zymurgist']);
    await document('twice', 'north', 'text/markdown', [
      'a lantern and a lantern',
      'one lantern with much else',
    ]);
    await document('foreign', 'south', 'text/plain', Array<string>(300).fill('a zymurgist of the harbour'));
  });
  afterAll(async () => {
    await db?.close();
    await database?.drop();
  });

  it('that over half of many passages have are left out beside a rarer one', async () => {
    expect(await found('harbour zymurgist')).toEqual(['rare']);
    // The light is rarer than the harbour, by one passage: the rarest of them is looked for all the same.
    expect(await found('harbour light')).toHaveLength(50);
    expect(await found('harbour')).toHaveLength(50);
  });

  it('are ranked by how often they stand in a passage and how long it is', async () => {
    const scope = { tenantId: 'north', userId: 'ann', reach: 'own' } as const;
    const hits = await index.byWords({ scope, filters: null, depth: 50 }, queryTerms('lanterns'));
    const { rows } = await sql<{
      seq: number;
    }>`select seq from chunks where document_id = 'twice' order by ordinal`.execute(db.read);
    expect(hits.map((hit) => hit.seq)).toEqual(rows.map((row) => row.seq));
  });

  it('are found only where the filters and the reader leave them', async () => {
    expect(await found('harbour zymurgist', { contentTypes: ['text/plain'] })).toEqual([]);
    expect(await found('harbour zymurgist', { contentTypes: ['text/markdown'] })).toEqual(['rare']);
    expect(await found('zymurgist', { userId: 'ben' })).toEqual([]);
  });

  it('that are none for the dictionary find nothing', async () => {
    expect(await found('the')).toEqual([]);
    expect(await found('the zymurgist')).toEqual(['rare']);
  });
});
