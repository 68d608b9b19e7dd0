import { beforeEach, describe, expect } from 'vitest';
import { req } from '../../../test/requirements.ts';
import type { Client } from '../../../test/support/client.ts';
import type { TestProvider, TestRequest } from '../../../test/support/provider.ts';
import type { TestServer } from '../../../test/support/server.ts';
import { newPerson } from '../../../test/support/shapes.ts';
import { withWorld } from '../../../test/support/suite.ts';

/** Messages as a tree: questions are edited, answers given again, branches chosen and forked; only the active one goes to the model. */

interface Message {
  id: string;
  role: string;
  content: string;
  parent_id: string | null;
  siblings: { index: number; count: number };
  active: boolean;
  created_at: string;
  finish_reason: string | null;
  run_id: string | null;
}
interface Conversation {
  id: string;
  title: string | null;
  message_count: number;
  active_message_id: string | null;
  taint: string[];
  metadata: Record<string, unknown>;
  total_cost_usd: number;
  messages: Message[];
}
interface Reply {
  id: string;
  conversation_id: string;
  parent_id: string;
  content: string;
  agent_id: string;
  run_id: string;
}

const V1 = '/api/v1';
const NO_SUCH_ID = '01890000-0000-7000-8000-000000000000';

let server: TestServer;
let provider: TestProvider;
let admin: Client;

const it = withWorld();
it.beforeAll(({ world }) => {
  ({ provider, server, admin } = world);
});

const lastOf = (request: TestRequest): string =>
  String(request.body.messages?.at(-1)?.content).split('\n').at(-1) ?? '';
/** Everything that a call holds but its instructions: what was said, oldest first. */
const saidTo = (request: TestRequest | undefined): string[] =>
  (request?.body.messages ?? [])
    .filter((message) => message.role !== 'system')
    .map((message) => String(message.content).split('\n').at(-1) ?? '');
let tries = 0;
const echo = (request: TestRequest) => {
  tries += 1;
  return { text: `${lastOf(request)}! ${tries}` };
};
beforeEach(() => {
  provider.reset();
  tries = 0;
  provider.always(echo);
});

const ok = <T>(answer: { status: number; text: string; json<R>(): R }, status = 200): T => {
  expect(answer.status, answer.text).toBe(status);
  return answer.json<T>();
};
const say = async (
  client: Client,
  message: string,
  to: { conversation_id?: string; parent_message_id?: string | null } = {},
): Promise<Reply> => ok(await client.post(`${V1}/chat`, { message, context: { agent_id: 'zeus' }, ...to }));
const at = (id: string, rest = ''): string => `${V1}/conversations/${id}${rest}`;
const read = async (client: Client, id: string): Promise<Conversation> => ok(await client.get(at(id)));
const contents = async (client: Client, id: string): Promise<string[]> =>
  (await read(client, id)).messages.map((message) => message.content);
const all = async (client: Client, id: string): Promise<Message[]> =>
  ok<{ items: Message[] }>(await client.get(at(id, '/messages?branches=all&limit=100'))).items;
const regenerate = async (client: Client, id: string, message: string, body: unknown = {}): Promise<Reply> =>
  ok(await client.post(at(id, `/messages/${message}/regenerate`), body));
const edit = async (client: Client, id: string, message: string, text: string): Promise<Reply> =>
  ok(await client.post(at(id, `/messages/${message}/edit`), { message: text }));
const choose = (client: Client, id: string, message: string) =>
  client.patch(at(id), { active_message_id: message });

