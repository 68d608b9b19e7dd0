import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createFolderBlobs } from '../../src/adapters/blobs/folder.ts';
import type { Caller } from '../../src/kernel/caller.ts';
import { ownScope } from '../../src/kernel/caller.ts';
import { AppError } from '../../src/kernel/errors.ts';
import { ModelError } from '../../src/kernel/model.ts';
import type { Reranker } from '../../src/kernel/reranker.ts';
import type { ToolContext } from '../../src/kernel/tools.ts';
import { req } from '../requirements.ts';
import {
  CALLERS,
  type KnowledgeHouse,
  meaningEmbedder,
  openKnowledge,
  wordEmbedder,
} from '../support/knowledge.ts';
import { outletTo } from '../support/outbox.ts';

/**
 * What survives crashes, races, a change of the model and erasure: counted in every place that holds something.
 * `fresh` gives an empty database for one test.
 */

export const knowledgeRecoverySuite = (
  database: string,
  fresh: () => Promise<{ postgresUrl?: string }>,
): void => {
  describe(`knowledge after faults on ${database}`, () => {
    let folder: string;
    let place: { postgresUrl?: string };
    let house: KnowledgeHouse | null = null;
    beforeEach(async () => {
      place = await fresh();
      folder = mkdtempSync(path.join(tmpdir(), 'pentarch-recovery-'));
    });
    afterEach(async () => {
      await house?.close();
      house = null;
      rmSync(folder, { recursive: true });
    });

    const start = async (options: Parameters<typeof openKnowledge>[0] = {}): Promise<KnowledgeHouse> => {
      await house?.close();
      house = await openKnowledge({ folder, ...place, ...options });
      return house;
    };

    const caller = (name: string): Caller => {
      const found = CALLERS[name];
      if (found === undefined) throw new Error(name);
      return found;
    };
    const ann = caller('ann');

    const upload = async (
      h: KnowledgeHouse,
      content: string,
      more: Record<string, unknown> = {},
      who = 'ann',
    ) => {
      const answer = await h.app.inject({
        method: 'POST',
        url: '/v2/knowledge/documents',
        payload: { title: 'T', content, ...more },
        headers: { authorization: `Bearer ${who}` },
      });
      expect(answer.statusCode).toBe(201);
      return answer.json() as { id: string; chunk_count: number };
    };

    const remove = (h: KnowledgeHouse, id: string) =>
      h.app.inject({
        method: 'DELETE',
        url: `/v2/knowledge/documents/${id}`,
        headers: { authorization: 'Bearer ann' },
      });

    const blobNames = (): string[] => {
      const files = readdirSync(folder, { recursive: true, withFileTypes: true });
      return files.filter((f) => f.isFile() && f.parentPath.includes('blobs')).map((f) => f.name);
    };

    /** Everything that is kept of documents, by place. */
    const counts = async (h: KnowledgeHouse) => {
      const one = async (table: string): Promise<number> => {
        const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`.execute(
          h.db.read,
        );
        return rows[0]?.n ?? -1;
      };
      const words = async (): Promise<number> => {
        if (h.db.dialect === 'postgres') return one('chunk_terms');
        const tables = await h.db.read.selectFrom('chunk_terms_tables').select('n').execute();
        let sum = 0;
        for (const { n } of tables) sum += await one(`chunk_terms_${n}`);
        return sum;
      };
      const model = await h.db.read
        .selectFrom('embedding_models')
        .select('n')
        .orderBy('n', 'desc')
        .executeTakeFirstOrThrow();
      return {
        documents: await one('documents'),
        facts: await one('document_facts'),
        chunks: await one('chunks'),
        words: await words(),
        vectors: await one(`vectors_${model.n}`),
        blobs: blobNames().length,
      };
    };
    const NOTHING = { documents: 0, facts: 0, chunks: 0, words: 0, vectors: 0, blobs: 0 };

    const paragraphs = (n: number): string =>
      Array.from(
        { length: n },
        (_, i) => `Paragraph ${i} tells about the ${i}th lighthouse. ${'It stands by the sea. '.repeat(50)}`,
      ).join('\n\n');

    describe('nothing is left behind', () => {
      it('of a deleted document of many chunks', async () => {
        const h = await start();
        const { id, chunk_count } = await upload(h, paragraphs(150), { metadata: { tags: ['a'] } });
        expect(chunk_count).toBeGreaterThan(130);
        expect(await counts(h)).toMatchObject({
          documents: 1,
          chunks: chunk_count,
          words: chunk_count,
          vectors: chunk_count,
          blobs: 1,
        });
        expect((await remove(h, id)).statusCode).toBe(204);
        expect(await counts(h)).toEqual(NOTHING);
      });

      it('of deletes that race with searches and with each other', async () => {
        const h = await start();
        const { id } = await upload(h, paragraphs(80));
        const results = await Promise.all([
          remove(h, id),
          ...Array.from({ length: 10 }, () => h.knowledge.search(ownScope(ann), 'lighthouse by the sea', 10)),
          remove(h, id),
        ]);
        const statuses = [results.at(0), results.at(-1)].map((r) =>
          r && 'statusCode' in r ? r.statusCode : 0,
        );
        expect(statuses.sort()).toEqual([204, 404]);
        expect(await counts(h)).toEqual(NOTHING);
      });

      it('of an upload whose embedding fails', async () => {
        const embedder = wordEmbedder();
        const h = await start({
          embedder: {
            ...embedder,
            embed: (payer, texts) =>
              texts.some((t) => t.includes('Paragraph 70 '))
                ? Promise.reject(new ModelError('unavailable', 'words', 'away'))
                : embedder.embed(payer, texts),
          },
        });
        const answer = await h.app.inject({
          method: 'POST',
          url: '/v2/knowledge/documents',
          payload: { title: 'T', content: paragraphs(100) },
          headers: { authorization: 'Bearer ann' },
        });
        expect(answer.statusCode).toBe(502);
        expect(await counts(h)).toEqual(NOTHING);
      });

      it('of what a crash left half in or half out', async () => {
        let h = await start();
        const kept = await upload(h, 'This one stays.');
        const halfIn = await upload(h, paragraphs(20));
        const halfOut = await upload(h, paragraphs(21));
        // Old enough that no other node can still be at it.
        const created_at = Date.now() - 3_600_000;
        await h.db.write(async (tx) => {
          await tx
            .updateTable('documents')
            .set({ status: 'indexing', created_at })
            .where('id', '=', halfIn.id)
            .execute();
          await tx
            .updateTable('documents')
            .set({ status: 'deleting', created_at })
            .where('id', '=', halfOut.id)
            .execute();
        });
        h = await start();
        await h.knowledge.recover();
        expect(await counts(h)).toEqual({
          documents: 1,
          facts: 0,
          chunks: 1,
          words: 1,
          vectors: 1,
          blobs: 1,
        });
        expect((await h.knowledge.search(ownScope(ann), 'stays', 5)).map((p) => p.documentId)).toEqual([
          kept.id,
        ]);
      });

      it('of a text that was on its way in when its process died', async () => {
        let h = await start();
        const { id } = await upload(h, 'This one stays.');
        await h.db.write(async (tx) => {
          const created_at = Date.now() - 3_600_000;
          await tx
            .insertInto('hidden_generations')
            .values({ document_id: id, generation: 2, created_at })
            .execute();
          const chunk = {
            id: 'x',
            document_id: id,
            tenant_id: 'north',
            ordinal: 0,
            start_offset: 0,
            end_offset: 1,
          };
          await tx
            .insertInto('chunks')
            .values({ ...chunk, heading_path: '[]', text: 'This one goes.', generation: 2 })
            .execute();
        });
        const chunks = await h.app.inject({
          url: `/v2/knowledge/documents/${id}/chunks`,
          headers: { authorization: 'Bearer ann' },
        });
        expect(chunks.json().items.map((one: { content: string }) => one.content)).toEqual([
          'This one stays.',
        ]);
        h = await start();
        await h.knowledge.recover();
        expect(await counts(h)).toMatchObject({ documents: 1, chunks: 1, words: 1, vectors: 1, blobs: 1 });
        expect(await h.db.read.selectFrom('hidden_generations').selectAll().execute()).toEqual([]);
      });

      it.each(['committed', 'not committed'])(
        'of bytes that were being replaced when the process died, the change %s',
        async (change) => {
          const blobs = createFolderBlobs(path.join(folder, 'blobs'));
          const died = (): Promise<never> => Promise.reject(new Error('died here'));
          const words = { 1: 'The first version.', 2: 'The second version.' };
          let h = await start();
          const { id } = await upload(h, words[1], { external_id: 'book' });
          // What follows the change of the row never happens; or the change itself does not, and nothing after it.
          h = await start({
            blobs: { ...blobs, settle: died, remove: died },
            ...(change === 'committed' ? {} : { outlet: { ...outletTo(() => {}), record: died } }),
          });
          const answer = await h.app.inject({
            method: 'POST',
            url: '/v2/knowledge/documents',
            payload: { title: 'T', content: words[2], external_id: 'book' },
            headers: { authorization: 'Bearer ann' },
          });
          expect(answer.statusCode).toBe(500);
          expect(blobNames().length).toBe(2);
          h = await start();
          await h.knowledge.recover();
          const read = await h.app.inject({
            url: `/v2/knowledge/documents/${id}/content`,
            headers: { authorization: 'Bearer ann' },
          });
          expect([read.statusCode, read.body]).toEqual([200, words[change === 'committed' ? 2 : 1]]);
          // In its place, and nothing beside it that nobody would ever look for.
          expect([blobNames().length, await blobs.staged()]).toEqual([1, []]);
        },
      );

      it('of an erased person, whose data were handed out before', async () => {
        const h = await start();
        await upload(h, 'Private thoughts.', { metadata: { tags: ['x'] } });
        await upload(h, 'Shared thoughts.', { visibility: 'tenant' });
        const other = await upload(h, 'Thoughts of another.', {}, 'ben');
        const exported = await h.knowledge.exportPersonal('north', 'ann');
        expect(exported.map((d) => d.text)).toEqual(['Private thoughts.', 'Shared thoughts.']);
        expect(await h.knowledge.erasePersonal('north', 'ann')).toBe(2);
        expect(await counts(h)).toEqual({
          documents: 1,
          facts: 0,
          chunks: 1,
          words: 1,
          vectors: 1,
          blobs: 1,
        });
        expect((await h.knowledge.exportPersonal('north', 'ben')).map((d) => d.id)).toEqual([other.id]);
      });
    });

    describe('another embedding model', () => {
      it('indexes all documents again, with the same chunk ids, and never mixes vectors', async () => {
        let h = await start({ embedder: wordEmbedder('one', 32) });
        const { id } = await upload(h, 'Copper kettles boil water.');
        const [before] = await h.knowledge.search(ownScope(ann), 'copper kettle', 1);
        h = await start({ embedder: wordEmbedder('two', 48) });
        // Words find it all the while.
        expect(
          (await h.knowledge.search(ownScope(ann), 'copper kettle', 1)).map((p) => p.documentId),
        ).toEqual([id]);
        await h.knowledge.recover();
        const { read } = h.db;
        await vi.waitFor(async () => {
          const models = await read.selectFrom('embedding_models').select(['id', 'dimensions']).execute();
          expect(models).toEqual([{ id: 'two', dimensions: 48 }]);
        }, 10_000);
        expect(await counts(h)).toMatchObject({ chunks: 1, words: 1, vectors: 1 });
        expect(h.faults).toEqual([]);
        h = await start({ embedder: wordEmbedder('two', 48) });
        const [after] = await h.knowledge.search(ownScope(ann), 'copper kettle', 1);
        expect(after?.chunkId).toBe(before?.chunkId);
      });

      it(req('KNOW-03', 'leaves no gap: meaning finds every document all the while'), async () => {
        let h = await start({ embedder: meaningEmbedder('one', 32) });
        const ids: string[] = [];
        for (const place of ['porch', 'pantry', 'attic']) {
          ids.push((await upload(h, `A lantern hangs in the ${place}.`, { title: place })).id);
        }
        const byMeaning = async () =>
          new Set((await h.knowledge.search(ownScope(ann), 'zorvex', 10)).map((p) => p.documentId));
        expect(await byMeaning()).toEqual(new Set(ids));
        const next = meaningEmbedder('two', 48);
        // Documents are indexed one by one, each when the test lets it.
        const gates: (() => void)[] = [];
        h = await start({
          embedder: {
            ...next,
            embed: async (texts, signal, options) => {
              if (!options?.urgent) await new Promise<void>((go) => gates.push(go));
              return next.embed(texts, signal, options);
            },
          },
          earlierEmbedder: ({ id, dimensions }) => (id === 'one' ? meaningEmbedder(id, dimensions) : null),
        });
        expect(await byMeaning()).toEqual(new Set(ids));
        await h.knowledge.recover();
        for (let done = 0; done < ids.length; done++) {
          await vi.waitFor(() => expect(gates.length).toBe(done + 1), 10_000);
          expect(await byMeaning()).toEqual(new Set(ids));
          gates[done]?.();
        }
        await vi.waitFor(async () => {
          expect(await byMeaning()).toEqual(new Set(ids));
          const models = await h.db.read.selectFrom('embedding_models').select('id').execute();
          expect(models).toEqual([{ id: 'two' }]);
        }, 10_000);
        expect(await byMeaning()).toEqual(new Set(ids));
        expect(await counts(h)).toMatchObject({ documents: 3, chunks: 3, words: 3, vectors: 3 });
        expect(h.faults).toEqual([]);
      });

      it('is refused when it gives vectors of another length', async () => {
        const h = await start({ embedder: { ...wordEmbedder('x', 32), dimensions: 40 } });
        const answer = await h.app.inject({
          method: 'POST',
          url: '/v2/knowledge/documents',
          payload: { title: 'T', content: 'Text' },
          headers: { authorization: 'Bearer ann' },
        });
        expect(answer.statusCode).toBe(500);
        expect(await counts(h)).toEqual(NOTHING);
      });

      it('is asked for whoever uploads and searches, once for one query', async () => {
        const embedder = wordEmbedder('paid/model');
        const payers: { tenantId: string; userId: string }[] = [];
        const h = await start({
          embedder: {
            ...embedder,
            local: false,
            embed: (payer, texts) => {
              payers.push(payer);
              return embedder.embed(payer, texts);
            },
          },
        });
        await upload(h, 'Costs a little.');
        await h.knowledge.search(ownScope(ann), 'little', 1);
        await h.knowledge.search(ownScope(ann), 'little', 1);
        expect(payers).toEqual([
          { tenantId: 'north', userId: 'ann' },
          { tenantId: 'north', userId: 'ann' },
        ]);
      });

      it('that no limit leaves room for leaves an agent the search by words, and refuses an upload', async () => {
        const embedder = wordEmbedder();
        let room = true;
        const h = await start({
          embedder: {
            ...embedder,
            embed: (payer, texts) =>
              room ? embedder.embed(payer, texts) : Promise.reject(new AppError('COST_EXCEEDED', 'no room')),
          },
        });
        const { id } = await upload(h, 'Umbrellas keep the rain off.');
        room = false;
        expect((await h.knowledge.search(ownScope(ann), 'umbrella', 3)).map((p) => p.documentId)).toEqual([
          id,
        ]);
        const refused = await h.app.inject({
          method: 'POST',
          url: '/v2/knowledge/documents',
          payload: { title: 'T', content: 'Text' },
          headers: { authorization: 'Bearer ann' },
        });
        expect(refused.statusCode).toBe(402);
      });

      it('that is away leaves the search by words', async () => {
        const embedder = wordEmbedder();
        let away = false;
        const h = await start({
          embedder: {
            ...embedder,
            embed: (payer, texts) =>
              away
                ? Promise.reject(new ModelError('unavailable', 'words', 'away'))
                : embedder.embed(payer, texts),
          },
        });
        const { id } = await upload(h, 'Umbrellas keep the rain off.');
        away = true;
        expect((await h.knowledge.search(ownScope(ann), 'umbrella', 3)).map((p) => p.documentId)).toEqual([
          id,
        ]);
        expect(h.faults).toHaveLength(1);
      });
    });

    describe('a reranker', () => {
      const judge = (scores: (texts: readonly string[]) => number[]): Reranker => ({
        id: 'compatible/judge',
        rerank: async (_query, texts) => ({ scores: scores(texts), tokens: null }),
        close: () => Promise.resolve(),
      });
      const words = ['Rope, rope and rope.', 'A rope of hemp.', 'The rope that holds the bell.'];
      const ask = async (h: KnowledgeHouse, limit: number) =>
        (await h.knowledge.search(ownScope(ann), 'rope', limit)).map(({ text, score }) => [text, score]);

      it('gives the best passages its order and its scores, on the ledger', async () => {
        const charged: string[] = [];
        const h = await start({
          reranker: judge((texts) =>
            texts.map((text) => (text.includes('bell') ? 0.9 : text.includes('hemp') ? 0.4 : 0.1)),
          ),
          charge: async (call, work) => {
            charged.push(`${call.userId} ${call.model} ${call.boundTokens > 0}`);
            return (await work()).result;
          },
        });
        for (const content of words) await upload(h, content);
        // Also what stands behind the limit in the first order is looked at.
        expect(await ask(h, 1)).toEqual([[words[2], 0.9]]);
        expect(await ask(h, 3)).toEqual([
          [words[2], 0.9],
          [words[1], 0.4],
          [words[0], 0.1],
        ]);
        expect(charged).toEqual(['ann compatible/judge true', 'ann compatible/judge true']);
      });

      it('that is away leaves the first order', async () => {
        const away = (): never => {
          throw new ModelError('unavailable', 'compatible', 'away');
        };
        let h = await start();
        for (const content of words) await upload(h, content);
        const first = await ask(h, 3);
        h = await start({ reranker: judge(away) });
        expect(await ask(h, 3)).toEqual(first);
        expect(h.faults).toHaveLength(1);
      });
    });

    describe('memories', () => {
      it('come along on request, in one order with documents', async () => {
        const h = await start({
          searchMemories: async (scope, query, limit) => [
            {
              id: 'm1',
              title: 'Ann',
              content: `${scope.userId} likes ${query} ${limit}`,
              score: 0.9,
              metadata: { entity_type: 'person' },
            },
            { id: 'm2', title: 'Weak', content: 'Something else', score: 0.001, metadata: {} },
          ],
        });
        await upload(h, 'Tea is grown on hills.');
        const ask = async (include_memories: boolean) =>
          (
            await h.app.inject({
              method: 'POST',
              url: '/v2/knowledge/search',
              payload: { query: 'tea', limit: 3, include_memories },
              headers: { authorization: 'Bearer ann' },
            })
          ).json().results as { type: string; id: string; document_id: string | null; score: number }[];
        expect((await ask(false)).map((r) => r.type)).toEqual(['document']);
        const mixed = await ask(true);
        expect(mixed.map((r) => r.type).sort()).toEqual(['document', 'memory', 'memory']);
        expect(mixed.find((r) => r.id === 'm1')).toMatchObject({ document_id: null, score: 0.9 });
        expect(mixed.at(-1)?.id).toBe('m2');
      });
    });

    describe('tools', () => {
      const context = (who: Caller): ToolContext => ({
        caller: who,
        agentId: 'athena',
        conversationId: null,
        runId: null,
        requestId: 'r',
        signal: new AbortController().signal,
        tainted: false,
      });

      it('search, read and list as the caller, without colleagues’ private documents even for an admin', async () => {
        const h = await start();
        const secret = await upload(h, 'The vault code is 4711.', { title: 'Vault' });
        const shared = await upload(h, 'The canteen opens at noon.', {
          title: 'Canteen',
          visibility: 'tenant',
        });
        const call = async (who: string, name: string, args: Record<string, unknown>) => {
          const tool = (await h.knowledge.tools.list(caller(who), 'athena')).find((t) => t.name === name);
          if (tool === undefined) throw new Error(name);
          return tool.call(args, context(caller(who)));
        };
        const found = await call('ann', 'search_documents', { query: 'vault code' });
        expect(found.passages?.[0]).toMatchObject({
          documentId: secret.id,
          title: 'Vault',
          text: 'The vault code is 4711.',
        });
        expect(found.content).toContain('[1] Vault');
        for (const who of ['ben', 'boss']) {
          expect(
            (await call(who, 'search_documents', { query: 'vault code' })).passages?.map((p) => p.documentId),
          ).toEqual([shared.id]);
          expect((await call(who, 'read_document', { document_id: secret.id })).isError).toBe(true);
          expect((await call(who, 'list_documents', {})).content).not.toContain('Vault');
        }
        expect((await call('ben', 'read_document', { document_id: shared.id })).content).toContain(
          'opens at noon',
        );
        expect((await call('ben', 'read_document', { document_id: 'x' })).isError).toBe(true);
        expect((await call('ann', 'list_documents', { q: 'vau' })).content).toContain(secret.id);
        expect((await call('zoe', 'list_documents', {})).content).toBe('There are no documents.');
      });
    });
  });
};
