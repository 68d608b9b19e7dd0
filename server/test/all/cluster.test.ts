import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { req } from '../requirements.ts';
import { type Client, createClient, type SseEvent } from '../support/client.ts';
import { startTestProvider, type TestProvider } from '../support/provider.ts';
import { startCluster, type TestCluster, type TestServer } from '../support/server.ts';
import { openSocket } from '../support/socket-client.ts';

/** Three nodes of one platform: what one does counts at the others, and one that is killed leaves nothing hanging. */

let provider: TestProvider;
let cluster: TestCluster;
let admin: Client;
let folder: string;
beforeAll(async () => {
  provider = await startTestProvider();
  folder = mkdtempSync(path.join(tmpdir(), 'pentarch-cluster-'));
  const policies = path.join(folder, 'governance.json');
  writeFileSync(
    policies,
    JSON.stringify({ policies: { files: { tools: { write_file: { approval: 'human' } } } } }),
  );
  cluster = await startCluster({
    nodes: 3,
    env: {
      MODEL: 'compatible/test-model',
      COMPATIBLE_BASE_URL: provider.url,
      MCP_BUILTIN: 'on',
      ALLOW_SELF_APPROVAL: 'on',
      GOVERNANCE_FILE: policies,
      RATE_LIMITS: 'on',
      RATE_FREE: '100000:100000',
      RATE_PRO: '20:20',
      RATE_ENTERPRISE: '100000:100000',
    },
  });
  admin = await cluster.signIn();
}, 240_000);
afterAll(async () => {
  await cluster?.close();
  await provider?.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => provider.reset());

const node = (i: number): TestServer => {
  const found = cluster.nodes[i];
  if (found === undefined) throw new Error(`there is no node ${i}`);
  return found;
};
/** The same person at one node. */
const at = (i: number, client: Client = admin): Client => createClient(() => node(i).url, client.token);

const question = { message: 'How are you?', context: { agent_id: 'zeus' } };
const inPieces = (count: number, chunkDelayMs: number) => ({
  chunks: Array.from({ length: count }, (_, i) => `word${i} `),
  chunkDelayMs,
});

interface Run {
  id: string;
  status: string;
  finished_at: string | null;
}
const runIdOf = (events: readonly SseEvent[]): string =>
  String((events[0]?.data as { run_id?: unknown } | undefined)?.run_id);
const textOf = (events: readonly SseEvent[]): string =>
  events
    .filter((event) => event.event === 'message.delta')
    .map((event) => String((event.data as { content?: unknown }).content))
    .join('');
const contentOf = (event: SseEvent | undefined): string =>
  String((event?.data as { content?: unknown } | undefined)?.content);

const newUser = async (email: string, tier = 'enterprise'): Promise<Client> => {
  const password = 'a long enough password';
  const made = await admin.post('/v2/users', { email, name: 'Ann', password, roles: ['user'], tier });
  expect(made.status, made.text).toBe(201);
  return cluster.signIn(email, password);
};

describe('several nodes', () => {
  it(
    req('CLU-01', 'start at once on an empty database: one admin, one set of keys, tokens good at each'),
    async () => {
      for (const i of [0, 1, 2]) {
        expect((await at(i).get('/v2/auth/me')).status).toBe(200);
        const keys = await createClient(() => node(i).url, null).get('/oauth/v2/keys');
        expect(keys.json<{ keys: unknown[] }>().keys).toHaveLength(1);
      }
      const logged = [0, 1, 2].map((i) => node(i).log.find((line) => line.msg === 'listening')?.node_id);
      expect(logged.every((id) => typeof id === 'string')).toBe(true);
      expect(new Set(logged).size).toBe(3);
    },
  );

  it(
    req('CLU-02', 'a stream is resumed at another node than the run’s, while it goes on and after its end'),
    async () => {
      provider.script(inPieces(12, 150));
      const stream = await at(0).stream('/v2/chat/stream', question);
      const first: SseEvent[] = [];
      while (first.filter((event) => event.event === 'message.delta').length < 2) {
        const event = await stream.next();
        if (event === null) throw new Error('the stream ended early');
        first.push(event);
      }
      stream.close();
      const path = `/v2/chat/runs/${runIdOf(first)}/stream`;
      const rest = await (
        await at(1).stream(path, undefined, { headers: { 'last-event-id': first.at(-1)?.id ?? '' } })
      ).rest();
      const end = rest.at(-1);
      expect(end?.event).toBe('message.completed');
      expect(textOf([...first, ...rest])).toBe(contentOf(end));
      const ids = [...first, ...rest].map((event) => event.id);
      expect(new Set(ids).size).toBe(ids.length);
      const whole = await (await at(2).stream(path)).rest();
      expect(whole.map((event) => event.id)).toEqual(ids);
      expect(textOf(whole)).toBe(contentOf(end));
    },
  );

  it(req('CLU-02', 'a run is stopped at another node'), async () => {
    provider.script(inPieces(200, 100));
    const stream = await at(0).stream('/v2/chat/stream', question);
    const first = await stream.until('message.delta');
    const stopped = await at(1).post(`/v2/chat/runs/${runIdOf(first)}/cancel`);
    expect(stopped.status, stopped.text).toBe(202);
    expect(stopped.json<Run>().status).toBe('cancelled');
    await stream.rest();
  });

  it(req('CLU-03', 'messages to one conversation take turns over all nodes'), async () => {
    const begun = (await at(0).post('/v2/chat', question)).json<{ conversation_id: string }>();
    provider.always(inPieces(3, 50));
    const body = { ...question, conversation_id: begun.conversation_id };
    const answers = await Promise.all([0, 1, 2].map((i) => at(i).post('/v2/chat', body)));
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200]);
    expect(provider.peak).toBe(1);
    const refused = await Promise.all(
      [0, 1, 2].map((i) => at(i).post('/v2/chat', body, { headers: { prefer: 'no-wait' } })),
    );
    expect(refused.filter((answer) => answer.status === 200).length).toBe(1);
    expect(refused.filter((answer) => answer.status === 409).length).toBe(2);
    const kept = (await at(1).get(`/v2/conversations/${begun.conversation_id}`)).json<{
      messages: { role: string }[];
    }>();
    expect(kept.messages.map((message) => message.role)).toEqual(
      Array.from({ length: 5 }, () => ['user', 'assistant']).flat(),
    );
  });

  it(req(
    ['CLU-03', 'QUEUE-02'],
    'messages that wait at several nodes have their turns in the order of their acceptance',
  ), async () => {
    const gate = Promise.withResolvers<void>();
    const last = (messages: readonly { content?: unknown }[] | undefined): string =>
      String(messages?.at(-1)?.content).split('\n').at(-1) ?? '';
    provider.always((request) => ({
      text: `Answer to ${last(request.body.messages)}`,
      ...(last(request.body.messages) === 'm0' ? { hold: gate.promise } : {}),
    }));
    const { id } = (await at(0).post('/v2/conversations', {})).json<{ id: string }>();
    const send = async (i: number, message: string) => {
      const body = { ...question, message, conversation_id: id };
      const stream = await at(i).stream('/v2/chat/stream', body);
      return { stream, id: runIdOf(await stream.until('run.started')) };
    };
    const sent = [await send(0, 'm0')];
    await provider.seen(1);
    for (let i = 1; i <= 6; i++) sent.push(await send((i * 2) % 3, `m${i}`));
    expect((await at(1).get(`/v2/chat/runs/${sent[3]?.id}`)).json<Run>().status).toBe('queued');
    // Taken back at another node than the one that holds it.
    const back = await at(1).post(`/v2/chat/runs/${sent[3]?.id}/cancel`);
    expect(back.status, back.text).toBe(202);
    expect(back.json<Run>().status).toBe('cancelled');
    const reader = await at(1).stream(`/v2/chat/runs/${sent[6]?.id}/stream`);
    gate.resolve();
    for (const one of sent) await one.stream.rest();
    expect((await reader.rest()).at(-1)?.event).toBe('message.completed');
    const kept = (await at(1).get(`/v2/conversations/${id}`)).json<{ messages: { content: string }[] }>();
    expect(kept.messages.map((message) => message.content)).toEqual(
      [0, 1, 2, 3, 4, 5, 6].flatMap((i) => [`m${i}`, i === 3 ? '' : `Answer to m${i}`]),
    );
  }, 60_000);

  it(req('CLU-04', 'events reach the sockets of every node'), async () => {
    const sockets = [0, 1, 2].map((i) =>
      openSocket(`${node(i).url.replace('http', 'ws')}/v2/ws`, { token: admin.token ?? '' }),
    );
    await Promise.all(sockets.map((socket) => socket.next('ready')));
    const answer = (await at(0).post('/v2/chat', question)).json<{ conversation_id: string }>();
    for (const socket of sockets) {
      const event = await socket.next('run.completed');
      expect(event.payload.conversation_id).toBe(answer.conversation_id);
    }
    for (const socket of sockets) socket.close();
  });

  it(req('CLU-05', 'sign-out, roles and suspension count at every node with the next request'), async () => {
    const ann = await newUser('ann@example.com');
    for (const i of [0, 1, 2]) expect((await at(i, ann).get('/v2/auth/me')).status).toBe(200);
    const me = (await at(0, ann).get('/v2/auth/me')).json<{ sub: string }>();
    expect((await at(1, ann).get('/v2/audit')).status).toBe(403);
    const changed = await at(0).patch(`/v2/users/${me.sub}`, { roles: ['admin'] });
    expect(changed.status, changed.text).toBe(200);
    for (const i of [1, 2, 0]) expect((await at(i, ann).get('/v2/audit')).status).toBe(200);
    expect((await at(2, ann).post('/v2/auth/logout')).status).toBeLessThan(300);
    for (const i of [0, 1, 2]) expect((await at(i, ann).get('/v2/auth/me')).status).toBe(401);
  });

  it(req('CLU-06', 'guesses at a password are counted over all nodes, also those at once'), async () => {
    await newUser('bob@example.com');
    const guesses = await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        createClient(() => node(i % 3).url, null).post('/v2/auth/login', {
          email: 'bob@example.com',
          password: `wrong ${i}`,
        }),
      ),
    );
    const statuses = guesses.map((guess) => guess.status);
    expect(statuses.filter((status) => status === 401).length).toBe(10);
    expect(statuses.filter((status) => status === 429).length).toBe(20);
  });

  it(req('CLU-07', 'an idempotency key that is in use at one node is in use at all'), async () => {
    provider.always(inPieces(5, 100));
    const headers = { 'idempotency-key': 'the same everywhere' };
    const answers = await Promise.all([0, 1, 2].map((i) => at(i).post('/v2/chat', question, { headers })));
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409, 409]);
    const again = await Promise.all([0, 1, 2].map((i) => at(i).post('/v2/chat', question, { headers })));
    const ids = new Set(again.map((answer) => answer.json<{ id: string }>().id));
    expect(again.map((answer) => answer.status)).toEqual([200, 200, 200]);
    expect(ids.size).toBe(1);
  });

  it(
    req('CLU-08', 'documents that came in at one node are read, searched and deleted at another'),
    async () => {
      const content = 'The lamp of the northern keeper burns blue every seventh night.';
      const made = await at(0).post('/v2/knowledge/documents', { title: 'Lamp', content });
      expect(made.status, made.text).toBe(201);
      const { id } = made.json<{ id: string }>();
      const bytes = await at(1).get(`/v2/knowledge/documents/${id}/content`);
      expect(bytes.text).toContain('burns blue');
      const found = await at(2).post('/v2/knowledge/search', { query: 'blue lamp of the keeper' });
      expect(found.text).toContain(id);
      expect((await at(1).delete(`/v2/knowledge/documents/${id}`)).status).toBe(204);
      expect((await at(0).get(`/v2/knowledge/documents/${id}`)).status).toBe(404);
    },
  );
});

