import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect } from 'vitest';
import { req } from '../requirements.ts';
import { bodyOf, type HostileCase, hostileRequests, jsonSuite, naughtyStrings } from '../support/cases.ts';
import { type Answer, type Client, sendRaw } from '../support/client.ts';
import type { TestProvider } from '../support/provider.ts';
import type { TestServer } from '../support/server.ts';
import { expectBaseHeaders, expectErrorA, expectErrorB } from '../support/shapes.ts';
import { withWorld } from '../support/suite.ts';

/** Every row of server/test/cases: a 2xx or a documented 4xx with its body, soon, and never a 5xx. */

const CONVERSATIONS = '/api/v1/conversations';
const CHAT = '/v2/chat';
const ALLOWED: Readonly<Record<number, string>> = {
  404: 'NOT_FOUND',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  422: 'VALIDATION_ERROR',
};

let server: TestServer;
let provider: TestProvider;
let admin: Client;

const it = withWorld({
  provider: { tokens: 2 },
});
it.beforeAll(({ world }) => {
  ({ provider, server, admin } = world);
});
/** Whatever was sent: the same process still answers at once. */
afterEach(async () => {
  const startedAt = performance.now();
  expect((await admin.get('/health')).status).toBe(200);
  expect(performance.now() - startedAt).toBeLessThan(2_000);
  expect(server.log.filter((entry) => typeof entry.level === 'number' && entry.level >= 50)).toEqual([]);
});

/** Checks that an answer is one of those the contract documents; its status comes back. */
const documented = (answer: Answer, path: string): number => {
  if (answer.status >= 200 && answer.status < 300) {
    expectBaseHeaders(answer);
    return answer.status;
  }
  const code = ALLOWED[answer.status];
  if (code === undefined) throw new Error(`${path}: ${answer.status} ${answer.text.slice(0, 300)}`);
  if (path.startsWith('/v2')) expectErrorB(answer, answer.status, code);
  else expectErrorA(answer, answer.status, code);
  return answer.status;
};

/** Runs `check` for each row, six at a time; the faults by name, so that one run shows all of them. */
const faults = async <T>(rows: readonly T[], name: (row: T) => string, check: (row: T) => Promise<void>) => {
  const found: Record<string, string> = {};
  const queue = [...rows];
  const worker = async (): Promise<void> => {
    for (let row = queue.shift(); row !== undefined; row = queue.shift()) {
      try {
        await check(row);
      } catch (error) {
        found[name(row)] = error instanceof Error ? error.message.slice(0, 400) : String(error);
      }
    }
  };
  await Promise.all(Array.from({ length: 6 }, worker));
  return found;
};

const post = (path: string, body: Uint8Array, type = 'application/json'): Promise<Answer> =>
  admin.send('POST', path, body, { headers: { 'content-type': type } });

describe('JSON', () => {
  const rows = jsonSuite();
  const wrap = (head: string, bytes: Buffer): Buffer =>
    Buffer.concat([Buffer.from(head), bytes, Buffer.from('}}')]);

  it(req('BAD-01', 'the suite is whole'), () => {
    expect(rows.length).toBe(226);
  });

  it.each([CHAT, CONVERSATIONS])(req('BAD-01', 'every text as the body of %s'), async (path) => {
    const found = await faults(
      rows,
      (row) => row.name,
      async (row) => {
        const status = documented(await post(path, row.bytes), path);
        // No text of the suite is a valid request but an object without fields.
        if (row.expect === 'reject' && row.bytes.length > 0) expect(status).toBe(422);
        if (path === CHAT) expect(status).toBe(422);
      },
    );
    expect(found).toEqual({});
  });

  it.each([
    [CONVERSATIONS, '{"metadata":{"v":'],
    [CHAT, '{"message":"hi","context":{"agent_id":"zeus","v":'],
  ])(req(['BAD-01', 'BAD-03'], 'every text as a value within the body of %s'), async (path, head) => {
    const found = await faults(
      rows,
      (row) => row.name,
      async (row) => {
        const answer = await post(path, wrap(head, row.bytes));
        const status = documented(answer, path);
        if (row.expect === 'reject') expect(status).toBe(422);
        if (path !== CONVERSATIONS || status !== 201) return;
        // Minus zero is zero: JSON.stringify writes it so.
        const sent: unknown = JSON.parse(JSON.stringify(JSON.parse(row.bytes.toString('utf8'))));
        const { id } = answer.json<{ id: string }>();
        const read = (await admin.get(`${CONVERSATIONS}/${id}`)).json<{ metadata: { v: unknown } }>();
        expect(read.metadata.v).toEqual(sent);
      },
    );
    expect(found).toEqual({});
  });

  it(req('BAD-01', 'what a parser must take is taken, but for NUL'), async () => {
    const refused: string[] = [];
    await faults(
      rows.filter((row) => row.expect === 'accept'),
      (row) => row.name,
      async (row) => {
        const answer = await post(CONVERSATIONS, wrap('{"metadata":{"v":', row.bytes));
        if (answer.status !== 201) refused.push(row.name);
      },
    );
    expect(refused).toEqual(['y_string_null_escape.json']);
  });
});

