import { StreamResponse, type TaskPushNotificationConfig, TaskState } from '@a2a-js/sdk';
import { legacyPushNotificationToV1StreamResponse } from '@a2a-js/sdk/compat/v0_3';
import { TaskNotFoundError } from '@a2a-js/sdk/errors';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeEach, describe, expect } from 'vitest';
import { req } from '../../../test/requirements.ts';
import { type A2aClientOptions, a2aClient, a2aMessage, asTask } from '../../../test/support/a2a-client.ts';
import { type Client, createClient } from '../../../test/support/client.ts';
import type { TestProvider } from '../../../test/support/provider.ts';
import { type Received, startReceiver } from '../../../test/support/receiver.ts';
import type { TestServer } from '../../../test/support/server.ts';
import { newPerson } from '../../../test/support/shapes.ts';
import { withWorld } from '../../../test/support/suite.ts';

/** Push notifications of the A2A door, asked for by the official SDK's client. */

const POLICIES = { policies: { files: { tools: { write_file: { approval: 'human' } } } } };
const WAIT = { timeout: 60_000 };

let server: TestServer;
let provider: TestProvider;
let admin: Client;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
/** Status of the answer to the nth request, for each path of the receiver. */
let statusOf: (n: number) => number = () => 200;

const it = withWorld({
  files: { GOVERNANCE_FILE: POLICIES },
  env: { MODEL_TIMEOUT_S: '30', MCP_BUILTIN: 'on', ALLOW_SELF_APPROVAL: 'on', WEBHOOK_ALLOW_PRIVATE: 'on' },
});
it.beforeAll(async ({ world }) => {
  ({ provider, server, admin } = world);
  receiver = await startReceiver((response, n) => response.writeHead(statusOf(n)).end());
});
afterAll(async () => {
  await receiver?.close();
});
beforeEach(() => {
  provider.reset();
  provider.always({ text: 'Done.' });
  receiver.received.length = 0;
  statusOf = () => 200;
});

const clientOf = (who: Client, options: A2aClientOptions = {}, where = '/a2a/zeus') =>
  a2aClient(server.url, who.token, where, options);
const configOf = (more: Partial<TaskPushNotificationConfig> = {}): TaskPushNotificationConfig => ({
  tenant: '',
  taskId: '',
  id: '',
  url: receiver.url,
  token: '',
  authentication: undefined,
  ...more,
});
const inline = (config: TaskPushNotificationConfig, returnImmediately = false) => ({
  configuration: {
    acceptedOutputModes: [],
    historyLength: undefined,
    returnImmediately,
    taskPushNotificationConfig: config,
  },
});
const toldTask = ({ body }: Received) => {
  const parsed: unknown = JSON.parse(body);
  const { payload } =
    typeof parsed === 'object' && parsed !== null && 'kind' in parsed
      ? legacyPushNotificationToV1StreamResponse(parsed)
      : StreamResponse.fromJSON(parsed);
  if (payload?.$case !== 'task') throw new Error('no task was told');
  return payload.value;
};
const statesOf = (taskId: string): (TaskState | undefined)[] =>
  receiver.received
    .map(toldTask)
    .filter(({ id }) => id === taskId)
    .map(({ status }) => status?.state);