describe('limits and waits over several nodes', () => {
  it(req('CLU-10', 'the rate limit lets exactly its number through, whichever nodes are asked'), async () => {
    const ann = await newUser('rate@example.com', 'pro');
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, i) => at(i % 3, ann).get('/v2/conversations')),
    );
    expect(answers.filter((answer) => answer.status === 200).length).toBe(20);
    expect(answers.filter((answer) => answer.status === 429).length).toBe(40);
  });

  it(req('CLU-11', 'a decision made at one node lets the run of another go on'), async () => {
    const args = JSON.stringify({ path: 'note.txt', content: 'from a run' });
    provider.always((request) => {
      if (request.body.response_format !== undefined) return { chunks: ['{}'] };
      return request.body.messages?.at(-1)?.role === 'tool'
        ? { chunks: ['It is written.'] }
        : { toolCalls: [{ id: 'c1', name: 'files__write_file', arguments: args }] };
    });
    const stream = await at(0).stream('/v2/chat/stream', {
      message: 'Write a note.',
      context: { agent_id: 'hephaestus' },
    });
    const created = (await stream.until('proposal.created')).at(-1);
    const id = String((created?.data as { id?: unknown } | undefined)?.id);
    const decided = await at(1).post(`/v2/governance/proposals/${id}/vote`, { vote: 'approve' });
    expect(decided.status, decided.text).toBe(200);
    const end = (await stream.rest()).at(-1);
    expect(end?.event).toBe('message.completed');
    expect(contentOf(end)).toContain('It is written.');
  });

  it(
    req('CLU-12', 'an MCP session of one node is served by every other, until it is ended anywhere'),
    async () => {
      const call = (i: number, body: unknown, session: string | null, method = 'POST') =>
        fetch(`${node(i).url}/mcp`, {
          method,
          headers: {
            authorization: `Bearer ${admin.token}`,
            accept: 'application/json, text/event-stream',
            ...(method === 'POST' ? { 'content-type': 'application/json' } : {}),
            ...(session === null ? {} : { 'mcp-session-id': session, 'mcp-protocol-version': '2025-06-18' }),
          },
          ...(method === 'POST' ? { body: JSON.stringify(body) } : {}),
        });
      const params = {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'x', version: '1' },
      };
      const opened = await call(0, { jsonrpc: '2.0', id: 1, method: 'initialize', params }, null);
      expect(opened.status).toBe(200);
      await opened.text();
      const session = opened.headers.get('mcp-session-id') ?? '';
      const list = { jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} };
      for (const i of [1, 2, 0]) {
        const answer = await call(i, list, session);
        expect(answer.status).toBe(200);
        expect(await answer.text()).toContain('get_current_time');
      }
      expect((await call(1, list, `${session}x`)).status).toBe(404);
      expect((await call(2, null, session, 'DELETE')).status).toBe(200);
      for (const i of [0, 1, 2]) {
        await expect.poll(async () => (await call(i, list, session)).status).toBe(404);
      }
    },
  );
});

