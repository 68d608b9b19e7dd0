import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { createGuardedFetch } from '../../src/adapters/guarded-fetch/index.ts';
import { req } from '../requirements.ts';
import type { KnowledgeHouse } from '../support/knowledge.ts';

/** Documents by address, and documents that are updated in place by `external_id`. */

interface Doc {
  id: string;
  title: string;
  version: number;
  external_id: string | null;
  sha256: string;
  filename: string | null;
  content_type: string;
  visibility: string;
  metadata: Record<string, unknown>;
}

const { cases } = JSON.parse(readFileSync(new URL('../cases/ssrf-urls.json', import.meta.url), 'utf8')) as {
  cases: { url?: string; expect: string; class: string }[];
};

export const knowledgeSourcesSuite = (
  name: string,
  open: (options: Parameters<typeof createGuardedFetch>[0]) => Promise<KnowledgeHouse>,
) => {
  describe(`documents and their sources on ${name}`, () => {
    let house: KnowledgeHouse;
    let origin: Server;
    let base: string;
    let answer: RequestListener;
    let reached = 0;

    beforeAll(async () => {
      house = await open({ allowPrivate: true });
      origin = createServer((request, response) => {
        reached += 1;
        answer(request, response);
      });
      await new Promise<void>((done) => origin.listen(0, '127.0.0.1', done));
      base = `http://127.0.0.1:${(origin.address() as AddressInfo).port}`;
    });
    afterAll(async () => {
      origin.closeAllConnections();
      await new Promise((done) => origin.close(done));
      await house.close();
    });

    const call = async (
      method: 'GET' | 'POST' | 'DELETE',
      path: string,
      body?: Record<string, unknown>,
      token = 'ann',
    ) => {
      const response = await house.app.inject({
        method,
        url: `/api/v1/knowledge/${path}`,
        headers: { authorization: `Bearer ${token}` },
        ...(body === undefined ? {} : { payload: body }),
      });
      return { status: response.statusCode, text: response.body, json: <T>() => response.json<T>() };
    };
    const put = (body: Record<string, unknown>, token?: string) => call('POST', 'documents', body, token);
    const found = async (query: string, filters: object = {}): Promise<string[]> => {
      const result = await call('POST', 'search', { query, limit: 20, filters });
      return result
        .json<{ results: { document_id: string; content: string }[] }>()
        .results.map((one) => `${one.document_id} ${one.content}`);
    };

    it('reads an address, through redirects, with the name and type that the server gives', async () => {
      answer = (request, response) => {
        if (request.url === '/old') response.writeHead(302, { location: '/files/tide%20table.md?x=1' }).end();
        else
          response
            .writeHead(200, { 'content-type': 'text/markdown' })
            .end('# Tide table\n\nHigh water at Quillfish Quay is at noon.');
      };
      const made = await put({ url: `${base}/old`, metadata: { tags: ['tide'] }, visibility: 'tenant' });
      expect(made.status).toBe(201);
      expect(made.json<Doc>()).toMatchObject({
        title: 'Tide table',
        filename: 'tide table.md',
        content_type: 'text/markdown',
        visibility: 'tenant',
        metadata: { tags: ['tide'], source_url: `${base}/old` },
        version: 1,
      });
      expect((await found('Quillfish'))[0]).toContain('at noon');
    });

    it.each([
      ['an error', 404, {}, 'bad_status'],
      ['a redirect that leads nowhere', 302, { location: 'http://' }, 'bad_status'],
      ['a redirect to a metadata service', 302, { location: 'http://169.254.169.254/x' }, 'address_refused'],
      ['a redirect to a file', 301, { location: 'file:///etc/passwd' }, 'address_refused'],
      ['a redirect to itself', 307, { location: '/' }, 'bad_status'],
    ])('refuses an address that answers with %s', async (_what, status, headers, reason) => {
      answer = (_request, response) => response.writeHead(status, headers).end('nothing here');
      const made = await put({ url: `${base}/` });
      expect(made.status).toBe(422);
      expect(made.json()).toMatchObject({ error: { details: { reason } } });
    });

    it('refuses what is larger than a document may be, announced or not', async () => {
      answer = (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/plain' });
        const part = Buffer.alloc(256 * 1024, 'words ');
        const more = (left: number): void => {
          if (left === 0 || response.destroyed) response.end();
          else response.write(part, () => more(left - 1));
        };
        more(20);
      };
      expect((await put({ url: `${base}/` })).status).toBe(413);
      answer = (_request, response) =>
        response.writeHead(200, { 'content-length': String(2 ** 31) }).write('few words');
      expect((await put({ url: `${base}/` })).status).toBe(413);
    });

    it('reads what the bytes are, whatever the server says', async () => {
      answer = (_request, response) =>
        response.writeHead(200, { 'content-type': 'text/plain' }).end(Buffer.from('%PDF-1.7 broken'));
      expect((await put({ url: `${base}/a.txt` })).json()).toMatchObject({
        error: { details: { reason: 'broken' } },
      });
      answer = (_request, response) => response.writeHead(200).end();
      expect((await put({ url: `${base}/` })).json()).toMatchObject({
        error: { details: { reason: 'empty' } },
      });
    });

    it('takes content or an address, not both, and a title with content', async () => {
      expect((await put({ url: `${base}/`, content: 'x', title: 'x' })).status).toBe(422);
      expect((await put({ title: 'x' })).status).toBe(422);
      expect((await put({ content: 'x' })).status).toBe(422);
    });

    it('never calls an address inside, by any of its spellings', async () => {
      const guarded = await open({ allowPrivate: false });
      try {
        const before = reached;
        const urls = [
          ...cases.filter((one) => one.expect === 'block').flatMap((one) => one.url ?? []),
          `${base}/`,
        ];
        expect(urls.length).toBeGreaterThan(50);
        for (const url of urls) {
          const response = await guarded.app.inject({
            method: 'POST',
            url: '/api/v1/knowledge/documents',
            headers: { authorization: 'Bearer ann' },
            payload: { url },
          });
          expect([url, response.statusCode]).toEqual([url, 422]);
        }
        expect(reached).toBe(before);
      } finally {
        await guarded.close();
      }
    });

    it('replaces the content of the same external_id in place, as a new version', async () => {
      const text = (word: string) => ({
        title: `Roster ${word}`,
        content: `The keeper of the week is ${word}.`,
        external_id: 'roster/1',
      });
      const first = (
        await put({ ...text('Albatross'), visibility: 'tenant', metadata: { a: 1 } })
      ).json<Doc>();
      expect(first).toMatchObject({ version: 1, external_id: 'roster/1' });
      expect((await put(text('Albatross'))).json<Doc>()).toMatchObject({ id: first.id, version: 1 });

      const second = (await put(text('Bullfinch'))).json<Doc>();
      expect(second).toMatchObject({
        id: first.id,
        version: 2,
        title: 'Roster Bullfinch',
        visibility: 'tenant',
        metadata: { a: 1 },
      });
      expect((await found('Bullfinch')).some((one) => one.startsWith(first.id))).toBe(true);
      expect((await found('Albatross')).join()).not.toContain('Albatross');
      const content = await call('GET', `documents/${first.id}/content`);
      expect(content.text).toBe('The keeper of the week is Bullfinch.');
      const versions = await call('GET', `documents/${first.id}/versions`);
      expect(versions.json<{ items: Doc[] }>().items).toMatchObject([
        { version: 2, title: 'Roster Bullfinch', sha256: second.sha256 },
        { version: 1, title: 'Roster Albatross', sha256: first.sha256 },
      ]);
    });

    it('keeps one line of versions for each owner, and two names with the same bytes apart', async () => {
      const same = { title: 'Form', content: 'An empty form of the harbour office.' };
      const mine = (await put({ ...same, external_id: 'f/1' })).json<Doc>();
      const other = (await put({ ...same, external_id: 'f/2' })).json<Doc>();
      const bens = (await put({ ...same, external_id: 'f/1' }, 'ben')).json<Doc>();
      const bare = (await put(same)).json<Doc>();
      expect(new Set([mine.id, other.id, bens.id, bare.id]).size).toBe(4);
      expect((await put(same)).json<Doc>().id).toBe(bare.id);
      expect((await call('GET', `documents/${bens.id}/versions`)).status).toBe(404);
    });

    it(req('KNOW-01', 'is found in exactly one version at each instant while versions come'), async () => {
      // Some 100 passages: more than one transaction writes.
      const long = (n: number) =>
        Array.from(
          { length: 100 },
          (_, i) =>
            `## Part ${i}\n\nZanderberg edition${n}, line ${i}. ${'It stands by the sea. '.repeat(40)}`,
        ).join('\n\n');
      const body = (n: number) => ({
        title: 'Zanderberg',
        content: long(n),
        content_type: 'markdown',
        external_id: 'z',
      });
      const { id } = (await put(body(0))).json<Doc>();
      let writing = true;
      const writer = (async () => {
        try {
          for (let n = 1; n <= 3; n++) expect((await put(body(n))).status).toBe(201);
        } finally {
          writing = false;
        }
      })();
      // Its failure is told where it is awaited, below.
      writer.catch(() => {});
      let looked = 0;
      while (writing) {
        const mine = (await found('Zanderberg')).filter((one) => one.startsWith(id));
        expect(mine.length).toBeGreaterThan(0);
        expect((await found('Zanderberg', { document_ids: [id] })).length).toBe(20);
        expect(new Set(mine.map((one) => /edition\d/.exec(one)?.[0])).size).toBe(1);
        looked += 1;
      }
      await writer;
      expect(looked).toBeGreaterThan(0);
      const chunks = await call('GET', `documents/${id}/chunks?limit=100`);
      expect(chunks.json<{ items: { content: string }[] }>().items[0]?.content).toContain('edition3');
      const all = await Promise.all([4, 5, 6].map((n) => put(body(n))));
      expect(new Set(all.map((one) => one.json<Doc>().id))).toEqual(new Set([id]));
      expect((await call('GET', `documents/${id}`)).json<Doc>().version).toBe(7);
      expect((await call('DELETE', `documents/${id}`)).status).toBe(204);
      expect((await found('Zanderberg')).some((one) => one.startsWith(id))).toBe(false);
      expect((await put(body(7))).json<Doc>()).toMatchObject({ version: 1 });
      expect(house.faults).toEqual([]);
    });
  });
};