describe('messages as a tree', () => {
  it(req('TREE-01', 'a conversation is a chain: each message names the one that it follows'), async () => {
    const first = await say(admin, 'one');
    const id = first.conversation_id;
    const second = await say(admin, 'two', { conversation_id: id });
    const { messages, active_message_id: active } = await read(admin, id);
    expect(messages.map((message) => message.content)).toEqual(['one', 'one! 1', 'two', 'two! 2']);
    expect(messages.map((message) => message.parent_id)).toEqual([
      null,
      ...messages.slice(0, 3).map((message) => message.id),
    ]);
    for (const { siblings, active: shown } of messages) {
      expect(siblings).toEqual({ index: 0, count: 1 });
      expect(shown).toBe(true);
    }
    expect(active).toBe(second.id);
    expect(second.parent_id).toBe(messages[2]?.id);
  });

  it(
    req('TREE-02', 'an edited question is a sibling, and the model is told of its branch alone'),
    async () => {
      const { conversation_id: id } = await say(admin, 'one');
      await say(admin, 'two', { conversation_id: id });
      await say(admin, 'three', { conversation_id: id });
      const before = (await read(admin, id)).messages;
      const edited = await edit(admin, id, before[2]?.id ?? '', 'two again');
      expect(saidTo(provider.requests.at(-1))).toEqual(['one', 'one! 1', 'two again']);
      const after = await read(admin, id);
      expect(after.messages.map((message) => message.content)).toEqual([
        'one',
        'one! 1',
        'two again',
        'two again! 4',
      ]);
      expect(after.message_count).toBe(4);
      expect(after.active_message_id).toBe(edited.id);
      expect(after.messages.map((message) => message.siblings)).toEqual([
        { index: 0, count: 1 },
        { index: 0, count: 1 },
        { index: 1, count: 2 },
        { index: 0, count: 1 },
      ]);
      await say(admin, 'further', { conversation_id: id });
      expect(saidTo(provider.requests.at(-1))).toEqual([
        'one',
        'one! 1',
        'two again',
        'two again! 4',
        'further',
      ]);
      const every = await all(admin, id);
      expect(every).toHaveLength(10);
      expect(every.filter((message) => !message.active).map((message) => message.content)).toEqual([
        'two',
        'two! 2',
        'three',
        'three! 3',
      ]);
    },
  );

  it(req('TREE-02', 'the first question can be edited too'), async () => {
    const { conversation_id: id } = await say(admin, 'one');
    const [question] = (await read(admin, id)).messages;
    await edit(admin, id, question?.id ?? '', 'uno');
    expect(await contents(admin, id)).toEqual(['uno', 'uno! 2']);
    expect((await read(admin, id)).messages[0]).toMatchObject({
      parent_id: null,
      siblings: { index: 1, count: 2 },
    });
    await say(admin, 'eins', { conversation_id: id, parent_message_id: null });
    expect(await contents(admin, id)).toEqual(['eins', 'eins! 3']);
    expect(saidTo(provider.requests.at(-1))).toEqual(['eins']);
  });

  it(req('TREE-02', 'a request names the message that it follows'), async () => {
    const first = await say(admin, 'one');
    const id = first.conversation_id;
    const second = await say(admin, 'two', { conversation_id: id, parent_message_id: first.id });
    expect((await read(admin, id)).messages.map((message) => message.siblings.count)).toEqual([1, 1, 1, 1]);
    await say(admin, 'other', { conversation_id: id, parent_message_id: first.id });
    expect(await contents(admin, id)).toEqual(['one', 'one! 1', 'other', 'other! 3']);
    expect(saidTo(provider.requests.at(-1))).toEqual(['one', 'one! 1', 'other']);
    await say(admin, 'back', { conversation_id: id, parent_message_id: second.id });
    expect(await contents(admin, id)).toEqual(['one', 'one! 1', 'two', 'two! 2', 'back', 'back! 4']);
  });

  it(
    req('TREE-03', 'an answer is given again beside the first, by another agent where that is asked'),
    async () => {
      const first = await say(admin, 'one');
      const id = first.conversation_id;
      await say(admin, 'two', { conversation_id: id });
      const again = await regenerate(admin, id, first.id, { agent_id: 'athena' });
      expect(again).toMatchObject({ content: 'one! 3', agent_id: 'athena', conversation_id: id });
      expect(again.parent_id).toBe(first.parent_id);
      expect(saidTo(provider.requests.at(-1))).toEqual(['one']);
      const { messages, message_count: count } = await read(admin, id);
      expect(messages.map((message) => message.content)).toEqual(['one', 'one! 3']);
      expect(count).toBe(2);
      expect(messages[1]).toMatchObject({ id: again.id, siblings: { index: 1, count: 2 } });
      // Of a question: the same.
      const third = await regenerate(admin, id, messages[0]?.id ?? '');
      expect(third.agent_id).toBe('zeus');
      expect((await read(admin, id)).messages[1]?.siblings).toEqual({ index: 2, count: 3 });
    },
  );

  it(req('TREE-03', 'streams the answer where that is accepted'), async () => {
    const first = await say(admin, 'one');
    const id = first.conversation_id;
    const stream = await admin.stream(
      at(id, `/messages/${first.id}/regenerate`),
      {},
      {
        headers: { accept: 'text/event-stream' },
      },
    );
    const events = await stream.rest();
    expect(events.at(-1)).toMatchObject({ event: 'message.completed', data: { content: 'one! 2' } });
    expect(await contents(admin, id)).toEqual(['one', 'one! 2']);
  });

  it(req('TREE-03', 'a try that fails leaves the answer that was there'), async () => {
    const first = await say(admin, 'one');
    const id = first.conversation_id;
    provider.always(() => ({ error: { status: 400, body: { error: { message: 'no' } } } }));
    const failed = await admin.post(at(id, `/messages/${first.id}/regenerate`), {});
    expect(failed.status).toBeGreaterThanOrEqual(500);
    expect(await contents(admin, id)).toEqual(['one', 'one! 1']);
    expect((await read(admin, id)).active_message_id).toBe(first.id);
  });

  it(
    req('TREE-03', 'a question that failed is answered at the second try, and says so no more'),
    async () => {
      provider.always(() => ({ error: { status: 400, body: { error: { message: 'no' } } } }));
      const id = ok<{ id: string }>(await admin.post(`${V1}/conversations`, {}), 201).id;
      await admin.post(`${V1}/chat`, { message: 'one', conversation_id: id, context: { agent_id: 'zeus' } });
      const [question] = (await read(admin, id)).messages;
      expect(question?.finish_reason).toBe('failed');
      provider.always(() => ({ text: 'now' }));
      await regenerate(admin, id, question?.id ?? '');
      const { messages } = await read(admin, id);
      expect(messages.map(({ content, finish_reason }) => [content, finish_reason])).toEqual([
        ['one', null],
        ['now', 'stop'],
      ]);
    },
  );

  it(
    req('TREE-04', 'a branch is picked by any of its messages, and the next message goes on there'),
    async () => {
      const first = await say(admin, 'one');
      const id = first.conversation_id;
      const second = await say(admin, 'two', { conversation_id: id });
      const again = await regenerate(admin, id, first.id);
      const picked = await choose(admin, id, first.id);
      expect(ok<Conversation>(picked).message_count).toBe(4);
      expect((await read(admin, id)).active_message_id).toBe(second.id);
      expect(await contents(admin, id)).toEqual(['one', 'one! 1', 'two', 'two! 2']);
      ok(await choose(admin, id, again.id));
      await say(admin, 'three', { conversation_id: id });
      expect(saidTo(provider.requests.at(-1))).toEqual(['one', 'one! 3', 'three']);
      expect((await choose(admin, id, NO_SUCH_ID)).status).toBe(404);
      const other = await say(admin, 'elsewhere');
      expect((await choose(admin, id, other.id)).status).toBe(404);
    },
  );

  it(req('TREE-04', 'search finds what stands in the active branch'), async () => {
    const person = await newPerson(server, admin);
    const first = await say(person, 'zanzibar');
    const id = first.conversation_id;
    await edit(person, id, first.parent_id, 'madagaskar');
    const found = async (q: string) =>
      ok<{ items: unknown[] }>(await person.get(`${V1}/conversations?q=${q}`)).items.length;
    await person.patch(at(id), { title: 'islands' });
    expect(await found('madagaskar')).toBe(1);
    expect(await found('zanzibar')).toBe(0);
    ok(await choose(person, id, first.id));
    expect(await found('zanzibar')).toBe(1);
  });

  it(req('TREE-05', 'a fork is a conversation of its own, up to a message'), async () => {
    const first = await say(admin, 'one');
    const id = first.conversation_id;
    await say(admin, 'two', { conversation_id: id });
    await regenerate(admin, id, first.id);
    const answer = await admin.post(at(id, '/fork'), { message_id: first.id });
    const fork = ok<Conversation>(answer, 201);
    expect(answer.headers.get('location')).toBe(at(fork.id));
    expect(fork).toMatchObject({
      title: 'one',
      message_count: 2,
      total_cost_usd: 0,
      metadata: { forked_from: { conversation_id: id, message_id: first.id } },
    });
    const { messages } = await read(admin, fork.id);
    expect(messages.map((message) => message.content)).toEqual(['one', 'one! 1']);
    expect(messages.map((message) => message.run_id)).toEqual([null, null]);
    expect(messages[1]?.parent_id).toBe(messages[0]?.id);
    await say(admin, 'on', { conversation_id: fork.id });
    expect(saidTo(provider.requests.at(-1))).toEqual(['one', 'one! 1', 'on']);
    expect(await contents(admin, id)).toEqual(['one', 'one! 3']);
    expect((await admin.post(at(id, '/fork'), { message_id: NO_SUCH_ID })).status).toBe(404);
    const audit = ok<{ items: { action: string; target_id: string }[] }>(
      await admin.get('/v2/audit?action=conversation.forked'),
    );
    expect(audit.items.length).toBeGreaterThan(0);
  });

  it(req('TREE-05', 'the mark of untrusted content goes along with forks and edits'), async () => {
    const reply = ok<Reply>(
      await admin.post(`${V1}/chat`, { message: 'one', context: { agent_id: 'zeus', note: 'from outside' } }),
    );
    const id = reply.conversation_id;
    expect((await read(admin, id)).taint).toEqual(['context']);
    const fork = ok<Conversation>(await admin.post(at(id, '/fork'), { message_id: reply.id }), 201);
    expect(fork.taint).toEqual(['context']);
    await edit(admin, id, reply.parent_id, 'clean words');
    expect((await read(admin, id)).taint).toEqual(['context']);
  });

  it(req('TREE-06', 'is busy while a turn goes on; what waits follows the leaf of its turn'), async () => {
    const first = await say(admin, 'one');
    const id = first.conversation_id;
    const gate = Promise.withResolvers<void>();
    provider.always((request) =>
      lastOf(request) === 'two' ? { text: 'held', hold: gate.promise } : echo(request),
    );
    const going = say(admin, 'two', { conversation_id: id });
    await provider.seen(2);
    expect((await choose(admin, id, first.id)).status).toBe(409);
    expect((await admin.post(at(id, `/messages/${first.id}/regenerate`), {})).status).toBe(409);
    const stream = await admin.stream(`${V1}/chat/stream`, {
      message: 'three',
      conversation_id: id,
      context: { agent_id: 'zeus' },
    });
    await stream.until('run.started');
    const beside = await admin.stream(`${V1}/chat/stream`, {
      message: 'beside',
      conversation_id: id,
      parent_message_id: first.id,
      context: { agent_id: 'zeus' },
    });
    await beside.until('run.started');
    gate.resolve();
    await going;
    await stream.rest();
    await beside.rest();
    expect(await contents(admin, id)).toEqual(['one', 'one! 1', 'beside', 'beside! 3']);
    const every = await all(admin, id);
    const byContent = (content: string) => every.find((message) => message.content === content);
    expect(byContent('three')?.parent_id).toBe(byContent('held')?.id);
    expect(byContent('beside')?.parent_id).toBe(first.id);
    expect(byContent('beside')?.siblings).toEqual({ index: 1, count: 2 });
  });

  it(req('TREE-06', 'an Idempotency-Key makes one version of an edit and of a second answer'), async () => {
    const first = await say(admin, 'one');
    const id = first.conversation_id;
    for (const [path, body] of [
      [`/messages/${first.id}/regenerate`, {}],
      [`/messages/${first.parent_id}/edit`, { message: 'uno' }],
    ] as const) {
      const headers = { 'idempotency-key': `versions-${path}`.slice(0, 60) };
      const one = ok<Reply>(await admin.post(at(id, path), body, { headers }));
      const two = ok<Reply>(await admin.post(at(id, path), body, { headers }));
      expect(two.id).toBe(one.id);
    }
    expect(await all(admin, id)).toHaveLength(5);
  });

  it(req('TREE-06', 'refuses what cannot be asked again, and what is not there'), async () => {
    const first = await say(admin, 'one');
    const id = first.conversation_id;
    const other = await newPerson(server, admin);
    const refused = async (client: Client, path: string, body: unknown): Promise<number> =>
      (await client.post(at(id, path), body)).status;
    expect(await refused(admin, `/messages/${NO_SUCH_ID}/regenerate`, {})).toBe(404);
    expect(await refused(other, `/messages/${first.id}/regenerate`, {})).toBe(404);
    expect(await refused(other, `/messages/${first.parent_id}/edit`, { message: 'x' })).toBe(404);
    expect(await refused(other, '/fork', { message_id: first.id })).toBe(404);
    expect(await refused(admin, `/messages/${first.id}/edit`, { message: 'x' })).toBe(422);
    expect(await refused(admin, `/messages/${first.id}/regenerate`, { agent_id: 'nobody' })).toBe(422);
    const elsewhere = await say(admin, 'elsewhere');
    for (const parent of [NO_SUCH_ID, elsewhere.id]) {
      const answer = await admin.post(`${V1}/chat`, {
        message: 'x',
        conversation_id: id,
        parent_message_id: parent,
      });
      expect(answer.status).toBe(404);
    }
    expect((await admin.post(`${V1}/chat`, { message: 'x', parent_message_id: first.id })).status).toBe(422);
    await admin.delete(at(id));
    expect(await refused(admin, `/messages/${first.id}/regenerate`, {})).toBe(409);
  });

  it(
    req('TREE-07', 'an export holds the tree, its Markdown the active branch; both come in again'),
    async () => {
      const person = await newPerson(server, admin);
      const first = await say(person, 'one');
      const id = first.conversation_id;
      await say(person, 'two', { conversation_id: id });
      await regenerate(person, id, first.id);
      ok(await choose(person, id, first.id));
      const exported = ok<Conversation>(await person.get(at(id, '/export')));
      expect(exported.messages).toHaveLength(5);
      const markdown = (await person.get(at(id, '/export?format=markdown'))).text;
      expect(markdown).toContain('two! 2');
      expect(markdown).not.toContain('one! 3');
      const report = ok<{ imported: number; conversation_ids: string[] }>(
        await person.post(`${V1}/conversations/import`, exported),
      );
      expect(report.imported).toBe(1);
      const copy = report.conversation_ids[0] ?? '';
      expect(await contents(person, copy)).toEqual(['one', 'one! 1', 'two', 'two! 2']);
      const shape = (messages: readonly Message[]) =>
        messages.map(({ content, siblings, active }) => ({ content, siblings, active }));
      expect(shape(await all(person, copy))).toEqual(shape(await all(person, id)));
      expect((await read(person, copy)).taint).toEqual(['import']);
    },
  );
});
