import path from 'node:path';
import { Client as McpClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client } from '../../../test/support/client.ts';
import { startServer, type TestServer } from '../../../test/support/server.ts';

/** Governance and MCP together: votes through `/mcp`, and approvals that hold for the server they were given for. */

const FIXTURE = path.join(import.meta.dirname, '..', '..', '..', 'test', 'mcp', 'fixture-server.ts');
const PASSWORD = 'a long enough password';

interface ProposalItem {
  id: string;
  status: string;
  execution: { status: string; error: string | null } | null;
}

let server: TestServer;
let admin: Client;
let operator: Client;
const mcp: McpClient[] = [];
beforeAll(async () => {
  server = await startServer({ env: { MCP_ALLOW_STDIO: `*: ${process.execPath} **` } });
  admin = await server.signIn();
  for (const [email, role] of [
    ['olga@example.org', 'operator'],
    ['ugo@example.org', 'user'],
  ] as const) {
    const made = await admin.post('/v2/users', { email, name: role, password: PASSWORD, roles: [role] });
    expect(made.status).toBe(201);
  }
  operator = await server.signIn('olga@example.org', PASSWORD);
});
afterAll(async () => {
  for (const client of mcp) await client.close();
  await server?.close();
});

const connect = async (email: string, password = PASSWORD): Promise<McpClient> => {
  const answer = await server.anonymous().post('/v2/auth/login', { email, password });
  const token = answer.json<{ access_token: string }>().access_token;
  const client = new McpClient({ name: 'desktop', version: '1' });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    }),
  );
  mcp.push(client);
  return client;
};
const propose = async (who: Client, action: string): Promise<string> => {
  const made = await who.post('/api/v1/governance/proposals', {
    action,
    estimated_cost: 1,
    flags: ['legal'],
  });
  expect(made.status).toBe(201);
  return made.json<ProposalItem>().id;
};
const textOf = (result: Record<string, unknown>): string => JSON.stringify(result.content);

describe('proposals through /mcp', () => {
  test('are listed, read and voted on with the rights and rules of the routes', async () => {
    const boss = await connect(server.admin.email, server.admin.password);
    const olga = await connect('olga@example.org');
    const ugo = await connect('ugo@example.org');
    const id = await propose(admin, 'Sign the lease');

    const names = async (client: McpClient) => (await client.listTools()).tools.map((tool) => tool.name);
    expect(await names(olga)).toEqual(
      expect.arrayContaining([
        'pentarch__list_proposals',
        'pentarch__get_proposal',
        'pentarch__vote_on_proposal',
      ]),
    );
    expect(await names(ugo)).not.toContain('pentarch__vote_on_proposal');

    const listed = await olga.callTool({
      name: 'pentarch__list_proposals',
      arguments: { status: 'awaiting_human' },
    });
    expect(listed.structuredContent).toMatchObject({ total: 1, items: [{ id, action: 'Sign the lease' }] });
    // A user sees what they asked for themselves, and nothing else.
    const others = await ugo.callTool({ name: 'pentarch__list_proposals', arguments: {} });
    expect(others.structuredContent).toMatchObject({ total: 0, items: [] });
    const hidden = await ugo.callTool({ name: 'pentarch__get_proposal', arguments: { id } });
    expect(hidden).toMatchObject({ isError: true });
    expect(textOf(hidden)).toContain('proposal');

    const vote = (client: McpClient, more: object = {}) =>
      client.callTool({ name: 'pentarch__vote_on_proposal', arguments: { id, vote: 'approve', ...more } });
    const own = await vote(boss);
    expect(own.isError).toBe(true);
    const overHttp = await admin.post(`/api/v1/governance/proposals/${id}/vote`, { vote: 'approve' });
    expect(overHttp.status).toBe(403);
    expect(textOf(own)).toContain(overHttp.json<{ error: { message: string } }>().error.message);
    await expect(vote(ugo)).rejects.toMatchObject({ code: -32602 });
    expect(await vote(olga, { vote: 'perhaps' })).toMatchObject({ isError: true });

    expect(await vote(olga, { reason: 'fair price' })).toMatchObject({
      isError: false,
      structuredContent: { id, status: 'approved' },
    });
    const read = await olga.callTool({ name: 'pentarch__get_proposal', arguments: { id } });
    expect(read.structuredContent).toMatchObject({ id, status: 'approved' });
    // Decided is decided.
    expect(await vote(olga)).toMatchObject({ isError: true });
  });
});

describe('an approval', () => {
  const register = async (switches: object = {}, policy: object = { default: { approval: 'human' } }) => {
    const body = {
      name: 'shop',
      transport: 'stdio',
      command: process.execPath,
      args: [FIXTURE, JSON.stringify(switches)],
      policy,
      accept_tools: true,
    };
    expect((await operator.post('/api/v1/mcp/servers', body)).status).toBe(201);
    await connected();
  };
  const connected = () =>
    expect
      .poll(
        async () => {
          const answer = await operator.get('/api/v1/mcp/servers?limit=100');
          const { items } = answer.json<{ items: { name: string; status: string }[] }>();
          return items.find(({ name }) => name === 'shop')?.status;
        },
        { timeout: 30_000 },
      )
      .toBe('connected');
  const ask = async (text: string): Promise<string> => {
    const answer = await admin.post('/api/v1/mcp/shop/call', { tool: 'echo', arguments: { text } });
    expect(answer.status).toBe(202);
    return answer.json<{ proposal: ProposalItem }>().proposal.id;
  };
  const approved = async (id: string): Promise<ProposalItem['execution']> => {
    const voted = await operator.post(`/api/v1/governance/proposals/${id}/vote`, { vote: 'approve' });
    expect(voted.status).toBe(200);
    const read = async () =>
      (await operator.get(`/api/v1/governance/proposals/${id}`)).json<ProposalItem>().execution;
    await expect
      .poll(async () => (await read())?.status, { timeout: 30_000 })
      .toMatch(/^(completed|failed|unknown)$/);
    return read();
  };

  test('holds for the server that it was given for, and not for another under its name', async () => {
    await register();
    expect(await approved(await ask('one'))).toMatchObject({ status: 'completed', error: null });

    const beforeNew = await ask('two');
    expect((await operator.delete('/api/v1/mcp/servers/shop')).status).toBe(204);
    await register();
    // The same call of the new server is another one.
    const afterNew = await ask('two');
    expect(afterNew).not.toBe(beforeNew);
    const refused = await approved(beforeNew);
    expect(refused).toMatchObject({ status: 'failed', error: expect.stringContaining('ask again') });
    expect(await approved(afterNew)).toMatchObject({ status: 'completed' });

    const beforeChange = await ask('three');
    const changed = await operator.patch('/api/v1/mcp/servers/shop', {
      args: [FIXTURE, JSON.stringify({ extraTools: ['more'] })],
      policy: {},
    });
    expect(changed.status).toBe(200);
    await connected();
    expect(await approved(beforeChange)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('changed since'),
    });

    // A change of title, policy or time leaves it the same server.
    await operator.patch('/api/v1/mcp/servers/shop', { policy: { default: { approval: 'human' } } });
    const same = await ask('four');
    await operator.patch('/api/v1/mcp/servers/shop', { title: 'The shop', timeout_ms: 20_000 });
    expect(await approved(same)).toMatchObject({ status: 'completed' });
  });
});
