import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MeteredEmbedder } from '../../src/kernel/embedder.ts';
import { AppError } from '../../src/kernel/errors.ts';
import { ModelError } from '../../src/kernel/model.ts';
import { req } from '../requirements.ts';
import { type KnowledgeHouse, openKnowledge, wordEmbedder } from '../support/knowledge.ts';

/** Files that are read in the background, over HTTP, on either database. `fresh` gives an empty database for one test. */

interface Gate {
  embedder: MeteredEmbedder;
  /** Texts that were embedded. */
  texts: string[];
  /** From now on batches go through. */
  open(): void;
  /** Batches that wait at the gate. */
  waiting(): number;
  /** So many go through. */
  let(batches: number): void;
  fail(error: Error | null): void;
}

/** Batches of documents wait until they are let through; searches do not. */
const gated = (): Gate => {
  const words = wordEmbedder();
  const queue: (() => void)[] = [];
  let isOpen = false;
  let error: Error | null = null;
  return {
    texts: words.texts,
    embedder: {
      ...words,
      async embed(payer, texts, options) {
        if (options?.purpose === 'document' && !isOpen)
          await new Promise<void>((resolve) => queue.push(resolve));
        if (options?.purpose === 'document' && error !== null) throw error;
        return words.embed(payer, texts, options);
      },
    },
    open() {
      isOpen = true;
      for (const go of queue.splice(0)) go();
    },
    waiting: () => queue.length,
    let(batches) {
      for (const go of queue.splice(0, batches)) go();
    },
    fail(next) {
      error = next;
    },
  };
};

interface Shown {
  id: string;
  status: string;
  title: string;
  sha256: string;
  version: number;
  chunk_count: number;
  progress: { pages_done: number | null; pages: number | null; chunks_done: number; chunks: number | null };
  error: { code: string; message: string; details: Record<string, unknown> } | null;
}

/** A parser starts a process of its own, which a busy machine gives late. */
const eventually = <T>(what: () => T) => expect.poll(what, { timeout: 120_000 });

const PATH = '/api/v1/knowledge/documents';
const ASYNC = { prefer: 'respond-async' };

/** So many paragraphs, each a passage of its own. */
const book = (name: string, paragraphs: number): string =>
  Array.from(
    { length: paragraphs },
    (_, n) => `# Part ${n} of ${name}\n\n${`The ${name} of day ${n} lies at pier ${n}. `.repeat(12)}`,
  ).join('\n\n');

