import { describe, expect } from 'vitest';
import { req } from '../requirements.ts';
import { type Client, sendRaw } from '../support/client.ts';
import type { TestServer } from '../support/server.ts';
import {
  expectBaseHeaders,
  expectError,
  fieldsOf,
  newPerson,
  TIMESTAMP,
  UUID_V7,
} from '../support/shapes.ts';
import { withServer } from '../support/suite.ts';

const PREFIXES = ['/api/v1', '/v2', '/api/v2'] as const;
const ORIGIN = 'https://console.example.test';
const MIB = 1024 * 1024;
const NO_SUCH_ID = '01890000-0000-7000-8000-000000000000';

let server: TestServer;
let admin: Client;
let anonymous: Client;
let readonly: Client;

const it = withServer({ env: { CORS_ORIGINS: ORIGIN } });
it.beforeAll(async ({ world }) => {
  ({ server, admin } = world);
  anonymous = server.anonymous();
  readonly = await newPerson(server, admin, { roles: ['readonly'] });
});

describe('prefixes', () => {
  it(req('HTTP-01', 'one conversation is the same under every prefix'), async () => {
    const made = await admin.post('/v2/conversations', { title: 'one' });
    const { id } = made.json<{ id: string }>();
    const texts = await Promise.all(
      PREFIXES.map(async (prefix) => (await admin.get(`${prefix}/conversations/${id}`)).text),
    );
    expect(new Set(texts).size).toBe(1);
    expect(made.headers.get('location')).toBe(`/v2/conversations/${id}`);
  });

  it.each(['/v2/auth/me', '/api/v2/auth/me'])(req('HTTP-01', '%s is served'), async (path) => {
    expect((await admin.get(path)).status).toBe(200);
  });

  it(req('HTTP-01', 'sign-in stands under /v2 alone'), async () => {
    expectError(await anonymous.get('/api/v1/auth/me'), '/api/v1', 404, 'NOT_FOUND');
  });

  it.each([
    ...PREFIXES.map((prefix) => `${prefix}/conversations`),
    '/health',
    '/ready',
    '/metrics',
    '/openapi.json',
  ])(req('HTTP-02', '%s says its version and rate'), async (path) => {
    const answer = await admin.get(path);
    // Not ready as long as the embedding model is being loaded.
    expect([200, ...(path === '/ready' ? [503] : [])]).toContain(answer.status);
    expectBaseHeaders(answer);
  });

  it(req('HTTP-11', 'ids and times have their forms'), async () => {
    const made = (await admin.post('/api/v1/conversations', {})).json<Record<string, string>>();
    expect(made.id).toMatch(UUID_V7);
    expect(made.created_at).toMatch(TIMESTAMP);
  });
});

