import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it as plain } from 'vitest';
import { req } from '../requirements.ts';
import { NODES, startProcess, type TestServer } from '../support/server.ts';
import { withWorld } from '../support/suite.ts';

/** What a line of the log says of the request and the run that it belongs to. */
const it = withWorld({ env: { TRUST_PROXY: '127.0.0.1', LOG_LEVEL: 'debug' } });
const PROXIED = { headers: { 'x-forwarded-for': '203.0.113.7' } };
const question = { message: 'A question of nobody’s business.', context: { agent_id: 'zeus' } };

type Line = Record<string, unknown>;
const lineOf = async (server: TestServer, fits: (line: Line) => boolean): Promise<Line> => {
  await expect.poll(() => server.log.some(fits)).toBe(true);
  return server.log.find(fits) ?? {};
};

describe(req('LOG-02', 'lines of a request and its run'), () => {
  it('name run, conversation, tenant, user and the client behind the proxy', async ({ world }) => {
    const { server, admin } = world;
    const me = (await admin.get('/v2/users/me')).json<{ id: string; tenant_id: string }>();
    const answer = await admin.post('/v2/chat', question, PROXIED);
    expect(answer.status).toBe(200);
    const { run_id, conversation_id } = answer.json<{ run_id: string; conversation_id: string }>();
    const id = answer.headers.get('x-request-id');
    const line = await lineOf(server, (one) => one.msg === 'request' && one.request_id === id);
    expect(line).toMatchObject({
      level: 30,
      run_id,
      conversation_id,
      tenant_id: me.tenant_id,
      user_id: me.id,
      client: '203.0.113.7',
      route: '/v2/chat',
      status: 200,
    });
    expect(JSON.stringify(server.log)).not.toContain(question.message);
  });

  it('a run that fails as a stream says the same, though its request’s head is long out', async ({
    world,
  }) => {
    const { server, admin, provider } = world;
    provider.script({ chunks: ['begun'], resetAfter: 1 });
    const events = await (await admin.stream('/v2/chat/stream', question, PROXIED)).rest();
    const { run_id, conversation_id } = (events[0]?.data ?? {}) as Record<string, string>;
    const line = await lineOf(server, (one) => one.msg === 'run failed' && one.run_id === run_id);
    expect(line).toMatchObject({ conversation_id, client: '203.0.113.7', tenant_id: expect.any(String) });
    expect(Object.keys(line).filter((key) => key === 'request_id')).toHaveLength(1);
  });

  it.skipIf(NODES > 1)(
    'work that goes on by itself afterwards is not laid to a request that is over',
    async ({ world }) => {
      const { server, admin } = world;
      const answer = await admin.get('/v2/users/me');
      const id = answer.headers.get('x-request-id');
      await lineOf(server, (one) => one.msg === 'request' && one.request_id === id);
      expect(server.log.filter((one) => one.request_id === id).at(-1)?.msg).toBe('request');
    },
  );

  it('probes are debug', async ({ world }) => {
    for (const path of ['/health', '/ready', '/metrics']) {
      const answer = await world.server.anonymous().get(path);
      const id = answer.headers.get('x-request-id');
      const line = await lineOf(world.server, (one) => one.request_id === id && one.msg === 'request');
      expect([path, line.level]).toEqual([path, 20]);
    }
  });
});

describe(req('LOG-02', 'a process of its own'), () => {
  plain('writes names of levels and ISO times where LOG_FORMAT says standard', async () => {
    const server = await startProcess({ env: { LOG_FORMAT: 'standard', LOG_LEVEL: 'info' } });
    try {
      const line = server.log.find((one) => one.msg === 'listening');
      expect(line).toMatchObject({
        level: 'info',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      });
    } finally {
      await server.close();
    }
  });

  plain('keeps the generated password out of what may be a file: it is in one of its own', async () => {
    const server = await startProcess({ env: { ADMIN_PASSWORD: '' } });
    try {
      const file = path.join(server.dataDir, 'admin-password');
      const password = readFileSync(file, 'utf8').trim();
      expect(password).toMatch(/^\S{15,}$/);
      expect(statSync(file).mode & 0o077).toBe(0);
      await server.signIn(server.admin.email, password);
      server.secrets().note({ password });
      const told = server.log.find((one) => one.file === file);
      expect(told).toMatchObject({ level: 40, email: server.admin.email });
      expect(server.stderr()).toBe('');
      expect(JSON.stringify(server.log)).not.toContain(password);
    } finally {
      await server.close();
    }
  });
});
