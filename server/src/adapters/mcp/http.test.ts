import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { McpFault, McpSessionEvents } from '../../kernel/mcp.ts';
import { createGuardedFetch } from '../guarded-fetch/index.ts';
import { createMcpConnector } from './connect.ts';

/** HTTP servers that do what honest ones do not. */

const open = createGuardedFetch({ allowPrivate: true, maxBodyBytes: 1_000_000 });
const guarded = createGuardedFetch({ allowPrivate: false });
const connector = createMcpConnector({
  clientInfo: { name: 'test', version: '1' },
  guarded,
  open,
  oauthRedirectUrl: () => 'http://127.0.0.1/callback',
});

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

interface Message {
  id?: number;
  method: string;
  params?: { protocolVersion?: string };
}

type Answer = (message: Message, response: ServerResponse, request: IncomingMessage) => void;

const json = (response: ServerResponse, id: number | undefined, result: unknown): void => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
};

/** Shakes hands as it should; what comes after is up to `answer`. */
const serve = async (answer: Answer): Promise<{ url: string; kill(): void; deletes: () => number }> => {
  let deletes = 0;
  const server = createServer(async (request, response) => {
    if (request.method === 'DELETE') {
      deletes++;
      return void response.end();
    }
    if (request.method !== 'POST') return void response.writeHead(405).end();
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const message = JSON.parse(text) as Message;
    if (message.method === 'initialize') {
      response.setHeader('mcp-session-id', 's1');
      return json(response, message.id, {
        protocolVersion: message.params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'http', version: '1' },
      });
    }
    if (message.id === undefined) return void response.writeHead(202).end();
    if (message.method === 'server/discover') {
      return void response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id: message.id, error: { code: -32601, message: 'unknown' } }));
    }
    answer(message, response, request);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const kill = (): void => {
    server.closeAllConnections();
    server.close();
  };
  closers.push(async () => kill());
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    kill,
    deletes: () => deletes,
  };
};

const events = () => ({
  onToolsChanged: vi.fn<McpSessionEvents['onToolsChanged']>(),
  onClosed: vi.fn<McpSessionEvents['onClosed']>(),
  onLog: vi.fn<McpSessionEvents['onLog']>(),
});
const connect = async (url: string, headers: Record<string, string> = {}, trusted = true) => {
  const seen = events();
  const session = await connector.connect(
    { transport: 'http', url, headers, trusted },
    { timeoutMs: 3_000, signal: new AbortController().signal, events: seen },
  );
  closers.unshift(() => session.close());
  return { session, seen };
};
const limits = (timeoutMs = 3_000) => ({ signal: new AbortController().signal, timeoutMs });
const faultOf = (work: Promise<unknown>): Promise<McpFault> =>
  work.then(
    () => {
      throw new Error('it did not fail');
    },
    (error: McpFault) => error,
  );