describe.each(PREFIXES)('errors under %s', (prefix) => {
  const list = `${prefix}/conversations`;

  it(req(['ERR-01', 'ERR-03'], '401 without a token'), async () => {
    const answer = await anonymous.get(list);
    const facts = expectError(answer, prefix, 401, 'UNAUTHORIZED', 'TOKEN_MISSING');
    expect(facts.details.reason).toBe('TOKEN_MISSING');
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
  });

  it(req(['ERR-01', 'ERR-03'], '401 with a bad token'), async () => {
    const answer = await anonymous.get(list, { headers: { authorization: 'Bearer nonsense' } });
    const facts = expectError(answer, prefix, 401, 'UNAUTHORIZED', 'TOKEN_INVALID');
    expect(facts.details.reason).toBe('TOKEN_INVALID');
    expect(answer.headers.get('www-authenticate')).toContain('error="invalid_token"');
  });

  it.each(['access_token', 'token', 'api_key'])(req('HTTP-12', '401 for ?%s='), async (name) => {
    const answer = await admin.get(`${list}?${name}=${admin.token}`);
    expectError(answer, prefix, 401, 'UNAUTHORIZED', 'TOKEN_INVALID');
  });

  it(req(['ERR-01', 'ERR-05'], '403 names the permission'), async () => {
    const facts = expectError(await readonly.post(list, {}), prefix, 403, 'FORBIDDEN');
    expect(facts.details.required).toBe('conversations:write');
  });

  it.each(['/nothing', '/conversations/x/y/z', '/'])(
    req('ERR-01', '404 for the unknown path %s, with and without a token'),
    async (path) => {
      expectError(await anonymous.get(prefix + path), prefix, 404, 'NOT_FOUND');
      expectError(await admin.get(prefix + path), prefix, 404, 'NOT_FOUND');
      expectError(await admin.post(prefix + path, {}), prefix, 404, 'NOT_FOUND');
    },
  );

  it(req('ERR-01', '404 for a record that does not exist'), async () => {
    expectError(await admin.get(`${list}/${NO_SUCH_ID}`), prefix, 404, 'NOT_FOUND');
  });

  it.each([
    ['PUT', '/conversations', 'GET, HEAD, POST'],
    ['POST', `/conversations/${NO_SUCH_ID}`, 'DELETE, GET, HEAD, PATCH'],
    ['GET', '/chat', 'POST'],
    ['DELETE', '/chat', 'POST'],
    ['PATCH', '/agents', 'GET, HEAD'],
  ])(req(['HTTP-07', 'ERR-01'], '405 for %s %s'), async (method, path, allow) => {
    const answer = await admin.send(method, prefix + path);
    expectError(answer, prefix, 405, 'METHOD_NOT_ALLOWED');
    expect(answer.headers.get('allow')).toBe(allow);
  });

  it(req(['HTTP-09', 'ERR-01'], '413 over 1 MiB, and not at 1 MiB'), async () => {
    const send = (sizeBytes: number) => {
      const head = '{"metadata":{"a":"';
      const text = `${head}${'x'.repeat(sizeBytes - head.length - 3)}"}}`;
      return admin.send('POST', list, text, { headers: { 'content-type': 'application/json' } });
    };
    expectError(await send(MIB + 1), prefix, 413, 'PAYLOAD_TOO_LARGE');
    expect((await send(MIB)).status).toBe(422);
  });

  it.each([
    'text/plain',
    'application/xml',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
  ])(req(['HTTP-08', 'ERR-01'], '415 for %s'), async (type) => {
    const answer = await admin.send('POST', list, '{}', { headers: { 'content-type': type } });
    expectError(answer, prefix, 415, 'UNSUPPORTED_MEDIA_TYPE');
  });

  it(req(['HTTP-04', 'ERR-01', 'ERR-02'], '422 names unknown and wrong fields by pointer'), async () => {
    const facts = expectError(
      await admin.post(`${prefix}/chat`, { mesage: 'typo', context: 7 }),
      prefix,
      422,
      'VALIDATION_ERROR',
    );
    expect(fieldsOf(facts).sort()).toEqual(['/context', '/mesage', '/message']);
    expect(facts.details.fields).toContainEqual({ field: '/message', reason: 'is required' });
  });

  it('404 for an id that is longer than any', async () => {
    for (const length of [600, 4_000])
      expectError(await admin.get(`${prefix}/conversations/${'a'.repeat(length)}`), prefix, 404, 'NOT_FOUND');
  });

  it(req('HTTP-05', '422 for an unknown query parameter, on every kind of route'), async () => {
    for (const path of ['/conversations', '/agents', `/conversations/${NO_SUCH_ID}`]) {
      const facts = expectError(
        await admin.get(`${prefix}${path}?nonsense=1`),
        prefix,
        422,
        'VALIDATION_ERROR',
      );
      expect(fieldsOf(facts)).toEqual(['/nonsense']);
    }
    expectError(await admin.post(`${list}?nonsense=1`, {}), prefix, 422, 'VALIDATION_ERROR');
  });

  it.each(['', '{', '[]', 'null', '"x"', '7', '{"title":"a"}}', '\ufeff{}'])(
    req(['BAD-01', 'ERR-01'], 'chat refuses the body %j with 422'),
    async (body) => {
      const answer = await admin.send('POST', `${prefix}/chat`, body, {
        headers: { 'content-type': 'application/json' },
      });
      expectError(answer, prefix, 422, 'VALIDATION_ERROR');
    },
  );

  it(req('ERR-01', '409 in conflict'), async () => {
    const { id } = (await admin.post(list, {})).json<{ id: string }>();
    await admin.delete(`${list}/${id}`);
    const answer = await admin.post(`${prefix}/chat`, { message: 'hi', conversation_id: id });
    expectError(answer, prefix, 409, 'CONFLICT');
  });

  it(req(['ERR-01', 'ERR-04'], '414 for an address of 9,000 characters'), async () => {
    expectError(await admin.get(`${list}?q=${'a'.repeat(9_000)}`), prefix, 414, 'URI_TOO_LONG');
  });
});

