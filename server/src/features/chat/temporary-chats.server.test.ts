import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect } from 'vitest';
import { req } from '../../../test/requirements.ts';
import type { Answer, Client } from '../../../test/support/client.ts';
import type { TestProvider, TestRequest } from '../../../test/support/provider.ts';
import { startReceiver } from '../../../test/support/receiver.ts';
import type { TestServer } from '../../../test/support/server.ts';
import { expectErrorA, expectErrorB, fieldsOf, newPerson } from '../../../test/support/shapes.ts';
import { openSocket } from '../../../test/support/socket-client.ts';
import { postgresServer } from '../../../test/support/stores.ts';
import { withWorld } from '../../../test/support/suite.ts';

/** Chats that are stored nowhere but on the ledger, and calls of `/v1` that ask for no place in the list. */

interface Reply {
  id: string;
  conversation_id: string;
  run_id: string;
  content: string;
  finish_reason: string;
  tool_calls: { name: string; status: string; error: string | null }[];
}
interface Completion {
  id: string;
  choices: { message: { content: string } }[];
  pentarch: { conversation_id: string; run_id: string };
}

const POLICIES = { policies: { files: { tools: { read_file: { approval: 'human' } } } } };

let provider: TestProvider;
let server: TestServer;
let admin: Client;
let person: Awaited<ReturnType<typeof newPerson>>;
const it = withWorld({
  files: { GOVERNANCE_FILE: POLICIES },
  env: {
    MCP_BUILTIN: 'on',
    WEBHOOK_ALLOW_PRIVATE: 'on',
    TOOL_TOKENS: '0',
  },
});
it.beforeAll(async ({ world }) => {
  ({ provider, server, admin } = world);
  person = await newPerson(server, admin);
});

beforeEach(() => provider.reset());

const zeus = { agent_id: 'zeus' };
const temporary = (message: string, more: object = {}) => ({ message, store: false, context: zeus, ...more });
const say = (client: Client, message: string, more: object = {}): Promise<Answer> =>
  client.post('/api/v1/chat', temporary(message, more));
const replyOf = async (answer: Promise<Answer>): Promise<Reply> => {
  const { status, text, json } = await answer;
  expect(status, text).toBe(200);
  return json<Reply>();
};
const total = async (client: Client, query = ''): Promise<number> =>
  (await client.get(`/api/v1/conversations${query}`)).json<{ total: number }>().total;
const requestsOf = async (client: Client): Promise<number> =>
  (await client.get('/api/v1/costs/usage?period=day')).json<{ requests: number }>().requests;
const textOf = ({ body }: TestRequest): string => JSON.stringify(body.messages ?? []);

/** Files of the data folder that hold one of the words, whatever their case; a store elsewhere has none. */
const holding = (...words: string[]): string[] =>
  readdirSync(server.dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => {
      const bytes = readFileSync(file).toString('latin1').toLowerCase();
      return words.some((word) => bytes.includes(word));
    });