describe('naughty strings', () => {
  const strings = naughtyStrings();

  it(req('BAD-03', 'come back byte for byte from the metadata, as values and as keys'), async () => {
    expect(strings.length).toBe(347);
    const found = await faults(
      strings,
      (text) => text,
      async (text) => {
        const metadata = { value: text, list: [text], [`k${text}`]: 1 };
        const made = await admin.post(CONVERSATIONS, { metadata });
        expect(made.status, made.text).toBe(201);
        const read = await admin.get(`${CONVERSATIONS}/${made.json<{ id: string }>().id}`);
        expect(read.json<{ metadata: unknown }>().metadata).toEqual(metadata);
      },
    );
    expect(found).toEqual({});
  });

  it(req('BAD-03', 'come back byte for byte as title, message, answer and in the export'), async () => {
    provider.always((request) => {
      const last = request.body.messages?.at(-1)?.content;
      return { text: typeof last === 'string' ? last : JSON.stringify(last) };
    });
    const found = await faults(
      strings.filter((text) => /\S/.test(text)),
      (text) => text,
      async (text) => {
        const title = [...text].slice(0, 200).join('');
        const made = await admin.post(CONVERSATIONS, { title });
        expect(made.status, made.text).toBe(201);
        const { id } = made.json<{ id: string }>();
        const body = { message: text, conversation_id: id, context: { agent_id: 'zeus' } };
        const answer = await admin.post(CHAT, body);
        expect(answer.status, answer.text).toBe(200);
        const read = (await admin.get(`${CONVERSATIONS}/${id}`)).json<{
          title: string;
          messages: { content: string }[];
        }>();
        expect(read.title).toBe(title);
        expect(read.messages[0]?.content).toBe(text);
        expect(read.messages[1]?.content).toBe(answer.json<{ content: string }>().content);
        const exported = await admin.get(`${CONVERSATIONS}/${id}/export`);
        expect(exported.text).toContain(JSON.stringify(text));
        const found = await admin.get(`${CONVERSATIONS}?limit=100&q=${encodeURIComponent(title)}`);
        expect(found.status, found.text).toBe(200);
      },
    );
    provider.always(undefined);
    expect(found).toEqual({});
  });
});