describe('request ids', () => {
  it.each(['a', 'Trace-1.2:3_4', 'x'.repeat(128)])(req('HTTP-03', '%s comes back'), async (id) => {
    const answer = await admin.get('/api/v1/nothing', { headers: { 'x-request-id': id } });
    expect(expectError(answer, '/api/v1', 404, 'NOT_FOUND').requestId).toBe(id);
  });

  it.each(['x'.repeat(129), 'with space', 'ümlaut', '"quoted"', 'a,b', '../x'])(
    req('HTTP-03', '%s is replaced by a new one'),
    async (id) => {
      const bytes = Buffer.from(id, 'latin1').toString('latin1');
      const answer = await admin.get('/api/v1/nothing', { headers: { 'x-request-id': bytes } });
      expect(expectError(answer, '/api/v1', 404, 'NOT_FOUND').requestId).toMatch(UUID_V7);
    },
  );

  it(req('HTTP-03', 'the id stands in the log'), async () => {
    await admin.get('/api/v1/conversations', { headers: { 'x-request-id': 'to-be-logged' } });
    await expect.poll(() => server.log.some((entry) => entry.request_id === 'to-be-logged')).toBe(true);
  });
});

describe('HEAD', () => {
  it.each([
    '/health',
    '/ready',
    '/metrics',
    '/api/v1/conversations',
    '/v2/agents',
    '/api/v2/auth/me',
    '/openapi.json',
  ])(req('HTTP-06', '%s'), async (path) => {
    if (path === '/ready')
      await expect.poll(async () => (await admin.get(path)).status, { timeout: 60_000 }).toBe(200);
    const [head, get] = [await admin.send('HEAD', path), await admin.get(path)];
    expect(head.status).toBe(get.status);
    expect(head.text).toBe('');
    expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'));
    expectBaseHeaders(head);
  });
  it(req('HTTP-06', 'of what does not exist has no body either'), async () => {
    const head = await admin.send('HEAD', `/v2/conversations/${NO_SUCH_ID}`);
    expect([head.status, head.text]).toEqual([404, '']);
  });
});

