import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { serve } from '../mcp/harness.ts';

/** A remote MCP server that asks for OAuth, and its authorization server, both on one port. */
export const createProtectedServer = async () => {
  const codes = new Map<string, string>();
  const accessTokens = new Set<string>();
  const refreshTokens = new Set<string>();
  /** Every token ever given, used up or not. */
  const issued: string[] = [];
  const seen = { codes: 0, refreshes: 0, reused: 0, registrations: 0, foreignHeaders: 0 };
  let base = '';

  const text = async (request: IncomingMessage): Promise<string> => {
    let all = '';
    for await (const chunk of request) all += String(chunk);
    return all;
  };
  const json = (response: ServerResponse, status: number, body: unknown, headers = {}): void => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
  const issue = (refresh: boolean): Record<string, unknown> => {
    const access = `at-${randomUUID()}`;
    accessTokens.add(access);
    issued.push(access);
    if (!refresh) return { access_token: access, token_type: 'Bearer', expires_in: 3600 };
    const next = `rt-${randomUUID()}`;
    refreshTokens.add(next);
    issued.push(next);
    return { access_token: access, token_type: 'Bearer', expires_in: 3600, refresh_token: next };
  };

  const token = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const form = new URLSearchParams(await text(request));
    switch (form.get('grant_type')) {
      case 'authorization_code': {
        seen.codes++;
        const challenge = codes.get(form.get('code') ?? '');
        codes.delete(form.get('code') ?? '');
        const proof = createHash('sha256')
          .update(form.get('code_verifier') ?? '')
          .digest('base64url');
        return challenge === proof
          ? json(response, 200, issue(true))
          : json(response, 400, { error: 'invalid_grant' });
      }
      case 'refresh_token': {
        seen.refreshes++;
        const known = refreshTokens.delete(form.get('refresh_token') ?? '');
        if (!known) seen.reused++;
        return known ? json(response, 200, issue(true)) : json(response, 400, { error: 'invalid_grant' });
      }
      case 'client_credentials': {
        const expected = `Basic ${Buffer.from('robot:s3cret-of-robot').toString('base64')}`;
        return request.headers.authorization === expected
          ? json(response, 200, issue(false))
          : json(response, 401, { error: 'invalid_client' });
      }
      default:
        return json(response, 400, { error: 'unsupported_grant_type' });
    }
  };

  const mcp = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const given = request.headers.authorization?.replace('Bearer ', '') ?? '';
    if (!accessTokens.has(given)) {
      return json(
        response,
        401,
        {},
        {
          'www-authenticate': `Bearer resource_metadata="${base}/.well-known/oauth-protected-resource/mcp"`,
        },
      );
    }
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const message = JSON.parse(await text(request)) as {
      id?: number;
      method: string;
      params?: { protocolVersion?: string };
    };
    if (message.id === undefined) return void response.writeHead(202).end();
    const answer = (result: unknown): void => json(response, 200, { jsonrpc: '2.0', id: message.id, result });
    switch (message.method) {
      case 'initialize':
        return answer({
          protocolVersion: message.params?.protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: 'protected', version: '1' },
        });
      case 'tools/list':
        return answer({ tools: [{ name: 'whoami', inputSchema: { type: 'object' } }] });
      case 'tools/call':
        return answer({ content: [{ type: 'text', text: 'you' }] });
      case 'ping':
        return answer({});
      default:
        return json(response, 200, {
          jsonrpc: '2.0',
          id: message.id,
          error: { code: -32601, message: 'unknown' },
        });
    }
  };

  const server = await serve(async (request, response) => {
    const url = new URL(request.url ?? '/', base);
    if (url.pathname !== '/mcp' && request.headers['x-api-key'] !== undefined) seen.foreignHeaders++;
    switch (url.pathname) {
      case '/mcp':
        return mcp(request, response);
      case '/.well-known/oauth-protected-resource/mcp':
        return json(response, 200, { resource: `${base}/mcp`, authorization_servers: [base] });
      case '/.well-known/oauth-authorization-server':
        return json(response, 200, {
          issuer: base,
          authorization_endpoint: `${base}/authorize`,
          token_endpoint: `${base}/token`,
          registration_endpoint: `${base}/register`,
          response_types_supported: ['code'],
          code_challenge_methods_supported: ['S256'],
          token_endpoint_auth_methods_supported: ['none', 'client_secret_basic'],
          grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
        });
      case '/register':
        seen.registrations++;
        return json(response, 201, {
          ...(JSON.parse(await text(request)) as object),
          client_id: 'registered',
        });
      case '/authorize': {
        const code = randomUUID();
        codes.set(code, url.searchParams.get('code_challenge') ?? '');
        const back = new URL(url.searchParams.get('redirect_uri') ?? '');
        back.searchParams.set('code', code);
        back.searchParams.set('state', url.searchParams.get('state') ?? '');
        return void response.writeHead(302, { location: back.href }).end();
      }
      case '/token':
        return token(request, response);
      default:
        return json(response, 404, {});
    }
  });
  base = `http://127.0.0.1:${server.port}`;
  return {
    url: `${base}/mcp`,
    seen,
    issued,
    /** All access tokens run out. */
    expire: () => accessTokens.clear(),
    /** The person has taken the sign-in back: no token of it is good any more. */
    revoke: () => {
      accessTokens.clear();
      refreshTokens.clear();
    },
    close: server.close,
  };
};