const failure = (call: Promise<unknown>): Promise<Error> =>
  call.then(
    () => Promise.reject(new Error('nothing was refused')),
    (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
  );
const auditOf = async (action: string, taskId: string) =>
  (await admin.get(`/v2/audit?action=${action}&limit=100`))
    .json<{ items: { target_id: string; details: Record<string, unknown>; actor_type: string }[] }>()
    .items.filter(({ target_id }) => target_id === taskId);

describe.each([{ legacy: false }, { legacy: true }])('notifications (legacy: $legacy)', ({ legacy }) => {
  it(req('A2A-08', 'tell the end of a task, with the token, the credentials and a signature'), async () => {
    const client = await clientOf(admin, { legacy });
    const config = configOf({
      id: 'mine',
      token: 'known-to-us-alone',
      authentication: { scheme: 'Bearer', credentials: 'of-the-receiver' },
    });
    const task = asTask(await client.sendMessage(a2aMessage('Do it', inline(config))));
    await expect.poll(() => statesOf(task.id).at(-1), WAIT).toBe(TaskState.TASK_STATE_COMPLETED);
    const last = receiver.received.at(-1);
    if (last === undefined) throw new Error('nothing came');
    expect(last.headers).toMatchObject({
      authorization: 'Bearer of-the-receiver',
      'x-a2a-notification-token': 'known-to-us-alone',
      'content-type': legacy ? 'application/json' : 'application/a2a+json',
      'webhook-id': expect.stringMatching(/^[0-9a-f-]{36}-\d+-completed$/),
    });
    const secret = `whsec_${Buffer.from('known-to-us-alone').toString('base64')}`;
    const signed = last.headers as Record<string, string>;
    expect(() => new Webhook(secret).verify(last.body, signed)).not.toThrow();
    const told = toldTask(last);
    expect(told.contextId).toBe(task.contextId);
    const [part] = told.artifacts[0]?.parts ?? [];
    expect(part?.content).toEqual({ $case: 'text', value: 'Done.' });
    const read = { tenant: '', taskId: task.id, id: 'mine' };
    expect(await client.getTaskPushNotificationConfig(read)).toMatchObject({
      taskId: task.id,
      id: 'mine',
      url: receiver.url,
    });
    // What it proves itself by is not read back.
    expect(JSON.stringify(await client.getTaskPushNotificationConfig(read))).not.toMatch(/known-to|of-the-/);
  });

  it(req('A2A-08', 'are set, read, listed, replaced and deleted'), async () => {
    const client = await clientOf(admin, { legacy });
    const { id: taskId } = asTask(await client.sendMessage(a2aMessage('Do it')));
    const list = async () =>
      (await client.listTaskPushNotificationConfig({ tenant: '', taskId, pageSize: 0, pageToken: '' }))
        .configs;
    expect(await list()).toEqual([]);
    const made = await client.createTaskPushNotificationConfig(configOf({ taskId }));
    // Without a name it has that of the task.
    expect(made).toMatchObject({ taskId, id: taskId, url: receiver.url });
    await client.createTaskPushNotificationConfig(configOf({ taskId, id: 'b', token: 'secret-b' }));
    await client.createTaskPushNotificationConfig(configOf({ taskId, id: 'b', url: `${receiver.url}?b` }));
    expect((await list()).map(({ id, url }) => [id, url])).toEqual([
      [taskId, receiver.url],
      ['b', `${receiver.url}?b`],
    ]);
    const remove = () => client.deleteTaskPushNotificationConfig({ tenant: '', taskId, id: 'b' });
    await remove();
    await remove();
    expect((await list()).map(({ id }) => id)).toEqual([taskId]);
    expect(
      await failure(client.getTaskPushNotificationConfig({ tenant: '', taskId, id: 'b' })),
    ).toBeInstanceOf(TaskNotFoundError);
    // The task had ended, which its client need not have seen.
    await expect.poll(() => statesOf(taskId).at(-1), WAIT).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(await auditOf('a2a.push_set', taskId)).toHaveLength(3);
    expect(await auditOf('a2a.push_deleted', taskId)).toHaveLength(1);
  });
});

describe('notifications', () => {
  it(req('A2A-08', 'tell that a person has to decide, and then the end'), async () => {
    const client = await clientOf(admin, {}, '/a2a/hephaestus');
    provider.always((request) => {
      if (request.body.response_format !== undefined) return { chunks: ['{}'] };
      return request.body.messages?.at(-1)?.role === 'tool'
        ? { chunks: ['Written.'] }
        : {
            toolCalls: [
              { id: 'w', name: 'files__write_file', arguments: '{"path":"push.txt","content":"x"}' },
            ],
          };
    });
    const { id } = asTask(await client.sendMessage(a2aMessage('Write the file', inline(configOf(), true))));
    await expect.poll(() => statesOf(id).at(-1), WAIT).toBe(TaskState.TASK_STATE_AUTH_REQUIRED);
    const text = toldTask(receiver.received.at(-1) ?? { headers: {}, body: '' }).status?.message?.parts[0]
      ?.content;
    const proposal = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(text?.$case === 'text' ? text.value : '')?.[0];
    const vote = await admin.post(`/api/v1/governance/proposals/${proposal}/vote`, { vote: 'approve' });
    expect(vote.status, vote.text).toBe(200);
    await expect.poll(() => statesOf(id).at(-1), WAIT).toBe(TaskState.TASK_STATE_COMPLETED);
  }, 120_000);

  it(req('A2A-08', 'that are not taken are sent again; 410 ends them'), async () => {
    const client = await clientOf(admin);
    statusOf = (n) => (n === 1 ? 503 : 200);
    const { id } = asTask(await client.sendMessage(a2aMessage('Do it', inline(configOf()))));
    await expect.poll(() => receiver.received.length, WAIT).toBeGreaterThan(1);
    expect(statesOf(id).at(-1)).toBe(TaskState.TASK_STATE_COMPLETED);
    statusOf = () => 410;
    const gone = asTask(await client.sendMessage(a2aMessage('Do it', inline(configOf()))));
    await expect
      .poll(async () => (await auditOf('a2a.push_ended', gone.id)).map(({ details }) => details.reason), WAIT)
      .toEqual(['gone']);
  }, 120_000);

  it(req('A2A-08', 'end with the key that asked for them'), async () => {
    const made = await admin.post('/v2/auth/api-keys', { name: 'push' });
    const { id: keyId, key } = made.json<{ id: string; key: string }>();
    const owner = createClient(() => server.url, key);
    let release = (): void => {};
    const hold = new Promise<void>((resolve) => {
      release = resolve;
    });
    provider.always({ text: 'Done.', hold });
    const client = await clientOf(owner);
    const { id } = asTask(await client.sendMessage(a2aMessage('Do it', inline(configOf(), true))));
    await expect.poll(() => statesOf(id), WAIT).toEqual([TaskState.TASK_STATE_WORKING]);
    expect((await admin.delete(`/v2/auth/api-keys/${keyId}`)).status).toBe(204);
    release();
    await expect
      .poll(async () => (await auditOf('a2a.push_ended', id)).map(({ details }) => details.reason), WAIT)
      .toEqual(['key_deleted']);
    expect(statesOf(id)).toEqual([TaskState.TASK_STATE_WORKING]);
  }, 120_000);

  it(
    req('A2A-08', 'of tasks of others are refused, and a credential that only reads sets none'),
    async () => {
      const own = await clientOf(admin);
      const { id: taskId } = asTask(await own.sendMessage(a2aMessage('Mine')));
      await own.createTaskPushNotificationConfig(configOf({ taskId, id: 'mine' }));
      const other = await clientOf(await newPerson(server, admin));
      const calls = [
        () => other.createTaskPushNotificationConfig(configOf({ taskId, id: 'mine' })),
        () => other.getTaskPushNotificationConfig({ tenant: '', taskId, id: 'mine' }),
        () => other.listTaskPushNotificationConfig({ tenant: '', taskId, pageSize: 0, pageToken: '' }),
        () => other.deleteTaskPushNotificationConfig({ tenant: '', taskId, id: 'mine' }),
      ];
      for (const call of calls) expect(await failure(call())).toBeInstanceOf(TaskNotFoundError);
      const made = await admin.post('/v2/auth/api-keys', {
        name: 'reads',
        permissions: ['conversations:read'],
      });
      const reader = createClient(() => server.url, made.json<{ key: string }>().key);
      const rpc = (method: string) => ({
        jsonrpc: '2.0',
        id: 1,
        method,
        params: { ...configOf({ taskId }), id: 'mine' },
      });
      const v1 = { headers: { 'a2a-version': '1.0' } };
      for (const method of ['CreateTaskPushNotificationConfig', 'DeleteTaskPushNotificationConfig'])
        expect((await reader.post('/a2a', rpc(method), v1)).status, method).toBe(403);
      const read = await reader.post('/a2a', rpc('GetTaskPushNotificationConfig'), v1);
      expect(read.body).toMatchObject({ result: { id: 'mine' } });
    },
  );

  it(req('A2A-08', 'are bounded for a task, and what cannot stand in a header is refused'), async () => {
    const client = await clientOf(admin);
    const { id: taskId } = asTask(await client.sendMessage(a2aMessage('Many')));
    for (let i = 0; i < 10; i++)
      await client.createTaskPushNotificationConfig(configOf({ taskId, id: `c${i}` }));
    const rpc = (params: object) =>
      admin.post(
        '/a2a',
        { jsonrpc: '2.0', id: 1, method: 'CreateTaskPushNotificationConfig', params: { taskId, ...params } },
        { headers: { 'a2a-version': '1.0' } },
      );
    expect((await rpc({ id: 'one-more', url: receiver.url })).status).toBe(409);
    expect((await rpc({ id: 'c3', url: receiver.url })).status).toBe(200);
    const faults: [object, RegExp][] = [
      [{}, /url/],
      [{ url: 'nowhere' }, /url/],
      [{ url: receiver.url, token: 'a\nb' }, /token/],
      [{ url: receiver.url, authentication: { scheme: 'Bea rer', credentials: 'x' } }, /scheme/],
      [
        { url: receiver.url, authentication: { scheme: 'Bearer', credentials: 'x\r\nevil: 1' } },
        /credentials/,
      ],
      [{ url: receiver.url, authentication: { scheme: 'Bearer' } }, /credentials are missing/],
      [{ url: receiver.url, id: 'x'.repeat(129) }, /id/],
    ];
    for (const [params, message] of faults)
      expect([params, (await rpc(params)).body]).toMatchObject([
        params,
        { error: { code: -32_602, message: expect.stringMatching(message) } },
      ]);
    const legacy = await admin.post('/a2a', {
      jsonrpc: '2.0',
      id: 1,
      method: 'tasks/pushNotificationConfig/set',
      params: { taskId },
    });
    expect(legacy.body).toMatchObject({ error: { code: -32_602 } });
  });

  it(req('A2A-08', 'go with their task'), async () => {
    const client = await clientOf(admin);
    const task = asTask(await client.sendMessage(a2aMessage('Short-lived', inline(configOf({ id: 'x' })))));
    const gone = await admin.delete(`/api/v1/conversations/${task.contextId}?permanent=true`);
    expect(gone.status, gone.text).toBeLessThan(300);
    expect(
      await failure(client.getTaskPushNotificationConfig({ tenant: '', taskId: task.id, id: 'x' })),
    ).toBeInstanceOf(TaskNotFoundError);
  });

  it(req('A2A-08', 'of one Idempotency-Key are set once'), async () => {
    const client = await clientOf(admin, { headers: { 'idempotency-key': 'push-1' } });
    const request = a2aMessage('Once', inline(configOf({ token: 't' })));
    const first = asTask(await client.sendMessage(request));
    expect(asTask(await client.sendMessage(request)).id).toBe(first.id);
    const { configs } = await client.listTaskPushNotificationConfig({
      tenant: '',
      taskId: first.id,
      pageSize: 0,
      pageToken: '',
    });
    expect(configs).toHaveLength(1);
  });
});
