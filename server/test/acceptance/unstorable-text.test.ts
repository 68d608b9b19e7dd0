import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect } from 'vitest';
import { req } from '../requirements.ts';
import type { Client } from '../support/client.ts';
import type { TestProvider, TestRequest } from '../support/provider.ts';
import type { TestServer } from '../support/server.ts';
import { openSocket } from '../support/socket-client.ts';
import { withWorld } from '../support/suite.ts';

/** NUL and lone surrogates, which no store holds alike: replaced in what comes from others, refused in what callers send. */

const NUL = '\u0000';
const HALF = '\ud83d';
const ANSWER = `before${NUL}between${HALF} after`;
const STORED = 'before\ufffdbetween\ufffd after';

let server: TestServer;
let provider: TestProvider;
let admin: Client;

const it = withWorld({
  env: {
    MODEL: 'compatible/test',
    MCP_BUILTIN: 'on',
  },
});
it.beforeAll(({ world }) => {
  ({ provider, server, admin } = world);
});
beforeEach(() => provider.reset());

const question = { message: 'What is there?', context: { agent_id: 'hephaestus' } };
const told = (request: TestRequest): string[] =>
  (request.body.messages ?? []).filter((m) => m.role === 'tool').map((m) => String(m.content));
interface ChatAnswer {
  content: string;
  conversation_id: string;
  tool_calls: { status: string; error: string | null }[];
}
const stored = async (id: string): Promise<(string | undefined)[]> =>
  (await admin.get(`/api/v1/conversations/${id}`))
    .json<{ messages: { content: string }[] }>()
    .messages.map((message) => message.content);

describe(req('TEXT-01', 'an answer with NUL and half a pair'), () => {
  it('is told and stored alike, in JSON, as a stream and at the /v1 door', async () => {
    provider.always({ text: ANSWER });
    const answer = await admin.post('/api/v1/chat', question);
    expect(answer.status, answer.text).toBe(200);
    const body = answer.json<ChatAnswer>();
    expect(body.content).toBe(STORED);
    expect(await stored(body.conversation_id)).toEqual(['What is there?', STORED]);
    const stream = await admin.stream('/api/v1/chat/stream', question);
    expect((await stream.rest()).at(-1)?.data).toMatchObject({ content: STORED });
    const completion = await admin.post('/v1/chat/completions', {
      model: 'pentarch/hephaestus',
      messages: [{ role: 'user', content: 'What is there?' }],
    });
    expect(
      completion.json<{ choices: { message: { content: string } }[] }>().choices[0]?.message.content,
    ).toBe(STORED);
    expect(provider.requests).toHaveLength(3);
  });

  it('whose pair comes in two pieces is left as it is', async () => {
    provider.always({ chunks: ['a smile: \ud83d', '\ude00, whole'] });
    const stream = await admin.stream('/api/v1/chat/stream', question);
    const events = await stream.rest();
    expect(events.at(-1)?.data).toMatchObject({ content: 'a smile: 😀, whole' });
    const deltas = events.filter((event) => event.event === 'message.delta');
    expect(deltas.map((event) => (event.data as { content: string }).content).join('')).toBe(
      'a smile: 😀, whole',
    );
  });

  it('of a task ends it once, with one model call', async () => {
    provider.always({ text: ANSWER });
    const made = await admin.post('/v2/tasks', { description: 'What is there?', agent_id: 'zeus' });
    const { id } = made.json<{ id: string }>();
    const task = async () =>
      (await admin.get(`/v2/tasks/${id}`)).json<{ status: string; attempts: number }>();
    await expect.poll(async () => (await task()).status).toBe('completed');
    expect((await task()).attempts).toBe(1);
    expect(provider.requests).toHaveLength(1);
  });
});

