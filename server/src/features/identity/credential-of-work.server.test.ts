import { beforeEach, describe, expect } from 'vitest';
import { req } from '../../../test/requirements.ts';
import { type Client, createClient } from '../../../test/support/client.ts';
import type { TestProvider, TestRequest } from '../../../test/support/provider.ts';
import { NODES, type TestServer } from '../../../test/support/server.ts';
import { withWorld } from '../../../test/support/suite.ts';

/**
 * What goes on after its request (runs over a restart, approved calls, tasks, waiting messages) may do what the credential could
 * that began it, and nothing once that was deleted.
 */

/** What the narrowed key of these tests may; a tool needs `tasks:read`, `tasks:write` or `memory:read` beside it. */
const NARROW = ['chat:write', 'conversations:read', 'tasks:read', 'tasks:write'];
const POLICIES = { policies: { pentarch: { tools: { create_task: { approval: 'human' } } } } };
const PASSWORD = 'a long password of a person';

interface Started {
  run_id: string;
  conversation_id: string;
}

const call = (name: string, args: Record<string, unknown> = {}, id = 'call_1') => ({
  id,
  name,
  arguments: JSON.stringify(args),
});

const offered = (request: TestRequest): string[] =>
  ((request.body.tools ?? []) as { function: { name: string } }[]).map((tool) => tool.function.name).sort();

const told = (request: TestRequest | undefined): string =>
  (request?.body.messages ?? [])
    .filter((message) => message.role === 'tool')
    .map((message) => String(message.content))
    .join('\n');

let provider: TestProvider;
let server: TestServer;
let admin: Client;

const it = withWorld({
  files: { GOVERNANCE_FILE: POLICIES },
  env: {
    MODEL: 'compatible/test',
    ALLOW_SELF_APPROVAL: 'on',
  },
});
it.beforeAll(({ world }) => {
  ({ provider, server, admin } = world);
});

beforeEach(() => provider.reset());

const keyOf = async (owner: Client, permissions?: readonly string[]) => {
  const made = await owner.post('/v2/auth/api-keys', {
    name: 'work',
    ...(permissions === undefined ? {} : { permissions }),
  });
  const { id, key } = made.json<{ id: string; key: string }>();
  return { id, client: createClient(() => server.url, key) };
};

const start = async (client: Client, message = 'What is there to do?', agent = 'chronos') => {
  const stream = await client.stream('/api/v1/chat/stream', { message, context: { agent_id: agent } });
  return { stream, ...((await stream.next())?.data as Started) };
};

const restart = async (): Promise<void> => {
  await server.end('SIGKILL');
  await server.start();
  admin = await server.signIn();
};

const statusOf = async (runId: string): Promise<string> =>
  (await admin.get(`/api/v1/chat/runs/${runId}`)).json<{ status: string }>().status;
const until = (runId: string, status: string) =>
  expect.poll(() => statusOf(runId), { timeout: 25_000 }).toBe(status);

const openProposal = async (): Promise<string> => {
  let id: string | undefined;
  await expect
    .poll(
      async () => {
        const open = await admin.get('/api/v1/governance/proposals?status=awaiting_human');
        id = open.json<{ id: string }[]>()[0]?.id;
        return id;
      },
      { timeout: 15_000 },
    )
    .toBeDefined();
  return String(id);
};
const decide = (id: string) => admin.post(`/api/v1/governance/proposals/${id}/vote`, { vote: 'approve' });

