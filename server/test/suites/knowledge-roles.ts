import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ToolContext } from '../../src/kernel/tools.ts';
import { req } from '../requirements.ts';
import { CALLERS, type KnowledgeHouse, meaningEmbedder, type openKnowledge } from '../support/knowledge.ts';

/**
 * Documents that some roles may read. North: ann, ben (user), ana (analyst), reader (readonly), op, boss (operator,
 * admin: they see the tenant); south: zan (analyst).
 */

export const knowledgeRolesSuite = (
  database: string,
  open: (options: Parameters<typeof openKnowledge>[0]) => Promise<KnowledgeHouse>,
): void => {
  describe(`documents for roles on ${database}`, () => {
    let house: KnowledgeHouse;
    beforeAll(async () => {
      house = await open({ embedder: meaningEmbedder() });
    });
    afterAll(() => house?.close());

    const EVERYBODY = ['ann', 'ben', 'ana', 'reader', 'op', 'boss', 'zan'] as const;

    const call = async (who: string, method: 'GET' | 'POST' | 'PATCH', path: string, payload?: object) => {
      const answer = await house.app.inject({
        method,
        url: `/api/v1/knowledge/${path}`,
        headers: { authorization: `Bearer ${who}` },
        ...(payload === undefined ? {} : { payload }),
      });
      return { status: answer.statusCode, json: <T>() => answer.json<T>() };
    };
    const upload = async (who: string, body: object): Promise<string> => {
      const made = await call(who, 'POST', 'documents', body);
      expect(made.status).toBe(201);
      return made.json<{ id: string }>().id;
    };
    const finds = async (who: string, query: string, id: string, filters?: object): Promise<boolean> => {
      const answer = await call(who, 'POST', 'search', { query, limit: 20, ...(filters ? { filters } : {}) });
      return answer.json<{ results: { document_id: string }[] }>().results.some((r) => r.document_id === id);
    };
    const lists = async (who: string, id: string): Promise<boolean> =>
      (await call(who, 'GET', 'documents?limit=100'))
        .json<{ items: { id: string }[] }>()
        .items.some((one) => one.id === id);
    /** Who of them all gets it by each way there is. */
    const seenBy = async (id: string, words: string, meaning: string) => {
      const seen: Record<string, string[]> = {};
      const note = (way: string, who: string, does: boolean) => {
        seen[way] = [...(seen[way] ?? []), ...(does ? [who] : [])];
      };
      for (const who of EVERYBODY) {
        note('list', who, await lists(who, id));
        note('words', who, await finds(who, words, id));
        note('meaning', who, await finds(who, meaning, id));
        note('filtered', who, await finds(who, words, id, { document_ids: [id] }));
        for (const path of ['', '/content', '/content?format=text', '/chunks', '/versions']) {
          const { status } = await call(who, 'GET', `documents/${id}${path}`);
          expect([200, 404]).toContain(status);
          note(`GET${path}`, who, status === 200);
        }
      }
      return seen;
    };
    const everyWay = (who: string[]) =>
      Object.fromEntries(
        [
          'list',
          'words',
          'meaning',
          'filtered',
          'GET',
          'GET/content',
          'GET/content?format=text',
          'GET/chunks',
          'GET/versions',
        ].map((way) => [way, who]),
      );

    it(
      req('KNOW-02', 'are seen by their owner, by those of the role and by who sees the tenant'),
      async () => {
        const id = await upload('ann', {
          title: 'Stores',
          content: 'A lantern of brass hangs in the quartermasters cellar.',
          visibility: 'role',
          roles: ['analyst'],
        });
        const got = await call('ana', 'GET', `documents/${id}`);
        expect(got.json()).toMatchObject({ visibility: 'role', roles: ['analyst'] });
        expect(await seenBy(id, 'quartermasters', 'zorvex')).toEqual(everyWay(['ann', 'ana', 'op', 'boss']));
      },
    );

    it(req('KNOW-02', 'follow a change of who may read, whole long texts at once'), async () => {
      const content = Array.from(
        { length: 90 },
        (_, i) => `Chapter ${i} of the pilotbook. A lantern burns. ${'It stands by the sea. '.repeat(50)}`,
      ).join('\n\n');
      const id = await upload('ann', { title: 'Pilot', content });
      const change = async (payload: object) => {
        const changed = await call('ann', 'PATCH', `documents/${id}`, payload);
        expect(changed.status).toBe(200);
        return changed.json<{ roles: string[] }>().roles;
      };
      const see = () => seenBy(id, 'pilotbook', 'zorvex');
      expect(await change({ visibility: 'role', roles: ['readonly', 'analyst'] })).toEqual([
        'analyst',
        'readonly',
      ]);
      expect(await see()).toEqual(everyWay(['ann', 'ana', 'reader', 'op', 'boss']));
      expect(await change({ visibility: 'role', roles: ['user'] })).toEqual(['user']);
      expect(await see()).toEqual(everyWay(['ann', 'ben', 'op', 'boss']));
      expect(await change({ visibility: 'private' })).toEqual([]);
      expect(await see()).toEqual(everyWay(['ann', 'op', 'boss']));
      expect(await change({ visibility: 'tenant' })).toEqual([]);
      expect(await see()).toEqual(everyWay(['ann', 'ben', 'ana', 'reader', 'op', 'boss']));
    });

    it('keep who may read when the text is replaced, until told otherwise', async () => {
      const body = { title: 'Rota', external_id: 'rota' };
      const id = await upload('ann', {
        ...body,
        content: 'The lantern watch begins at eight, says the rota.',
        visibility: 'role',
        roles: ['analyst'],
      });
      expect(
        await upload('ann', { ...body, content: 'The lantern watch begins at nine, says the rota.' }),
      ).toBe(id);
      expect(await seenBy(id, 'rota', 'zorvex')).toEqual(everyWay(['ann', 'ana', 'op', 'boss']));
    });

    it('do not push what a reader may see out of the results', async () => {
      const content = Array.from(
        { length: 300 },
        (_, i) => `Marmalade, marmalade ${i}. ${'Marmalade for breakfast. '.repeat(45)}`,
      ).join('\n\n');
      await upload('ann', { title: 'Marmalade', content, visibility: 'role', roles: ['analyst'] });
      const mine = await upload('ben', {
        title: 'Pantry',
        content: 'There is some marmalade and much else.',
      });
      expect(await finds('ben', 'marmalade', mine)).toBe(true);
    });

    it(req('KNOW-02', 'reach agents’ tools as the caller, an admin’s too'), async () => {
      const id = await upload('ann', {
        title: 'Ledger of salt',
        content: 'The salt ledger counts forty barrels.',
        visibility: 'role',
        roles: ['analyst'],
      });
      const use = async (who: string, name: string, args: Record<string, unknown>) => {
        const caller = CALLERS[who];
        if (caller === undefined) throw new Error(who);
        const tool = (await house.knowledge.tools.list(caller, 'athena')).find((one) => one.name === name);
        const context: ToolContext = {
          caller,
          agentId: 'athena',
          conversationId: null,
          runId: null,
          requestId: 'r',
          signal: new AbortController().signal,
          tainted: false,
        };
        return (await tool?.call(args, context))?.content ?? '';
      };
      for (const [who, sees] of [
        ['ann', true],
        ['ana', true],
        ['ben', false],
        ['reader', false],
        ['boss', false],
        ['zan', false],
      ] as const) {
        expect((await use(who, 'search_documents', { query: 'salt ledger' })).includes('forty')).toBe(sees);
        expect((await use(who, 'read_document', { document_id: id })).includes('forty')).toBe(sees);
        expect((await use(who, 'list_documents', {})).includes('Ledger of salt')).toBe(sees);
      }
    });

    it('are made by form as by JSON, and refused when the roles are missing, unknown or out of place', async () => {
      const boundary = 'x-x';
      const part = (name: string, value: string, more = '') =>
        `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
      const form = await house.app.inject({
        method: 'POST',
        url: '/api/v1/knowledge/documents',
        headers: {
          authorization: 'Bearer ann',
          'content-type': `multipart/form-data; boundary=${boundary}`,
        },
        payload: `${part('file', 'A text of a form.', '; filename="f.txt"')}${part('visibility', 'role')}${part('roles', 'user, analyst')}--${boundary}--\r\n`,
      });
      expect(form.statusCode).toBe(201);
      expect(form.json()).toMatchObject({ visibility: 'role', roles: ['analyst', 'user'] });
      for (const wrong of [
        { visibility: 'role' },
        { visibility: 'role', roles: [] },
        { visibility: 'role', roles: ['captain'] },
        { visibility: 'tenant', roles: ['user'] },
        { roles: ['user'] },
      ]) {
        const made = await call('ann', 'POST', 'documents', { title: 'T', content: 'Text', ...wrong });
        expect([wrong, made.status]).toEqual([wrong, 422]);
      }
    });
  });
};