/** Each way to a temporary chat: sends the message and gives the answer. */
const ENTRIES: Record<string, (client: Client, message: string) => Promise<string>> = {
  'chat in JSON': async (client, message) => (await replyOf(say(client, message))).content,
  'chat as a stream': async (client, message) => {
    const events = await (await client.stream('/api/v1/chat/stream', temporary(message))).rest();
    expect(events.at(-1)?.event).toBe('message.completed');
    return (events.at(-1)?.data as Reply | undefined)?.content ?? '';
  },
  invoke: async (client, message) =>
    (await replyOf(client.post('/v2/agents/zeus/invoke', { message, store: false }))).content,
  'the WebSocket': async (client, message) => {
    const socket = openSocket(`${server.url.replace('http', 'ws')}/v2/ws`, { token: client.token ?? '' });
    await socket.next('ready');
    socket.send('chat.send', { id: '1', ...temporary(message) });
    const { payload } = await socket.next('chat.accepted');
    await socket.next('run.completed', (told) => told.payload.run_id === payload.run_id);
    socket.close();
    const told = socket.messages.filter((one) => one.type === 'message.delta');
    return told.map((one) => String(one.payload.content)).join('');
  },
  '/v1/chat/completions': async (client, message) => {
    const messages = [{ role: 'user', content: message }];
    const answer = await client.post('/v1/chat/completions', {
      model: 'pentarch/zeus',
      store: false,
      metadata: { note: message },
      messages,
    });
    expect(answer.status, answer.text).toBe(200);
    return answer.json<Completion>().choices[0]?.message.content ?? '';
  },
  '/v1/responses': async (client, message) => {
    const body = { model: 'pentarch/zeus', store: false, input: message };
    const answer = await client.post('/v1/responses', body);
    expect(answer.status, answer.text).toBe(200);
    const { output, store } = answer.json<{
      store: boolean;
      output: { content: { text: string }[] }[];
    }>();
    expect(store).toBe(false);
    return output[0]?.content[0]?.text ?? '';
  },
  '/v1/messages': async (client, message) => {
    const messages = [{ role: 'user', content: message }];
    const body = { model: 'pentarch/zeus', store: false, max_tokens: 500, messages };
    const answer = await client.post('/v1/messages', body);
    expect(answer.status, answer.text).toBe(200);
    return answer.json<{ content: { text: string }[] }>().content[0]?.text ?? '';
  },
};

