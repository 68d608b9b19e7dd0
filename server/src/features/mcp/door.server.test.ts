import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Platform, startPlatform, stdio } from '../../../test/mcp/harness.ts';
import { conflict } from '../../kernel/errors.ts';
import type { AgentTool, ToolSource } from '../../kernel/tools.ts';
import { createAskAgentSource } from './index.ts';

/** The platform as an MCP server, driven by the SDK's own client of both generations and by bare HTTP. */

const asked = vi.fn();
const ownTool = (name: string, permission: string, more: Partial<AgentTool> = {}): AgentTool => ({
  server: 'pentarch',
  name,
  description: `Tool ${name}`,
  inputSchema: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  permission,
  call: async (args, context) => {
    asked(args, context.caller.roles[0]);
    return {
      content: `answer to ${String(args.message)}`,
      isError: false,
      structured: { ok: true },
      costNanoUsd: 5,
    };
  },
  ...more,
});
const source: ToolSource = {
  list: () => [
    ownTool('own_tool', 'chat:write'),
    ownTool('admin_only', 'users:manage'),
    ownTool('breaks', 'chat:write', {
      call: async () => {
        throw new Error('secret inside');
      },
    }),
  ],
};

const agents = createAskAgentSource({
  agents: [{ id: 'athena', name: 'Athena', domain: 'knowledge' }],
  ask: async (caller, request) => {
    if (request.message === 'archived') throw conflict('the conversation is archived');
    return {
      content: `${request.agentId ?? 'zeus'} answers ${caller.name}`,
      agentId: request.agentId ?? 'zeus',
      conversationId: 'c1',
      runId: 'r1',
      finishReason: 'stop',
      costUsd: 0,
    };
  },
});

const LONG_ID = '0190c000-0000-7000-8000-000000000001';
const LONG = 'long words '.repeat(25_000);
const records = {
  kind: 'documents',
  title: 'Document',
  description: 'A text.',
  mimeType: 'text/plain',
  permission: 'knowledge:read',
  list: async () => ({ items: [], next: null }),
  read: async () => LONG,
};

let platform: Platform;
beforeAll(async () => {
  platform = await startPlatform({ sources: [source, agents], records: [records] });
  await platform.request('POST', '/mcp/servers', { body: stdio('fix') });
});
afterAll(() => platform.close());

