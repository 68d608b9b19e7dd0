import { describe, expect } from 'vitest';
import { req } from '../../../test/requirements.ts';
import type { Client } from '../../../test/support/client.ts';
import type { TestProvider } from '../../../test/support/provider.ts';
import type { TestServer } from '../../../test/support/server.ts';
import {
  expectErrorA,
  expectErrorB,
  fieldsOf,
  newPerson,
  TIMESTAMP,
  UUID_V7,
} from '../../../test/support/shapes.ts';
import { withWorld } from '../../../test/support/suite.ts';

interface Conversation {
  id: string;
  title: string | null;
  status: string;
  metadata: Record<string, unknown>;
  message_count: number;
  archived_at: string | null;
}
interface Page<T> {
  items: T[];
  page: number;
  limit: number;
  total: number;
  has_more: boolean;
  next_cursor: string | null;
}
interface Message {
  id: string;
  role: string;
  content: string;
  agent_id: string | null;
  run_id: string | null;
}
interface ChatAnswer {
  id: string;
  conversation_id: string;
  content: string;
  run_id: string;
}

const NO_SUCH_ID = '01890000-0000-7000-8000-000000000000';
const URL_V1 = '/api/v1/conversations';

let server: TestServer;
let provider: TestProvider;
let admin: Client;
let person: Client;

const it = withWorld({
  provider: { tokens: 3 },
});
it.beforeAll(async ({ world }) => {
  ({ provider, server, admin } = world);
  person = await newPerson(server, admin);
});

const create = async (client: Client, body: unknown = {}): Promise<Conversation> => {
  const answer = await client.post(URL_V1, body);
  expect(answer.status).toBe(201);
  return answer.json<Conversation>();
};
const list = async (client: Client, query = ''): Promise<Page<Conversation>> => {
  const answer = await client.get(`${URL_V1}${query}`);
  expect(answer.status).toBe(200);
  return answer.json<Page<Conversation>>();
};
const say = async (client: Client, message: string, conversationId?: string): Promise<ChatAnswer> => {
  const answer = await client.post('/api/v1/chat', {
    message,
    context: { agent_id: 'zeus' },
    ...(conversationId === undefined ? {} : { conversation_id: conversationId }),
  });
  expect(answer.status, answer.text).toBe(200);
  return answer.json<ChatAnswer>();
};

describe('the first page, which is given out again while nothing changes', () => {
  it(
    req('CONV-08', 'shows every change at once, whoever read it before, and nothing of others'),
    async () => {
      const own = await newPerson(server, admin);
      const other = await newPerson(server, admin);
      const titles = async (client: Client, query = ''): Promise<(string | null)[]> => {
        const first = await list(client, query);
        // Read twice: the second one is the kept page.
        expect(await list(client, query)).toEqual(first);
        return first.items.map((item) => item.title);
      };
      expect(await titles(own)).toEqual([]);
      const a = await create(own, { title: 'A' });
      expect(await titles(own)).toEqual(['A']);
      expect(await titles(other)).toEqual([]);
      await create(own, { title: 'B' });
      expect(await titles(own)).toEqual(['B', 'A']);
      expect(await titles(own, '?limit=1')).toEqual(['B']);
      expect((await own.patch(`${URL_V1}/${a.id}`, { title: 'A2' })).status).toBe(200);
      expect(await titles(own)).toEqual(['B', 'A2']);
      await say(own, 'hello', a.id);
      expect((await list(own)).items.find((item) => item.id === a.id)?.message_count).toBe(2);
      expect((await own.delete(`${URL_V1}/${a.id}`)).status).toBe(204);
      expect(await titles(own)).toEqual(['B']);
      expect(await titles(own, '?status=archived')).toEqual(['A2']);
      expect((await own.post(`${URL_V1}/${a.id}/restore`)).status).toBe(200);
      expect(await titles(own)).toEqual(['B', 'A2']);
      expect(await titles(own, '?status=archived')).toEqual([]);
      await Promise.all(Array.from({ length: 5 }, (_, i) => create(own, { title: `C${i}` })));
      expect((await list(own)).total).toBe(7);
      expect(await titles(other)).toEqual([]);
    },
  );

  it('is not given to who has lost the right to read it', async () => {
    const own = await newPerson(server, admin);
    await create(own, { title: 'A' });
    expect((await list(own)).total).toBe(1);
    expect((await admin.delete(`/v2/users/${own.id}`)).status).toBe(204);
    expect((await own.get(URL_V1)).status).toBe(401);
  });
});