describe('a run that goes on after kill -9', () => {
  it(req('CRED-03', 'is offered the tools that its narrowed key had, and no other is called'), async () => {
    const narrow = await keyOf(admin, NARROW);
    const gate = Promise.withResolvers<void>();
    provider.script(
      { toolCalls: [call('list_tasks')] },
      { text: 'lost', hold: gate.promise },
      { toolCalls: [call('read_graph', {}, 'call_2'), call('list_tasks', {}, 'call_3')] },
      { text: 'done' },
    );
    const { run_id: runId } = await start(narrow.client);
    await provider.seen(2);
    await server.end('SIGKILL');
    gate.resolve();
    await server.start();
    admin = await server.signIn();
    await until(runId, 'completed');
    const [before, , after, last] = provider.requests;
    expect(after && offered(after)).toEqual(before && offered(before));
    expect(before && offered(before)).toContain('list_tasks');
    expect(before && offered(before)).not.toContain('recall');
    expect(told(last)).toContain('there is no tool read_graph');
  });

  it(req('CRED-03', 'has no tools once its key was deleted meanwhile, and says so'), async () => {
    const narrow = await keyOf(admin, NARROW);
    const gate = Promise.withResolvers<void>();
    provider.script(
      { toolCalls: [call('list_tasks')] },
      { text: 'lost', hold: gate.promise },
      { text: 'no' },
    );
    const { run_id: runId } = await start(narrow.client);
    await provider.seen(2);
    expect((await admin.delete(`/v2/auth/api-keys/${narrow.id}`)).status).toBe(204);
    await server.end('SIGKILL');
    gate.resolve();
    await server.start();
    admin = await server.signIn();
    await until(runId, 'failed');
    expect(provider.requests).toHaveLength(2);
  });

  it(req('CRED-03', 'loses what its owner has lost meanwhile'), async () => {
    const email = 'operator@example.test';
    const made = await admin.post('/v2/users', { email, password: PASSWORD, roles: ['operator'] });
    const person = await server.signIn(email, PASSWORD);
    const gate = Promise.withResolvers<void>();
    provider.script(
      { toolCalls: [call('list_tasks')] },
      { text: 'lost', hold: gate.promise },
      { text: 'yes' },
    );
    const { run_id: runId } = await start(person);
    await provider.seen(2);
    await admin.patch(`/v2/users/${made.json<{ id: string }>().id}`, { roles: ['readonly'] });
    await server.end('SIGKILL');
    gate.resolve();
    await server.start();
    admin = await server.signIn();
    await until(runId, 'completed');
    const [before, , after] = provider.requests;
    expect(before && offered(before)).toContain('create_task');
    expect(after && offered(after)).not.toContain('create_task');
    expect(after && offered(after)).toContain('list_tasks');
  });

  it(req('CRED-03', 'of a waiting message begins with the rights of its key'), async () => {
    const narrow = await keyOf(admin, NARROW);
    const gate = Promise.withResolvers<void>();
    provider.script({ text: 'first', hold: gate.promise });
    const conversation = await admin.post('/v2/conversations', { title: 'Busy' });
    const ask = async (message: string) => {
      const stream = await narrow.client.stream('/api/v1/chat/stream', {
        message,
        conversation_id: conversation.json<{ id: string }>().id,
        context: { agent_id: 'chronos' },
      });
      return (await stream.next())?.data as Started;
    };
    await ask('What is there to do?');
    await provider.seen(1);
    const { run_id: runId } = await ask('And then?');
    await server.end('SIGKILL');
    gate.resolve();
    provider.reset();
    provider.script({ text: 'second' });
    await server.start();
    admin = await server.signIn();
    await until(runId, 'completed');
    const last = provider.requests.at(-1);
    expect(last && offered(last)).toContain('list_tasks');
    expect(last && offered(last)).not.toContain('recall');
  });
});

describe('a run that goes on in its process', () => {
  it(req('CRED-03', 'calls no tool any more once its key was deleted'), async () => {
    const narrow = await keyOf(admin, NARROW);
    const gate = Promise.withResolvers<void>();
    provider.script(
      { toolCalls: [call('list_tasks')] },
      { toolCalls: [call('list_tasks', {}, 'call_2')], hold: gate.promise },
      { text: 'that did not work' },
    );
    const { run_id: runId } = await start(narrow.client);
    await provider.seen(2);
    expect((await admin.delete(`/v2/auth/api-keys/${narrow.id}`)).status).toBe(204);
    gate.resolve();
    await until(runId, 'completed');
    expect(told(provider.requests.at(-1))).toContain('lacks the permission tasks:read');
  });

  it(req('CRED-03', 'goes on with a key that was rotated'), async () => {
    const narrow = await keyOf(admin, NARROW);
    const gate = Promise.withResolvers<void>();
    provider.script(
      { toolCalls: [call('list_tasks')] },
      { toolCalls: [call('list_tasks', {}, 'call_2')], hold: gate.promise },
      { text: 'fine' },
    );
    const { run_id: runId } = await start(narrow.client);
    await provider.seen(2);
    await admin.post(`/v2/auth/api-keys/${narrow.id}/rotate`, { overlap_s: 0 });
    expect((await admin.delete(`/v2/auth/api-keys/${narrow.id}`)).status).toBe(204);
    gate.resolve();
    await until(runId, 'completed');
    expect(told(provider.requests.at(-1))).not.toContain('lacks');
  });
});

describe('an approved call', () => {
  const createsTask = (request: TestRequest) =>
    told(request) === ''
      ? { toolCalls: [call('create_task', { description: 'Look at the tasks', agent_id: 'chronos' })] }
      : { text: 'arranged' };

  it(
    req('CRED-03', 'acts with the rights of the key that asked, and so does what it makes, after kill -9'),
    async () => {
      const narrow = await keyOf(admin, NARROW);
      provider.always((request) => createsTask(request));
      const { run_id: runId } = await start(narrow.client, 'Make a task');
      const proposal = await openProposal();
      await restart();
      provider.reset();
      provider.always((request) =>
        JSON.stringify(request.body.messages).includes('Make a task')
          ? createsTask(request)
          : { text: 'the task is done' },
      );
      expect((await decide(proposal)).status).toBe(200);
      await until(runId, 'completed');
      const ofTask = () =>
        provider.requests.find((request) => !JSON.stringify(request.body.messages).includes('Make a task'));
      await expect.poll(() => ofTask() !== undefined, { timeout: 30_000 }).toBe(true);
      const request = ofTask();
      expect(request && offered(request)).toContain('list_tasks');
      expect(request && offered(request)).not.toContain('recall');
    },
  );

  it(req('CRED-03', 'is not carried out once the key that asked was deleted'), async () => {
    const narrow = await keyOf(admin, NARROW);
    provider.always((request) => createsTask(request));
    await start(narrow.client, 'Make another task');
    const proposal = await openProposal();
    await admin.delete(`/v2/auth/api-keys/${narrow.id}`);
    const tasks = async () => (await admin.get('/v2/tasks')).json<{ total: number }>().total;
    const before = await tasks();
    expect((await decide(proposal)).status).toBe(200);
    const ended = async () =>
      (await admin.get(`/api/v1/governance/proposals/${proposal}`)).json<{
        execution: { status: string; error: string | null };
      }>().execution;
    await expect.poll(async () => (await ended()).status, { timeout: 15_000 }).toBe('failed');
    expect((await ended()).error).toContain('the key that asked was deleted');
    expect(await tasks()).toBe(before);
  });
});

