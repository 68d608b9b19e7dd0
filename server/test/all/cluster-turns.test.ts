import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { req } from '../requirements.ts';
import { type Client, createClient } from '../support/client.ts';
import { startTestProvider, type TestProvider, type TestRequest } from '../support/provider.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';
import { startCluster, type TestCluster } from '../support/server.ts';

/** Turns of a conversation while Redis forgets them: the store says whose it is. */

const POLICIES = { policies: { files: { tools: { write_file: { approval: 'human' } } } } };

let redis: TestRedis;
let provider: TestProvider;
let cluster: TestCluster;
let admin: Client;

beforeAll(async () => {
  // One of its own: what the other suites keep in theirs is not to be forgotten.
  redis = await startRedis();
  provider = await startTestProvider();
  cluster = await startCluster({
    nodes: 2,
    redisUrl: redis.url,
    files: { GOVERNANCE_FILE: POLICIES },
    env: {
      MODEL: 'compatible/test-model',
      COMPATIBLE_BASE_URL: provider.url,
      MODEL_TIMEOUT_S: '60',
      MCP_BUILTIN: 'on',
      ALLOW_SELF_APPROVAL: 'on',
    },
  });
  admin = await cluster.signIn();
}, 240_000);
afterAll(async () => {
  await cluster?.close();
  await provider?.close();
  await redis?.stop();
});
beforeEach(() => provider.reset());

const at = (i: number): Client => createClient(() => cluster.nodes[i % 2]?.url ?? '', admin.token);

const forget = (): Promise<void> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(redis.url);
    const socket = connect(Number(port), hostname, () => socket.write('FLUSHALL\r\n'));
    socket.once('data', () => socket.destroy());
    socket.once('close', () => resolve());
    socket.once('error', reject);
  });

const lastOf = (request: TestRequest): string =>
  String(request.body.messages?.at(-1)?.content).split('\n').at(-1) ?? '';
const say = (message: string, conversationId?: string, agent = 'zeus') => ({
  message,
  context: { agent_id: agent },
  ...(conversationId === undefined ? {} : { conversation_id: conversationId }),
});
const contents = async (id: string): Promise<string[]> =>
  (await admin.get(`/api/v1/conversations/${id}`))
    .json<{ messages: { content: string }[] }>()
    .messages.map((message) => message.content);
const dataOf = <T>(event: { data: unknown } | undefined): T => event?.data as T;
interface Started {
  conversation_id: string;
  run_id: string;
}

describe('a turn that Redis forgets', () => {
  it(req(['QUEUE-06', 'CLU-03'], 'is held by the store, from the first message on'), async () => {
    const gate = Promise.withResolvers<void>();
    provider.always((request) => {
      const text = `Answer to ${lastOf(request)}`;
      return lastOf(request) === 'one' ? { text, hold: gate.promise } : { text };
    });
    const first = await at(0).stream('/api/v1/chat/stream', say('one'));
    const id = dataOf<Started>((await first.until('run.started'))[0]).conversation_id;
    await provider.seen(1);
    await forget();
    const noWait = { headers: { prefer: 'no-wait' } };
    for (const i of [0, 1]) {
      expect((await at(i).post('/api/v1/chat', say('no', id), noWait)).status).toBe(409);
    }
    const second = at(1).post('/api/v1/chat', say('two', id));
    await expect.poll(() => contents(id)).toEqual(['one', 'two']);
    await forget();
    const third = at(0).post('/api/v1/chat', say('three', id));
    await expect.poll(() => contents(id)).toEqual(['one', 'two', 'three']);
    await forget();
    expect(provider.requests).toHaveLength(1);
    gate.resolve();
    await first.rest();
    expect((await second).status).toBe(200);
    expect((await third).status).toBe(200);
    expect(await contents(id)).toEqual([
      'one',
      'Answer to one',
      'two',
      'Answer to two',
      'three',
      'Answer to three',
    ]);
  }, 60_000);

  it(req(['QUEUE-06', 'CLU-03'], 'is never had by two, nor lost, while it forgets without end'), async () => {
    let live = 0;
    let most = 0;
    provider.always((request) => {
      live += 1;
      most = Math.max(most, live);
      const hold = new Promise<void>((resolve) => {
        setTimeout(() => {
          live -= 1;
          resolve();
        }, 30);
      });
      return { text: `Answer to ${lastOf(request)}`, hold };
    });
    const { id } = (await admin.post('/v2/conversations', {})).json<{ id: string }>();
    let forgetting = true;
    const flushes = (async () => {
      while (forgetting) await forget();
    })();
    const names = Array.from({ length: 24 }, (_, i) => `m${i}`);
    const sent = await Promise.all(names.map((name, i) => at(i).post('/api/v1/chat', say(name, id))));
    forgetting = false;
    await flushes;
    expect(sent.map((answer) => answer.status)).toEqual(names.map(() => 200));
    expect(most).toBe(1);
    expect(provider.requests.map(lastOf).sort()).toEqual([...names].sort());
    const told = await contents(id);
    expect(told).toHaveLength(48);
    for (let i = 0; i < told.length; i += 2) expect(told[i + 1]).toBe(`Answer to ${told[i]}`);
  }, 120_000);

  it(req(
    ['QUEUE-06', 'CLU-03'],
    'keeps an approved run waiting that another node’s message precedes',
  ), async () => {
    const gate = Promise.withResolvers<void>();
    provider.always((request) => {
      if (request.body.response_format !== undefined) return { text: '{}' };
      if (lastOf(request) === 'Write it') {
        const args = JSON.stringify({ path: 'turns.txt', content: 'x' });
        return { toolCalls: [{ id: 'w', name: 'files__write_file', arguments: args }] };
      }
      return lastOf(request) === 'Meanwhile'
        ? { text: 'Answered.', hold: gate.promise }
        : { text: 'Written.' };
    });
    const first = await at(0).stream('/api/v1/chat/stream', say('Write it', undefined, 'hephaestus'));
    const events = await first.until('proposal.created');
    const { conversation_id: id } = dataOf<Started>(events[0]);
    const proposal = dataOf<{ id: string }>(events.at(-1)).id;
    const second = await at(1).stream('/api/v1/chat/stream', say('Meanwhile', id, 'iris'));
    await second.until('agent.selected');
    await forget();
    const vote = await at(1).post(`/v2/governance/proposals/${proposal}/vote`, { vote: 'approve' });
    expect(vote.status, vote.text).toBe(200);
    await first.until('tool.completed');
    await forget();
    const calls = provider.requests.length;
    const refused = await at(0).post('/api/v1/chat', say('no', id), { headers: { prefer: 'no-wait' } });
    expect(refused.status).toBe(409);
    expect(provider.requests).toHaveLength(calls);
    gate.resolve();
    expect(dataOf<{ content: string }>((await second.rest()).at(-1)).content).toBe('Answered.');
    expect(dataOf<{ content: string }>((await first.rest()).at(-1)).content).toBe('Written.');
  }, 60_000);
});
