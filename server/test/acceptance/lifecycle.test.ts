import { statSync } from 'node:fs';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { req } from '../requirements.ts';
import type { Client, SseEvent } from '../support/client.ts';
import { startTestProvider, type TestProvider } from '../support/provider.ts';
import { StartFailure, startServer, type TestServer } from '../support/server.ts';
import { expectErrorA, expectErrorB } from '../support/shapes.ts';
import { postgresServer } from '../support/stores.ts';

let server: TestServer | null = null;
let provider: TestProvider | null = null;
afterEach(async () => {
  await server?.close();
  await provider?.close();
  server = null;
  provider = null;
});

const question = { message: 'How are you?', context: { agent_id: 'zeus' } };

const withProvider = async (
  env: Record<string, string> = {},
): Promise<{ srv: TestServer; llm: TestProvider; admin: Client }> => {
  const llm = await startTestProvider({ tokens: 3 });
  provider = llm;
  const srv = await startServer({
    env: { MODEL: 'compatible/test-model', COMPATIBLE_BASE_URL: llm.url, ...env },
  });
  server = srv;
  return { srv, llm, admin: await srv.signIn() };
};

const runIdOf = (events: readonly SseEvent[]): string => {
  const data = events[0]?.data;
  if (typeof data !== 'object' || data === null || !('run_id' in data)) throw new Error('no run.started');
  return String(data.run_id);
};

interface Run {
  status: string;
  conversation_id: string;
  error: { code: string } | null;
  finished_at: string | null;
}

