import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { req } from '../requirements.ts';
import type { KnowledgeHouse } from '../support/knowledge.ts';

/**
 * Contract, section 8, over HTTP, on either database. Tokens are the callers' names: ann and ben of one tenant, zoe of
 * another.
 */

interface Part {
  name: string;
  value: string | Uint8Array;
  filename?: string;
  type?: string;
}

const form = (parts: readonly Part[]): { payload: Buffer; headers: Record<string, string> } => {
  const boundary = 'x-boundary-x';
  const pieces = parts.flatMap(({ name, value, filename, type }) => [
    Buffer.from(
      `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${filename === undefined ? '' : `; filename="${filename}"`}\r\n${type ? `content-type: ${type}\r\n` : ''}\r\n`,
    ),
    Buffer.from(value),
    Buffer.from('\r\n'),
  ]);
  return {
    payload: Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]),
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  };
};

export const knowledgeHttpSuite = (database: string, open: () => Promise<KnowledgeHouse>): void => {
  describe(`knowledge over HTTP on ${database}`, () => {
    let house: KnowledgeHouse;
    beforeAll(async () => {
      house = await open();
    });
    afterAll(() => house?.close());

    const PATH = '/api/v1/knowledge/documents';
    const as = (name: string) => ({ authorization: `Bearer ${name}` });

    const uploadForm = (who: string, parts: readonly Part[], headers: Record<string, string> = {}) => {
      const body = form(parts);
      return house.app.inject({
        method: 'POST',
        url: PATH,
        payload: body.payload,
        headers: { ...as(who), ...body.headers, ...headers },
      });
    };

    const uploadJson = (who: string, body: Record<string, unknown>, headers: Record<string, string> = {}) =>
      house.app.inject({ method: 'POST', url: PATH, payload: body, headers: { ...as(who), ...headers } });

    const get = (who: string, path: string) =>
      house.app.inject({ method: 'GET', url: `/api/v1/knowledge${path}`, headers: as(who) });
    const patch = (who: string, id: string, payload: Record<string, unknown>) =>
      house.app.inject({ method: 'PATCH', url: `${PATH}/${id}`, payload, headers: as(who) });
    const remove = (who: string, id: string) =>
      house.app.inject({ method: 'DELETE', url: `${PATH}/${id}`, headers: as(who) });
    const search = async (who: string, body: Record<string, unknown>) => {
      const answer = await house.app.inject({
        method: 'POST',
        url: '/api/v1/knowledge/search',
        payload: body,
        headers: as(who),
      });
      expect(answer.statusCode).toBe(200);
      return answer.json() as {
        query: string;
        took_ms: number;
        results: {
          id: string;
          score: number;
          title: string;
          content: string;
          document_id: string;
          highlights: string[];
        }[];
      };
    };
    const titles = async (who: string, query: string, more: Record<string, unknown> = {}) =>
      (await search(who, { query, ...more })).results.map((r) => r.title);

    describe('upload', () => {
      it(req('KNOW-04', '201 for a form with a file: type from the bytes, searchable at once'), async () => {
        const pdf = readFileSync(new URL('../fixtures/keepers-handbook.pdf', import.meta.url));
        const answer = await uploadForm('ann', [
          { name: 'title', value: 'Handbook' },
          { name: 'metadata', value: '{"tags":["lights","sea"],"year":1911}' },
          { name: 'file', value: pdf, filename: 'notes.txt', type: 'text/plain' },
        ]);
        expect(answer.statusCode).toBe(201);
        const document = answer.json();
        expect(document).toMatchObject({
          title: 'Handbook',
          filename: 'notes.txt',
          content_type: 'application/pdf',
          size_bytes: pdf.length,
          visibility: 'private',
          metadata: { tags: ['lights', 'sea'], year: 1911 },
          created_by: 'ann',
        });
        expect(answer.headers.location).toBe(`${PATH}/${document.id}`);
        expect(document.page_count).toBeGreaterThan(0);
        const chunks = (await get('ann', `/documents/${document.id}/chunks`)).json();
        expect(chunks.total).toBe(document.chunk_count);
        const text = (await get('ann', `/documents/${document.id}/content?format=text`)).body;
        for (const chunk of chunks.items) expect(text.slice(chunk.start, chunk.end)).toBe(chunk.content);
        const found = await search('ann', { query: chunks.items[0].content.slice(0, 200) });
        expect(found.results[0]).toMatchObject({
          document_id: document.id,
          chunk_id: chunks.items[0].id,
          type: 'document',
        });
        const content = await get('ann', `/documents/${document.id}/content`);
        expect(content.rawPayload.equals(pdf)).toBe(true);
        expect(content.headers['content-type']).toBe('application/pdf');
        expect(content.headers['content-disposition']).toBe('attachment; filename="notes.txt"');
        expect(house.events.at(-1)).toMatchObject({
          type: 'document.indexed',
          userId: 'ann',
          reach: 'own',
          data: { document_id: document.id },
        });
      });

      it('201 for JSON, with defaults', async () => {
        const answer = await uploadJson('ann', {
          title: 'Otters',
          content: '# Otters\n\nOtters hold hands.',
          content_type: 'markdown',
        });
        expect(answer.statusCode).toBe(201);
        expect(answer.json()).toMatchObject({
          content_type: 'text/markdown',
          filename: null,
          page_count: null,
          metadata: {},
          chunk_count: 1,
        });
      });

      it(
        req(
          'KNOW-05',
          '201 with the first document for the same bytes, whatever the title, also when they race',
        ),
        async () => {
          const answers = await Promise.all(
            ['One', 'Two', 'Three', 'Four'].map((title) =>
              uploadJson('ann', { title, content: 'Racing snails are slow.' }),
            ),
          );
          expect(answers.map((a) => a.statusCode)).toEqual([201, 201, 201, 201]);
          expect(new Set(answers.map((a) => a.json().id)).size).toBe(1);
          const other = await uploadJson('ben', { title: 'One', content: 'Racing snails are slow.' });
          expect(other.json().id).not.toBe(answers[0]?.json().id);
          expect(
            (await titles('ann', 'racing snails')).filter((t) => t === answers[0]?.json().title),
          ).toHaveLength(1);
        },
      );

      it('replays an Idempotency-Key and refuses it for other parts', async () => {
        const parts = (text: string): Part[] => [
          { name: 'file', value: text, filename: 'k.txt', type: 'text/plain' },
        ];
        const first = await uploadForm('ann', parts('Keyed badger.'), { 'idempotency-key': 'k1' });
        const again = await uploadForm('ann', parts('Keyed badger.'), { 'idempotency-key': 'k1' });
        expect(first.statusCode).toBe(201);
        expect(again.statusCode).toBe(201);
        expect(again.body).toBe(first.body);
        expect(again.headers['idempotent-replayed']).toBe('true');
        expect(again.headers.location).toBe(first.headers.location);
        expect(
          (await uploadForm('ann', parts('Keyed weasel.'), { 'idempotency-key': 'k1' })).statusCode,
        ).toBe(422);
      });

      it(req('KNOW-04', '422 with a reason for what cannot be read, and nothing stored'), async () => {
        const before = (await get('ann', '/documents')).json().total;
        const refused: [Uint8Array | string, string][] = [
          ['', 'empty'],
          ['%PDF-1.7\nbroken', 'broken'],
          [Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), 'unsupported_type'],
        ];
        for (const [bytes, reason] of refused) {
          const answer = await uploadForm('ann', [{ name: 'file', value: bytes, filename: 'x.bin' }]);
          expect(answer.statusCode).toBe(422);
          expect(answer.json().error).toMatchObject({
            code: 'VALIDATION_ERROR',
            details: { reason, fields: [{ field: '/file' }] },
          });
        }
        expect((await get('ann', '/documents')).json().total).toBe(before);
      });

      it('never 404 or 409 while the same is deleted', async () => {
        const seen = new Set<number>();
        const create = async (round: number) => {
          const content = `Round ${round % 2} of the race is run at dusk.`;
          const named = { title: 'Race', content, external_id: 'race' };
          seen.add((await uploadJson('ben', named)).statusCode);
          seen.add((await uploadJson('ben', { title: 'Race', content })).statusCode);
        };
        const removeAll = async () => {
          for (const { id } of (await get('ben', '/documents')).json().items) await remove('ben', id);
        };
        for (let round = 0; round < 15; round++)
          await Promise.all([create(round), removeAll(), create(round + 1), removeAll(), removeAll()]);
        expect([...seen].filter((status) => status !== 201 && status !== 200)).toEqual([]);
      });

      it('422 naming the field for a bad form or body', async () => {
        const file: Part = { name: 'file', value: 'text', filename: 'a.txt' };
        const cases: [Part[], string][] = [
          [[], '/file'],
          [[{ name: 'file', value: 'text without a name' }], '/file'],
          [[file, { name: 'color', value: 'red' }], '/color'],
          [[file, { name: 'metadata', value: '[1]' }], '/metadata'],
          [[file, { name: 'metadata', value: '{"a":' }], '/metadata'],
          [[file, { name: 'metadata', value: JSON.stringify({ a: 'x'.repeat(40_000) }) }], '/metadata'],
          [[file, { name: 'title', value: '  ' }], '/title'],
          [[file, { name: 'title', value: 'a\u0000b' }], '/title'],
          [[file, { name: 'visibility', value: 'public' }], '/visibility'],
          [[file, { name: 'title', value: 'a' }, { name: 'title', value: 'b' }], '/title'],
          [[file, file], '/file'],
        ];
        for (const [parts, field] of cases) {
          const answer = await uploadForm('ann', parts);
          expect([answer.statusCode, answer.json().error.details.fields[0].field]).toEqual([422, field]);
        }
        const cut = form([file]);
        const broken = await house.app.inject({
          method: 'POST',
          url: PATH,
          payload: cut.payload.subarray(0, -10),
          headers: { ...as('ann'), ...cut.headers },
        });
        expect(broken.statusCode).toBe(422);
        expect((await uploadJson('ann', { title: 'x' })).json().error.details.fields).toEqual([
          { field: '/content', reason: 'is required' },
        ]);
        expect((await uploadJson('ann', { title: 'x', content: 'y', extra: 1 })).statusCode).toBe(422);
        expect((await uploadJson('ann', {})).statusCode).toBe(422);
      });

      it('401, 403, 413 and 415', async () => {
        expect((await house.app.inject({ method: 'POST', url: PATH, payload: {} })).statusCode).toBe(401);
        expect((await uploadJson('reader', { title: 'a', content: 'b' })).statusCode).toBe(403);
        const large = await uploadForm('ann', [
          { name: 'file', value: 'x'.repeat(1024 * 1024 + 1), filename: 'l.txt' },
        ]);
        expect(large.statusCode).toBe(413);
        expect((await uploadJson('ann', { title: 'a', content: 'x'.repeat(1024 * 1024) })).statusCode).toBe(
          413,
        );
        const xml = await house.app.inject({
          method: 'POST',
          url: PATH,
          payload: '<a/>',
          headers: { ...as('ann'), 'content-type': 'application/xml' },
        });
        expect(xml.statusCode).toBe(415);
      });

      it('keeps any file name and sends it back safely', async () => {
        const names: [string, string][] = [
          ['../../etc/passwd', 'passwd'],
          ['..\\..\\boot.ini', 'boot.ini'],
          ['Übersicht – 概要 😀.txt', 'Übersicht – 概要 😀.txt'],
          ["it's; filename=x%0d%0a.txt", "it's; filename=x%0d%0a.txt"],
        ];
        for (const [sent, kept] of names) {
          const answer = await uploadForm('ann', [{ name: 'file', value: `Named ${sent}`, filename: sent }]);
          expect(answer.statusCode).toBe(201);
          expect(answer.json().filename).toBe(kept);
          const header = (await get('ann', `/documents/${answer.json().id}/content`)).headers[
            'content-disposition'
          ];
          expect(header).toMatch(
            /^attachment; filename="[^"\r\n]*"(; filename\*=UTF-8''[A-Za-z0-9%!#$&+.^_`|~-]+)?$/,
          );
          if (String(header).includes('*=')) {
            expect(decodeURIComponent(String(header).split("UTF-8''")[1] ?? '')).toBe(kept);
          }
        }
      });
    });

    describe('access', () => {
      it(
        req(
          'KNOW-07',
          'shows own and shared documents, all of the tenant to operators, nothing to strangers',
        ),
        async () => {
          const mine = (
            await uploadJson('ann', { title: 'Secret walrus', content: 'The walrus password is tusk.' })
          ).json();
          const shared = (
            await uploadJson('ann', {
              title: 'Shared walrus',
              content: 'All walruses swim well.',
              visibility: 'tenant',
            })
          ).json();
          const seen = async (who: string) =>
            (await titles(who, 'walrus swim password tusk', { limit: 100 }))
              .filter((t) => t.endsWith('walrus'))
              .sort();
          expect(await seen('ann')).toEqual(['Secret walrus', 'Shared walrus']);
          expect(await seen('ben')).toEqual(['Shared walrus']);
          expect(await seen('op')).toEqual(['Secret walrus', 'Shared walrus']);
          expect(await seen('zoe')).toEqual([]);
          const { request_id: _a, ...unknown } = (
            await get('zoe', `/documents/${crypto.randomUUID()}`)
          ).json().error;
          for (const suffix of ['', '/content', '/content?format=text', '/chunks']) {
            for (const who of ['zoe', 'ben']) {
              const answer = await get(who, `/documents/${mine.id}${suffix}`);
              expect(answer.statusCode).toBe(404);
              const { request_id: _b, ...error } = answer.json().error;
              expect(error).toEqual(unknown);
            }
            expect((await get('op', `/documents/${mine.id}${suffix}`)).statusCode).toBe(200);
            expect((await get('ben', `/documents/${shared.id}${suffix}`)).statusCode).toBe(200);
          }
          expect((await remove('zoe', shared.id)).statusCode).toBe(404);
          expect((await patch('ben', mine.id, { title: 'x' })).statusCode).toBe(404);
          expect((await remove('ben', shared.id)).statusCode).toBe(403);
          expect((await patch('op', shared.id, { title: 'x' })).statusCode).toBe(403);
          expect((await patch('boss', shared.id, { title: 'Renamed walrus' })).statusCode).toBe(200);
        },
      );

      it('404 for ids that are none', async () => {
        for (const id of ['x', '%20', "'%20or%201=1", 'null', '..%2f..']) {
          expect((await get('ann', `/documents/${id}`)).statusCode).toBe(404);
        }
      });
    });

    describe('changes', () => {
      it('moves a document between private and shared, in lists and in search', async () => {
        const { id } = (
          await uploadJson('ann', { title: 'Lynx notes', content: 'Lynxes have tufted ears.' })
        ).json();
        expect(await titles('ben', 'lynx tufted')).not.toContain('Lynx notes');
        expect((await patch('ann', id, { visibility: 'tenant' })).json().visibility).toBe('tenant');
        expect(await titles('ben', 'lynx tufted')).toContain('Lynx notes');
        await patch('ann', id, { visibility: 'private' });
        expect(await titles('ben', 'lynx tufted')).not.toContain('Lynx notes');
        expect(await titles('ann', 'lynx tufted')).toContain('Lynx notes');
      });

      it('makes a new title searchable and keeps chunk ids', async () => {
        const { id } = (
          await uploadJson('ann', { title: 'Draft', content: 'Nothing here names the animal.' })
        ).json();
        const before = (await get('ann', `/documents/${id}/chunks`)).json().items[0].id;
        expect(
          (await patch('ann', id, { title: 'Axolotl care', metadata: { tags: ['pond'] } })).json(),
        ).toMatchObject({ title: 'Axolotl care', metadata: { tags: ['pond'] } });
        expect((await titles('ann', 'axolotl'))[0]).toBe('Axolotl care');
        expect((await get('ann', `/documents/${id}/chunks`)).json().items[0].id).toBe(before);
        expect((await patch('ann', id, {})).statusCode).toBe(422);
        expect((await patch('ann', id, { owner: 'x' })).statusCode).toBe(422);
      });

      it(req('KNOW-07', 'deletes at once and for good; the second time is 404'), async () => {
        const { id } = (await uploadJson('ann', { title: 'Dodo', content: 'The dodo is gone.' })).json();
        expect((await remove('ann', id)).statusCode).toBe(204);
        expect(await titles('ann', 'dodo gone')).not.toContain('Dodo');
        expect((await get('ann', `/documents/${id}`)).statusCode).toBe(404);
        expect((await remove('ann', id)).statusCode).toBe(404);
        const again = (await uploadJson('ann', { title: 'Dodo again', content: 'The dodo is gone.' })).json();
        expect(again.id).not.toBe(id);
      });
    });

    describe('list', () => {
      it('lists the tags of what the caller may read, with counts', async () => {
        const tagged = (who: string, content: string, tags: unknown[], visibility = 'private') =>
          uploadJson(who, { title: content, content, metadata: { tags }, visibility });
        await tagged('ann', 'Tagged one.', ['rope', 'deck'], 'tenant');
        await tagged('ann', 'Tagged two.', ['rope', 7]);
        await tagged('ben', 'Tagged three.', ['rope', 'Ruder-ü']);
        const seen = async (who: string): Promise<Record<string, number>> => {
          const { items } = (await get(who, '/tags')).json() as {
            items: { tag: string; documents: number }[];
          };
          return Object.fromEntries(items.map((one) => [one.tag, one.documents]));
        };
        const ann = await seen('ann');
        expect(ann).toMatchObject({ rope: 2, deck: 1 });
        expect(Object.keys(ann)).not.toContain('Ruder-ü');
        expect(await seen('ben')).toMatchObject({ rope: 2, deck: 1, 'Ruder-ü': 1 });
        expect(await seen('zoe')).not.toHaveProperty('rope');
      });

      it('filters by tag, type and name, and walks by page and cursor', async () => {
        for (let i = 0; i < 5; i++) {
          await uploadJson('zoe', {
            title: `Paper 100% ${i}`,
            content: `Sheet ${i}`,
            metadata: { tags: [i % 2 ? 'odd' : 'even'] },
          });
        }
        await uploadJson('zoe', {
          title: 'Page',
          content: '<html><body><p>Web</p></body></html>',
          content_type: 'html',
        });
        const list = async (query: string) => (await get('zoe', `/documents?${query}`)).json();
        expect(await list('limit=2')).toMatchObject({ total: 6, has_more: true, page: 1 });
        expect((await list('tags=odd')).total).toBe(2);
        expect((await list('tags=odd,even')).total).toBe(5);
        expect((await list('content_type=html')).items).toHaveLength(1);
        expect((await list('q=100%25')).total).toBe(5);
        expect((await list('q=PAPER')).total).toBe(5);
        expect((await list('q=_aper')).total).toBe(0);
        const seen: string[] = [];
        let next: string | null = '';
        while (next !== null) {
          const page: { items: { title: string }[]; next_cursor: string | null } = await list(
            `limit=4${next ? `&cursor=${next}` : ''}`,
          );
          seen.push(...page.items.map((d) => d.title));
          next = page.next_cursor;
        }
        expect(seen).toEqual(['Page', 4, 3, 2, 1, 0].map((t) => (t === 'Page' ? t : `Paper 100% ${t}`)));
        expect((await get('zoe', '/documents?color=red')).statusCode).toBe(422);
      });
    });

    describe('search', () => {
      it(
        req('KNOW-06', 'gives the contract form with scores in order between 0 and 1 and highlights'),
        async () => {
          await uploadJson('ann', {
            title: 'Bees',
            content: 'Honey bees dance to tell where the flowers are.\n\nWasps do not.',
          });
          const { query, took_ms, results } = await search('ann', {
            query: 'bees dancing flowers',
            limit: 5,
          });
          expect(query).toBe('bees dancing flowers');
          expect(took_ms).toBeGreaterThanOrEqual(0);
          expect(results[0]).toMatchObject({ title: 'Bees' });
          expect(results[0]?.highlights[0]).toContain('dance');
          const scores = results.map((r) => r.score);
          expect(scores).toEqual([...scores].sort((a, b) => b - a));
          for (const score of scores) expect(score > 0 && score <= 1).toBe(true);
        },
      );

      it(req('KNOW-06', 'still returns `limit` results when a filter leaves few of many'), async () => {
        for (let i = 0; i < 30; i++) {
          await uploadJson('ben', { title: `Common ${i}`, content: `Penguins stand on ice, number ${i}.` });
        }
        for (let i = 0; i < 6; i++) {
          await uploadJson('ben', {
            title: `Rare ${i}`,
            content: `Penguins and many other animals of the south, in a long text about something else ${i}.`,
            metadata: { tags: ['rare'], depth: i, station: { name: 'B', n: 1 } },
          });
        }
        const rare = await titles('ben', 'penguins on ice', { limit: 5, filters: { tags: ['rare'] } });
        expect(rare).toHaveLength(5);
        expect(rare.every((t) => t.startsWith('Rare'))).toBe(true);
        expect(await titles('ben', 'penguins', { filters: { metadata: { depth: 3 } } })).toEqual(['Rare 3']);
        expect(
          await titles('ben', 'penguins', {
            filters: { metadata: { station: { n: 1, name: 'B' } }, tags: ['rare'] },
          }),
        ).toHaveLength(6);
        expect(await titles('ben', 'penguins', { filters: { metadata: { depth: '3' } } })).toEqual([]);
        expect(await titles('ben', 'penguins', { filters: { content_types: ['pdf'] } })).toEqual([]);
        expect(
          (
            await titles('ben', 'penguins', {
              filters: { content_types: ['text'], created_after: '2020-01-01T00:00:00Z' },
            })
          ).length,
        ).toBe(10);
        expect(
          await titles('ben', 'penguins', { filters: { created_before: '2020-01-01T00:00:00Z' } }),
        ).toEqual([]);
        expect(await titles('ben', 'penguins', { filters: { document_ids: [crypto.randomUUID()] } })).toEqual(
          [],
        );
        // Filters never reach what is not the caller's.
        expect(await titles('zoe', 'penguins', { filters: { tags: ['rare'] } })).toEqual([]);
      });

      it(req('KNOW-06', 'finds words of scripts without spaces, accents and widths aside'), async () => {
        await uploadJson('ann', {
          title: 'Tokyo',
          content: '東京都は日本の首都であり、世界最大級の都市です。',
        });
        await uploadJson('ann', { title: 'Bangkok', content: 'กรุงเทพมหานครเป็นเมืองหลวงของประเทศไทย' });
        await uploadJson('ann', { title: 'Paris', content: 'Le musée près de la forêt est fermé.' });
        expect((await titles('ann', '首都'))[0]).toBe('Tokyo');
        expect((await titles('ann', 'เมืองหลวง'))[0]).toBe('Bangkok');
        expect((await titles('ann', 'MUSEE foret'))[0]).toBe('Paris');
        expect((await titles('ann', 'ｍｕｓéｅ'))[0]).toBe('Paris');
      });

      it(req('KNOW-06', 'takes hostile query text as words'), async () => {
        const queries = [
          '"',
          '" OR scope:"',
          "'; drop table chunks; --",
          'a NEAR(b',
          '*',
          '(((',
          'body:x AND NOT',
          '\\',
          '-',
          '^x',
          '\u202e',
          '😀',
          'x'.repeat(4096),
          'ab '.repeat(1365),
        ];
        for (const query of queries)
          expect(Array.isArray((await search('ann', { query })).results)).toBe(true);
        expect(await titles('zoe', '" OR scope:(walrus) OR "walrus')).not.toContain('Secret walrus');
      });

      it('422 outside of its bounds', async () => {
        const status = async (payload: Record<string, unknown>) =>
          (
            await house.app.inject({
              method: 'POST',
              url: '/v2/knowledge/search',
              payload,
              headers: as('ann'),
            })
          ).statusCode;
        expect(await status({ query: '' })).toBe(422);
        expect(await status({ query: 'x'.repeat(4097) })).toBe(422);
        expect(await status({ query: 'x', limit: 0 })).toBe(422);
        expect(await status({ query: 'x', limit: 101 })).toBe(422);
        expect(await status({ query: 'x', filters: { color: 'red' } })).toBe(422);
        expect(await status({ query: 'x', filters: { created_after: 'yesterday' } })).toBe(422);
        expect(await status({ query: 'x', filters: { content_types: ['pdf', 'sausage'] } })).toBe(422);
        expect(await status({ query: 'x', filters: { document_ids: ['not-an-id'] } })).toBe(422);
        const upload = await uploadJson('ann', { title: 'x', content: 'y', content_type: 'sausage' });
        expect(upload.statusCode).toBe(422);
        expect(upload.body).toMatch(/content_type.*must be one of pdf, docx.*markdown/);
        expect(await status({ query: '😀'.repeat(4096) })).toBe(200);
      });
    });
  });
};