describe('a node that is killed', () => {
  it(req(
    'CLU-09',
    'leaves its run to another, readers elsewhere see the end, and runs of live nodes go on',
  ), async () => {
    provider.always(inPieces(60, 100));
    const doomed = await cluster.add();
    const key = { 'idempotency-key': 'died with its node' };
    const place = cluster.nodes.indexOf(doomed);
    const hanging = at(place)
      .post('/v2/chat', question, { headers: key })
      .catch(() => null);
    const stream = await at(place).stream('/v2/chat/stream', question);
    const id = runIdOf(await stream.until('message.delta'));
    const reader = await at(0).stream(`/v2/chat/runs/${id}/stream`);
    await reader.until('message.delta');
    await doomed.end('SIGKILL');
    stream.close();
    await hanging;
    // A run of a node that lives, while another node starts: it is nobody's to take over.
    const started = Promise.withResolvers<void>();
    // Other runs of the dead node may be asked again meanwhile: this one is the question that says so.
    provider.always((request) =>
      JSON.stringify(request.body.messages ?? []).includes('live on')
        ? { chunks: ['still ', 'living'], chunkHold: (i) => (i === 1 ? started.promise : undefined) }
        : inPieces(60, 100),
    );
    const living = await at(1).stream('/v2/chat/stream', { ...question, message: 'Please live on.' });
    const livingId = runIdOf(await living.until('message.delta'));
    await doomed.start();
    expect((await at(2).get(`/v2/chat/runs/${livingId}`)).json<Run>().status).toBe('running');
    started.resolve();
    const livingEnd = (await living.rest()).at(-1);
    expect(livingEnd?.event).toBe('message.completed');
    const end = (await reader.rest()).at(-1);
    expect(['message.completed', 'error']).toContain(end?.event);
    const run = (await at(2).get(`/v2/chat/runs/${id}`)).json<Run>();
    expect(run.finished_at).not.toBeNull();
    const retried = async () => (await at(0).post('/v2/chat', question, { headers: key })).status;
    await expect.poll(retried, { timeout: 60_000, interval: 1_000 }).toBe(200);
  }, 180_000);

  it(req(
    ['CLU-09', 'QUEUE-04'],
    'leaves messages that wait: others take them up in their order, and nobody overtakes them',
  ), async () => {
    const gate = Promise.withResolvers<void>();
    const last = (messages: readonly { content?: unknown }[] | undefined): string =>
      String(messages?.at(-1)?.content).split('\n').at(-1) ?? '';
    provider.always((request) => ({
      text: `Answer to ${last(request.body.messages)}`,
      ...(last(request.body.messages) === 'm0' ? { hold: gate.promise } : {}),
    }));
    const doomed = await cluster.add();
    const place = cluster.nodes.indexOf(doomed);
    const { id } = (await at(0).post('/v2/conversations', {})).json<{ id: string }>();
    const send = async (i: number, message: string) => {
      const body = { ...question, message, conversation_id: id };
      const stream = await at(i).stream('/v2/chat/stream', body);
      return { stream, id: runIdOf(await stream.until('run.started')) };
    };
    const first = await send(0, 'm0');
    await provider.seen(1);
    const dying = [await send(place, 'm1')];
    const living = await send(1, 'm2');
    dying.push(await send(place, 'm3'));
    await doomed.end('SIGKILL');
    for (const { stream } of dying) stream.close();
    gate.resolve();
    await first.stream.rest();
    const later = await at(2).post('/v2/chat', { ...question, message: 'm4', conversation_id: id });
    expect(later.status, later.text).toBe(200);
    expect((await living.stream.rest()).at(-1)?.event).toBe('message.completed');
    const kept = (await at(1).get(`/v2/conversations/${id}`)).json<{ messages: { content: string }[] }>();
    expect(kept.messages.map((message) => message.content)).toEqual(
      [0, 1, 2, 3, 4].flatMap((i) => [`m${i}`, `Answer to m${i}`]),
    );
    for (const one of dying)
      expect((await at(2).get(`/v2/chat/runs/${one.id}`)).json<Run>().status).toBe('completed');
  }, 180_000);

  it(req(
    ['CLU-09', 'CLU-11'],
    'leaves a run that waits: another takes it up, and goes on with the decision',
  ), async () => {
    const args = JSON.stringify({ path: 'inherited.txt', content: 'from a dead node' });
    provider.always((request) => {
      if (request.body.response_format !== undefined) return { chunks: ['{}'] };
      return request.body.messages?.at(-1)?.role === 'tool'
        ? { chunks: ['It is written.'] }
        : { toolCalls: [{ id: 'c1', name: 'files__write_file', arguments: args }] };
    });
    const doomed = await cluster.add();
    const stream = await at(cluster.nodes.indexOf(doomed)).stream('/v2/chat/stream', {
      message: 'Write a note.',
      context: { agent_id: 'hephaestus' },
    });
    const told = await stream.until('proposal.created');
    const id = runIdOf(told);
    const reader = await at(1).stream(`/v2/chat/runs/${id}/stream`);
    await reader.until('proposal.created');
    await doomed.end('SIGKILL');
    stream.close();
    const proposal = String((told.at(-1)?.data as { id?: unknown } | undefined)?.id);
    const vote = await at(0).post(`/v2/governance/proposals/${proposal}/vote`, { vote: 'approve' });
    expect(vote.status, vote.text).toBe(200);
    const end = (await reader.rest()).at(-1);
    expect(end?.event).toBe('message.completed');
    expect(contentOf(end)).toContain('It is written.');
    expect((await at(2).get(`/v2/chat/runs/${id}`)).json<Run>().status).toBe('completed');
  }, 120_000);
});