describe('http sessions', () => {
  it('send the headers of the registration and say goodbye', async () => {
    const headers: unknown[] = [];
    const server = await serve((message, response, request) => {
      headers.push(request.headers['x-api-key'], request.headers['mcp-session-id']);
      json(response, message.id, { content: [{ type: 'text', text: 'ok' }] });
    });
    const { session } = await connect(server.url, { 'X-Api-Key': 'k' });
    expect((await session.callTool('x', {}, limits())).content).toEqual([{ type: 'text', text: 'ok' }]);
    expect(headers).toEqual(['k', 's1']);
    await session.close();
    expect(server.deletes()).toBe(1);
  });

  it.each([404, 400])('tell a forgotten session (%i) from other failures', async (status) => {
    const server = await serve((_message, response) => response.writeHead(status).end('session?'));
    const { session } = await connect(server.url);
    expect(await faultOf(session.callTool('x', {}, limits()))).toMatchObject({ kind: 'expired' });
  });

  it('tell refused credentials', async () => {
    const server = await serve((_message, response) => response.writeHead(401).end());
    const { session } = await connect(server.url);
    expect(await faultOf(session.callTool('x', {}, limits()))).toMatchObject({ kind: 'unauthorized' });
  });

  it.each([
    [500, 'application/json', '{}'],
    [200, 'text/html', '<h1>hello</h1>'],
    [200, 'application/json', '{"jsonrpc":"2.0","id":77,"result":'],
  ])('take %i %s %s for a fault, not for an answer', async (status, type, body) => {
    const server = await serve((_message, response) =>
      response.writeHead(status, { 'content-type': type }).end(body),
    );
    const { session } = await connect(server.url);
    const fault = await faultOf(session.callTool('x', {}, limits(1_000)));
    expect(['protocol', 'closed']).toContain(fault.kind);
  });

  const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
  it.each([
    ['no result', '"result":null', /not an object/],
    ['a deep result', `"result":{"content":[],"structuredContent":{"a":${nested(5_000)}}}`, /too deeply/],
    ['an error without a code', '"error":{"message":"x"}', /no code/],
    ['content that is none', '"result":{"content":"words"}', /content: /],
  ])('tell what is wrong with an answer at once: %s', async (_name, rest, words) => {
    for (const type of ['application/json', 'text/event-stream']) {
      const server = await serve((message, response) => {
        const text = `{"jsonrpc":"2.0","id":${message.id},${rest}}`;
        response.setHeader('content-type', type);
        // In two pieces, as the network cuts it.
        const body =
          type === 'application/json' ? text : `: hello\r\n\r\nevent: message\r\ndata: ${text}\r\n\r\n`;
        response.write(body.slice(0, -3));
        response.end(body.slice(-3));
      });
      const { session } = await connect(server.url);
      const fault = await faultOf(session.callTool('x', {}, limits(20_000)));
      expect(fault, type).toMatchObject({ kind: 'protocol', message: expect.stringMatching(words) });
    }
  });

  it('take an answer with an empty error beside its result', async () => {
    const server = await serve((message, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, error: null, result: { content: [] } }));
    });
    const { session } = await connect(server.url);
    expect(await session.callTool('x', {}, limits())).toMatchObject({ content: [], isError: false });
  });

  it('tell why a sign-in cannot begin', async () => {
    const metadata = async (text: (url: string) => unknown): Promise<string> => {
      let url = '';
      const server = createServer((request, response) => {
        if (!request.url?.startsWith('/.well-known/')) return void response.writeHead(404).end();
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify(text(url)));
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      closers.push(async () => server.close());
      url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      return url;
    };
    const store = { load: async () => null, save: async () => {}, replace: () => Promise.resolve(true) };
    for (const text of [
      () => ({
        resource: 'https://elsewhere.example/mcp',
        authorization_servers: ['https://elsewhere.example'],
      }),
      (url: string) => ({
        issuer: url,
        authorization_endpoint: 'javascript:alert(1)',
        token_endpoint: `${url}/token`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
      }),
    ]) {
      const url = await metadata(text);
      const oauth = { grant: 'authorization_code' as const, clientId: 'c' };
      const endpoint = { transport: 'http' as const, url: `${url}/mcp`, headers: {}, trusted: true, oauth };
      const fault = await faultOf(connector.authorize(endpoint, store, 'state'));
      expect(fault).toMatchObject({
        kind: 'unauthorized',
        message: expect.stringMatching(/^signing in failed: /),
      });
      expect(fault.message).not.toMatch(/[{}[\]]/);
    }
  });

  it('follow no redirect', async () => {
    let reached = 0;
    const canary = await serve((message, response) => {
      reached++;
      json(response, message.id, { content: [] });
    });
    const server = await serve((_message, response) =>
      response.writeHead(307, { location: canary.url }).end(),
    );
    const { session } = await connect(server.url);
    expect(await faultOf(session.callTool('x', {}, limits()))).toMatchObject({ kind: 'protocol' });
    expect(reached).toBe(0);
  });

  it('follow none within one origin either, which would take the secret headers along', async () => {
    let reached = 0;
    const server = await serve((message, response) => {
      if (response.req.url !== '/elsewhere') return response.writeHead(307, { location: '/elsewhere' }).end();
      reached++;
      return json(response, message.id, { content: [] });
    });
    const { session } = await connect(server.url);
    const fault = await faultOf(session.callTool('x', {}, limits()));
    expect(fault).toMatchObject({ kind: 'protocol', message: expect.stringContaining('not followed') });
    expect(reached).toBe(0);
  });

  it('cut an answer that is too large', async () => {
    const server = await serve((message, response) =>
      json(response, message.id, { content: [{ type: 'text', text: 'x'.repeat(2_000_000) }] }),
    );
    const { session } = await connect(server.url);
    expect((await faultOf(session.callTool('x', {}, limits()))).message).toMatch(/larger than 1000000 bytes/);
  });

  it('end the call within 2 s when the server dies in the middle of a stream', async () => {
    const server = await serve((_message, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(': working\n\n');
      setTimeout(server.kill, 100);
    });
    const { session, seen } = await connect(server.url);
    const started = performance.now();
    expect(await faultOf(session.callTool('x', {}, limits(30_000)))).toMatchObject({ kind: 'closed' });
    expect(performance.now() - started).toBeLessThan(2_000);
    expect(seen.onClosed).toHaveBeenCalledTimes(1);
  });

  it('say what is no MCP server, and what cannot be reached', async () => {
    const web = createServer((_request, response) => response.writeHead(404).end('nothing here'));
    web.listen(0, '127.0.0.1');
    await once(web, 'listening');
    closers.push(async () => web.close());
    const url = `http://127.0.0.1:${(web.address() as AddressInfo).port}/`;
    expect(await faultOf(connect(url))).toMatchObject({ kind: 'unreachable', message: /no MCP server/ });
    expect(await faultOf(connect('http://127.0.0.1:9/'))).toMatchObject({
      kind: 'unreachable',
      message: /ECONNREFUSED/,
    });
  });

  it('are never made to inner addresses for what users register', async () => {
    let reached = 0;
    const server = await serve(() => {
      reached++;
    });
    expect(await faultOf(connect(server.url, {}, false))).toMatchObject({ kind: 'unreachable' });
    expect(reached).toBe(0);
  });
});
