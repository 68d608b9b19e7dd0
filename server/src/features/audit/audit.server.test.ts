import { createPrivateKey } from 'node:crypto';
import { SignJWT } from 'jose';
import { describe, expect } from 'vitest';
import { req } from '../../../test/requirements.ts';
import { tokenRequest } from '../../../test/support/browser.ts';
import type { Answer, Client } from '../../../test/support/client.ts';
import type { TestProvider } from '../../../test/support/provider.ts';
import type { TestServer } from '../../../test/support/server.ts';
import { openSocket } from '../../../test/support/socket-client.ts';
import { withWorld } from '../../../test/support/suite.ts';

/** Does one of everything that must leave a row, and reads the trail over HTTP. */

interface Row {
  seq: number;
  actor_id: string | null;
  actor_type: string;
  action: string;
  outcome: string;
  target_type: string | null;
  target_id: string | null;
  request_id: string | null;
  address: string | null;
  details: Record<string, unknown>;
}
interface User {
  id: string;
}

const PASSWORD = 'a password of one user';
/** The tool that nobody may call without a person's word. */
const POLICIES = { policies: { time: { tools: { convert_time: { approval: 'human' } } } } };

const it = withWorld({
  files: { GOVERNANCE_FILE: POLICIES },
  env: {
    MODEL: 'compatible/test',
    MCP_BUILTIN: 'on',
  },
});