describe('what never reaches a route', () => {
  const host = 'Host: localhost\r\n';

  it.each([
    ['a broken request line', 'NONSENSE\r\n\r\n', 400, 'BAD_REQUEST'],
    ['a header without a colon', `GET /health HTTP/1.1\r\n${host}broken\r\n\r\n`, 400, 'BAD_REQUEST'],
    [
      'two different lengths',
      `POST /v2/chat HTTP/1.1\r\n${host}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`,
      400,
      'BAD_REQUEST',
    ],
    [
      'length and chunks',
      `POST /v2/chat HTTP/1.1\r\n${host}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
      'BAD_REQUEST',
    ],
    [
      'headers over the limit',
      `GET /health HTTP/1.1\r\n${host}X-Long: ${'a'.repeat(64 * 1024)}\r\n\r\n`,
      431,
      'HEADERS_TOO_LARGE',
    ],
    [
      'an unknown expectation',
      `POST /v2/chat HTTP/1.1\r\n${host}Expect: a-miracle\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}`,
      417,
      'EXPECTATION_FAILED',
    ],
  ])(req('ERR-04', '%s'), async (_name, bytes, status, code) => {
    const answer = await sendRaw(server.url, bytes);
    if (answer === null) throw new Error('no answer');
    // What cannot be read past its first line still has its path, and answers in that prefix's shape.
    expectError(answer, bytes.startsWith('POST /v2') ? '/v2' : '/', status, code);
  });

  it(req('ERR-04', 'a request without Host, and one for a proxy, have a body as well'), async () => {
    const noHost = await sendRaw(server.url, 'GET /v2/agents HTTP/1.1\r\nConnection: close\r\n\r\n');
    if (noHost === null) throw new Error('no answer');
    expectError(noHost, '/v2', 400, 'BAD_REQUEST');
    const proxy = await sendRaw(server.url, `CONNECT a:1 HTTP/1.1\r\n${host}\r\n`);
    expect(proxy?.status).toBe(405);
  });

  it(req('ERR-04', 'an address in absolute form is its path'), async () => {
    const bytes = `GET http://localhost/v2/agents HTTP/1.1\r\n${host}Authorization: Bearer ${admin.token}\r\nConnection: close\r\n\r\n`;
    const answer = await sendRaw(server.url, bytes);
    expect(answer?.status).toBe(200);
  });

  it(req('LIST-02', 'a page beyond all counting is 422'), async () => {
    const answer = await admin.get('/api/v1/conversations?page=99999999999999999999');
    expect(answer.status).toBe(422);
  });

  it(req('ERR-04', 'a path that cannot be decoded is 404'), async () => {
    const bytes = `GET /api/v1/conversations/%ZZ HTTP/1.1\r\n${host}Connection: close\r\n\r\n`;
    const answer = await sendRaw(server.url, bytes);
    if (answer === null) throw new Error('no answer');
    expectBaseHeaders(answer);
    expect([401, 404, 422]).toContain(answer.status);
  });

  it(req('ERR-04', 'a method that HTTP does not know is no 5xx'), async () => {
    const answer = await sendRaw(server.url, `FOO /v2/chat HTTP/1.1\r\n${host}Connection: close\r\n\r\n`);
    expect(answer?.status).toBe(400);
  });
});