const clients: Client[] = [];
afterAll(async () => {
  for (const client of clients) await client.close();
});
const connect = async (token: string, mode: 'auto' | 'legacy', onTools?: () => void) => {
  const transport = new StreamableHTTPClientTransport(new URL(`${platform.url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });
  const client = new Client(
    { name: 'desktop', version: '1' },
    {
      versionNegotiation: { mode },
      ...(onTools === undefined
        ? {}
        : { listChanged: { tools: { autoRefresh: false, onChanged: onTools } } }),
    },
  );
  await client.connect(transport);
  clients.push(client);
  return { client, transport };
};

/** A header that is null is left out. */
const post = (body: unknown, headers: Record<string, string | null> = {}) =>
  fetch(`${platform.url}/mcp`, {
    method: 'POST',
    headers: Object.entries({
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: 'Bearer user',
      ...headers,
    }).filter((header): header is [string, string] => header[1] !== null),
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
};
const ping = { jsonrpc: '2.0', id: 2, method: 'ping' };
const openSession = async (): Promise<string> => {
  const response = await post(initialize);
  expect(response.status).toBe(200);
  await response.text();
  const id = response.headers.get('mcp-session-id');
  if (id === null) throw new Error('no session id');
  return id;
};

describe.each(['auto', 'legacy'] as const)('a client in mode %s', (mode) => {
  it('sees the tools that its user may use, under one roof', async () => {
    const { client } = await connect('user', mode);
    expect(client.getServerVersion()).toMatchObject({ name: 'pentarch', version: '2.0.0' });
    const { tools } = await client.listTools();
    const names = tools.map((tool) => tool.name);
    expect(names).toEqual(
      expect.arrayContaining([
        'pentarch__ask_agent',
        'fix__echo',
        'time__get_current_time',
        'files__write_file',
      ]),
    );
    // Clients hand the names to models, whose providers take no others.
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(names).not.toContain('pentarch__admin_only');
    expect(tools.find((tool) => tool.name === 'fix__drop')?.annotations).toMatchObject({
      destructiveHint: true,
    });
    const reader = await connect('readonly', mode);
    expect((await reader.client.listTools()).tools).toEqual([]);
  });

  it('is told when they change', async () => {
    const told = vi.fn();
    const { client } = await connect('user', mode, told);
    const name = `later-${mode}`;
    await client.listTools();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(told).not.toHaveBeenCalled();
    await platform.request('POST', '/mcp/servers', { body: stdio(name) });
    await vi.waitFor(() => expect(told).toHaveBeenCalled(), { timeout: 10_000 });
    const named = async () => (await client.listTools()).tools.some((tool) => tool.name === `${name}__echo`);
    expect(await named()).toBe(true);
    told.mockClear();
    await platform.request('DELETE', `/mcp/servers/${name}`);
    await vi.waitFor(() => expect(told).toHaveBeenCalled(), { timeout: 10_000 });
    expect(await named()).toBe(false);
  });

  it('calls them, with content as the server gave it', async () => {
    const { client } = await connect('user', mode);
    // Also by the name with a dot, under which tools were listed before.
    for (const name of ['fix__echo', 'fix.echo']) {
      const echo = await client.callTool({ name, arguments: { text: 'hi' } });
      expect(echo).toMatchObject({ content: [{ type: 'text', text: 'hi' }] });
    }
    const picture = await client.callTool({ name: 'fix__picture', arguments: {} });
    expect(picture.content).toMatchObject([{ type: 'image', mimeType: 'image/png' }]);
    const answer = await client.callTool({ name: 'pentarch__own_tool', arguments: { message: 'why' } });
    expect(answer).toMatchObject({ content: [{ text: 'answer to why' }], structuredContent: { ok: true } });
    expect(asked).toHaveBeenLastCalledWith({ message: 'why' }, 'user');
    expect(platform.metered.at(-1)).toEqual({ server: 'pentarch', tool: 'own_tool', costNanoUsd: 5 });
  });

  it('asks an agent', async () => {
    const { client } = await connect('user', mode);
    const ask = (args: Record<string, unknown>) =>
      client.callTool({ name: 'pentarch__ask_agent', arguments: args });
    expect(await ask({ message: 'why', agent_id: 'athena' })).toMatchObject({
      content: [{ type: 'text', text: 'athena answers user' }],
      structuredContent: { agent_id: 'athena', conversation_id: 'c1', run_id: 'r1' },
    });
    expect(platform.gated.at(-1)).toMatchObject({ tool: { server: 'pentarch', name: 'ask_agent' } });
    expect(await ask({ message: 'why', agent_id: 'nobody' })).toMatchObject({ isError: true });
    expect(await ask({ message: 'archived' })).toMatchObject({
      isError: true,
      content: [{ text: 'the conversation is archived' }],
    });
  });

  it('passes by the gate like everybody', async () => {
    const { client } = await connect('user', mode);
    platform.decide({ outcome: 'wait', proposalId: 'p7' });
    const waiting = await client.callTool({ name: 'fix__drop', arguments: {} });
    expect(waiting).toMatchObject({
      isError: true,
      structuredContent: { status: 'awaiting_approval', proposal_id: 'p7' },
    });
    platform.decide({ outcome: 'denied', reason: 'vetoed', proposalId: 'p7' });
    expect(await client.callTool({ name: 'fix__drop', arguments: {} })).toMatchObject({ isError: true });
    platform.decide({ outcome: 'run' });
    expect((await client.callTool({ name: 'fix__drop', arguments: {} })).isError).toBe(false);
  });

  it('gets failures as results, without what is inside', async () => {
    const { client } = await connect('user', mode);
    const call = async (name: string, args = {}) => {
      const result = await client.callTool({ name, arguments: args });
      expect(result.isError, name).toBe(true);
      return JSON.stringify(result.content);
    };
    expect(await call('fix__echo', { text: 1 })).toContain('must be string');
    expect(await call('fix__liar')).toContain('output schema');
    const inside = await call('pentarch__breaks', { message: 'x' });
    expect(inside).toContain('went wrong');
    expect(inside).not.toContain('secret inside');
  });

  it('gets an error of the protocol for a tool that is not there for its user', async () => {
    const { client } = await connect('user', mode);
    for (const name of ['pentarch__admin_only', 'pentarch.admin_only', 'fix__nothing', 'fix.nothing']) {
      const asked = client.callTool({ name, arguments: { message: 'x' } });
      await expect(asked).rejects.toMatchObject({ code: -32602, message: expect.stringContaining(name) });
    }
  });

  it('hears of progress', async () => {
    const { client } = await connect('user', mode);
    const onprogress = vi.fn();
    const done = client.callTool({ name: 'fix__steps', arguments: {} }, { onprogress });
    // The tool goes on until it is told: what is heard does not hang on who is faster.
    await vi.waitFor(() => expect(onprogress.mock.calls.length).toBeGreaterThanOrEqual(2), {
      timeout: 20_000,
    });
    await client.callTool({ name: 'fix__go_on', arguments: {} });
    expect(await done).toMatchObject({ content: [{ type: 'text', text: 'done' }] });
  });

  it('never gets another tool than it named', async () => {
    await platform.request('POST', '/mcp/servers', {
      body: stdio(`twins-${mode}`, { extraTools: ['send.all', 'send_all', 'alone.here'] }),
    });
    const { client } = await connect('user', mode);
    const called = (name: string) => client.callTool({ name, arguments: {} });
    const listed = async () => (await client.listTools()).tools;
    await vi.waitFor(
      async () =>
        expect((await listed()).map(({ description }) => description)).toContain('Added: alone.here'),
      { timeout: 20_000 },
    );
    const spelled = new Map((await listed()).map((tool) => [tool.description, tool.name]));
    expect(spelled.get('Added: send_all')).toBe(`twins-${mode}__send_all`);
    for (const name of ['send.all', 'send_all', 'alone.here']) {
      const byList = spelled.get(`Added: ${name}`) ?? '';
      expect(byList).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
      for (const wanted of [byList, `twins-${mode}.${name}`])
        expect(await called(wanted), wanted).toMatchObject({ content: [{ text: name }] });
    }
    // As clients wrote the names with dots that know no dots.
    expect(await called(`twins-${mode}_alone_here`)).toMatchObject({ content: [{ text: 'alone.here' }] });
    for (const name of [
      `twins-${mode}_send_all`,
      `twins-${mode}.alone_here`,
      `twins-${mode}.alone/here`,
      `twins-${mode}__alone_here`,
      `twins-${mode}__send.all`,
    ])
      await expect(called(name), name).rejects.toMatchObject({ code: -32602 });
    await platform.request('DELETE', `/mcp/servers/twins-${mode}`);
  });

  it('reads a long text in parts', async () => {
    const { client } = await connect('user', mode);
    const read = async (uri: string): Promise<string> => {
      const [content] = (await client.readResource({ uri })).contents;
      return content !== undefined && 'text' in content ? content.text : '';
    };
    const first = await read(`pentarch://documents/${LONG_ID}`);
    expect(first.length).toBeLessThan(200_300);
    const follows = /read on at (pentarch:\S+\?from=(\d+))\]$/.exec(first);
    expect(first.startsWith(LONG.slice(0, Number(follows?.[2])))).toBe(true);
    expect(await read(follows?.[1] ?? '')).toBe(LONG.slice(Number(follows?.[2])));
  });

  it('is told that a cursor is none of ours', async () => {
    const { client } = await connect('user', mode);
    await expect(client.request({ method: 'tools/list', params: { cursor: 'x' } })).rejects.toMatchObject({
      code: -32602,
    });
  });
});