describe('hostile requests', () => {
  const rows = hostileRequests();
  const ofKind = (...kinds: string[]): HostileCase[] => rows.filter((row) => kinds.includes(row.kind));
  const id = (row: HostileCase): string => row.id;

  it.each([CHAT, CONVERSATIONS])(req('BAD-02', 'bodies sent to %s'), async (path) => {
    const found = await faults(ofKind('json-body', 'json-body-repeat'), id, async (row) => {
      const startedAt = performance.now();
      const status = documented(await post(path, bodyOf(row)), path);
      expect(performance.now() - startedAt).toBeLessThan(5_000);
      if (row.expect.startsWith('400')) expect([413, 415, 422]).toContain(status === 201 ? 422 : status);
    });
    expect(found).toEqual({});
  });

  it(req('BAD-02', 'a prototype is never polluted'), async () => {
    for (const row of ofKind('json-body').filter((one) => one.id.startsWith('proto'))) {
      await post(CONVERSATIONS, bodyOf(row));
    }
    const made = await admin.post(CONVERSATIONS, {});
    expect(made.text).not.toMatch(/polluted|"role"/);
    expect(Object.keys(made.json<object>()).sort()).toEqual([
      'agent_ids',
      'archived_at',
      'created_at',
      'folder',
      'id',
      'message_count',
      'metadata',
      'pinned',
      'status',
      'taint',
      'title',
      'total_cost_usd',
      'updated_at',
    ]);
  });

  it(req('BAD-02', 'numbers are taken exactly or refused'), async () => {
    const found = await faults(ofKind('json-number-in-int-field'), id, async (row) => {
      const raw = row.raw ?? '';
      const inMetadata = await post(CONVERSATIONS, Buffer.from(`{"metadata":{"n":${raw}}}`));
      if (documented(inMetadata, CONVERSATIONS) === 201) {
        const stored = /"n":([^}]+)\}/.exec(inMetadata.text)?.[1] ?? '';
        expect(Number(stored)).toBe(Number(raw));
        if (/^-?\d+$/.test(raw)) expect(stored).toBe(raw);
      }
      const search = await post('/v2/knowledge/search', Buffer.from(`{"query":"x","limit":${raw}}`));
      expect(documented(search, '/v2')).toBe(['0.1e1', '1.0'].includes(raw) ? 200 : 422);
    });
    expect(found).toEqual({});
  });

  it(req(['BAD-02', 'BAD-03'], 'texts are kept intact or refused'), async () => {
    const found = await faults(ofKind('json-string-in-text-field'), id, async (row) => {
      const raw = row.raw ?? '""';
      const made = await post(CONVERSATIONS, Buffer.from(`{"title":${raw}}`));
      const status = documented(made, CONVERSATIONS);
      if (row.expect.startsWith('2xx')) expect(status).toBe(201);
      if (status === 201) {
        expect(made.json<{ title: string }>().title).toBe(JSON.parse(raw));
        const read = await admin.get(`${CONVERSATIONS}/${made.json<{ id: string }>().id}`);
        expect(read.json<{ title: string }>().title).toBe(JSON.parse(raw));
      }
      documented(await post(CHAT, Buffer.from(`{"message":${raw},"context":{"agent_id":"zeus"}}`)), CHAT);
    });
    expect(found).toEqual({});
  });

  it(req('BAD-02', 'content types'), async () => {
    const found = await faults(ofKind('content-type'), id, async (row) => {
      const type = row.content_type ?? '';
      const body = '{"title":"x"}';
      const bytes = [
        `POST ${CONVERSATIONS} HTTP/1.1`,
        'Host: localhost',
        `Authorization: Bearer ${admin.token}`,
        ...(type === '' ? [] : [`Content-Type: ${type}`]),
        `Content-Length: ${body.length}`,
        'Connection: close',
        '',
        body,
      ].join('\r\n');
      const answer = await sendRaw(server.url, bytes);
      const wanted = row.expect.startsWith('2xx')
        ? row.expect.includes('415')
          ? [201, 415]
          : [201]
        : [415, 422];
      expect(wanted).toContain(answer?.status);
      if (answer?.status === 415) expectErrorA(answer, 415, 'UNSUPPORTED_MEDIA_TYPE');
    });
    expect(found).toEqual({});
  });

  it(req(['BAD-02', 'HTTP-03'], 'request ids never break a header'), async () => {
    const found = await faults(ofKind('header:X-Request-ID'), id, async (row) => {
      const value = row.value ?? '';
      const lines =
        value === 'two headers' ? ['X-Request-ID: one', 'X-Request-ID: two'] : [`X-Request-ID: ${value}`];
      const head = ['GET /v2/nothing HTTP/1.1', 'Host: localhost', ...lines, 'Connection: close', '', ''];
      const answer = await sendRaw(server.url, head.join('\r\n'));
      if (answer === null) throw new Error('no answer');
      expectBaseHeaders(answer);
      expect(answer.headers.get('set-cookie')).toBeNull();
      expect([400, 404]).toContain(answer.status);
      if (value === 'abc') expect(answer.headers.get('x-request-id')).toBe('abc');
    });
    expect(found).toEqual({});
  });

  it(req('BAD-02', 'ids, paths and queries name nothing that is not the caller’s'), async () => {
    const { id: valid } = (await admin.post(CONVERSATIONS, { title: 'the valid one' })).json<{
      id: string;
    }>();
    const methods = ['GET', 'PATCH', 'DELETE', 'POST'] as const;
    const raw = async (method: string, target: string): Promise<void> => {
      const body = method === 'PATCH' ? '{"title":"changed"}' : method === 'POST' ? '{}' : '';
      const bytes = [
        `${method} ${target} HTTP/1.1`,
        'Host: localhost',
        `Authorization: Bearer ${admin.token}`,
        ...(body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${body.length}`]),
        'Connection: close',
        '',
        body,
      ].join('\r\n');
      const answer = await sendRaw(server.url, bytes);
      if (answer === null) throw new Error('no answer');
      expectBaseHeaders(answer);
      expect([400, 404, 405, 414, 422], `${method} ${target.slice(0, 100)}: ${answer.text}`).toContain(
        answer.status,
      );
    };
    const found = await faults(ofKind('path-id'), id, async (row) => {
      const value = (row.id_value ?? '').replace('<valid id>', valid);
      const targets = [`${CONVERSATIONS}/${encodeURIComponent(value)}`];
      // As it stands, where it can stand in a request line at all; dots and queries may reach other paths.
      if (!/[\s?#]|^\.{1,2}$|\.\.\//.test(value) && /^[\x21-\x7e]+$/.test(value))
        targets.push(`${CONVERSATIONS}/${value}`);
      for (const target of targets) {
        for (const method of methods)
          if (method !== 'POST' || !target.endsWith('/')) await raw(method, target);
        await raw('GET', `${target}/messages`);
        await raw('GET', target.replace('conversations', 'chat/runs'));
        await raw('GET', target.replace('conversations', 'agents'));
      }
    });
    expect(found).toEqual({});
    for (const row of ofKind('query', 'path')) await raw('GET', CONVERSATIONS + (row.raw ?? ''));
    expect((await admin.get(`${CONVERSATIONS}/${valid}`)).body).toMatchObject({
      title: 'the valid one',
      status: 'active',
    });
  });

  it(req('BAD-02', 'file names stay names'), async () => {
    const before = readdirSync(path.dirname(server.dataDir));
    const found = await faults(ofKind('upload-filename'), id, async (row) => {
      const filename = row.filename ?? '';
      const form = new FormData();
      form.set('file', new Blob([`# Notes ${row.id}\n\nText of ${row.id}.`]), filename);
      const response = await fetch(`${server.url}/api/v1/knowledge/documents`, {
        method: 'POST',
        headers: { authorization: `Bearer ${admin.token}` },
        body: form,
      });
      const text = await response.text();
      expect([201, 422], text).toContain(response.status);
      if (response.status !== 201) return;
      const { id: documentId } = JSON.parse(text) as { id: string };
      const content = await admin.get(`/api/v1/knowledge/documents/${documentId}/content`);
      expect(content.status).toBe(200);
      const disposition = content.headers.get('content-disposition') ?? '';
      expect(disposition).toMatch(/^attachment; filename/);
      expect(disposition).not.toMatch(/[\r\n]|\.\.\/|\.\.\\/);
      expect(content.headers.get('x-content-type-options')).toBe('nosniff');
    });
    expect(found).toEqual({});
    expect(readdirSync(path.dirname(server.dataDir))).toEqual(before);
    expect(existsSync('x.txt')).toBe(false);
  });
});