it(
  req('TEXT-01', 'arguments and results of tools with NUL reach the tool and the model without'),
  async () => {
    const content = `one${NUL}two${HALF}`;
    const call = (name: string, args: object, id: string) => ({ id, name, arguments: JSON.stringify(args) });
    provider.script(
      {
        toolCalls: [
          call('files__write_file', { path: 'odd.txt', content }, 'a'),
          call('remember_fact', { entity: `Ann${NUL}`, fact: `likes tea${HALF}` }, 'b'),
          call(`no${NUL}such`, { [`k${NUL}`]: 1 }, 'c'),
        ],
      },
      { toolCalls: [call('files__read_file', { path: 'odd.txt' }, 'd')] },
      { text: 'Done.' },
    );
    const answer = await admin.post('/api/v1/chat', question);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.text).not.toMatch(/\\u0000|\\ud83d/);
    expect(answer.json<ChatAnswer>().tool_calls.map((one) => one.status)).toEqual([
      'completed',
      'completed',
      'failed',
      'completed',
    ]);
    const last = provider.requests.at(-1);
    expect(last === undefined ? [] : told(last).at(-1)).toContain('one\ufffdtwo\ufffd');
  },
);

describe(req('TEXT-01', 'material from outside with NUL'), () => {
  it('is taken in documents', async () => {
    const form = new FormData();
    form.set('file', new Blob([`A lamp${NUL} hangs in the hall.\n`], { type: 'text/plain' }), 'lamp.txt');
    const response = await fetch(`${server.url}/api/v1/knowledge/documents`, {
      method: 'POST',
      headers: { authorization: `Bearer ${admin.token ?? ''}` },
      body: form,
    });
    const text = await response.text();
    expect(response.status, text).toBeLessThan(500);
  });

  it('is taken or refused in imports, never a fault of ours', async () => {
    const headers = { 'content-type': 'application/x-ndjson' };
    const line = JSON.stringify({
      type: 'entity',
      name: `Eve${NUL}`,
      entityType: 'person',
      observations: [HALF],
    });
    const memory = await admin.send('POST', '/v2/memory/import', line, { headers });
    expect(memory.status, memory.text).toBeLessThan(500);
    const exported = readFileSync(
      path.join(import.meta.dirname, '..', 'fixtures', 'exports', 'openwebui.json'),
      'utf8',
    );
    const form = new FormData();
    form.set('file', new Blob([exported.replace('At six.', 'At\\u0000 six\\ud83d.')]), 'chats.json');
    const response = await fetch(`${server.url}/api/v1/conversations/import`, {
      method: 'POST',
      headers: { authorization: `Bearer ${admin.token ?? ''}` },
      body: form,
    });
    const report = (await response.json()) as { conversation_ids: string[] };
    expect(response.status).toBe(200);
    expect(await stored(report.conversation_ids[0] ?? '')).toContain('At\ufffd six\ufffd.');
  });
});

interface Parameter {
  name: string;
  in: string;
}
interface Operation {
  parameters?: (Parameter | { $ref: string })[];
}
const { paths, components } = JSON.parse(
  readFileSync(path.join(import.meta.dirname, '..', '..', '..', 'api', 'openapi.json'), 'utf8'),
) as {
  paths: Record<string, { get?: Operation }>;
  components: { parameters: Record<string, Parameter> };
};

const parametersOf = ({ parameters = [] }: Operation): Parameter[] =>
  parameters.map((given) => {
    const found = '$ref' in given ? components.parameters[given.$ref.split('/').at(-1) ?? ''] : given;
    if (found === undefined) throw new Error('a parameter refers to nothing');
    return found;
  });

const filled = (template: string, odd: string | null): string =>
  template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    name === odd ? 'a%00b' : '018f3f3a-7b7a-7000-8000-000000000000',
  );

it(req(
  'TEXT-01',
  'every parameter of every GET refuses NUL and half a pair, and is no fault of ours',
), async () => {
  const wrong: string[] = [];
  for (const [template, item] of Object.entries(paths)) {
    if (item.get === undefined) continue;
    const parameters = parametersOf(item.get);
    for (const parameter of parameters) {
      for (const text of ['a%00b', '%00', '%ED%A0%BD']) {
        const inPath = parameter.in === 'path';
        if (inPath && text !== 'a%00b') continue;
        const address = `${filled(template, inPath ? parameter.name : null)}${inPath ? '' : `?${parameter.name}=${text}`}`;
        const answer = await fetch(server.url + address, {
          headers: { authorization: `Bearer ${admin.token ?? ''}` },
          redirect: 'manual',
        });
        await answer.body?.cancel();
        const onApi = /^\/(api|v2)\//.test(address);
        const refused = text.includes('%00')
          ? onApi
            ? [404, 422].includes(answer.status) && (inPath || answer.status === 422)
            : answer.status >= 400 && answer.status < 500
          : answer.status < 500;
        if (!refused) wrong.push(`${answer.status} ${address}`);
      }
    }
  }
  expect(wrong).toEqual([]);
}, 120_000);