describe('a temporary chat', () => {
  it.skipIf(postgresServer !== undefined)(
    req('CONV-20', 'would be found in the files where it were stored, as others are'),
    async () => {
      const kept = await person.post('/api/v1/chat', { message: 'Of the vermilquist', context: zeus });
      expect(kept.status, kept.text).toBe(200);
      expect(holding('vermilquist')).not.toEqual([]);
      const id = kept.json<Reply>().conversation_id;
      expect((await person.delete(`/api/v1/conversations/${id}?permanent=true`)).status).toBe(204);
    },
  );

  it.each(Object.keys(ENTRIES))(
    req('CONV-20', 'by %s is answered and paid for, and nowhere in the store'),
    async (entry) => {
      const words = [`zwibbelfurt${Object.keys(ENTRIES).indexOf(entry)}`, 'quanstrophel'];
      provider.always({ text: 'Of the quanstrophel I know all.' });
      const before = [await total(person), await requestsOf(person)];
      const answer = await ENTRIES[entry]?.(person, `What of ${words[0]}?`);
      expect(answer).toBe('Of the quanstrophel I know all.');
      expect(await total(person)).toBe(before[0]);
      for (const query of [`?q=${words[0]}`, '?q=quanstrophel', '?status=unlisted', '?status=archived'])
        expect(await total(person, query), query).toBe(0);
      expect(await requestsOf(person)).toBe((before[1] ?? 0) + 1);
      const exported = await admin.get(`/v2/users/${person.id}/export`);
      expect(exported.text).not.toContain(words[0]);
      expect(exported.text).not.toContain('quanstrophel');
      expect(holding(...words)).toEqual([]);
    },
  );

  it(req('CONV-20', 'leaves no message, no run and nothing to rate, name or answer again'), async () => {
    const { id, conversation_id: conversation, run_id: run } = await replyOf(say(person, 'Once'));
    const gone = [
      await person.get(`/api/v1/conversations/${conversation}`),
      await person.get(`/api/v1/conversations/${conversation}/messages`),
      await person.get(`/api/v1/conversations/${conversation}/export`),
      await person.patch(`/api/v1/conversations/${conversation}`, { title: 'Kept' }),
      await person.post(`/api/v1/messages/${id}/feedback`, { rating: 'up' }),
      await person.get(`/api/v1/chat/runs/${run}`),
      await person.get(`/api/v1/chat/runs/${run}/stream`),
      await person.post('/api/v1/chat', { message: 'And?', conversation_id: conversation }),
    ];
    for (const answer of gone) expectErrorA(answer, 404, 'NOT_FOUND');
    const ledger = await person.get('/api/v1/costs/usage/export');
    expect(ledger.text).toContain(run);
  });

  it(req('CONV-20', 'gets what was said before from its client, and the model is told of it'), async () => {
    const history = [
      { role: 'user', content: 'My cat is called Vorlomax.' },
      { role: 'assistant', content: 'A fine name.' },
      { role: 'assistant', content: 'For a cat.' },
    ];
    await replyOf(say(person, 'What is it called?', { history }));
    const roles = (provider.requests[0]?.body.messages ?? []).map(({ role }) => role);
    expect(roles).toEqual(['system', 'user', 'assistant', 'user']);
    expect(textOf(provider.requests[0] as TestRequest)).toContain('Vorlomax');
    expect(holding('vorlomax')).toEqual([]);
  });

  it(req('CONV-20', 'refuses what would need a row of it, before anything is spent'), async () => {
    const kept = await replyOf(person.post('/api/v1/chat', { message: 'Stored', context: zeus }));
    const spent = await requestsOf(person);
    const { conversation_id: conversation, id } = kept;
    const refused: [object, string][] = [
      [{ conversation_id: conversation }, '/conversation_id'],
      [{ parent_message_id: id }, '/parent_message_id'],
      [{ parent_message_id: null }, '/parent_message_id'],
    ];
    for (const [more, field] of refused) {
      const facts = expectErrorA(await say(person, 'No', more), 422, 'VALIDATION_ERROR');
      expect(fieldsOf(facts)).toEqual([field]);
      expect(facts.details.fields?.[0]?.reason).toMatch(/history/);
    }
    const headers = { 'idempotency-key': 'once' };
    const keyed = await person.post('/api/v1/chat', temporary('No'), { headers });
    expect(expectErrorA(keyed, 422, 'VALIDATION_ERROR').details.fields?.[0]?.reason).toMatch(/leave/);
    const history = [{ role: 'user', content: 'Before' }];
    const listed = await person.post('/v2/chat', { message: 'No', history });
    expect(fieldsOf(expectErrorB(listed, 422, 'VALIDATION_ERROR'))).toEqual(['/history']);
    const answered = (await person.post('/v1/responses', { model: 'pentarch/zeus', input: 'Hi' })).json<{
      id: string;
    }>();
    const more = await requestsOf(person);
    expect(more).toBe(spent + 1);
    const answers = [
      await person.post('/v1/responses', {
        model: 'pentarch/zeus',
        input: 'On',
        store: false,
        previous_response_id: answered.id,
      }),
      await person.post('/v1/chat/completions', {
        model: 'pentarch/zeus',
        messages: [{ role: 'user', content: 'On' }],
        store: false,
        metadata: { conversation_id: conversation },
      }),
      await person.post(
        '/v1/chat/completions',
        { model: 'pentarch/zeus', messages: [{ role: 'user', content: 'On' }], store: false },
        { headers: { 'idempotency-key': 'twice' } },
      ),
    ];
    for (const answer of answers) {
      expect(answer.status, answer.text).toBe(400);
      expect(answer.json<{ error: { param: string } }>().error.param).toBe('store');
    }
    expect(await requestsOf(person)).toBe(more);
  });

  it(req('CONV-20', 'is told nothing of what is remembered, and nothing of it is'), async () => {
    const made = await person.post('/v2/memory/entities', {
      name: 'Snorpfel',
      entity_type: 'place',
      observations: ['Snorpfel is where I live'],
    });
    expect(made.status, made.text).toBe(201);
    await person.post('/api/v1/chat', { message: 'Where is Snorpfel?', context: zeus });
    expect(textOf(provider.requests.at(-1) as TestRequest)).toContain('where I live');
    await replyOf(say(person, 'Where is Snorpfel? I work at the Blumquist tower.'));
    const asked = provider.requests.at(-1) as TestRequest;
    expect(textOf(asked)).not.toContain('where I live');
    const tools = (asked.body.tools ?? []).map((tool) => JSON.stringify(tool)).join();
    expect(tools).toContain('search');
    for (const kept of ['remember', 'create_task', 'recall']) expect(tools).not.toContain(`"${kept}"`);
    const facts = await person.get('/v2/memory/entities?q=Blumquist');
    expect(facts.json<{ total: number }>().total).toBe(0);
  });

  it(
    req('CONV-20', 'makes no proposal: a call that needs one is refused, and the model told why'),
    async () => {
      const call = { id: 'c1', name: 'files__read_file', arguments: '{"path":"plimfex.txt"}' };
      provider.script({ toolCalls: [call] }, { text: 'It was not read.' });
      const answer = await replyOf(
        admin.post('/api/v1/chat', {
          message: 'Read it',
          store: false,
          context: { agent_id: 'hephaestus' },
        }),
      );
      expect(answer.tool_calls).toMatchObject([{ name: 'read_file', status: 'denied' }]);
      expect(answer.finish_reason).toBe('stop');
      expect(textOf(provider.requests.at(-1) as TestRequest)).toContain('temporary chat');
      const proposals = await admin.get('/api/v1/governance/proposals');
      expect(proposals.json<unknown[]>()).toEqual([]);
      expect(holding('plimfex')).toEqual([]);
      const audit = await admin.get('/v2/audit?action=tool.refused');
      expect(audit.json<{ items: { details: object }[] }>().items[0]?.details).toMatchObject({
        run_id: answer.run_id,
      });
    },
  );

  it(req('CONV-20', 'has no tool of the platform’s own servers that would keep something'), async () => {
    const call = { id: 'c1', name: 'files__write_file', arguments: '{"path":"a.txt","content":"zorvint"}' };
    provider.script({ toolCalls: [call] }, { text: 'It was not written.' });
    const answer = await replyOf(say(person, 'Keep it', { context: { agent_id: 'hephaestus' } }));
    expect(answer.tool_calls).not.toMatchObject([{ status: 'completed' }]);
    const [asked] = provider.requests;
    const offered = asked?.body.tools?.map((tool) => tool.function.name) ?? [];
    expect(offered).toContain('files__read_file');
    for (const name of ['files__write_file', 'files__delete_file']) expect(offered).not.toContain(name);
    expect(holding('zorvint')).toEqual([]);
  });

  it(req('CONV-20', 'is followed and stopped by its own person alone while it goes on'), async () => {
    const other = await newPerson(server, admin);
    provider.always({ chunks: ['One ', 'two ', 'three'], hangAfter: 2 });
    const stream = await person.stream('/api/v1/chat/stream', temporary('Count'));
    const [started] = await stream.until('message.delta');
    const run = String((started?.data as { run_id?: unknown } | undefined)?.run_id);
    const at = `/api/v1/chat/runs/${run}`;
    expect((await person.get(at)).json()).toMatchObject({ id: run, status: 'running' });
    const follower = await person.stream(`${at}/stream`);
    expect((await follower.until('message.delta')).map(({ event }) => event)).toContain('run.started');
    for (const stranger of [other, admin]) {
      expectErrorA(await stranger.get(at), 404, 'NOT_FOUND');
      expectErrorA(await stranger.get(`${at}/stream`), 404, 'NOT_FOUND');
      expectErrorA(await stranger.post(`${at}/cancel`), 404, 'NOT_FOUND');
    }
    const cancelled = await person.post(`${at}/cancel`);
    expect(cancelled.status, cancelled.text).toBe(202);
    expect(cancelled.json()).toMatchObject({ id: run, status: 'cancelled' });
    const last = (await stream.rest()).at(-1);
    expect(last).toMatchObject({ event: 'message.completed', data: { finish_reason: 'cancelled' } });
    expectErrorA(await person.get(at), 404, 'NOT_FOUND');
  });

  it(req('CONV-20', 'goes on with the tools of its client from what the client sends'), async () => {
    const parameters = { type: 'object', properties: { city: { type: 'string' } } };
    const tools = [{ type: 'function', function: { name: 'get_weather', parameters } }];
    provider.script(
      { toolCalls: [{ id: 'x', name: 'get_weather', arguments: '{"city":"Trondelmark"}' }] },
      { text: 'Cold.' },
    );
    const send = async (messages: object[]) => {
      const answer = await person.post('/v1/chat/completions', {
        model: 'pentarch/zeus',
        store: false,
        tools,
        messages,
      });
      expect(answer.status, answer.text).toBe(200);
      return answer.json<{ choices: { message: { content: string; tool_calls?: { id: string }[] } }[] }>()
        .choices[0]?.message;
    };
    const question = { role: 'user', content: 'Weather in Trondelmark?' };
    const called = await send([question]);
    const id = called?.tool_calls?.[0]?.id;
    const result = { role: 'tool', tool_call_id: id, content: 'It is 3 °C.' };
    const answered = await send([question, { ...called, role: 'assistant' }, result]);
    expect(answered?.content).toBe('Cold.');
    expect(textOf(provider.requests.at(-1) as TestRequest)).toContain('It is 3 °C.');
    expect(holding('trondelmark')).toEqual([]);
  });

  it(req('CONV-20', 'tells no webhook of its words'), async () => {
    const receiver = await startReceiver((response) => response.writeHead(204).end());
    const events = ['message.created', 'conversation.completed'];
    const hook = await person
      .post('/api/v1/webhooks', { url: receiver.url, events })
      .then((made) =>
        made.status === 403 ? admin.post('/api/v1/webhooks', { url: receiver.url, events }) : made,
      );
    expect(hook.status, hook.text).toBe(201);
    await replyOf(say(admin, 'The glorpnax is green'));
    await replyOf(admin.post('/api/v1/chat', { message: 'Stored after it', context: zeus }));
    await expect.poll(() => receiver.received.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(3);
    expect(receiver.received.map(({ body }) => body).join()).not.toContain('glorpnax');
    await receiver.close();
  });

  it(req('CONV-20', 'that fails is told as any other, and leaves nothing either'), async () => {
    provider.always({ error: { status: 500, body: { error: { message: 'no' } } } });
    const failed = await say(person, 'Fail over the brommelwick');
    expect(failed.status).toBe(502);
    expect(holding('brommelwick')).toEqual([]);
    expect(await total(person, '?q=brommelwick')).toBe(0);
  });

  it(req('CONV-20', 'ends with the data of its person'), async () => {
    const leaver = await newPerson(server, admin);
    provider.always({ chunks: ['Half ', 'an answer'], hangAfter: 1 });
    const stream = await leaver.stream('/api/v1/chat/stream', temporary('Tell me'));
    await stream.until('message.delta');
    expect((await admin.patch(`/v2/users/${leaver.id}`, { status: 'deactivated' })).status).toBe(200);
    const erased = await admin.delete(`/v2/users/${leaver.id}/data`);
    expect(erased.status, erased.text).toBeLessThan(300);
    await stream.rest();
    expect((await admin.get('/metrics')).text).toMatch(/^pentarch_active_runs(\{[^}]*\})? 0$/m);
  });

  it.skipIf(postgresServer !== undefined)(
    req('CONV-20', 'is gone with a process that is killed in the middle of it'),
    async () => {
      provider.always({ chunks: ['The ', 'drumblewort ', 'grows', ' on'], hangAfter: 3 });
      const stream = await person.stream('/api/v1/chat/stream', temporary('What of the fennigrub?'));
      await stream.until('message.delta');
      await provider.seen(1);
      await server.end('SIGKILL');
      expect(holding('fennigrub', 'drumblewort')).toEqual([]);
      provider.reset();
      await server.start();
      person = { ...person, ...(await server.signIn(person.email, person.password)) };
      admin = await server.signIn();
      expect(await total(person, '?q=fennigrub')).toBe(0);
      const limits = (await admin.get('/v2/costs/limits')).json<{ limits: { reserved_usd: number }[] }>();
      expect(limits.limits.reduce((sum, { reserved_usd: held }) => sum + held, 0)).toBe(0);
      expect(holding('fennigrub', 'drumblewort')).toEqual([]);
    },
  );
});