describe('hostile HTTP', () => {
  const auth = (): string => `Host: localhost\r\nAuthorization: Bearer ${admin.token}\r\n`;
  const close = 'Connection: close\r\n';
  const chunked = (chunks: string): string =>
    `POST ${CONVERSATIONS} HTTP/1.1\r\n${auth()}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n${close}\r\n${chunks}`;
  const withBody = (body: string, headers = ''): string =>
    `POST ${CONVERSATIONS} HTTP/1.1\r\n${auth()}Content-Type: application/json\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n${close}\r\n${body}`;
  const multipart = (body: string): string =>
    `POST /api/v1/knowledge/documents HTTP/1.1\r\n${auth()}Content-Type: multipart/form-data; boundary=b\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${close}\r\n${body}`;
  const mib = 1024 * 1024;
  const metadata = (sizeBytes: number): string => {
    const head = '{"metadata":{"a":"';
    return `${head}${'x'.repeat(sizeBytes - head.length - 3)}"}}`;
  };

  /** Row of hostile-requests.json → bytes and the statuses that are right. */
  const requests: Record<string, [() => string, number[]]> = {
    'http-01': [() => withBody('{}', 'Content-Length: 5\r\n'), [400]],
    'http-03': [() => chunked('').replace('chunked', 'xchunked'), [400, 501]],
    'http-05': [() => chunked(`ffffffffffffffff\r\n${' '.repeat(2 * mib)}`), [400, 413]],
    'http-06': [() => chunked(`${'1\r\n \r\n'.repeat(200_000)}2\r\n{}\r\n0\r\n\r\n`), [201, 413]],
    'http-07': [() => `GET ${CONVERSATIONS} HTTP/1.1\nHost: localhost\n\n`, [400, 401]],
    'http-08': [() => `GET ${CONVERSATIONS} HTTP/1.1\r\n${auth()}X-A: b\r\n c\r\n${close}\r\n`, [400, 200]],
    'http-09': [() => `GET ${CONVERSATIONS} HTTP/1.1\r\n${auth()}X A: b\r\n${close}\r\n`, [400]],
    'http-10': [() => `GET ${CONVERSATIONS} HTTP/1.1\r\n${auth()}Host: other\r\n${close}\r\n`, [400, 200]],
    'http-13': [
      () =>
        `GET ${CONVERSATIONS} HTTP/1.1\r\n${auth()}X-Forwarded-Host: evil.test\r\nX-Forwarded-Proto: https\r\n${close}\r\n`,
      [200],
    ],
    'http-15': [
      () => `GET ${CONVERSATIONS} HTTP/1.1\r\n${auth()}X-HTTP-Method-Override: DELETE\r\n${close}\r\n`,
      [200],
    ],
    'http-16': [() => `TRACE ${CONVERSATIONS} HTTP/1.1\r\n${auth()}${close}\r\n`, [400, 405, 501]],
    'http-17': [() => `FOO ${CONVERSATIONS} HTTP/1.1\r\n${auth()}${close}\r\n`, [400, 405, 501]],
    'http-18': [() => 'GET /health HTTP/1.0\r\n\r\n', [200, 400]],
    'http-22': [() => withBody('{}', 'Content-Encoding: br\r\n'), [201, 415]],
    'http-23': [
      () =>
        `GET ${CONVERSATIONS} HTTP/1.1\r\n${auth()}Accept-Encoding: ${'junk,'.repeat(1_600)}\r\n${close}\r\n`,
      [200],
    ],
    'http-25': [() => `GET ${CONVERSATIONS} HTTP/1.1\r\n${auth()}X-A: ${'a'.repeat(mib)}\r\n\r\n`, [431]],
    'http-26': [
      () =>
        `GET ${CONVERSATIONS} HTTP/1.1\r\n${auth()}${Array.from({ length: 5_000 }, (_, i) => `X-${i}: 1\r\n`).join('')}\r\n`,
      [400, 431],
    ],
    'http-27': [
      () => `GET ${CONVERSATIONS}?q=${'a'.repeat(65_536)} HTTP/1.1\r\n${auth()}\r\n`,
      [400, 414, 431],
    ],
    'http-28': [() => withBody(metadata(mib)), [422]],
    'http-29': [() => withBody(metadata(mib + 1)), [413]],
    'http-30': [
      () =>
        multipart(
          `${'--b\r\nContent-Disposition: form-data; name="x"\r\n\r\ny\r\n'.repeat(10_000)}--b--\r\n`,
        ),
      [400, 413, 422],
    ],
    'http-32': [
      () => multipart('--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nhello'),
      [400, 422],
    ],
  };

  it.each(Object.keys(requests))(req('BAD-02', '%s'), async (id) => {
    const [bytes, statuses] = requests[id] ?? [() => '', []];
    const answer = await sendRaw(server.url, bytes(), 20_000);
    if (answer === null) throw new Error('closed without an answer');
    expect(statuses, answer.text.slice(0, 300)).toContain(answer.status);
    expectBaseHeaders(answer);
  });

  it(req('BAD-02', 'bytes behind a body are no request of the client before (http-00)'), async () => {
    const smuggled = `GET /v2/smuggled HTTP/1.1\r\nHost: localhost\r\n${close}\r\n`;
    const body = '{"a":1}';
    const bytes = `POST ${CONVERSATIONS} HTTP/1.1\r\n${auth()}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}${smuggled}`;
    const answer = await sendRaw(server.url, bytes);
    expect(answer?.status).toBe(422);
    expect(answer?.text).not.toMatch(/smuggled/);
  });

  it(req('BAD-02', 'a huge body is refused before it is read (http-19)'), async () => {
    const head = `POST ${CONVERSATIONS} HTTP/1.1\r\n${auth()}Content-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 2147483648\r\n${close}\r\n`;
    const answer = await sendRaw(server.url, head);
    expect([413, 417, null]).toContain(answer?.status ?? null);
    expect(answer?.text ?? '').not.toMatch(/^HTTP\/1.1 100/);
  });

  it(req('BAD-02', 'a hundred requests in one packet are answered (http-24)'), async () => {
    const one = 'GET /health HTTP/1.1\r\nHost: localhost\r\n';
    const bytes = `${`${one}\r\n`.repeat(99)}${one}${close}\r\n`;
    const answer = await sendRaw(server.url, bytes);
    expect(answer?.status).toBe(200);
    expect(answer?.text.match(/HTTP\/1\.1 200/g)?.length).toBe(99);
  });

  it(
    req(
      'BAD-02',
      'every row of its kind is built above, or is a matter of minutes and measured by the bench',
    ),
    () => {
      const known = new Set([...Object.keys(requests), 'http-00', 'http-19', 'http-24']);
      const slow = ['http-33', 'http-34', 'http-35', 'http-36'];
      const rest = hostileRequests().filter((row) => row.kind === 'raw-http' && !known.has(row.id));
      expect(rest.map((row) => row.id)).toEqual(slow);
    },
  );
});

it('a text of the wrong form is told in words what it must be, and no pattern', async () => {
  const reason = async (path: string, body: object): Promise<string[]> => {
    const answer = await admin.post(path, body);
    expect(answer.status, answer.text).toBe(422);
    const { details } = answer.json<{ details: { fields: { reason: string }[] } }>();
    return details.fields.map((one) => one.reason);
  };
  const person = { name: 'Ann', roles: ['user'] };
  const email = 'must be an e-mail address, such as name@example.com';
  expect(await reason('/v2/users', { ...person, email: 'ann at example' })).toEqual([email]);
  expect(await reason('/v2/tenants', { name: 'A', slug: 'a', admin: { email: 'ann' } })).toEqual([email]);
  expect(await reason('/v2/tenants', { name: 'A', slug: 'Über uns' })).toEqual([
    'must have small letters, digits and - only, with a letter or digit at both ends',
  ]);
});