export const knowledgeBackgroundSuite = (
  database: string,
  fresh: () => Promise<{ postgresUrl?: string }>,
): void => {
  describe(`files read in the background on ${database}`, { timeout: 300_000 }, () => {
    let folder: string;
    let place: { postgresUrl?: string };
    let house: KnowledgeHouse | null = null;
    beforeEach(async () => {
      place = await fresh();
      folder = mkdtempSync(path.join(tmpdir(), 'pentarch-background-'));
    });
    afterEach(async () => {
      await house?.close();
      house = null;
      rmSync(folder, { recursive: true });
    });

    const start = async (options: Parameters<typeof openKnowledge>[0] = {}): Promise<KnowledgeHouse> => {
      await house?.close();
      house = await openKnowledge({ folder, ...place, retryDelaysMs: [], ...options });
      await house.knowledge.recover();
      return house;
    };
    const app = () => {
      if (house === null) throw new Error('nothing is started');
      return house.app;
    };
    const as = (who: string) => ({ authorization: `Bearer ${who}` });
    const send = (who: string, payload: Record<string, unknown>, headers: Record<string, string> = {}) =>
      app().inject({ method: 'POST', url: PATH, payload, headers: { ...as(who), ...headers } });
    const get = (who: string, url: string) =>
      app().inject({ method: 'GET', url: `${PATH}${url}`, headers: as(who) });
    const shown = async (who: string, id: string): Promise<Shown> => (await get(who, `/${id}`)).json();
    const remove = (who: string, id: string) =>
      app().inject({ method: 'DELETE', url: `${PATH}/${id}`, headers: as(who) });
    const patch = (who: string, id: string, payload: Record<string, unknown>) =>
      app().inject({ method: 'PATCH', url: `${PATH}/${id}`, payload, headers: as(who) });
    const retry = (who: string, id: string) =>
      app().inject({ method: 'POST', url: `${PATH}/${id}/retry`, headers: as(who) });
    const titles = async (who: string, query: string): Promise<string[]> => {
      const answer = await app().inject({
        method: 'POST',
        url: '/api/v1/knowledge/search',
        payload: { query },
        headers: as(who),
      });
      return answer.json().results.map((r: { title: string }) => r.title);
    };
    const blobNames = (): string[] =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((f) => f.isFile() && f.parentPath.includes('blobs'))
        .map((f) => f.name);
    const rows = async (): Promise<number> => {
      const { n } = await (house as KnowledgeHouse).db.read
        .selectFrom('document_uploads')
        .select((w) => w.fn.countAll<number>().as('n'))
        .executeTakeFirstOrThrow();
      return Number(n);
    };

    it(
      req(
        'KNOW-27',
        'an upload that takes longer than it is waited for is 202 with a document in processing, which is found once it is indexed',
      ),
      async () => {
        const gate = gated();
        const h = await start({ embedder: gate.embedder });
        const answer = await send(
          'ann',
          { title: 'Ferries', content: book('ferry', 200) },
          { prefer: 'wait=0' },
        );
        expect(answer.statusCode).toBe(202);
        expect(answer.headers['preference-applied']).toBe('wait=0');
        const { id, status } = answer.json() as Shown;
        expect(status).toBe('processing');
        expect(answer.headers.location).toBe(`${PATH}/${id}`);
        await eventually(gate.waiting).toBe(1);
        expect(await titles('ann', 'ferry')).toEqual([]);
        gate.let(1);
        await eventually(async () => (await shown('ann', id)).progress?.chunks_done).toBe(32);
        const half = await shown('ann', id);
        expect(half).toMatchObject({ status: 'processing', chunk_count: 0, error: null });
        expect(half.progress.chunks).toBeGreaterThan(32);
        const list = async (state: string) => (await get('ann', `?status=${state}`)).json();
        expect((await list('processing')).items.map((one: Shown) => one.id)).toEqual([id]);
        expect((await list('indexed')).items).toEqual([]);
        expect((await get('ann', `/${id}/content?format=text`)).statusCode).toBe(409);
        expect((await get('ben', `/${id}`)).statusCode).toBe(404);
        expect((await get('boss', `/${id}`)).statusCode).toBe(200);
        expect((await get('zoe', `/${id}`)).statusCode).toBe(404);
        gate.open();
        await eventually(async () => (await shown('ann', id)).status).toBe('indexed');
        expect(await shown('ann', id)).toMatchObject({ title: 'Ferries', progress: null, version: 1 });
        expect(await titles('ann', 'ferry')).toContain('Ferries');
        expect(h.events.filter(({ type }) => type === 'document.indexed')).toHaveLength(1);
        await eventually(rows).toBe(0);
        await eventually(blobNames).toHaveLength(1);
        expect(h.faults).toEqual([]);
      },
    );

    it('goes on with the work of the request that has waited long enough, and a second one waits along', async () => {
      const gate = gated();
      await start({ embedder: gate.embedder });
      const content = book('barge', 150);
      const first = send('ann', { title: 'Barges', content }, { prefer: 'wait=1' });
      await eventually(gate.waiting).toBe(1);
      const answer = await first;
      expect(answer.statusCode).toBe(202);
      const { id } = answer.json() as Shown;
      const again = await send('ann', { title: 'Others', content }, ASYNC);
      expect(again.statusCode).toBe(202);
      expect(again.json()).toMatchObject({ id, title: 'Barges' });
      expect(again.headers['preference-applied']).toBe('respond-async');
      const third = send('ann', { title: 'Barges', content }, { prefer: 'respond-async, wait=60' });
      gate.open();
      const whole = await third;
      expect(whole.statusCode).toBe(201);
      expect(whole.json()).toMatchObject({ id, status: 'indexed' });
      expect(whole.headers['preference-applied']).toBe('respond-async, wait=60');
      const embedded = gate.texts.filter((text) => text.includes('barge'));
      expect(new Set(embedded).size).toBe(embedded.length);
    });

    it('stays 201 for what is quick, and 422 for what cannot be read, as it was', async () => {
      await start();
      const quick = await send('ann', { title: 'Note', content: 'The pier is closed.' });
      expect(quick.statusCode).toBe(201);
      expect(quick.headers['preference-applied']).toBeUndefined();
      expect(quick.json()).toMatchObject({ status: 'indexed', progress: null, error: null });
      expect((await send('ann', { title: 'Note', content: ' \n ' })).statusCode).toBe(422);
      expect((await get('ann', '?status=failed')).json().total).toBe(0);
      // The same bytes again need no work.
      expect((await send('ann', { title: 'Note', content: 'The pier is closed.' }, ASYNC)).statusCode).toBe(
        201,
      );
    });

    it(
      req('KNOW-28', 'an upload goes on after a restart from where it was, and nothing is embedded twice'),
      async () => {
        const gate = gated();
        await start({ embedder: gate.embedder });
        const { id } = (
          await send('ann', { title: 'Lights', content: book('light', 200) }, ASYNC)
        ).json() as Shown;
        await eventually(gate.waiting).toBe(1);
        gate.let(1);
        await eventually(gate.waiting).toBe(1);
        const done = gate.texts.length;
        expect(done).toBe(32);
        const later = gated();
        later.open();
        const h = await start({ embedder: later.embedder });
        await eventually(async () => (await shown('ann', id)).status).toBe('indexed');
        const { chunk_count: chunks } = await shown('ann', id);
        expect(later.texts.length).toBe(chunks - done);
        expect(await titles('ann', 'light')).toContain('Lights');
        expect(await rows()).toBe(0);
        expect(h.events.filter(({ type }) => type === 'document.indexed')).toHaveLength(1);
        gate.open();
      },
    );

    it(
      req('KNOW-29', 'what fails in the background stays with its error, and can be begun again'),
      async () => {
        const gate = gated();
        gate.open();
        const h = await start({ embedder: gate.embedder });
        const empty = await send('ann', { title: 'Nothing', content: ' \n ' }, ASYNC);
        expect(empty.statusCode).toBe(202);
        const { id } = empty.json() as Shown;
        await eventually(async () => (await shown('ann', id)).status).toBe('failed');
        expect((await shown('ann', id)).error).toMatchObject({
          code: 'VALIDATION_ERROR',
          details: { reason: 'empty' },
        });
        expect((await get('ann', '?status=failed')).json().items[0].id).toBe(id);
        expect(h.events.at(-1)).toMatchObject({
          type: 'document.failed',
          data: { document_id: id, title: 'Nothing' },
        });

        gate.fail(new ModelError('unavailable', 'words', 'away'));
        const away = (
          await send('ann', { title: 'Cranes', content: book('crane', 3) }, ASYNC)
        ).json() as Shown;
        await eventually(async () => (await shown('ann', away.id)).status).toBe('failed');
        expect((await shown('ann', away.id)).error).toMatchObject({ code: 'UPSTREAM_ERROR' });
        gate.fail(null);
        expect((await retry('ben', away.id)).statusCode).toBe(404);
        const again = await retry('ann', away.id);
        expect(again.statusCode).toBe(202);
        expect(again.json()).toMatchObject({ id: away.id, status: 'processing', error: null });
        await eventually(async () => (await shown('ann', away.id)).status).toBe('indexed');
        expect((await retry('ann', away.id)).statusCode).toBe(409);
        expect((await remove('ann', id)).statusCode).toBe(204);
        expect((await get('ann', `/${id}`)).statusCode).toBe(404);
        expect((await remove('ann', id)).statusCode).toBe(404);
        await eventually(blobNames).toHaveLength(1);
      },
    );

    it('is refused money once, and says so until there is some', async () => {
      const gate = gated();
      gate.open();
      await start({ embedder: gate.embedder, retryDelaysMs: [1, 1] });
      gate.fail(new AppError('COST_EXCEEDED', 'no room in the limit', { details: { scope: 'user' } }));
      const { id } = (await send('ann', { title: 'Dear', content: book('pearl', 2) }, ASYNC)).json() as Shown;
      await eventually(async () => (await shown('ann', id)).status).toBe('failed');
      expect((await shown('ann', id)).error).toMatchObject({
        code: 'COST_EXCEEDED',
        details: { scope: 'user' },
      });
      // The same file again is a retry, waited for like any other.
      gate.fail(null);
      const again = await send('ann', { title: 'Dear', content: book('pearl', 2) });
      expect(again.statusCode).toBe(201);
      expect(again.json()).toMatchObject({ id, status: 'indexed' });
    });

    it(req('KNOW-30', 'DELETE takes back an upload that is being read; nothing of it is left'), async () => {
      const gate = gated();
      const h = await start({ embedder: gate.embedder });
      const { id } = (
        await send('ann', { title: 'Wrecks', content: book('wreck', 80) }, ASYNC)
      ).json() as Shown;
      await eventually(gate.waiting).toBe(1);
      expect((await remove('ben', id)).statusCode).toBe(404);
      expect((await remove('ann', id)).statusCode).toBe(204);
      expect((await get('ann', `/${id}`)).statusCode).toBe(404);
      gate.open();
      expect(blobNames()).toEqual([]);
      const other = await send('ann', { title: 'Other', content: book('other', 2) });
      expect(other.statusCode).toBe(201);
      expect(await titles('ann', 'wreck')).not.toContain('Wrecks');
      expect(h.events.map(({ type }) => type)).toEqual(['document.indexed']);
      expect(h.faults).toEqual([]);
    });

    it('goes with its person', async () => {
      const gate = gated();
      const h = await start({ embedder: gate.embedder });
      const { id } = (
        await send('ann', { title: 'Diary', content: book('diary', 80) }, ASYNC)
      ).json() as Shown;
      await eventually(gate.waiting).toBe(1);
      expect(await h.knowledge.exportPersonal('north', 'ann')).toMatchObject([{ id, title: 'Diary' }]);
      expect(await h.knowledge.personalIds('north', 'ann')).toContain(id);
      expect(await h.knowledge.erasePersonal('north', 'ann')).toBe(1);
      gate.open();
      expect(await rows()).toBe(0);
      expect(blobNames()).toEqual([]);
      expect((await get('boss', `/${id}`)).statusCode).toBe(404);
    });

    it(
      req(
        'KNOW-31',
        'the present version is found until the one that replaces it is whole; the newest of a name is the last',
      ),
      async () => {
        const gate = gated();
        gate.open();
        await start({ embedder: gate.embedder });
        const named = (content: string, headers: Record<string, string> = {}) =>
          send('ann', { title: 'Timetable', content, external_id: 'tides' }, headers);
        const { id } = (await named('The ferry leaves at six.')).json() as Shown;
        const shut = gated();
        const h = await start({ embedder: shut.embedder });
        const second = await named(book('seven', 70), ASYNC);
        expect(second.statusCode).toBe(202);
        expect(second.json()).toMatchObject({ id, status: 'processing', version: 1 });
        await eventually(shut.waiting).toBe(1);
        const third = await named(book('eight', 70), ASYNC);
        expect(third.json()).toMatchObject({ id, status: 'processing' });
        expect((await get('ann', `/${id}/content`)).body).toBe('The ferry leaves at six.');
        expect(await titles('ann', 'ferry leaves')).toContain('Timetable');
        shut.open();
        await eventually(async () => (await shown('ann', id)).status).toBe('indexed');
        expect(await shown('ann', id)).toMatchObject({ version: 3 });
        expect((await get('ann', `/${id}/content`)).body).toContain('eight');
        await eventually(blobNames).toHaveLength(1);
        expect(h.faults).toEqual([]);
      },
    );

    it(
      req('KNOW-32', 'tenants take turns: a hundred files of one do not hold up a single one of another'),
      async () => {
        const gate = gated();
        const h = await start({ embedder: gate.embedder });
        for (let n = 0; n < 20; n++) await send('ann', { title: `A${n}`, content: book(`a${n}`, 1) }, ASYNC);
        await eventually(gate.waiting).toBe(2);
        for (let n = 0; n < 20; n++) await send('zoe', { title: `Z${n}`, content: book(`z${n}`, 1) }, ASYNC);
        await eventually(gate.waiting).toBe(3);
        gate.open();
        const order = () =>
          h.events.filter(({ type }) => type === 'document.indexed').map(({ data }) => String(data.title));
        await eventually(() => order().length).toBe(40);
        const lastOfZoe = order().filter((title, n) => title.startsWith('Z') && n < 20).length;
        expect(lastOfZoe).toBeGreaterThan(5);
      },
    );

    it('lists of uploads go on at their cursor and follow the filters', async () => {
      const gate = gated();
      gate.open();
      await start({ embedder: gate.embedder });
      const sent: Record<string, unknown>[] = [
        { title: 'Rössle', content: ' ', metadata: { tags: ['inn'] } },
        { title: 'Two', content: ' \n', content_type: 'markdown' },
        { title: 'Three', content: ' \n\n', metadata: { tags: ['inn', 'sea'] } },
      ];
      for (const one of sent) await send('ann', one, ASYNC);
      const list = async (query: string) => (await get('ann', `?status=failed&${query}`)).json();
      await eventually(async () => (await list('')).total).toBe(3);
      const seen: string[] = [];
      let cursor = '';
      do {
        const page = await list(`limit=1${cursor}`);
        expect(page.total).toBe(3);
        seen.push(...page.items.map((one: Shown) => one.title));
        cursor = page.next_cursor === null ? '' : `&cursor=${page.next_cursor}`;
      } while (cursor !== '' && seen.length < 5);
      expect(seen).toEqual(['Three', 'Two', 'Rössle']);
      const found = async (query: string) => {
        const page = await list(query);
        expect(page.total).toBe(page.items.length);
        return page.items.map((one: Shown) => one.title);
      };
      expect((await list('page=2&limit=2')).items.map((one: Shown) => one.title)).toEqual(['Rössle']);
      expect(await found('q=rossle')).toEqual(['Rössle']);
      expect(await found('tags=inn')).toEqual(['Three', 'Rössle']);
      expect(await found('tags=sea,none')).toEqual(['Three']);
      expect(await found('content_type=markdown')).toEqual(['Two']);
      expect(await found('q=nothing')).toEqual([]);
    });

    it('is indexed once a newer upload of the name is, whatever has become of those before', async () => {
      const gate = gated();
      gate.open();
      await start({ embedder: gate.embedder });
      const named = (content: string, headers: Record<string, string> = {}) =>
        send('ann', { title: 'Berths', content, external_id: 'berths' }, headers);
      const { id } = (await named('Berth one is free.')).json() as Shown;
      expect((await named(' \n ', ASYNC)).statusCode).toBe(202);
      await eventually(async () => (await shown('ann', id)).status).toBe('failed');
      const again = await named('Berth one is free.');
      expect(again.statusCode).toBe(201);
      expect(again.json()).toMatchObject({ id, status: 'indexed', version: 1 });
      expect(await shown('ann', id)).toMatchObject({ status: 'indexed', error: null });
      expect(await rows()).toBe(0);
      await eventually(blobNames).toHaveLength(1);
    });

    it('those that their requests have begun take no place of the queue from another tenant', async () => {
      const gate = gated();
      await start({ embedder: gate.embedder });
      const slow = Array.from({ length: 6 }, (_, n) =>
        send('ann', { title: `${n}`, content: book(`ship${n}`, 2) }, { prefer: 'wait=1' }),
      );
      for (const answer of await Promise.all(slow)) expect(answer.statusCode).toBe(202);
      await eventually(gate.waiting).toBe(6);
      expect((await send('zoe', { title: 'Note', content: 'One line.' }, ASYNC)).statusCode).toBe(202);
      await eventually(gate.waiting).toBe(7);
      gate.open();
    });

    it('the same bytes under the same name with other fields are refused, not taken for the first', async () => {
      const gate = gated();
      await start({ embedder: gate.embedder });
      const named = (more: Record<string, unknown>) =>
        send('ann', { title: 'Piers', content: book('pier', 3), external_id: 'piers', ...more }, ASYNC);
      const first = await named({ visibility: 'tenant' });
      expect(first.statusCode).toBe(202);
      const { id } = first.json() as Shown;
      expect((await named({ visibility: 'tenant' })).json()).toMatchObject({ id });
      expect((await named({})).json()).toMatchObject({ id });
      const other = await named({ visibility: 'private' });
      expect(other.statusCode).toBe(409);
      expect(other.json()).toMatchObject({ error: { details: { document_id: id } } });
      expect((await remove('ann', id)).statusCode).toBe(204);
      expect((await named({ visibility: 'private' })).statusCode).toBe(202);
      gate.open();
    });

    it(
      req(
        'KNOW-35',
        'under one name the upload that came last is the content, also when its bytes were sent before',
      ),
      async () => {
        const gate = gated();
        await start({ embedder: gate.embedder });
        const named = (content: string, headers: Record<string, string> = ASYNC) =>
          send('ann', { title: 'Rota', content, external_id: 'rota' }, headers);
        const [first, second] = [book('morning', 2), book('evening', 2)];
        const { id } = (await named(first)).json() as Shown;
        expect((await named(second)).statusCode).toBe(202);
        expect((await named(first)).json()).toMatchObject({ id });
        // The newest of the name again is that upload.
        expect((await named(first)).json()).toMatchObject({ id });
        expect(await rows()).toBe(3);
        gate.open();
        await eventually(async () => (await shown('ann', id)).status).toBe('indexed');
        expect((await get('ann', `/${id}/content`)).body).toBe(first);
        await eventually(rows).toBe(0);
        await eventually(blobNames).toHaveLength(1);
      },
    );

    it('an upload that is still in its request counts in that order', async () => {
      const gate = gated();
      await start({ embedder: gate.embedder });
      const named = (content: string, headers: Record<string, string>) =>
        send('ann', { title: 'Rota', content, external_id: 'rota' }, headers);
      const [first, second] = [book('morning', 2), book('evening', 2)];
      const { id } = (await named(first, ASYNC)).json() as Shown;
      // Begun by `then`, so before the next one.
      const between = named(second, { prefer: 'wait=100' }).then((answer) => answer);
      expect((await named(first, ASYNC)).json()).toMatchObject({ id });
      gate.open();
      expect((await between).statusCode).toBe(201);
      await eventually(rows).toBe(0);
      expect(await shown('ann', id)).toMatchObject({ status: 'indexed' });
      expect((await get('ann', `/${id}/content`)).body).toBe(first);
    });

    it(req('KNOW-36', 'parallel uploads of a new name are answered with the one id that stays'), async () => {
      const gate = gated();
      await start({ embedder: gate.embedder });
      const send1 = (n: number, headers: Record<string, string>) =>
        send('ann', { title: `${n}`, content: book(`gull${n}`, 1), external_id: 'gulls' }, headers);
      const answers = await Promise.all(
        [0, 1, 2, 3, 4, 5].map((n) => send1(n, n % 2 === 0 ? ASYNC : { prefer: 'wait=0' })),
      );
      expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array(6).fill(202));
      const ids = new Set(answers.map((answer) => (answer.json() as Shown).id));
      expect(ids.size).toBe(1);
      const [id = ''] = ids;
      gate.open();
      await eventually(async () => (await shown('ann', id)).status).toBe('indexed');
      await eventually(rows).toBe(0);
      expect((await get('ann', '')).json().total).toBe(1);
    });

    it('an upload in its request becomes the document that a later one of the name was promised', async () => {
      const gate = gated();
      await start({ embedder: gate.embedder });
      const named = (content: string, headers: Record<string, string>) =>
        send('ann', { title: 'Buoys', content, external_id: 'buoys' }, headers);
      const quick = named(book('buoy', 1), { prefer: 'wait=200' });
      await eventually(gate.waiting).toBe(1);
      const { id } = (await named(book('float', 1), ASYNC)).json() as Shown;
      gate.let(1);
      expect((await quick).json()).toMatchObject({ id });
      gate.open();
      await eventually(async () => (await shown('ann', id)).status).toBe('indexed');
      expect((await get('ann', `/${id}/content`)).body).toContain('float');
    });

    it(
      req('KNOW-37', 'a PATCH does not wait for the version that is being read, and holds for it'),
      async () => {
        const gate = gated();
        gate.open();
        await start({ embedder: gate.embedder });
        const named = (
          content: string,
          more: Record<string, unknown>,
          headers: Record<string, string> = {},
        ) => send('ann', { title: 'Wages', content, external_id: 'wages', ...more }, headers);
        const { id } = (await named('The wage is nine.', { visibility: 'tenant' })).json() as Shown;
        const shut = gated();
        const h = await start({ embedder: shut.embedder });
        const second = { visibility: 'tenant', metadata: { tags: ['pay'] } };
        expect((await named(book('wage', 3), second, ASYNC)).statusCode).toBe(202);
        await eventually(shut.waiting).toBe(1);
        const changed = await patch('ann', id, { visibility: 'private', metadata: { tags: ['secret'] } });
        expect(changed.statusCode).toBe(200);
        expect((await get('ben', `/${id}`)).statusCode).toBe(404);
        const titled = patch('ann', id, { title: 'Salaries' });
        await eventually(shut.waiting).toBe(2);
        shut.open();
        expect((await titled).json()).toMatchObject({ title: 'Salaries' });
        await eventually(async () => (await shown('ann', id)).status).toBe('indexed');
        expect(await shown('ann', id)).toMatchObject({
          title: 'Salaries',
          visibility: 'private',
          metadata: { tags: ['secret'] },
          version: 2,
        });
        expect((await get('ann', `/${id}/content`)).body).toContain('wage of day');
        expect((await get('ben', `/${id}`)).statusCode).toBe(404);
        expect(await titles('ben', 'wage of day')).toEqual([]);
        expect(await titles('ann', 'wage of day')).toContain('Salaries');
        // What is sent after it counts again.
        expect((await named(book('wage', 4), second)).statusCode).toBe(201);
        expect(await shown('ann', id)).toMatchObject({ title: 'Wages', ...second });
        expect(await titles('ben', 'wage of day')).toContain('Wages');
        expect(h.faults).toEqual([]);
      },
    );

    it(
      req('KNOW-46', 'a PATCH of a file whose first version is being read holds at once and afterwards'),
      async () => {
        const gate = gated();
        const h = await start({ embedder: gate.embedder });
        const { id } = (
          await send(
            'ann',
            { title: 'Tides', content: book('tide', 70), visibility: 'tenant', metadata: { tags: ['sea'] } },
            ASYNC,
          )
        ).json() as Shown;
        await eventually(gate.waiting).toBeGreaterThan(0);
        const changes = { title: 'Ebb', visibility: 'private', metadata: { tags: ['moon'] } };
        const changed = await patch('ann', id, changes);
        expect(changed.statusCode).toBe(200);
        expect(changed.json()).toMatchObject({ ...changes, id, status: 'processing', chunk_count: 0 });
        expect(await shown('ann', id)).toMatchObject({ ...changes, status: 'processing' });
        expect((await get('ann', '?status=processing&tags=moon')).json()).toMatchObject({ total: 1 });
        gate.open();
        await eventually(async () => (await shown('ann', id)).status).toBe('indexed');
        expect(await shown('ann', id)).toMatchObject({ ...changes, version: 1 });
        expect((await get('ben', `/${id}`)).statusCode).toBe(404);
        expect(await titles('ben', 'tide of day')).toEqual([]);
        expect(await titles('ann', 'tide of day')).toContain('Ebb');
        expect(gate.texts.some((text) => text.startsWith('Ebb'))).toBe(true);
        await eventually(rows).toBe(0);
        expect(h.faults).toEqual([]);
      },
    );

    it('such a PATCH holds for each upload of the name, after a restart, a failure and a retry', async () => {
      const gate = gated();
      await start({ embedder: gate.embedder });
      const named = (content: string) =>
        send('ann', { title: 'Rents', content, external_id: 'rents', visibility: 'tenant' }, ASYNC);
      const { id } = (await named(book('rent', 2))).json() as Shown;
      await named(book('lease', 2));
      await eventually(gate.waiting).toBeGreaterThan(0);
      expect((await patch('ann', id, { visibility: 'private' })).statusCode).toBe(200);
      const shut = gated();
      await start({ embedder: shut.embedder });
      await eventually(shut.waiting).toBeGreaterThan(0);
      expect(await shown('ann', id)).toMatchObject({ visibility: 'private', status: 'processing' });
      expect((await patch('ann', id, { metadata: { tags: ['due'] } })).statusCode).toBe(200);
      shut.open();
      await eventually(rows).toBe(0);
      expect((await get('ann', `/${id}/content`)).body).toContain('lease of day');
      expect(await shown('ann', id)).toMatchObject({ visibility: 'private', metadata: { tags: ['due'] } });
      expect((await get('ben', `/${id}`)).statusCode).toBe(404);

      const broken = gated();
      broken.fail(new Error('no model'));
      broken.open();
      await start({ embedder: broken.embedder });
      const lost = (await send('ann', { title: 'Lost', content: 'Lost at sea.' }, ASYNC)).json() as Shown;
      await eventually(async () => (await shown('ann', lost.id)).status).toBe('failed');
      expect((await patch('ann', lost.id, { title: 'Found' })).json()).toMatchObject({ title: 'Found' });
      broken.fail(null);
      expect((await retry('ann', lost.id)).statusCode).toBe(202);
      await eventually(async () => (await shown('ann', lost.id)).status).toBe('indexed');
      expect(await shown('ann', lost.id)).toMatchObject({ title: 'Found' });
    });

    it(
      req('KNOW-46', 'what an upload leaves out it has of those of its name before it, read or not'),
      async () => {
        const gate = gated();
        const h = await start({ embedder: gate.embedder });
        const named = (name: string, content: string, more: object, headers: Record<string, string> = {}) =>
          send('ann', { title: name, content, external_id: name, ...more }, headers);
        const given = { metadata: { tags: ['x'] }, visibility: 'tenant' };
        const changes = { metadata: { tags: ['y'] } };

        gate.fail(new Error('no model'));
        gate.open();
        const failed: Record<string, string> = {};
        for (const name of ['asked', 'changed', 'other']) {
          const { id } = (await named(name, `Lost ${name}.`, given, ASYNC)).json() as Shown;
          await eventually(async () => (await shown('ann', id)).status).toBe('failed');
          failed[name] = id;
        }
        expect((await patch('ann', failed.changed ?? '', changes)).statusCode).toBe(200);
        gate.fail(null);
        const again = async (name: string, more: object) => {
          const answer = await named(name, `Found ${name}.`, more);
          expect([answer.statusCode, (answer.json() as Shown).id]).toEqual([201, failed[name]]);
          return answer.json();
        };
        expect(await again('asked', {})).toMatchObject(given);
        expect(await again('changed', {})).toMatchObject({ ...given, ...changes });
        expect(await again('other', { visibility: 'private' })).toMatchObject({
          metadata: given.metadata,
          visibility: 'private',
        });
        expect((await get('ben', `/${failed.changed}`)).statusCode).toBe(200);

        const shut = gated();
        await start({ embedder: shut.embedder });
        const { id } = (await named('later', book('tide', 3), given, ASYNC)).json() as Shown;
        await eventually(shut.waiting).toBeGreaterThan(0);
        expect((await patch('ann', id, changes)).statusCode).toBe(200);
        const next = await named('later', book('ebb', 3), {}, ASYNC);
        expect(next.json()).toMatchObject({ id, ...given, ...changes, status: 'processing' });
        shut.open();
        await eventually(rows).toBe(0);
        expect(await shown('ann', id)).toMatchObject({ ...given, ...changes, status: 'indexed', version: 2 });
        // The three that had no model.
        expect(h.faults).toHaveLength(3);
      },
    );

    it('nobody vouches for what is not read, and other changes of it are refused as for a document', async () => {
      const gate = gated();
      await start({ embedder: gate.embedder });
      const { id } = (await send('ann', { title: 'Deeds', content: book('deed', 2) }, ASYNC)).json() as Shown;
      await eventually(gate.waiting).toBeGreaterThan(0);
      expect((await patch('ann', id, { trusted: true })).statusCode).toBe(403);
      expect((await patch('boss', id, { trusted: true })).statusCode).toBe(409);
      expect((await patch('ann', id, { title: 'New', seen_version: 2 })).statusCode).toBe(409);
      expect((await patch('ann', id, { title: 'New', seen_version: 1 })).statusCode).toBe(200);
      expect((await remove('ann', id)).statusCode).toBe(204);
      expect((await patch('ann', id, { title: 'Newer' })).statusCode).toBe(404);
      gate.open();
      await eventually(rows).toBe(0);
      expect((await get('ann', `/${id}`)).statusCode).toBe(404);
      expect(await titles('ann', 'deed of day')).toEqual([]);
    });

    it('what is sent again after a PATCH is not taken for what is on its way from before', async () => {
      const gate = gated();
      gate.open();
      await start({ embedder: gate.embedder });
      const named = (content: string, headers: Record<string, string> = {}) =>
        send('ann', { title: 'Keys', content, external_id: 'keys', visibility: 'tenant' }, headers);
      const { id } = (await named('The key hangs left.')).json() as Shown;
      const shut = gated();
      await start({ embedder: shut.embedder });
      const content = book('key', 2);
      await named(content, ASYNC);
      expect((await patch('ann', id, { visibility: 'private' })).statusCode).toBe(200);
      expect((await named(content, ASYNC)).statusCode).toBe(202);
      shut.open();
      await eventually(rows).toBe(0);
      expect(await shown('ann', id)).toMatchObject({ visibility: 'tenant' });
    });

    it('never shows the next version to those whom it is not for', async () => {
      const gate = gated();
      gate.open();
      await start({ embedder: gate.embedder });
      const named = (content: string, visibility: string) =>
        send('ann', { title: 'Plans', content, external_id: 'plans', visibility });
      const { id } = (await named('The plan is old.', 'tenant')).json() as Shown;
      expect((await named(book('plan', 80), 'private')).statusCode).toBe(201);
      expect((await get('ben', `/${id}`)).statusCode).toBe(404);
      expect(await titles('ben', 'plan of day')).toEqual([]);
      expect((await named(book('plan', 81), 'tenant')).statusCode).toBe(201);
      expect(await titles('ben', 'plan of day')).toContain('Plans');
    });

    it('keeps the time at which it was sent, and refuses others as it does for a document', async () => {
      const gate = gated();
      await start({ embedder: gate.embedder });
      const sent = await send('ann', { title: 'Sails', content: book('sail', 70), external_id: 's' }, ASYNC);
      const { id, created_at: createdAt } = sent.json() as Shown & { created_at: string };
      await send('ann', { title: 'Sails', content: book('mast', 70), external_id: 's' }, ASYNC);
      expect(await shown('ann', id)).toMatchObject({ created_at: createdAt });
      expect((await patch('op', id, { title: 'Mine' })).statusCode).toBe(403);
      expect((await patch('ben', id, { title: 'Mine' })).statusCode).toBe(404);
      expect((await remove('op', id)).statusCode).toBe(403);
      expect((await remove('ben', id)).statusCode).toBe(404);
      gate.open();
      await eventually(async () => (await shown('ann', id)).status).toBe('indexed');
      expect(await shown('ann', id)).toMatchObject({ created_at: createdAt });
    });

    it('lists under each status what has it, and without one all that can be found', async () => {
      const gate = gated();
      gate.open();
      await start({ embedder: gate.embedder });
      const sent = async (name: string, content: string, headers: Record<string, string> = {}) =>
        (await send('ann', { title: name, content, external_id: name }, headers)).json() as Shown;
      const one = await sent('one', 'One line.');
      const two = await sent('two', 'Two lines.');
      const shut = gated();
      await start({ embedder: shut.embedder });
      await sent('two', book('line', 2), ASYNC);
      const list = async (query: string) => {
        const page = (await get('ann', query)).json();
        expect(page.total).toBe(page.items.length);
        return page.items.map(({ id, status }: Shown) => ({ id, status }));
      };
      const processing = { id: two.id, status: 'processing' };
      const indexed = { id: one.id, status: 'indexed' };
      expect(await list('?status=indexed')).toEqual([indexed]);
      expect(await list('?status=processing')).toEqual([processing]);
      expect(await list('')).toEqual([processing, indexed]);
      shut.open();
      await eventually(rows).toBe(0);
      expect(await list('?status=indexed')).toEqual([{ ...processing, status: 'indexed' }, indexed]);
    });

    it('the answer under a key is replayed as it was', async () => {
      const gate = gated();
      await start({ embedder: gate.embedder });
      const body = { title: 'Keyed', content: book('keyed', 2) };
      const first = await send('ann', body, { ...ASYNC, 'idempotency-key': 'k1' });
      expect(first.statusCode).toBe(202);
      const replay = await send('ann', body, { ...ASYNC, 'idempotency-key': 'k1' });
      expect(replay.statusCode).toBe(202);
      expect(replay.headers['idempotent-replayed']).toBe('true');
      expect(replay.body).toBe(first.body);
      expect(first.headers['preference-applied']).toBe('respond-async');
      expect(replay.headers['preference-applied']).toBe('respond-async');
      gate.open();
    });
  });
};