describe('the audit trail', () => {
  let server: TestServer;
  let provider: TestProvider;
  let admin: Client;
  let user: Client;
  let voter: Client;
  let userId: string;

  const rows = async (query: string): Promise<Row[]> =>
    (await admin.get(`/v2/audit?limit=100&${query}`)).json<{ items: Row[] }>().items;

  /** The trail follows an answer in the same moment at the latest; refusals are written right after it. */
  const row = async (query: string, fits: (r: Row) => boolean = () => true): Promise<Row> => {
    for (let tries = 0; tries < 100; tries++) {
      const found = (await rows(query)).find(fits);
      if (found !== undefined) return found;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(
      `no row for ${query}; there are ${JSON.stringify((await rows('')).map((r) => r.action))}`,
    );
  };

  const ok = (answer: Answer, status: number): Answer => {
    expect(answer.status, answer.text).toBe(status);
    return answer;
  };

  const makeUser = async (email: string, roles: string[]): Promise<{ id: string; client: Client }> => {
    const made = ok(await admin.post('/v2/users', { email, password: PASSWORD, roles }), 201);
    return { id: made.json<User>().id, client: await server.signIn(email, PASSWORD) };
  };

  it.beforeAll(async ({ world }) => {
    ({ provider, server, admin } = world);
    const made = await makeUser('ann@example.com', ['user']);
    user = made.client;
    userId = made.id;
    voter = (await makeUser('vera@example.com', ['operator'])).client;
  });

  it(req('AUDIT-01', 'holds sign-ins, and those that were refused'), async () => {
    expect(await row('action=session.created', (r) => r.actor_id === userId)).toMatchObject({
      outcome: 'success',
      address: '127.0.0.1',
    });
    ok(
      await server
        .anonymous()
        .post('/v2/auth/login', { email: 'ann@example.com', password: 'not it at all' }),
      401,
    );
    await row('action=session.refused', (r) => r.actor_id === userId && r.outcome === 'refused');
    const signedOut = await server.signIn('ann@example.com', PASSWORD);
    ok(await signedOut.post('/v2/auth/logout'), 204);
    await row('action=session.revoked', (r) => r.actor_id === userId);
    const grant = 'grant_type=refresh_token&client_id=pentarch-cli&refresh_token=nothing';
    const form = { headers: { 'content-type': 'application/x-www-form-urlencoded' } };
    ok(await server.anonymous().send('POST', '/oauth/v2/token', grant, form), 400);
    await row('action=access.refused', (r) => r.target_id === 'POST /oauth/v2/token');
  });

  it(req('AUDIT-01', 'holds refused requests: without a right, with a bad token, on a socket'), async () => {
    ok(await user.get('/v2/users', { headers: { 'x-request-id': 'refused-1' } }), 403);
    expect(await row('action=access.refused', (r) => r.request_id === 'refused-1')).toMatchObject({
      actor_id: userId,
      outcome: 'refused',
      target_id: 'GET /v2/users',
      address: '127.0.0.1',
      details: { status: 403, required: 'users:read', count: 1 },
    });
    ok(await server.anonymous().get('/v2/users', { headers: { authorization: 'Bearer ptk_wrong' } }), 401);
    await row('action=access.refused', (r) => r.details.reason === 'TOKEN_INVALID' && r.actor_id === null);
    ok(await server.anonymous().get('/v2/users'), 401);
    await row('action=access.refused', (r) => r.details.reason === 'TOKEN_MISSING');
    ok(await server.anonymous().post('/mcp', {}), 401);
    await row('action=access.refused', (r) => r.address === '127.0.0.1' && r.details.status === 401);
    // A door of its own decides on this one: the own proposal.
    const own = ok(
      await voter.post('/v2/governance/proposals', { action: 'own', estimated_cost: 200 }),
      201,
    ).json<User>();
    ok(await voter.post(`/v2/governance/proposals/${own.id}/vote`, { vote: 'approve' }), 403);
    await row('action=access.refused', (r) => String(r.target_id).includes('/vote'));
    const readonly = (await makeUser('rita@example.com', ['readonly'])).client;
    const socket = openSocket(`${server.url.replace('http', 'ws')}/v2/ws`, { token: readonly.token ?? '' });
    await socket.next('ready');
    socket.send('chat.send', { id: '1', message: 'hello' });
    await socket.next('error');
    socket.close();
    await row('action=access.refused', (r) => r.target_id === 'WebSocket /v2/ws');
  });

  it(req('AUDIT-01', 'tells a service account from a person, in all that it does'), async () => {
    const made = ok(
      await admin.post('/v2/users', { email: 'robot@example.com', type: 'service', roles: ['operator'] }),
      201,
    );
    const { id } = made.json<User>();
    const key = ok(
      await admin.post(`/management/v1/users/${id}/machine_keys`, { type: 'KEY_TYPE_JSON' }),
      200,
    ).json<{ keyDetails: string }>();
    const file = JSON.parse(Buffer.from(key.keyDetails, 'base64').toString()) as {
      keyId: string;
      key: string;
    };
    const assertion = await new SignJWT({})
      .setProtectedHeader({ alg: 'RS256', kid: file.keyId })
      .setIssuer(id)
      .setSubject(id)
      .setAudience(server.url)
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(createPrivateKey(file.key));
    const { body } = await tokenRequest(server.url, {
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion,
      scope: 'openid profile',
    });
    const headers = { authorization: `Bearer ${String(body.access_token)}` };
    const robot = server.anonymous();
    ok(await robot.post('/v2/auth/api-keys', { name: 'k' }, { headers }), 201);
    ok(
      await robot.post('/v2/governance/proposals', { action: 'Ink', estimated_cost: 500 }, { headers }),
      201,
    );
    const asked = ok(
      await user.post('/v2/governance/proposals', { action: 'Pens', estimated_cost: 500 }),
      201,
    ).json<{ id: string }>();
    ok(await robot.post(`/v2/governance/proposals/${asked.id}/vote`, { vote: 'approve' }, { headers }), 200);
    ok(await robot.post('/v2/tenants', { name: 'x', slug: 'x' }, { headers }), 403);
    ok(
      await robot.post(
        '/v2/mcp/time/call',
        { tool: 'get_current_time', arguments: { timezone: 'UTC' } },
        { headers },
      ),
      200,
    );
    ok(await robot.post('/v2/auth/logout', undefined, { headers }), 204);
    const all = [
      'token.issued',
      'api_key.created',
      'proposal.created',
      'proposal.voted',
      'proposal.decided',
      'access.refused',
      'tool.called',
      'token.revoked',
    ];
    for (const action of all)
      expect([action, (await row(`actor=${id}&action=${action}`)).actor_type]).toEqual([action, 'service']);
    expect((await rows(`actor=${id}`)).filter((one) => one.actor_type !== 'service')).toEqual([]);
  });

  it(req('AUDIT-01', 'holds a flood of refusals as a number'), async () => {
    for (let i = 0; i < 50; i++) ok(await user.get('/v2/audit'), 403);
    const flood = (await rows('action=access.refused')).filter((r) => r.target_id === 'GET /v2/audit');
    expect(flood).toHaveLength(1);
  });

  it(req('AUDIT-01', 'holds changes of rights'), async () => {
    const { id } = (await makeUser('bob@example.com', ['user'])) as User & { client: Client };
    await row(`action=user.created&target=${id}`);
    ok(await admin.patch(`/v2/users/${id}`, { roles: ['analyst'] }), 200);
    await row(`action=user.updated&target=${id}`);
    ok(await admin.delete(`/v2/users/${id}`), 204);
    await row(`action=user.deactivated&target=${id}`);
    const key = ok(await user.post('/v2/auth/api-keys', { name: 'k' }), 201).json<User>();
    await row(`actor=${userId}`, (r) => r.target_id === key.id && r.action.endsWith('.created'));
    ok(await user.delete(`/v2/auth/api-keys/${key.id}`), 204);
    await row(`actor=${userId}`, (r) => r.target_id === key.id && r.action.endsWith('.deleted'));
    ok(await admin.patch('/v2/agents/morpheus', { enabled: false }), 200);
    await row('action=agent.updated&target=morpheus');
    ok(
      await admin.put('/v2/costs/limits', { limits: [{ scope: 'tenant', period: 'day', limit_usd: 400 }] }),
      200,
    );
    await row('action=costs.limits_changed');
  });

  it(
    req('AUDIT-01', 'holds tool calls: direct, of an agent, refused, and approved by a person'),
    async () => {
      const now = { tool: 'get_current_time', arguments: { timezone: 'Asia/Tokyo' } };
      ok(await user.post('/v2/mcp/time/call', now), 200);
      expect(await row('action=tool.called&target=time.get_current_time')).toMatchObject({
        actor_id: userId,
        actor_type: 'user',
        outcome: 'success',
        details: { agent_id: null, cost_usd: 0 },
      });
      provider.script(
        { toolCalls: [{ id: 'c1', name: 'time__get_current_time', arguments: '{"timezone":"Asia/Tokyo"}' }] },
        { chunks: ['It is late.'] },
      );
      const answer = ok(
        await user.post('/v2/chat', {
          message: 'How late is it in Tokyo?',
          context: { agent_id: 'chronos' },
        }),
        200,
      );
      const runId = answer.json<{ run_id: string }>().run_id;
      expect(
        await row('action=tool.called&target=time.get_current_time', (r) => r.details.run_id === runId),
      ).toMatchObject({ actor_id: userId, actor_type: 'agent', details: { agent_id: 'chronos' } });

      const convert = {
        tool: 'convert_time',
        arguments: { source_timezone: 'Asia/Tokyo', time: '12:00', target_timezone: 'Europe/Berlin' },
      };
      const waiting = ok(await user.post('/v2/mcp/time/call', convert), 202);
      const proposalId = waiting.json<{ proposal: User }>().proposal.id;
      await row(`action=proposal.created&target=${proposalId}`);
      ok(await voter.post(`/v2/governance/proposals/${proposalId}/vote`, { vote: 'approve' }), 200);
      await row(`action=proposal.voted&target=${proposalId}`);
      await row(`action=proposal.decided&target=${proposalId}`);
      await row(`action=proposal.executed&target=${proposalId}`);
      const called = await row('action=tool.called&target=time.convert_time');
      // That it began was written before it was done, whatever the tool says of itself.
      const started = await row('action=tool.started&target=time.convert_time');
      expect(started.seq).toBeLessThan(called.seq);
      expect(started.details.arguments_sha256).toBe(called.details.arguments_sha256);
      // No text of an argument or a result is in it.
      const all = JSON.stringify(await rows(''));
      expect(all).not.toContain('Europe/Berlin');
      expect(all).not.toContain('It is late');
    },
  );

  it(req('AUDIT-01', 'holds deletions and exports'), async () => {
    const conversation = ok(await user.post('/v2/conversations', { title: 'c' }), 201).json<User>();
    ok(await user.get(`/v2/conversations/${conversation.id}/export`), 200);
    ok(await user.delete(`/v2/conversations/${conversation.id}`), 204);
    const document = ok(
      await user.post('/v2/knowledge/documents', { title: 'd', content: 'The lighthouse is white.' }),
      201,
    ).json<User>();
    ok(await user.delete(`/v2/knowledge/documents/${document.id}`), 204);
    const entity = ok(
      await user.post('/v2/memory/entities', { name: 'Ada', entity_type: 'person', observations: ['x'] }),
      201,
    ).json<User>();
    ok(await user.get('/v2/memory/export'), 200);
    ok(await user.delete(`/v2/memory/entities/${entity.id}`), 204);
    const task = ok(
      await user.post('/v2/tasks', { description: 'later', scheduled_at: '2099-01-01T00:00:00.000Z' }),
      201,
    ).json<User>();
    ok(await user.delete(`/v2/tasks/${task.id}`), 204);
    ok(await user.get('/v2/costs/usage/export'), 200);
    ok(await user.get('/v2/costs/usage', { headers: { accept: 'text/csv' } }), 200);
    ok(await user.get('/v2/costs/usage'), 200);
    ok(await user.get(`/v2/users/${userId}/export`), 200);
    const told = (await rows(`actor=${userId}`)).map((r) => `${r.action} ${r.target_id}`);
    for (const each of [
      `conversation.exported ${conversation.id}`,
      `conversation.archived ${conversation.id}`,
      `document.deleted ${document.id}`,
      'memory.exported null',
      `memory.entity_deleted ${entity.id}`,
      `task.deleted ${task.id}`,
      `user.data_exported ${userId}`,
    ])
      expect(told).toContain(each);
    expect(told.filter((each) => each.startsWith('costs.exported'))).toHaveLength(2);
    ok(await admin.delete(`/v2/users/${userId}/data`), 200);
    await row(`action=user.data_erased&target=${userId}`);
  });

  it(req('AUDIT-01', 'says nothing of a deletion that was refused'), async () => {
    const before = (await rows('action=document.deleted')).length;
    ok(await admin.delete('/v2/knowledge/documents/0190a000-0000-7000-8000-000000000001'), 404);
    expect(await rows('action=document.deleted')).toHaveLength(before);
  });

  it(req('AUDIT-02', 'proves itself and cannot be changed over the API'), async () => {
    expect((await admin.get('/v2/audit/verify')).json()).toMatchObject({ ok: true, broken_at: null });
    const { id } = (await rows(''))[0] as unknown as User;
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      expect((await admin.send(method, '/v2/audit')).status).toBe(405);
      expect((await admin.send(method, `/v2/audit/${id}`)).status).toBe(404);
    }
  });
});