describe('CORS', () => {
  const preflight = (origin: string) =>
    anonymous.send('OPTIONS', '/api/v1/chat', undefined, {
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,idempotency-key',
      },
    });

  it(req('HTTP-10', 'a configured origin may call and read the rate and request headers'), async () => {
    const answer = await preflight(ORIGIN);
    expect(answer.status).toBe(204);
    expect(answer.headers.get('access-control-allow-origin')).toBe(ORIGIN);
    expect(answer.headers.get('access-control-allow-methods')).toMatch(/\bPOST\b/);
    expect(answer.headers.get('access-control-allow-methods')).toMatch(/\bDELETE\b/);
    const real = await admin.get('/api/v1/conversations', { headers: { origin: ORIGIN } });
    const exposed = real.headers.get('access-control-expose-headers')?.toLowerCase().split(/, */) ?? [];
    expect(exposed).toEqual(
      expect.arrayContaining([
        'x-request-id',
        'x-ratelimit-limit',
        'x-ratelimit-remaining',
        'x-ratelimit-reset',
      ]),
    );
  });

  it(
    req('HTTP-10', 'an MCP client of a configured origin can keep its session and find where to sign in'),
    async () => {
      const ask = (authorization: string | null) =>
        fetch(`${server.url}/mcp`, {
          method: 'POST',
          headers: {
            origin: ORIGIN,
            accept: 'application/json, text/event-stream',
            'content-type': 'application/json',
            ...(authorization === null ? {} : { authorization }),
          },
          body: JSON.stringify({
            jsonrpc: '2.0',
            id: 1,
            method: 'initialize',
            params: {
              protocolVersion: '2025-06-18',
              capabilities: {},
              clientInfo: { name: 'x', version: '1' },
            },
          }),
        });
      const readable = (answer: Response, name: string): string | null =>
        answer.headers.get('access-control-allow-origin') === ORIGIN &&
        answer.headers.get('access-control-expose-headers')?.toLowerCase().split(/, */).includes(name)
          ? answer.headers.get(name)
          : null;
      const refused = await ask(null);
      expect(refused.status).toBe(401);
      expect(readable(refused, 'www-authenticate')).toContain('resource_metadata=');
      const opened = await ask(`Bearer ${admin.token}`);
      expect(opened.status).toBe(200);
      expect(readable(opened, 'mcp-session-id')).toMatch(/\S/);
      await opened.body?.cancel();
    },
  );

  it(req('HTTP-10', 'errors can be read by a configured origin too'), async () => {
    const answer = await anonymous.get('/api/v1/conversations', { headers: { origin: ORIGIN } });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('access-control-allow-origin')).toBe(ORIGIN);
  });

  it.each(['https://evil.example.test', `${ORIGIN}.evil.test`, 'null'])(
    req('HTTP-10', 'the origin %s may not'),
    async (origin) => {
      expect((await preflight(origin)).headers.get('access-control-allow-origin')).toBeNull();
      const real = await admin.get('/api/v1/conversations', { headers: { origin } });
      expect(real.headers.get('access-control-allow-origin')).toBeNull();
    },
  );
});

describe('order of refusals', () => {
  const json = { 'content-type': 'application/json' };
  const huge = 'x'.repeat(MIB + 1);

  it(req('ORDER-01', '401 before everything a body could be'), async () => {
    for (const [body, type] of [
      [huge, json['content-type']],
      ['{', json['content-type']],
      ['x', 'text/plain'],
    ]) {
      const answer = await anonymous.send('POST', '/v2/chat', body, {
        headers: { 'content-type': type ?? '' },
      });
      expectError(answer, '/v2', 401, 'UNAUTHORIZED', 'TOKEN_MISSING');
    }
  });

  it(req('ORDER-01', '401 for a bad token, also on an unknown path; 404 of a path needs none'), async () => {
    const bad = { headers: { authorization: 'Bearer x' } };
    expectError(await anonymous.get('/v2/nothing', bad), '/v2', 401, 'UNAUTHORIZED', 'TOKEN_INVALID');
    expectError(await anonymous.get('/v2/nothing'), '/v2', 404, 'NOT_FOUND');
  });

  it(req('ORDER-01', '405 before 403'), async () => {
    expectError(await readonly.send('PUT', '/v2/chat'), '/v2', 405, 'METHOD_NOT_ALLOWED');
  });

  it(req('ORDER-01', '403 before 415, 413 and 422'), async () => {
    expectError(
      await readonly.send('POST', '/v2/chat', 'x', { headers: { 'content-type': 'text/plain' } }),
      '/v2',
      403,
      'FORBIDDEN',
    );
    expectError(await readonly.send('POST', '/v2/chat', huge, { headers: json }), '/v2', 403, 'FORBIDDEN');
    expectError(await readonly.post('/v2/chat', { nonsense: 1 }), '/v2', 403, 'FORBIDDEN');
  });

  it(req('ORDER-01', '422 before the 404 of a record, 404 before 409'), async () => {
    const path = `/v2/conversations/${NO_SUCH_ID}`;
    expectError(await admin.patch(path, { nonsense: 1 }), '/v2', 422, 'VALIDATION_ERROR');
    expectError(await admin.patch(path, { title: 'x' }), '/v2', 404, 'NOT_FOUND');
    const chat = await admin.post('/v2/chat', { message: ' ', conversation_id: NO_SUCH_ID });
    expectError(chat, '/v2', 422, 'VALIDATION_ERROR');
  });
});