describe('/mcp over bare HTTP', () => {
  it('says 401 without a valid token and where tokens come from', async () => {
    for (const authorization of [null, 'Bearer nonsense', 'Basic dXNlcjp4']) {
      const response = await post(initialize, { authorization });
      expect(response.status).toBe(401);
      const challenge = response.headers.get('www-authenticate') ?? '';
      const metadata = /resource_metadata="([^"]+)"/.exec(challenge)?.[1];
      expect(metadata).toBe(`${platform.url}/.well-known/oauth-protected-resource/mcp`);
      expect(challenge.includes('invalid_token')).toBe(authorization !== null);
      const described = await (await fetch(metadata!)).json();
      expect(described).toMatchObject({
        resource: `${platform.url}/mcp`,
        authorization_servers: [platform.url],
        bearer_methods_supported: ['header'],
      });
    }
    expect((await fetch(`${platform.url}/mcp?access_token=user`, { method: 'POST' })).status).toBe(401);
  });

  it('says 400 without a session, 404 for an unknown one and for that of another user', async () => {
    expect((await post(ping)).status).toBe(400);
    expect((await post(ping, { 'mcp-session-id': 'unknown' })).status).toBe(404);
    const id = await openSession();
    expect((await post(ping, { 'mcp-session-id': id })).status).toBe(200);
    expect((await post(ping, { 'mcp-session-id': id, authorization: 'Bearer operator' })).status).toBe(404);
    const stream = (headers: Record<string, string>) =>
      fetch(`${platform.url}/mcp`, {
        headers: { accept: 'text/event-stream', authorization: 'Bearer user', ...headers },
      });
    expect((await stream({})).status).toBe(400);
    expect((await stream({ 'mcp-session-id': 'unknown' })).status).toBe(404);
  });

  it('ends a session on DELETE', async () => {
    const id = await openSession();
    const remove = () =>
      fetch(`${platform.url}/mcp`, {
        method: 'DELETE',
        headers: { authorization: 'Bearer user', 'mcp-session-id': id },
      });
    expect((await remove()).status).toBe(200);
    expect((await remove()).status).toBe(404);
    expect((await post(ping, { 'mcp-session-id': id })).status).toBe(404);
  });

  it('says 403 to a foreign origin, and takes its own and those of the settings', async () => {
    expect((await post(initialize, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await post(initialize, { origin: 'null' })).status).toBe(403);
    for (const origin of [platform.url, 'https://console.example']) {
      const response = await post(initialize, { origin });
      expect(response.status).toBe(200);
      await response.text();
    }
  });

  it('takes no malformed message of a client for an error of its own', async () => {
    const logged = vi.spyOn(platform.app.log, 'error');
    for (const body of [{ jsonrpc: '1.0' }, { jsonrpc: '2.0', id: 1 }, [], 7, null]) {
      const answer = await post(body, { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' });
      expect(answer.status).toBe(400);
    }
    expect(logged).not.toHaveBeenCalled();
    logged.mockRestore();
  });

  it('says 400 for what is no JSON, 415 for another type, 405 for another method, 413 for too much', async () => {
    const broken = await post('{"jsonrpc":');
    expect(broken.status).toBe(400);
    expect(await broken.json()).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32700 } });
    expect((await post(initialize, { 'content-type': 'text/plain' })).status).toBe(415);
    const put = await fetch(`${platform.url}/mcp`, { method: 'PUT' });
    expect(put.status).toBe(405);
    for (const [type, body] of [
      ['application/json', '{}'],
      ['text/plain', 'x'],
    ] as const) {
      const withBody = await fetch(`${platform.url}/mcp`, {
        method: 'PUT',
        headers: { 'content-type': type },
        body,
      });
      expect(withBody.status).toBe(405);
      expect(withBody.headers.get('allow')).toBe('DELETE, GET, POST');
    }
    expect(put.headers.get('allow')).toBe('DELETE, GET, POST');
    expect((await post({ ...ping, params: { x: 'y'.repeat(2_000_000) } })).status).toBe(413);
  });

  it('carries the headers of every answer', async () => {
    const response = await post(initialize, { 'x-request-id': 'mine' });
    await response.text();
    expect(response.headers.get('x-request-id')).toBe('mine');
    expect(response.headers.get('x-api-version')).toBe('2.0.0');
  });

  it('is cancelled down to the server behind', async () => {
    const { client } = await connect('user', 'legacy');
    const abort = new AbortController();
    const slow = client.callTool({ name: 'fix__slow', arguments: { ms: 60_000 } }, { signal: abort.signal });
    slow.catch(() => {});
    await vi.waitFor(() => expect(platform.gated.at(-1)?.tool.name).toBe('slow'));
    const { signal } = platform.gated.at(-1)!.context;
    expect(signal.aborted).toBe(false);
    abort.abort();
    await expect(slow).rejects.toThrow();
    await vi.waitFor(() => expect(signal.aborted).toBe(true));
  });
});