describe('calls of /v1', () => {
  const ask = async (client: Client, content: string, more: object = {}): Promise<Completion> => {
    const body = { model: 'pentarch/zeus', messages: [{ role: 'user', content }], ...more };
    const answer = await client.post('/v1/chat/completions', body);
    expect(answer.status, answer.text).toBe(200);
    return answer.json<Completion>();
  };

  it(req('CONV-21', 'do not fill the list of conversations unless they ask for it'), async () => {
    const caller = await newPerson(server, admin);
    provider.always({ text: 'Fine.' });
    const { pentarch } = await ask(caller, 'About the wibblestone');
    expect(await total(caller)).toBe(0);
    expect(await total(caller, '?q=wibblestone')).toBe(0);
    expect(await total(caller, '?status=unlisted')).toBe(1);
    expect(await total(caller, '?status=unlisted&q=wibblestone')).toBe(1);
    const id = pentarch.conversation_id;
    const read = await caller.get(`/api/v1/conversations/${id}`);
    expect(read.json()).toMatchObject({ status: 'unlisted', message_count: 2 });
    expect((await caller.get(`/api/v1/chat/runs/${pentarch.run_id}`)).json()).toMatchObject({
      status: 'completed',
    });
    const listed = await ask(caller, 'Keep this', { store: true });
    const list = await caller.get('/api/v1/conversations');
    expect(list.json<{ items: { id: string }[] }>().items.map((one) => one.id)).toEqual([
      listed.pentarch.conversation_id,
    ]);
    const exported = await admin.get(`/v2/users/${caller.id}/export`);
    expect(exported.text).toContain('wibblestone');
    const restored = await caller.post(`/api/v1/conversations/${id}/restore`);
    expect(restored.json()).toMatchObject({ id, status: 'active' });
    expect(await total(caller)).toBe(2);
  });

  it(req('CONV-21', 'go on with what they named, where it stands as it stood'), async () => {
    const caller = await newPerson(server, admin);
    const kept = await replyOf(caller.post('/api/v1/chat', { message: 'Mine', context: zeus }));
    const metadata = { conversation_id: kept.conversation_id };
    await ask(caller, 'And on', { metadata });
    expect(await total(caller)).toBe(1);
    expect(await total(caller, '?status=unlisted')).toBe(0);
    const first = await caller.post('/v1/responses', { model: 'pentarch/zeus', input: 'One' });
    const { id } = first.json<{ id: string }>();
    const next = await caller.post('/v1/responses', {
      model: 'pentarch/zeus',
      input: 'Two',
      previous_response_id: id,
    });
    expect(next.status, next.text).toBe(200);
    expect(await total(caller, '?status=unlisted')).toBe(1);
    const stored = await caller.post('/v1/responses', { model: 'pentarch/zeus', input: 'x', store: true });
    expect(stored.status).toBe(200);
    expect(await total(caller)).toBe(2);
    const listed = await caller.post('/v1/responses', {
      model: 'pentarch/zeus',
      input: 'Three',
      previous_response_id: next.json<{ id: string }>().id,
      store: true,
    });
    expect(listed.status, listed.text).toBe(200);
    expect(await total(caller)).toBe(3);
    expect(await total(caller, '?status=unlisted')).toBe(0);
  });

  it(req('CONV-21', 'are in no count of a folder that shows them not'), async () => {
    const caller = await newPerson(server, admin);
    const { pentarch } = await ask(caller, 'Filed');
    const filed = await caller.patch(`/api/v1/conversations/${pentarch.conversation_id}`, {
      folder: 'Hidden',
    });
    expect(filed.status).toBe(200);
    expect((await caller.get('/api/v1/conversations/folders')).text).not.toContain('Hidden');
  });

  it(req('CONV-21', 'that are unlisted are deleted, archived and erased like any other'), async () => {
    const caller = await newPerson(server, admin);
    const one = (await ask(caller, 'The first frobnick')).pentarch.conversation_id;
    const two = (await ask(caller, 'The second frobnick')).pentarch.conversation_id;
    await ask(caller, 'The third frobnick');
    expect((await caller.delete(`/api/v1/conversations/${one}?permanent=true`)).status).toBe(204);
    expect((await caller.delete(`/api/v1/conversations/${two}`)).status).toBe(204);
    expect(await total(caller, '?status=unlisted')).toBe(1);
    expect(await total(caller, '?status=archived')).toBe(1);
    expect((await admin.patch(`/v2/users/${caller.id}`, { status: 'deactivated' })).status).toBe(200);
    expect((await admin.delete(`/v2/users/${caller.id}/data`)).status).toBeLessThan(300);
    expect(await total(admin, '?status=unlisted&scope=tenant&q=frobnick')).toBe(0);
  });
});