describe(req('TEXT-01', 'the identity provider'), () => {
  it('refuses NUL without a token, at its door and in forms', async () => {
    const query = 'client_id=pentarch-console&response_type=code&state=%00';
    const asked = await server.anonymous().get(`/oauth/v2/authorize?${query}`);
    expect(asked.status, asked.text).toBe(400);
    expect(asked.body).toMatchObject({ error: 'invalid_request' });
    for (const form of ['token', 'introspect', 'revoke']) {
      const answer = await server
        .anonymous()
        .send(
          'POST',
          `/oauth/v2/${form}`,
          'grant_type=refresh_token&client_id=pentarch-cli%00&refresh_token=%00&token=%00',
          { headers: { 'content-type': 'application/x-www-form-urlencoded' } },
        );
      expect(answer.status, answer.text).toBe(400);
      expect(answer.body).toMatchObject({ error: 'invalid_request' });
    }
  });
});

describe(req('TEXT-01', 'doors that are no JSON API'), () => {
  const rpc = (method: string, params: unknown) => ({ jsonrpc: '2.0', id: 1, method, params });
  const ODD = `odd${NUL}text${HALF}`;

  it('a message over the WebSocket is refused, and the socket goes on', async () => {
    const socket = openSocket(`${server.url.replace('http', 'ws')}/v2/ws`, { token: admin.token ?? '' });
    await socket.next('ready');
    socket.send('chat.send', { id: 'm1', message: ODD });
    const refused = await socket.next('error');
    expect(JSON.stringify(refused.payload)).toContain('VALIDATION_ERROR');
    socket.send('ping', { n: 1 });
    await socket.next('pong');
    socket.close();
  });

  it('a call at the MCP door and a message at the A2A door are no fault of ours', async () => {
    const headers = { accept: 'application/json, text/event-stream' };
    const calls: [string, unknown][] = [
      ['/mcp', rpc('tools/call', { name: 'remember', arguments: { text: ODD, name: ODD } })],
      ['/mcp', rpc('tools/call', { name: ODD, arguments: {} })],
      ['/mcp', rpc(ODD, {})],
      [
        '/a2a',
        rpc('message/send', {
          message: { kind: 'message', role: 'user', messageId: ODD, parts: [{ kind: 'text', text: ODD }] },
        }),
      ],
      ['/a2a', rpc('tasks/get', { id: ODD })],
    ];
    for (const [at, body] of calls) {
      const answer = await admin.post(at, body, { headers });
      expect(answer.status, `${at} ${answer.text}`).toBeLessThan(500);
      expect(answer.text).not.toContain('-32603');
    }
  });

  it('names of files, and forms with text, are no fault of ours', async () => {
    for (const [title, name] of [
      [ODD, 'lamp.txt'],
      ['Lamp', `l${NUL}amp.txt`],
    ] as const) {
      const form = new FormData();
      form.set('title', title);
      form.set('file', new Blob([`A lamp of ${title}.`], { type: 'text/plain' }), name);
      const response = await fetch(`${server.url}/api/v1/knowledge/documents`, {
        method: 'POST',
        headers: { authorization: `Bearer ${admin.token ?? ''}` },
        body: form,
      });
      expect(response.status, await response.text()).toBeLessThan(500);
    }
  });

  it('headers and machine keys are no fault of ours', async () => {
    const answer = await admin.post(
      '/management/v1/users/018f3f3a-7b7a-7000-8000-000000000000/machine_keys',
      {
        type: ODD,
      },
    );
    expect(answer.status, answer.text).toBeLessThan(500);
    const login = await server.anonymous().post('/v2/auth/login', { email: `a${NUL}@b.c`, password: ODD });
    expect(login.status, login.text).toBe(422);
  });
});
