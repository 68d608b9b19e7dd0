import { sql } from 'kysely';
import { afterEach, describe, expect, it } from 'vitest';
import { type KnowledgeHouse, openKnowledge } from '../../../test/support/knowledge.ts';

const ANN = { tenantId: 'north', userId: 'ann', reach: 'own' } as const;
const BEN = { tenantId: 'north', userId: 'ben', reach: 'own' } as const;
const ZOE = { tenantId: 'south', userId: 'zoe', reach: 'own' } as const;

describe('words on SQLite', () => {
  let house: KnowledgeHouse | null = null;
  afterEach(async () => {
    await house?.close();
    house = null;
  });

  const upload = async (h: KnowledgeHouse, who: string, body: Record<string, unknown>): Promise<string> => {
    const answer = await h.app.inject({
      method: 'POST',
      url: '/v2/knowledge/documents',
      payload: { title: 'T', ...body },
      headers: { authorization: `Bearer ${who}` },
    });
    expect(answer.statusCode).toBe(201);
    return answer.json<{ id: string }>().id;
  };

  const tables = async (h: KnowledgeHouse): Promise<string[]> => {
    const { rows } = await sql<{ name: string }>`select name from sqlite_master
      where type = 'table' and name like 'chunk_terms%' and sql like '%fts5%' order by name`.execute(
      h.db.read,
    );
    return rows.map((row) => row.name);
  };

  const found = async (h: KnowledgeHouse, scope: typeof ANN | typeof BEN | typeof ZOE, query: string) =>
    (await h.knowledge.search(scope, query, 10)).map((hit) => hit.documentId);

  it('of an earlier release are moved into tables of the tenants, and found and deleted all the while', async () => {
    // Only words find anything here: the vectors are all the same.
    const same = new Float32Array(8).fill(Math.sqrt(1 / 8));
    house = await openKnowledge({
      embedder: {
        id: 'same',
        dimensions: 8,
        local: true,
        embed: (_payer, texts) => Promise.resolve({ vectors: texts.map(() => same), tokens: 1 }),
      },
    });
    const h = house;
    // As the earlier release left it: one table of all tenants.
    await h.db.write(async (tx) => {
      await sql`create virtual table chunk_terms using fts5(scope, title, body, content = '', contentless_delete = 1,
        tokenize = "porter unicode61 remove_diacritics 0 categories 'L* N* Co Mn Mc'")`.execute(tx);
      await sql`insert into chunk_terms(chunk_terms, rank) values ('rank', 'bm25(0.0, 2.0, 1.0)')`.execute(
        tx,
      );
      await tx
        .insertInto('chunk_terms_tables')
        .values([
          { tenant_id: 'north', n: 1, moved: 0 },
          { tenant_id: 'south', n: 2, moved: 0 },
        ])
        .execute();
    });
    const filler = Array.from(
      { length: 90 },
      (_, i) => `Paragraph ${i}. ${'It stands by the sea. '.repeat(60)}`,
    );
    await upload(h, 'ann', { content: filler.join('\n\n') });
    const gone = await upload(h, 'ann', { content: 'The bosun left.' });
    const secret = await upload(h, 'ann', { content: 'The bosun whispers.' });
    const shared = await upload(h, 'ben', { content: 'The bosun sings.', visibility: 'tenant' });
    const south = await upload(h, 'zoe', { content: 'A bosun of the south.' });
    await h.db.write(async (tx) => {
      await sql`drop table chunk_terms_1`.execute(tx);
      await sql`drop table chunk_terms_2`.execute(tx);
    });
    expect(await tables(h)).toEqual(['chunk_terms']);

    const words = async (scope: typeof ANN | typeof BEN | typeof ZOE) =>
      (await found(h, scope, 'bosun')).filter((id) => [gone, secret, shared, south].includes(id)).sort();
    expect(await words(ANN)).toEqual([gone, secret, shared].sort());
    const removed = await h.app.inject({
      method: 'DELETE',
      url: `/v2/knowledge/documents/${gone}`,
      headers: { authorization: 'Bearer ann' },
    });
    expect(removed.statusCode).toBe(204);

    await h.knowledge.recover();
    let rounds = 0;
    while (rounds < 3 || (await tables(h)).includes('chunk_terms')) {
      expect((await words(ANN)).slice(0, 2)).toEqual([secret, shared].sort());
      expect(await words(BEN)).toEqual([shared]);
      expect(await words(ZOE)).toEqual([south]);
      rounds += 1;
    }
    expect(await tables(h)).toEqual(['chunk_terms_1', 'chunk_terms_2']);
    const later = await upload(h, 'ann', { content: 'Another bosun.' });
    expect(await found(h, ANN, 'bosun')).toContain(later);
    expect(h.faults).toEqual([]);
  });

  it('that nearly all of many passages have do not hide the rare one, and alone still fill an answer', async () => {
    house = await openKnowledge();
    const h = house;
    const filler = Array.from(
      { length: 1_100 },
      (_, i) => `## Part ${i}\n\n${'The harbour keeps its harbour light. '.repeat(3)}`,
    );
    for (let at = 0; at < filler.length; at += 100) {
      await upload(h, 'ann', { content: filler.slice(at, at + 100).join('\n\n'), content_type: 'markdown' });
    }
    const rare = await upload(h, 'ann', { content: 'The harbour has a zymurgist.' });
    const { n } = await h.db.read
      .selectFrom('chunks')
      .select((w) => w.fn.countAll<number>().as('n'))
      .executeTakeFirstOrThrow();
    expect(n).toBeGreaterThan(1_000);
    expect((await found(h, ANN, 'harbour zymurgist'))[0]).toBe(rare);
    expect(await found(h, ANN, 'harbour light')).toHaveLength(10);
  });
});
