import { Role, type StreamResponse, type Task, TaskState } from '@a2a-js/sdk';
import type { Client as A2aClient } from '@a2a-js/sdk/client';
import { TaskNotCancelableError, TaskNotFoundError } from '@a2a-js/sdk/errors';
import { createCanvas } from '@napi-rs/canvas';
import { beforeEach, describe, expect } from 'vitest';
import { req } from '../../../test/requirements.ts';
import { type A2aClientOptions, a2aClient, a2aMessage, asTask } from '../../../test/support/a2a-client.ts';
import type { Client } from '../../../test/support/client.ts';
import type { TestProvider } from '../../../test/support/provider.ts';
import type { TestServer } from '../../../test/support/server.ts';
import { expectBaseHeaders, newPerson } from '../../../test/support/shapes.ts';
import { withWorld } from '../../../test/support/suite.ts';

/** The A2A door, through the official SDK's own client. */

const POLICIES = { policies: { files: { tools: { write_file: { approval: 'human' } } } } };
const APPROVAL_TIMEOUT_MS = 60_000;

let server: TestServer;
let provider: TestProvider;
let admin: Client;

const it = withWorld({
  files: { GOVERNANCE_FILE: POLICIES },
  env: {
    MODEL_TIMEOUT_S: '5',
    MCP_BUILTIN: 'on',
    ALLOW_SELF_APPROVAL: 'on',
    VISION_MODELS: 'compatible/test-model',
  },
});
it.beforeAll(({ world }) => {
  ({ provider, server, admin } = world);
});
beforeEach(() => provider.reset());

const clientOf = (token: string | null, where = '', options: A2aClientOptions = {}): Promise<A2aClient> =>
  a2aClient(server.url, token, where, options);
const message = a2aMessage;
const textOf = (task: Task): string =>
  task.artifacts
    .flatMap((artifact) => artifact.parts)
    .map((part) => (part.content?.$case === 'text' ? part.content.value : ''))
    .join('');