describe('a conversation', () => {
  it(req('CONV-01', 'is created whole, with Location, and read back with its messages'), async () => {
    const answer = await person.post(URL_V1, { title: 'Plans', metadata: { project: 'x', n: [1, null] } });
    expect(answer.status).toBe(201);
    const made = answer.json<Conversation>();
    expect(answer.headers.get('location')).toBe(`${URL_V1}/${made.id}`);
    expect(made).toEqual({
      id: expect.stringMatching(UUID_V7),
      title: 'Plans',
      status: 'active',
      metadata: { project: 'x', n: [1, null] },
      agent_ids: [],
      message_count: 0,
      total_cost_usd: 0,
      created_at: expect.stringMatching(TIMESTAMP),
      updated_at: expect.stringMatching(TIMESTAMP),
      archived_at: null,
      taint: [],
      pinned: false,
      folder: null,
    });
    expect((await person.get(`${URL_V1}/${made.id}`)).body).toEqual({
      ...made,
      active_message_id: null,
      messages: [],
    });
  });

  it(req('CONV-12', 'is pinned and put into a folder, and found by both'), async () => {
    const own = await newPerson(server, admin);
    const made = [await create(own, { title: 'A' }), await create(own, { title: 'B' })];
    const patched = await own.patch(`${URL_V1}/${made[0]?.id}`, { pinned: true, folder: 'Winter' });
    expect(patched.body).toMatchObject({ pinned: true, folder: 'Winter', title: 'A' });
    const titles = async (query: string) => (await list(own, query)).items.map((item) => item.title);
    expect(await titles('')).toEqual(['B', 'A']);
    expect(await titles('?pinned=true')).toEqual(['A']);
    expect(await titles('?pinned=false')).toEqual(['B']);
    expect(await titles('?folder=Winter')).toEqual(['A']);
    expect(await titles('?folder=Summer')).toEqual([]);
    await own.patch(`${URL_V1}/${made[0]?.id}`, { pinned: false, folder: null });
    expect(await titles('?pinned=true')).toEqual([]);
    expect((await own.patch(`${URL_V1}/${made[0]?.id}`, { folder: ' ' })).status).toBe(422);
  });

  it(
    req('CONV-12', 'folders are listed, renamed together, and taken away without their conversations'),
    async () => {
      const own = await newPerson(server, admin);
      const made = [await create(own, { title: 'A' }), await create(own, { title: 'B' })];
      const other = await create(own, { title: 'C' });
      for (const { id } of made) await own.patch(`${URL_V1}/${id}`, { folder: 'Winter' });
      await own.patch(`${URL_V1}/${other.id}`, { folder: 'Alps' });
      await own.delete(`${URL_V1}/${made[0]?.id}`);
      const folders = async (query = '') =>
        (await own.get(`${URL_V1}/folders${query}`)).json<{ items: unknown[] }>().items;
      expect(await folders()).toEqual([
        { name: 'Alps', count: 1 },
        { name: 'Winter', count: 2 },
      ]);
      expect(await folders('?status=active')).toEqual([
        { name: 'Alps', count: 1 },
        { name: 'Winter', count: 1 },
      ]);
      // Of others nothing is seen, and nothing changed.
      const stranger = await newPerson(server, admin);
      expect((await stranger.get(`${URL_V1}/folders`)).body).toEqual({ items: [] });
      const rename = (client: Client, body: unknown) => client.post(`${URL_V1}/folders/rename`, body);
      expect((await rename(stranger, { name: 'Winter', to: 'Taken' })).body).toEqual({ changed: 0 });
      expect((await rename(own, { name: 'Winter', to: 'Alps' })).body).toEqual({ changed: 2 });
      expect(await folders()).toEqual([{ name: 'Alps', count: 3 }]);
      expect((await list(own, '?folder=Alps')).items.map((item) => item.title)).toEqual(['C', 'B']);
      expect((await rename(own, { name: 'Alps', to: null })).body).toEqual({ changed: 3 });
      expect(await folders()).toEqual([]);
      expect((await list(own, '')).items).toHaveLength(2);
      expect((await rename(own, { name: ' ', to: null })).status).toBe(422);
    },
  );

  it(req('CONV-13', 'tells of a search which message was found, and where'), async () => {
    const own = await newPerson(server, admin);
    const { conversation_id: id } = await say(own, 'Where is the Marmalade lighthouse of the north?');
    await say(own, 'And the marmalade?', id);
    const titled = await create(own, { title: 'Marmalade only' });
    const found = (await own.get(`${URL_V1}?q=marmalade`)).json<
      Page<Conversation & { hit: { message_id: string | null; snippet: string } }>
    >();
    const newest = (await own.get(`${URL_V1}/${id}`)).json<{ messages: Message[] }>().messages[2];
    expect(found.items.map((item) => [item.id, item.hit])).toEqual([
      [titled.id, { message_id: null, snippet: 'Marmalade only' }],
      [id, { message_id: newest?.id, snippet: 'And the marmalade?' }],
    ]);
    expect(found.items[0]).not.toHaveProperty('messages');
    expect((await list(own)).items[0]).not.toHaveProperty('hit');
  });

  it(req('CONV-10', 'has its title at once, also where the run waits, fails or is under way'), async () => {
    const gate = Promise.withResolvers<void>();
    provider.always(() => ({ text: 'late', hold: gate.promise }));
    const { id } = await create(person);
    const stream = await person.stream('/api/v1/chat/stream', {
      message: 'Which buoy is green?',
      conversation_id: id,
      context: { agent_id: 'zeus' },
    });
    await stream.until('run.started');
    const titleOf = async (one: string) => (await person.get(`${URL_V1}/${one}`)).json<Conversation>().title;
    expect(await titleOf(id)).toBe('Which buoy is green?');
    gate.resolve();
    await stream.rest();
    provider.always(() => ({ error: { status: 400, body: { error: { message: 'no' } } } }));
    const failing = await create(person);
    await person.post('/api/v1/chat', {
      message: 'Which one is red?',
      conversation_id: failing.id,
      context: { agent_id: 'zeus' },
    });
    expect(await titleOf(failing.id)).toBe('Which one is red?');
    provider.reset();
  });

  it(req('CONV-01', 'takes its title from the first message where it has none'), async () => {
    const { id } = await create(person);
    await say(person, 'When does the ferry leave?', id);
    const read = (await person.get(`${URL_V1}/${id}`)).json<Conversation>();
    expect(read.title).toContain('ferry');
    expect(read.message_count).toBe(2);
  });

  it(req('CONV-01', 'is renamed, and its metadata replaced'), async () => {
    const { id } = await create(person, { title: 'old', metadata: { a: 1 } });
    const answer = await person.patch(`${URL_V1}/${id}`, { title: 'new' });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ title: 'new', metadata: { a: 1 } });
    const second = await person.patch(`${URL_V1}/${id}`, { metadata: { b: 2 }, title: null });
    expect(second.body).toMatchObject({ title: null, metadata: { b: 2 } });
    expectErrorA(await person.patch(`${URL_V1}/${id}`, {}), 422, 'VALIDATION_ERROR');
  });

  it.each([
    [{ title: '' }, '/title'],
    [{ title: '   ' }, '/title'],
    [{ title: 'x'.repeat(201) }, '/title'],
    [{ title: 7 }, '/title'],
    [{ metadata: [] }, '/metadata'],
    [{ metadata: 'x' }, '/metadata'],
    [{ metadata: { a: 'x'.repeat(17_000) } }, '/metadata'],
    [{ name: 'x' }, '/name'],
  ])(req('CONV-01', '422 for %j'), async (body, field) => {
    const facts = expectErrorA(await person.post(URL_V1, body), 422, 'VALIDATION_ERROR');
    expect(fieldsOf(facts)).toContain(field);
  });

  it(req('CONV-01', 'a title counts code points'), async () => {
    const title = '😀'.repeat(200);
    expect((await create(person, { title })).title).toBe(title);
    expectErrorA(await person.post(URL_V1, { title: `${title}a` }), 422, 'VALIDATION_ERROR');
  });

  it(
    req('CONV-02', 'is archived by DELETE, twice, hidden from the list, readable, and restored'),
    async () => {
      const one = await newPerson(server, admin);
      const { id } = await create(one, { title: 'gone' });
      for (let i = 0; i < 2; i++) {
        const answer = await one.delete(`${URL_V1}/${id}`);
        expect([answer.status, answer.text]).toEqual([204, '']);
      }
      expect((await list(one)).items).toEqual([]);
      expect((await list(one, '?status=archived')).items.map((item) => item.id)).toEqual([id]);
      const read = (await one.get(`${URL_V1}/${id}`)).json<Conversation>();
      expect(read).toMatchObject({ status: 'archived', archived_at: expect.stringMatching(TIMESTAMP) });
      expectErrorA(await one.post('/api/v1/chat', { message: 'hi', conversation_id: id }), 409, 'CONFLICT');
      const restored = await one.post(`${URL_V1}/${id}/restore`);
      expect(restored.status).toBe(200);
      expect(restored.body).toMatchObject({ status: 'active', archived_at: null });
      expect((await list(one)).items.map((item) => item.id)).toEqual([id]);
      expect((await list(one, '?status=archived')).total).toBe(0);
      await say(one, 'again', id);
    },
  );

  it(req('CONV-03', 'is exported as JSON and as Markdown'), async () => {
    const { id } = await create(person, { title: 'Export me' });
    provider.script({ text: 'The answer is **42**.' });
    await say(person, 'What is the answer?', id);
    const json = await person.get(`${URL_V1}/${id}/export?format=json`);
    expect(json.headers.get('content-type')).toMatch(/^application\/json/);
    expect(json.headers.get('content-disposition')).toMatch(/^attachment/);
    expect(json.text).toContain('What is the answer?');
    expect((await person.get(`${URL_V1}/${id}/export`)).text).toBe(json.text);
    const markdown = await person.get(`${URL_V1}/${id}/export?format=markdown`);
    expect(markdown.headers.get('content-type')).toMatch(/^text\/markdown/);
    expect(markdown.text).toMatch(/^# Export me\n/);
    expect(markdown.text).toContain('The answer is **42**.');
    expectErrorA(await person.get(`${URL_V1}/${id}/export?format=pdf`), 422, 'VALIDATION_ERROR');
  });

  it(req('CONV-04', 'is found by words of its title and of its messages, by its owner alone'), async () => {
    const one = await newPerson(server, admin);
    const titled = await create(one, { title: 'Zebra crossing 100% done' });
    const said = await say(one, 'Tell me of the quokka');
    await create(one, { title: 'Something else' });
    const found = async (client: Client, q: string) =>
      (await list(client, `?q=${encodeURIComponent(q)}`)).items.map((item) => item.id);
    expect(await found(one, 'zebra')).toEqual([titled.id]);
    expect(await found(one, 'quokka')).toEqual([said.conversation_id]);
    expect(await found(one, '100%')).toEqual([titled.id]);
    expect(await found(one, '%')).toEqual([titled.id]);
    expect(await found(one, "' OR 1=1 --")).toEqual([]);
    expect(await found(person, 'quokka')).toEqual([]);
  });

  it(req('CONV-05', 'pages its messages, oldest first'), async () => {
    const { id } = await create(person);
    for (const message of ['one', 'two', 'three']) await say(person, message, id);
    const page = async (query: string) =>
      (await person.get(`${URL_V1}/${id}/messages${query}`)).json<Page<Message>>();
    const first = await page('?limit=4');
    expect(first).toMatchObject({ total: 6, page: 1, limit: 4, has_more: true });
    expect(first.items.map((item) => item.role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    const second = await page(`?limit=4&cursor=${first.next_cursor}`);
    expect(second).toMatchObject({ has_more: false, next_cursor: null });
    expect([...first.items, ...second.items].filter((m) => m.role === 'user').map((m) => m.content)).toEqual([
      'one',
      'two',
      'three',
    ]);
    expect(await page('?limit=4&page=2')).toMatchObject({ items: second.items });
    const newest = await page('?order=desc&limit=2');
    expect(newest.items.map((item) => item.id)).toEqual(second.items.map((item) => item.id).reverse());
    const whole = (await person.get(`${URL_V1}/${id}`)).json<{ messages: Message[] }>().messages;
    expect(whole).toEqual([...first.items, ...second.items]);
  });

  it(req('CONV-06', 'takes feedback on an answer, the last one counts'), async () => {
    const answer = await say(person, 'rate this');
    const path = `/api/v1/messages/${answer.id}/feedback`;
    const first = await person.post(path, { rating: 'down', comment: 'too short' });
    expect(first.status).toBe(200);
    expect(first.body).toEqual({
      message_id: answer.id,
      rating: 'down',
      comment: 'too short',
      created_at: expect.stringMatching(TIMESTAMP),
    });
    expect((await person.post(path, { rating: 'up' })).body).toMatchObject({ rating: 'up', comment: null });
    expectErrorA(await person.post(path, { rating: 'sideways' }), 422, 'VALIDATION_ERROR');
    expectErrorA(
      await person.post(`/api/v1/messages/${NO_SUCH_ID}/feedback`, { rating: 'up' }),
      404,
      'NOT_FOUND',
    );
  });
});

describe('lists', () => {
  it(req('LIST-01', 'are newest first in pages with their envelope'), async () => {
    const one = await newPerson(server, admin);
    const made: string[] = [];
    for (let i = 0; i < 5; i++) made.unshift((await create(one, { title: `n${i}` })).id);
    const first = await list(one, '?limit=2');
    expect(Object.keys(first).sort()).toEqual(['has_more', 'items', 'limit', 'next_cursor', 'page', 'total']);
    expect(first).toMatchObject({ page: 1, limit: 2, total: 5, has_more: true });
    const pages = [first, await list(one, '?limit=2&page=2'), await list(one, '?limit=2&page=3')];
    expect(pages.flatMap((page) => page.items.map((item) => item.id))).toEqual(made);
    expect(pages[2]).toMatchObject({ has_more: false, next_cursor: null, page: 3 });
    expect(await list(one, '?page=9')).toMatchObject({ items: [], total: 5, has_more: false });
    expect(await list(one)).toMatchObject({ page: 1, limit: 20, next_cursor: null });
  });

  it(req('LIST-03', 'walk by cursor without skips or repeats while records come and go'), async () => {
    const one = await newPerson(server, admin);
    const made: string[] = [];
    for (let i = 0; i < 7; i++) made.unshift((await create(one, { title: `w${i}` })).id);
    const seen: string[] = [];
    let page = await list(one, '?limit=2');
    for (;;) {
      seen.push(...page.items.map((item) => item.id));
      if (page.next_cursor === null) break;
      await create(one, { title: 'newer' });
      if (seen.length === 4) await one.delete(`${URL_V1}/${seen[0]}`);
      page = await list(one, `?limit=2&cursor=${page.next_cursor}`);
    }
    expect(seen).toEqual(made);
  });

  it.each([
    ['page=0', '/page'],
    ['page=-1', '/page'],
    ['page=x', '/page'],
    ['page=1.5', '/page'],
    ['limit=0', '/limit'],
    ['limit=101', '/limit'],
    ['limit=', '/limit'],
    ['cursor=nonsense', '/cursor'],
    ['cursor=%00', '/cursor'],
    ['cursor=', '/cursor'],
    ['status=deleted', '/status'],
    ['q=', '/q'],
  ])(req('LIST-02', '422 for ?%s'), async (query, field) => {
    const facts = expectErrorA(await person.get(`${URL_V1}?${query}`), 422, 'VALIDATION_ERROR');
    expect(fieldsOf(facts)).toEqual([field]);
  });

  it(req('LIST-02', '422 for a parameter given twice and for page with cursor'), async () => {
    expectErrorA(await person.get(`${URL_V1}?limit=1&limit=2`), 422, 'VALIDATION_ERROR');
    await create(person);
    await create(person);
    const { next_cursor: cursor } = await list(person, '?limit=1');
    expectErrorA(await person.get(`${URL_V1}?page=2&cursor=${cursor}`), 422, 'VALIDATION_ERROR');
  });

  it(
    req(['LIST-01', 'CONV-07'], 'hold the caller’s own records alone; an admin may ask for the tenant’s'),
    async () => {
      const one = await newPerson(server, admin);
      const { id } = await create(one, { title: 'private' });
      const ids = (page: Page<Conversation>) => page.items.map((item) => item.id);
      expect(ids(await list(person, '?limit=100'))).not.toContain(id);
      expect(ids(await list(admin, '?limit=100'))).not.toContain(id);
      expect(ids(await list(admin, '?limit=100&scope=tenant'))).toContain(id);
      expectErrorA(await person.get(`${URL_V1}?scope=tenant`), 403, 'FORBIDDEN');
    },
  );
});

describe('a stranger', () => {
  const withoutId = (text: string): string => text.replace(/"request_id":"[^"]+"/, '');

  it.each([
    ['of the same tenant', () => newPerson(server, admin)],
    [
      'of another tenant, its admin',
      async () => {
        const owner = {
          email: `owner-${Date.now()}@example.test`,
          password: 'a password of the other tenant',
        };
        const slug = `t-${Date.now().toString(36)}`;
        const made = await admin.post('/v2/tenants', { name: 'Other', slug, admin: owner });
        expect(made.status, made.text).toBe(201);
        return server.signIn(owner.email, owner.password);
      },
    ],
  ])(
    req('CONV-07', '%s gets 404 with the bytes of a record that does not exist'),
    async (_name, makeStranger) => {
      const stranger = await makeStranger();
      const answer = await say(person, 'a secret');
      const calls: [string, string, unknown?][] = [
        ['GET', `${URL_V1}/ID`],
        ['PATCH', `${URL_V1}/ID`, { title: 'mine' }],
        ['DELETE', `${URL_V1}/ID`],
        ['POST', `${URL_V1}/ID/restore`],
        ['GET', `${URL_V1}/ID/messages`],
        ['GET', `${URL_V1}/ID/export`],
        ['POST', '/api/v1/chat', { message: 'hi', conversation_id: 'ID' }],
        ['POST', '/api/v1/chat/stream', { message: 'hi', conversation_id: 'ID' }],
      ];
      const run = (id: string, method: string, path: string, body?: unknown) =>
        stranger.send(
          method,
          path.replace('ID', id),
          body === undefined ? undefined : JSON.stringify(body).replace('ID', id),
          body === undefined ? {} : { headers: { 'content-type': 'application/json' } },
        );
      for (const [method, path, body] of calls) {
        const theirs = await run(answer.conversation_id, method, path, body);
        const none = await run(NO_SUCH_ID, method, path, body);
        expectErrorA(theirs, 404, 'NOT_FOUND');
        expect(withoutId(theirs.text), `${method} ${path}`).toBe(withoutId(none.text));
      }
      for (const [kind, id] of [
        ['messages/ID/feedback', answer.id],
        ['chat/runs/ID/cancel', answer.run_id],
      ] as const) {
        const body = kind.startsWith('messages') ? { rating: 'up' } : undefined;
        const theirs = await run(id, 'POST', `/v2/${kind}`, body);
        const none = await run(NO_SUCH_ID, 'POST', `/v2/${kind}`, body);
        expectErrorB(theirs, 404, 'NOT_FOUND');
        expect(withoutId(theirs.text)).toBe(withoutId(none.text));
      }
      for (const kind of ['chat/runs/ID', 'chat/runs/ID/stream']) {
        const theirs = await run(answer.run_id, 'GET', `/v2/${kind}`);
        const none = await run(NO_SUCH_ID, 'GET', `/v2/${kind}`);
        expectErrorB(theirs, 404, 'NOT_FOUND');
        expect(withoutId(theirs.text)).toBe(withoutId(none.text));
      }
      expect((await person.get(`${URL_V1}/${answer.conversation_id}`)).body).toMatchObject({
        status: 'active',
      });
    },
  );
});