describe('system endpoints', () => {
  it(
    req('SYS-10', 'a start is ready once the embedding model is loaded, and says that it is loading'),
    async () => {
      server = await startServer({ env: { EMBEDDING_WARM_UP: 'on' } });
      const anonymous = server.anonymous();
      const looks: { status: number; at: number; failed: string[] }[] = [];
      await expect
        .poll(
          async () => {
            const answer = await anonymous.get('/ready');
            const { checks } = answer.json<{ checks: Record<string, { status: string }> }>();
            const failed = Object.keys(checks).filter((name) => checks[name]?.status === 'failed');
            looks.push({ status: answer.status, at: Date.now(), failed });
            return answer.status;
          },
          { timeout: 60_000, interval: 5 },
        )
        .toBe(200);
      for (const look of looks.slice(0, -1))
        expect(look).toMatchObject({ status: 503, failed: ['embeddings'] });
      const { log } = server;
      const loadedAt = () => log.find((entry) => entry.msg === 'embedding model loaded')?.time;
      await expect.poll(loadedAt).toBeTruthy();
      expect(looks.at(-1)?.at).toBeGreaterThanOrEqual(Number(loadedAt()));
    },
  );

  it(req('SYS-01', '/health, /ready and /metrics answer without a token'), async () => {
    const { srv, admin } = await withProvider();
    const anonymous = srv.anonymous();
    expect((await anonymous.get('/health')).body).toEqual({
      status: 'ok',
      version: '2.0.0',
      uptime_s: expect.any(Number),
    });
    await expect.poll(async () => (await anonymous.get('/ready')).status, { timeout: 60_000 }).toBe(200);
    const ready = await anonymous.get('/ready');
    expect(ready.body).toMatchObject({ status: 'ready' });
    expect(Object.keys(ready.json<{ checks: object }>().checks).sort()).toEqual([
      'disk',
      'embeddings',
      'identity',
      'mcp',
      'migrations',
      'models',
      'queue',
      'redis',
      'store',
    ]);
    const answer = await admin.post('/v2/chat', question);
    const { conversation_id: id } = answer.json<{ conversation_id: string }>();
    await admin.get(`/v2/conversations/${id}`);
    const metrics = await anonymous.get('/metrics');
    expect(metrics.headers.get('content-type')).toMatch(/^text\/plain/);
    expect(metrics.text).toMatch(/^# HELP /m);
    expect(metrics.text).toContain('/v2/conversations/:id');
    // No label holds a value of a request.
    expect(metrics.text).not.toContain(id);
    expectErrorA(await anonymous.post('/health'), 405, 'METHOD_NOT_ALLOWED');
    expectErrorA(await anonymous.get('/health?x=1'), 422, 'VALIDATION_ERROR');
  });

  it(req('SYS-01', '/metrics asks for METRICS_TOKEN where it is set'), async () => {
    server = await startServer({ env: { METRICS_TOKEN: 'a-token-of-the-collector' } });
    const anonymous = server.anonymous();
    expectErrorA(await anonymous.get('/metrics'), 401, 'UNAUTHORIZED');
    const bad = { headers: { authorization: 'Bearer wrong' } };
    expectErrorA(await anonymous.get('/metrics', bad), 401, 'UNAUTHORIZED');
    const good = { headers: { authorization: 'Bearer a-token-of-the-collector' } };
    expect((await anonymous.get('/metrics', good)).status).toBe(200);
  });
});

describe('the data folder', () => {
  it(
    req('SYS-03', 'takes one process: a second one is refused with a clear message, the first goes on'),
    async () => {
      const first = await startServer();
      server = first;
      const second = startServer({ dataDir: first.dataDir });
      const failure = await second.then(
        () => null,
        (error: unknown) => error,
      );
      if (!(failure instanceof StartFailure)) throw new Error('a second process started on the same folder');
      expect(failure.code).toBe(1);
      expect(failure.stderr).toContain(
        `the data folder ${first.dataDir} is in use by another Pentarch process`,
      );
      expect(failure.stderr).not.toMatch(/\bat .*\.ts:\d+/);
      expect((await first.anonymous().get('/health')).status).toBe(200);
      await first.end('SIGKILL');
      await first.start();
      expect((await first.anonymous().get('/health')).status).toBe(200);
    },
  );

  it(req('SYS-05', 'is made for its owner alone'), async () => {
    server = await startServer();
    expect(statSync(server.dataDir).mode & 0o777).toBe(0o700);
  });
});

describe('SIGTERM', () => {
  it(
    req('SYS-02', 'lets a running stream finish, refuses new work, says so in /ready, and exits with 0'),
    async () => {
      const { srv, llm, admin } = await withProvider();
      const gate = Promise.withResolvers<void>();
      llm.script({ chunks: ['slow ', 'and ', 'whole'], hold: gate.promise });
      const stream = await admin.stream('/v2/chat/stream', question);
      const begun = await stream.until('agent.selected');
      srv.signal('SIGTERM');
      await expect.poll(async () => (await admin.get('/ready')).status, { interval: 20 }).toBe(503);
      const ready = await admin.get('/ready');
      expect(ready.body).toMatchObject({ status: 'not_ready', checks: { store: { status: 'ok' } } });
      expect((await admin.get('/health')).status).toBe(200);
      const refused = await admin.post('/v2/chat', question);
      expectErrorB(refused, 503, 'SERVICE_UNAVAILABLE');
      expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
      gate.resolve();
      const rest = await stream.rest();
      expect(rest.at(-1)?.event).toBe('message.completed');
      expect(rest.at(-1)?.data).toMatchObject({ content: 'slow and whole' });
      const stoppedAt = performance.now();
      expect(await srv.exited()).toBe(0);
      expect(performance.now() - stoppedAt).toBeLessThan(5_000);
      await srv.start();
      const runId = runIdOf(begun);
      expect((await admin.get(`/v2/chat/runs/${runId}`)).body).toMatchObject({ status: 'completed' });
    },
  );

  it(req(
    'SYS-07',
    'takes requests for the lead, told unready and to be taken elsewhere next, and refuses then',
  ), async () => {
    // On a machine under load one request may take more than a second.
    const { srv, llm, admin } = await withProvider({ SHUTDOWN_LEAD_S: '5' });
    const gate = Promise.withResolvers<void>();
    llm.script({ chunks: ['slow ', 'and ', 'whole'], hold: gate.promise });
    const stream = await admin.stream('/v2/chat/stream', question);
    await stream.until('agent.selected');
    const before = await admin.post('/v2/conversations', {});
    expect(before.headers.get('connection')).not.toBe('close');
    srv.signal('SIGTERM');
    const toldAt = performance.now();
    await expect.poll(async () => (await admin.get('/ready')).status, { interval: 20 }).toBe(503);
    const taken = await admin.post('/v2/chat', question);
    expect(taken.status, taken.text).toBe(200);
    expect(taken.headers.get('connection')).toBe('close');
    let refused = taken;
    const ask = async (): Promise<number> => {
      refused = await admin.post('/v2/conversations', {});
      if (refused.status === 201) expect(refused.headers.get('connection')).toBe('close');
      return refused.status;
    };
    await expect.poll(ask, { interval: 50 }).toBe(503);
    expect(performance.now() - toldAt).toBeGreaterThan(4_500);
    expectErrorB(refused, 503, 'SERVICE_UNAVAILABLE');
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    gate.resolve();
    expect((await stream.rest()).at(-1)).toMatchObject({
      event: 'message.completed',
      data: { content: 'slow and whole' },
    });
    expect(await srv.exited()).toBe(0);
  }, 60_000);

  it(req('SYS-07', 'has no lead where a person stops it'), async () => {
    const { srv } = await withProvider({ SHUTDOWN_LEAD_S: '60' });
    const toldAt = performance.now();
    expect(await srv.end('SIGINT')).toBe(0);
    expect(performance.now() - toldAt).toBeLessThan(30_000);
  });

  it(req('SYS-02', 'ends a run that outlasts the grace time, and stores what it had'), async () => {
    const { srv, llm, admin } = await withProvider({ SHUTDOWN_GRACE_S: '1' });
    llm.script({ chunks: ['begun ', 'never'], hangAfter: 1 });
    const stream = await admin.stream('/v2/chat/stream', question);
    const begun = await stream.until('message.delta');
    const code = srv.end('SIGTERM');
    const rest = await stream.rest();
    expect(rest.at(-1)?.event).toBe('error');
    expect(rest.at(-1)?.data).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(await code).toBe(0);
    await srv.start();
    const runId = runIdOf(begun);
    const run = (await admin.get(`/v2/chat/runs/${runId}`)).json<Run>();
    expect(run).toMatchObject({ status: 'failed', error: { code: 'SERVICE_UNAVAILABLE' } });
    const read = await admin.get(`/v2/conversations/${run.conversation_id}`);
    expect(read.json<{ messages: { content: string }[] }>().messages.map((m) => m.content)).toEqual([
      question.message,
      'begun ',
    ]);
  });

  it(
    req('SYS-02', 'told twice at once, as service managers do, lets a stream finish all the same'),
    async () => {
      const { srv, llm, admin } = await withProvider();
      const gate = Promise.withResolvers<void>();
      llm.script({ chunks: ['slow ', 'and ', 'whole'], hold: gate.promise });
      const stream = await admin.stream('/v2/chat/stream', question);
      await stream.until('agent.selected');
      srv.signal('SIGTERM');
      // Two of one kind could reach the process as one.
      srv.signal('SIGINT');
      await expect.poll(async () => (await admin.get('/ready')).status, { interval: 20 }).toBe(503);
      gate.resolve();
      expect((await stream.rest()).at(-1)?.event).toBe('message.completed');
      expect(await srv.exited()).toBe(0);
    },
  );

  it(req('SYS-02', 'right after the start ends cleanly too'), async () => {
    server = await startServer();
    expect(await server.end('SIGTERM')).toBe(0);
  });

  it(req('SYS-02', 'does not wait for idle connections'), async () => {
    server = await startServer();
    const { hostname, port } = new URL(server.url);
    const sockets = Array.from({ length: 20 }, () => connect(Number(port), hostname));
    // The server may cut them off: that is what this is about.
    for (const socket of sockets) socket.on('error', () => socket.destroy());
    await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
    const startedAt = performance.now();
    expect(await server.end('SIGTERM')).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    for (const socket of sockets) socket.destroy();
  });
});

describe('kill -9', () => {
  /** A seeded choice of moments: a failure can be run again. */
  const delays = (rounds: number): number[] => {
    let state = 20_251_128;
    return Array.from({ length: rounds }, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state % 120;
    });
  };
  // A start on PostgreSQL takes longer, and its durability is its own: fewer rounds show that ours adds no hole.
  const ROUNDS = postgresServer === undefined ? 20 : 8;

  it(req('SYS-04', 'at any moment loses nothing that was acknowledged, and leaves no run running'), {
    timeout: 600_000,
  }, async () => {
    const { srv, llm, admin } = await withProvider();
    llm.always({ chunks: ['one ', 'two ', 'three'], chunkDelayMs: 5 });
    const titles = new Set<string>();
    const answers = new Map<string, string>();
    const runs = new Set<string>();
    let made = 0;
    let acknowledged = (_what: 'conversation' | 'answer'): void => {};

    const work = async (stopped: () => boolean): Promise<void> => {
      while (!stopped()) {
        const title = `kept ${++made}`;
        const answer = await admin.post('/v2/conversations', { title });
        if (answer.status !== 201) continue;
        titles.add(title);
        acknowledged('conversation');
      }
    };
    const talk = async (stopped: () => boolean): Promise<void> => {
      while (!stopped()) {
        const answer = await admin.post('/v2/chat', { ...question, message: `said ${++made}` });
        if (answer.status !== 200) continue;
        const body = answer.json<{ id: string; conversation_id: string; run_id: string; content: string }>();
        answers.set(body.conversation_id, body.content);
        runs.add(body.run_id);
        acknowledged('answer');
      }
    };
    const listen = async (stopped: () => boolean): Promise<void> => {
      while (!stopped()) {
        const stream = await admin.stream('/v2/chat/stream', { ...question, message: `heard ${++made}` });
        for (let event: SseEvent | null = await stream.next(); event !== null; event = await stream.next()) {
          if (event.event === 'run.started') runs.add((event.data as { run_id: string }).run_id);
          if (event.event !== 'message.completed') continue;
          const body = event.data as { conversation_id: string; content: string };
          answers.set(body.conversation_id, body.content);
          acknowledged('answer');
        }
      }
    };

    for (const [round, delayMs] of delays(ROUNDS).entries()) {
      let stopped = false;
      const first = Promise.withResolvers<void>();
      // Every other round dies while the process is still cold, the rest amid answers.
      const awaited = round % 2 === 0 ? 'answer' : 'conversation';
      acknowledged = (what) => {
        if (what === awaited) first.resolve();
      };
      const stop = () => stopped;
      // Whatever is under way when the process dies is not acknowledged: its error is expected.
      const workers = [work, work, talk, talk, listen].map((run) => run(stop).catch(() => {}));
      await first.promise;
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      await srv.end('SIGKILL');
      stopped = true;
      await Promise.all(workers);
      await srv.start();
    }

    const kept = new Set<string>();
    let cursor = '';
    for (;;) {
      const query = cursor === '' ? '' : `&cursor=${cursor}`;
      const page = (await admin.get(`/v2/conversations?limit=100${query}`)).json<{
        items: { id: string; title: string }[];
        next_cursor: string | null;
      }>();
      for (const item of page.items) kept.add(item.title);
      if (page.next_cursor === null) break;
      cursor = page.next_cursor;
    }
    expect([...titles].filter((title) => !kept.has(title))).toEqual([]);
    // At least one in each round that waits for it.
    expect(titles.size).toBeGreaterThanOrEqual(ROUNDS / 2);
    for (const [id, content] of answers) {
      const read = (await admin.get(`/v2/conversations/${id}`)).json<{ messages: { content: string }[] }>();
      expect(read.messages.at(-1)?.content).toBe(content);
    }
    expect(runs.size).toBeGreaterThanOrEqual(ROUNDS / 2);
    const statuses = new Map<string, number>();
    for (const id of runs) {
      const run = (await admin.get(`/v2/chat/runs/${id}`)).json<Run>();
      statuses.set(run.status, (statuses.get(run.status) ?? 0) + 1);
      expect(['completed', 'failed']).toContain(run.status);
      expect(run.finished_at).not.toBeNull();
      if (run.status === 'failed') expect(run.error?.code).toBe('SERVICE_UNAVAILABLE');
    }
    expect(statuses.get('completed') ?? 0).toBeGreaterThan(0);
    // No reservation of a dead run is left behind. PostgreSQL may serve several nodes: there, those of a dead one are
    // released once its heartbeat has been missing for a while, which the tests of the costs feature cover.
    if (postgresServer !== undefined) return;
    const { limits } = (await admin.get('/v2/costs/limits')).json<{
      limits: { scope: string; reserved_usd: number }[];
    }>();
    expect(limits.filter((limit) => limit.scope === 'tenant').map((limit) => limit.reserved_usd)).toEqual([
      0, 0,
    ]);
  });
});