const failure = (call: Promise<unknown>): Promise<Error> =>
  call.then(
    () => Promise.reject(new Error('nothing was refused')),
    (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
  );
const getTask = (client: A2aClient, id: string) => client.getTask({ tenant: '', id });

describe('agent cards', () => {
  it(req('A2A-01', 'are public: one of the network, one of each agent, in both versions'), async () => {
    const anonymous = server.anonymous();
    const version = { headers: { 'a2a-version': '1.0' } };
    const network = await anonymous.get('/.well-known/agent-card.json', version);
    expect(network.status).toBe(200);
    const card = network.json<{
      name: string;
      skills: { id: string }[];
      supportedInterfaces: { url: string; protocolVersion: string; protocolBinding: string }[];
      capabilities: { streaming: boolean };
    }>();
    expect(card.skills).toHaveLength(11);
    expect(card.capabilities.streaming).toBe(true);
    expect(card.supportedInterfaces).toEqual(
      ['1.0', '0.3'].map((protocolVersion) =>
        expect.objectContaining({ url: `${server.url}/a2a`, protocolVersion, protocolBinding: 'JSONRPC' }),
      ),
    );
    const athena = await anonymous.get('/a2a/athena/.well-known/agent-card.json', version);
    expect(athena.json<typeof card>().supportedInterfaces[0]?.url).toBe(`${server.url}/a2a/athena`);
    expect(athena.json<typeof card>().skills.map((skill) => skill.id)).toEqual(['athena']);
    const legacy = await anonymous.get('/.well-known/agent-card.json');
    expect(legacy.body).toMatchObject({
      protocolVersion: '0.3.0',
      url: `${server.url}/a2a`,
      preferredTransport: 'JSONRPC',
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    });
    expect((await anonymous.get('/a2a/nobody/.well-known/agent-card.json')).status).toBe(404);
  });
});

describe.each([{ legacy: false }, { legacy: true }])('messages (legacy: $legacy)', ({ legacy }) => {
  it(req('A2A-02', 'are runs: the answer is the artifact, the context the conversation'), async () => {
    const client = await clientOf(admin.token, '/a2a/zeus', { legacy });
    provider.script({ text: 'Four.' }, { text: 'Eight.' });
    const task = asTask(await client.sendMessage(message('Two and two?')));
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(textOf(task)).toBe('Four.');
    const run = (await admin.get(`/api/v1/chat/runs/${task.id}`)).json<Record<string, unknown>>();
    expect(run).toMatchObject({ status: 'completed', conversation_id: task.contextId, agent_ids: ['zeus'] });
    expect(Number(run.cost_usd)).toBeGreaterThan(0);
    const next = asTask(await client.sendMessage(message('And twice that?', { contextId: task.contextId })));
    expect(next.contextId).toBe(task.contextId);
    expect(provider.requests[1]?.body.messages?.map((m) => m.role)).toEqual([
      'system',
      'user',
      'assistant',
      'user',
    ]);
    const read = await getTask(client, next.id);
    expect(textOf(read)).toBe('Eight.');
    expect(read.history.map((m) => m.role)).toEqual([Role.ROLE_USER]);
  });

  it(req('A2A-03', 'stream: the task, its text, its end'), async () => {
    const client = await clientOf(admin.token, '/a2a/zeus', { legacy });
    provider.script({ chunks: ['Once ', 'upon ', 'a 🐉.'], chunkDelayMs: 10 });
    const updates: StreamResponse[] = [];
    for await (const update of client.sendMessageStream(message('A story'))) updates.push(update);
    const kinds = updates.map((update) => update.payload?.$case);
    expect(kinds[0]).toBe('task');
    expect(kinds.at(-1)).toBe('statusUpdate');
    const text = updates
      .flatMap((update) =>
        update.payload?.$case === 'artifactUpdate' ? (update.payload.value.artifact?.parts ?? []) : [],
      )
      .map((part) => (part.content?.$case === 'text' ? part.content.value : ''))
      .join('');
    expect(text).toBe('Once upon a 🐉.');
    const last = updates.at(-1)?.payload;
    expect(last?.$case === 'statusUpdate' && last.value.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
  });

  it(req('A2A-04', 'can be cancelled while they are answered, and not afterwards'), async () => {
    const client = await clientOf(admin.token, '/a2a/zeus', { legacy });
    provider.script({ chunks: Array.from({ length: 100 }, (_, i) => `${i} `), chunkDelayMs: 50 });
    const stream = client.sendMessageStream(message('Count to a hundred'));
    let id = '';
    for await (const update of stream) {
      if (update.payload?.$case === 'task') id = update.payload.value.id;
      if (update.payload?.$case === 'artifactUpdate') break;
    }
    const cancelled = await client.cancelTask({ tenant: '', id, metadata: undefined });
    expect(cancelled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    expect(textOf(cancelled)).toMatch(/^0 /);
    expect(await failure(client.cancelTask({ tenant: '', id, metadata: undefined }))).toBeInstanceOf(
      TaskNotCancelableError,
    );
  });

  it(req('A2A-05', 'of others are not found'), async () => {
    provider.script({ text: 'Mine.' });
    const mine = asTask(
      await (await clientOf(admin.token, '/a2a/zeus', { legacy })).sendMessage(message('Mine?')),
    );
    const stranger = await newPerson(server, admin);
    const client = await clientOf(stranger.token, '/a2a/zeus', { legacy });
    expect(await failure(getTask(client, mine.id))).toBeInstanceOf(TaskNotFoundError);
    expect(await failure(getTask(client, 'no-such-task'))).toBeInstanceOf(TaskNotFoundError);
    expect(
      (await failure(client.sendMessage(message('In', { contextId: mine.contextId })))).message,
    ).toContain('not found');
  });
});

describe('tasks', () => {
  it(req('A2A-04', 'come back at once where asked, can be followed, and are listed'), async () => {
    const person = await newPerson(server, admin);
    const client = await clientOf(person.token, '/a2a/zeus');
    provider.script({ chunks: ['One ', 'two.'], chunkDelayMs: 150, firstByteDelayMs: 300 });
    const begun = asTask(
      await client.sendMessage(
        message('Slowly', {
          configuration: {
            acceptedOutputModes: [],
            taskPushNotificationConfig: undefined,
            returnImmediately: true,
          },
        }),
      ),
    );
    expect(begun.status?.state).toBe(TaskState.TASK_STATE_WORKING);
    const updates: StreamResponse[] = [];
    for await (const update of client.resubscribeTask({ tenant: '', id: begun.id })) updates.push(update);
    const last = updates.at(-1)?.payload;
    expect(last?.$case === 'statusUpdate' && last.value.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    await client.sendMessage(message('Another'));
    const listed = await client.listTasks({
      tenant: '',
      contextId: '',
      status: TaskState.TASK_STATE_UNSPECIFIED,
      pageSize: 1,
      pageToken: '',
      statusTimestampAfter: undefined,
    });
    expect(listed).toMatchObject({ totalSize: 2, pageSize: 1 });
    const rest = await client.listTasks({
      tenant: '',
      contextId: begun.contextId,
      status: TaskState.TASK_STATE_COMPLETED,
      pageToken: listed.nextPageToken,
      statusTimestampAfter: undefined,
      includeArtifacts: true,
    });
    expect(rest.tasks.map((task) => [task.id, textOf(task)])).toEqual([[begun.id, 'One two.']]);
  });

  it(req('A2A-02', 'that fail say why'), async () => {
    const client = await clientOf(admin.token, '/a2a/zeus');
    provider.always({ error: { status: 400, body: { error: { message: 'no' } } } });
    const task = asTask(await client.sendMessage(message('Fail')));
    expect(task.status?.state).toBe(TaskState.TASK_STATE_FAILED);
    expect(task.status?.message?.parts).toHaveLength(1);
  });

  it(
    req('A2A-06', 'that need a decision say so and go on after it'),
    async () => {
      const client = await clientOf(admin.token, '/a2a/hephaestus');
      provider.always((request) => {
        if (request.body.response_format !== undefined) return { chunks: ['{}'] };
        return request.body.messages?.at(-1)?.role === 'tool'
          ? { chunks: ['Written.'] }
          : {
              toolCalls: [
                { id: 'w', name: 'files__write_file', arguments: '{"path":"a2a.txt","content":"x"}' },
              ],
            };
      });
      const states: TaskState[] = [];
      for await (const update of client.sendMessageStream(message('Write the file'))) {
        const { payload } = update;
        if (payload?.$case !== 'statusUpdate' || payload.value.status === undefined) continue;
        const { state } = payload.value.status;
        if (states.at(-1) !== state) states.push(state);
        if (state !== TaskState.TASK_STATE_AUTH_REQUIRED) continue;
        const text = payload.value.status.message?.parts[0]?.content;
        const proposal = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(text?.$case === 'text' ? text.value : '')?.[0];
        const vote = await admin.post(`/api/v1/governance/proposals/${proposal}/vote`, { vote: 'approve' });
        expect(vote.status, vote.text).toBe(200);
      }
      expect(states).toEqual([
        TaskState.TASK_STATE_WORKING,
        TaskState.TASK_STATE_AUTH_REQUIRED,
        TaskState.TASK_STATE_WORKING,
        TaskState.TASK_STATE_COMPLETED,
      ]);
    },
    APPROVAL_TIMEOUT_MS,
  );

  it(req('A2A-02', 'of one Idempotency-Key are one'), async () => {
    const client = await clientOf(admin.token, '/a2a/zeus', { headers: { 'idempotency-key': 'a2a-1' } });
    provider.script({ text: 'Once.' });
    const request = message('Once');
    const first = asTask(await client.sendMessage(request));
    const second = asTask(await client.sendMessage(request));
    expect(second.id).toBe(first.id);
    expect(provider.requests).toHaveLength(1);
  });

  it(req('A2A-02', 'take pictures as bytes, and show them to the model'), async () => {
    const client = await clientOf(admin.token, '/a2a/zeus');
    const request = message('What is it?');
    const bytes = createCanvas(8, 8).toBuffer('image/png');
    const part = { metadata: undefined, filename: 'cat.png', mediaType: 'image/png' };
    request.message?.parts.push({ ...part, content: { $case: 'raw', value: bytes } });
    await client.sendMessage(request);
    const parts = provider.requests[0]?.body.messages?.at(-1)?.content as { image_url?: { url: string } }[];
    expect(parts[1]?.image_url?.url).toBe(`data:image/png;base64,${bytes.toString('base64')}`);
    const other = message('And this?');
    other.message?.parts.push({ ...part, content: { $case: 'raw', value: Buffer.from('%PDF-1.7') } });
    expect((await failure(client.sendMessage(other))).message).toContain('is neither PNG');
  });

  it(req('A2A-02', 'take structured parts as data, and no files'), async () => {
    const client = await clientOf(admin.token, '/a2a/zeus');
    const request = message('Add these');
    const part = { metadata: undefined, filename: '', mediaType: '' };
    request.message?.parts.push({ ...part, content: { $case: 'data', value: { numbers: [1, 2] } } });
    await client.sendMessage(request);
    const prompt = provider.requests[0]?.body.messages?.at(-1)?.content;
    expect(String(prompt)).toContain('<data>\n{"data":[{"numbers":[1,2]}]}\n</data>');
    request.message?.parts.push({ ...part, content: { $case: 'url', value: 'http://example.test/x.png' } });
    expect((await failure(client.sendMessage(request))).message).toContain('files are refused');
  });
});

describe('refusals', () => {
  const rpc = (method: string, params: unknown) => ({ jsonrpc: '2.0', id: 7, method, params });
  const v1 = { headers: { 'a2a-version': '1.0' } };

  it(req('A2A-05', 'have their own status and a JSON-RPC body'), async () => {
    const missing = await server.anonymous().post('/a2a', rpc('GetTask', { id: 'x' }), v1);
    expect(missing.status).toBe(401);
    expect(missing.headers.get('www-authenticate')).toContain('Bearer');
    expect(missing.body).toMatchObject({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32000, data: [{ reason: 'UNAUTHORIZED' }] },
    });
    expectBaseHeaders(missing);
    const readonly = await newPerson(server, admin, { roles: ['readonly'] });
    const send = { message: { messageId: 'x', role: 'ROLE_USER', parts: [{ text: 'hello' }] } };
    const forbidden = await readonly.post('/a2a', rpc('SendMessage', send), v1);
    expect(forbidden.status).toBe(403);
    expect(forbidden.body).toMatchObject({ id: 7, error: { data: [{ reason: 'FORBIDDEN' }] } });
    const poor = await newPerson(server, admin);
    await admin.put('/v2/costs/limits', {
      limits: [{ scope: 'user', subject: poor.id, period: 'day', limit_usd: 0 }],
    });
    for (const method of ['SendMessage', 'SendStreamingMessage']) {
      const broke = await poor.post('/a2a/zeus', rpc(method, send), v1);
      expect(broke.status, broke.text).toBe(402);
      expect(broke.body).toMatchObject({ id: 7, error: { data: [{ reason: 'COST_EXCEEDED' }] } });
    }
    expect((await admin.post('/a2a/nobody', rpc('GetTask', { id: 'x' }), v1)).status).toBe(404);
    expect((await admin.get('/a2a')).status).toBe(405);
  });

  it.each([{}, v1])(req('A2A-05', 'of what is no JSON-RPC request are -32600 (%o)'), async (version) => {
    const request = rpc('message/send', { message: { messageId: 'x', role: 'user', parts: [] } });
    const faults: [body: unknown, id: unknown][] = [
      [[1], null],
      [[request], null],
      ['text', null],
      [7, null],
      [{}, null],
      [{ ...request, jsonrpc: '1.0' }, 7],
      [{ ...request, jsonrpc: undefined }, 7],
      [{ ...request, method: '' }, 7],
      [{ ...request, method: 5 }, 7],
      [{ ...request, method: undefined }, 7],
      [{ ...request, id: { not: 'an id' } }, null],
      [{ ...request, id: 1.5 }, 1.5],
    ];
    for (const [body, id] of faults) {
      const refused = await admin.post('/a2a', body, version);
      expect([body, refused.status, refused.body]).toMatchObject([
        body,
        200,
        { jsonrpc: '2.0', id, error: { code: -32_600 } },
      ]);
    }
    // Parameters that are none are another fault.
    const params = await admin.post('/a2a', { ...rpc('GetTask', 'x') }, v1);
    expect(params.body).toMatchObject({ id: 7, error: { code: -32_602 } });
    expect(provider.requests).toEqual([]);
  });

  it(req('A2A-05', 'of a list name the filter that is none, and make none of it'), async () => {
    const faults: Record<string, unknown>[] = [
      { pageSize: 0 },
      { pageSize: 101 },
      { pageSize: -1 },
      { pageSize: 1.5 },
      { pageSize: '10' },
      { page_size: 'ten' },
      { pageToken: 'no-token' },
      { pageToken: 7 },
      { historyLength: -1 },
      { historyLength: 'all' },
      { status: 'DANCING' },
      { status: {} },
      { contextId: 5 },
      { statusTimestampAfter: 'yesterday' },
      { statusTimestampAfter: '2026-13-01T00:00:00Z' },
      { statusTimestampAfter: 5 },
      { includeArtifacts: 'yes' },
      { tenant: [] },
    ];
    for (const params of faults) {
      const refused = await admin.post('/a2a', rpc('ListTasks', params), v1);
      const [name = ''] = Object.keys(params);
      expect([params, refused.body]).toMatchObject([
        params,
        { id: 7, error: { code: -32_602, message: expect.stringContaining(name.replace('_s', 'S')) } },
      ]);
    }
    const person = await newPerson(server, admin);
    const list = async (params: Record<string, unknown>) => {
      const listed = await person.post('/a2a', rpc('ListTasks', params), v1);
      return listed.json<{ result: { tasks: Task[]; totalSize: number } }>().result;
    };
    provider.script({ text: 'One.' });
    const sent = await person.post(
      '/a2a/zeus',
      rpc('SendMessage', { message: { messageId: 'x', role: 'ROLE_USER', parts: [{ text: 'One' }] } }),
      v1,
    );
    const { task } = sent.json<{ result: { task: Task } }>().result;
    for (const [params, found] of [
      [{ status: null, pageToken: '' }, 1],
      [{ status: 'TASK_STATE_COMPLETED' }, 1],
      // A state that no run has.
      [{ status: 'TASK_STATE_REJECTED' }, 0],
      [{ contextId: 'of-nobody' }, 0],
      [{ statusTimestampAfter: '2020-01-01T00:00:00.5+02:00' }, 1],
      [{ statusTimestampAfter: task.status?.timestamp }, 0],
    ] as const) {
      const { tasks, totalSize = 0 } = await list(params);
      expect([params, tasks?.length ?? 0, totalSize]).toEqual([params, found, found]);
    }
  });

  it(req('A2A-05', 'of a message with parts that are none are faults of its parameters'), async () => {
    const parts: unknown[] = [
      null,
      5,
      { text: 5 },
      { raw: 5 },
      { kind: 'file' },
      { kind: 'file', file: { bytes: 5 } },
    ];
    for (const part of parts)
      for (const [method, how] of [
        ['SendMessage', v1],
        ['SendStreamingMessage', v1],
        ['message/send', {}],
        ['message/stream', {}],
      ] as const) {
        const role = how === v1 ? 'ROLE_USER' : 'user';
        const refused = await admin.post(
          '/a2a',
          rpc(method, { message: { messageId: 'm', role, parts: [part] } }),
          how,
        );
        expect([method, part, refused.body]).toMatchObject([
          method,
          part,
          { id: 7, error: { code: -32_602 } },
        ]);
      }
    const said = { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'Hi' }] } };
    for (const configuration of [5, { historyLength: -1 }, { historyLength: 'all' }]) {
      const refused = await admin.post('/a2a', rpc('SendMessage', { ...said, configuration }), v1);
      expect([configuration, refused.body]).toMatchObject([configuration, { error: { code: -32_602 } }]);
    }
    expect(provider.requests).toEqual([]);
  });

  it(req('A2A-05', 'of the protocol are those of its SDK'), async () => {
    const unknown = await admin.post('/a2a', rpc('Dance', {}), v1);
    expect(unknown.body).toMatchObject({ id: 7, error: { code: -32601 } });
    const version = await admin.post('/a2a', rpc('GetTask', { id: 'x' }), {
      headers: { 'a2a-version': '9.9' },
    });
    expect(version.body).toMatchObject({ id: 7, error: { data: [{ reason: 'VERSION_NOT_SUPPORTED' }] } });
    const push = await admin.post('/a2a', rpc('ListTaskPushNotificationConfigs', { taskId: 'x' }), v1);
    expect(push.body).toMatchObject({ error: { data: [{ reason: 'TASK_NOT_FOUND' }] } });
    const spoken = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'Hi' }] };
    // Where the platform may not call, nothing is begun.
    for (const url of [
      'https://127.0.0.1/hook',
      'http://example.com/hook',
      'https://169.254.169.254/',
      'no url',
    ]) {
      const pushed = { message: spoken, configuration: { taskPushNotificationConfig: { url } } };
      const refused = await admin.post('/a2a', rpc('SendMessage', pushed), v1);
      expect([url, refused.body]).toMatchObject([
        url,
        { error: { code: -32602, message: expect.stringContaining('url') } },
      ]);
    }
    const foreign = { message: { ...spoken, role: 'ROLE_AGENT' } };
    expect((await admin.post('/a2a', rpc('SendMessage', foreign), v1)).body).toMatchObject({
      error: { code: -32602 },
    });
    const state = await admin.post('/a2a', rpc('ListTasks', { status: 'DANCING' }), v1);
    expect(state.body).toMatchObject({ error: { message: 'status is not a state of tasks' } });
    const text = await fetch(`${server.url}/a2a`, {
      method: 'POST',
      headers: { authorization: `Bearer ${admin.token}`, 'content-type': 'application/json' },
      body: '{',
    });
    expect([text.status, await text.json()]).toMatchObject([400, { error: { code: -32700 } }]);
    expect(provider.requests).toEqual([]);
  });
});