describe('a task', () => {
  const scheduled = async (client: Client) =>
    (
      await client.post('/v2/tasks', {
        description: 'Look at the tasks',
        agent_id: 'chronos',
        scheduled_at: new Date(Date.now() + 86_400_000).toISOString(),
      })
    ).json<{ id: string }>().id;
  const runNow = (id: string) =>
    admin.patch(`/v2/tasks/${id}`, { scheduled_at: new Date(Date.now() + 300).toISOString() });
  const taskOf = async (id: string) =>
    (await admin.get(`/v2/tasks/${id}`)).json<{ status: string; error: { message: string } | null }>();

  it(req('CRED-03', 'ends with a reason once the key that made it was deleted'), async () => {
    const narrow = await keyOf(admin, NARROW);
    const id = await scheduled(narrow.client);
    await admin.delete(`/v2/auth/api-keys/${narrow.id}`);
    await runNow(id);
    await expect.poll(async () => (await taskOf(id)).status, { timeout: 20_000 }).toBe('failed');
    expect((await taskOf(id)).error?.message).toContain('the key that made it was deleted');
    expect(provider.requests).toHaveLength(0);
  });

  it(req('CRED-03', 'that another person’s key has changed goes on as its owner’s'), async () => {
    const email = 'owner.of.task@example.test';
    await admin.post('/v2/users', { email, password: PASSWORD, roles: ['user'] });
    const owner = await server.signIn(email, PASSWORD);
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const made = await owner.post('/v2/tasks', { description: 'Say hello', scheduled_at: later });
    const { id } = made.json<{ id: string }>();
    const operator = await keyOf(admin);
    provider.script({ text: 'hello' });
    const changed = await operator.client.patch(`/v2/tasks/${id}`, {
      description: 'Say hello twice',
      scheduled_at: new Date().toISOString(),
    });
    expect(changed.status, changed.text).toBe(200);
    await expect
      .poll(async () => (await owner.get(`/v2/tasks/${id}`)).json<{ status: string; error: unknown }>(), {
        timeout: 25_000,
      })
      .toMatchObject({ status: 'completed', error: null });
  });

  it(req('CRED-03', 'that a narrower credential has changed may no more than that'), async () => {
    const narrow = await keyOf(admin, NARROW);
    const id = await scheduled(admin);
    const changed = await narrow.client.patch(`/v2/tasks/${id}`, { description: 'Tell all secrets' });
    expect(changed.status, changed.text).toBe(200);
    provider.script({ text: 'done' });
    await runNow(id);
    await expect.poll(async () => (await taskOf(id)).status, { timeout: 20_000 }).toBe('completed');
    const [request] = provider.requests;
    expect(request && offered(request)).toContain('list_tasks');
    expect(request && offered(request)).not.toContain('recall');
  });

  it(
    req('CRED-03', 'of an administrator that an operator has changed runs with the rights of both'),
    async () => {
      const email = 'second@example.test';
      await admin.post('/v2/users', { email, password: PASSWORD, roles: ['operator'] });
      const operator = await server.signIn(email, PASSWORD);
      const id = await scheduled(admin);
      await operator.patch(`/v2/tasks/${id}`, { description: 'Make me an administrator' });
      provider.script({ toolCalls: [call('list_tasks')] }, { text: 'done' });
      await runNow(id);
      await expect.poll(async () => (await taskOf(id)).status, { timeout: 20_000 }).toBe('completed');
    },
  );
});

it.skipIf(NODES > 1)(req('CRED-03', 'a whole sign-in keeps its tools over kill -9'), async () => {
  const gate = Promise.withResolvers<void>();
  provider.script({ toolCalls: [call('list_tasks')] }, { text: 'lost', hold: gate.promise }, { text: 'yes' });
  const { run_id: runId } = await start(admin);
  await provider.seen(2);
  await server.end('SIGKILL');
  gate.resolve();
  await server.start();
  admin = await server.signIn();
  await until(runId, 'completed');
  const [before, , after] = provider.requests;
  expect(after && offered(after)).toEqual(before && offered(before));
  expect(before && offered(before)).toContain('recall');
});
