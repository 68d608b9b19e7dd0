import { describe, expect, it } from 'vitest';
import { apiErrorFrom, errorOfAnswer } from '../src/errors.ts';
import {
  ApiError,
  type Call,
  type ChatEvent,
  ConnectionFailedError,
  challengeOf,
  createClient,
  createHttp,
  createSseParser,
  OAuthError,
  PentarchError,
  ProtocolError,
  passwordLogin,
  ValidationError,
  verifyWebhook,
  WebhookVerificationError,
} from '../src/index.ts';
import { nextQueryOf } from '../src/pages.ts';
import { mayRetry, type Refusal, retryAfterOf, waitMs } from '../src/retry.ts';
import { type ExpectedError, type PlayedAnswer, play, readVectors } from './vectors.ts';

const checkError = (error: unknown, expected: ExpectedError): void => {
  if (expected.kind === 'connection') expect(error).toBeInstanceOf(ConnectionFailedError);
  else if (expected.kind === 'protocol') expect(error).toBeInstanceOf(ProtocolError);
  else {
    expect(error).toBeInstanceOf(expected.kind === 'oauth' ? OAuthError : ApiError);
    const { kind: _, ...rest } = expected;
    expect(error).toMatchObject(rest);
  }
};

describe('retries.json', () => {
  const { may, waits, retryAfter } = readVectors<{
    may: (Refusal & { expect: boolean })[];
    waits: { attempt: number; retryAfterS: number | null; random: number; expectMs: number }[];
    retryAfter: { header: string | null; nowMs: number; expectS: number | null }[];
  }>('retries.json');

  it.each(may)('$method answered $status', ({ expect: expected, ...refusal }) => {
    expect(mayRetry(refusal)).toBe(expected);
  });

  it.each(waits)('waits $expectMs ms', ({ attempt, retryAfterS, random, expectMs }) => {
    expect(waitMs(attempt, retryAfterS, random)).toBe(expectMs);
  });

  it.each(retryAfter)('Retry-After $header', ({ header, nowMs, expectS }) => {
    expect(retryAfterOf(header, nowMs)).toBe(expectS);
  });
});

describe('errors.json', () => {
  interface Case {
    name: string;
    status: number;
    body: string;
    requestId: string | null;
    expect: { status: number; code: string; fields?: { field: string; reason: string }[] };
  }
  const { cases } = readVectors<{ cases: Case[] }>('errors.json');

  it.each(cases)('$name', ({ status, body, requestId, expect: expected }) => {
    const error = errorOfAnswer(status, body, requestId, null);
    const { fields, ...rest } = expected;
    expect(error).toMatchObject(rest);
    if (fields !== undefined) {
      expect(error).toBeInstanceOf(ValidationError);
      expect(error instanceof ValidationError && error.fields).toEqual(fields);
    }
  });

  it('has a class of its own for each code', () => {
    const classes = new Map(
      cases.map((one) => [one.expect.code, errorOfAnswer(one.status, one.body, null, null).name]),
    );
    classes.delete('LEGAL');
    expect(new Set(classes.values()).size).toBe(classes.size);
    expect([...classes.values()]).not.toContain('ApiError');
  });

  it('is no error without a code', () => {
    expect(apiErrorFrom({ error: 'x' }, 400, null, null)).toBeNull();
  });
});

describe('streams.json', () => {
  const { cases } = readVectors<{ cases: { name: string; text: string; events: unknown[] }[] }>(
    'streams.json',
  );

  it.each(cases)('$name, cut anywhere', ({ text, events }) => {
    const bytes = new TextEncoder().encode(text);
    const read = (...parts: Uint8Array[]): unknown[] => {
      const parser = createSseParser();
      return parts.flatMap((part) => parser.push(part));
    };
    expect(read(bytes)).toEqual(events);
    expect(read(...Array.from(bytes, (byte) => new Uint8Array([byte])))).toEqual(events);
    for (let at = 0; at <= bytes.length; at += 1) {
      expect(read(bytes.slice(0, at), bytes.slice(at)), `cut at ${at}`).toEqual(events);
    }
  });
});

describe('webhooks.json', () => {
  interface Case {
    name: string;
    secrets: string[];
    headers: Record<string, string>;
    body: string;
    nowS: number;
    signatureValid: boolean;
  }
  const { cases } = readVectors<{ cases: Case[] }>('webhooks.json');
  const isJson = (text: string): boolean => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };

  it.each(cases)('$name', async ({ secrets, headers, body, nowS, signatureValid }) => {
    const options = { secret: secrets, headers, now: () => nowS * 1000 };
    const forms: (string | Uint8Array)[] = [body, new TextEncoder().encode(body)];
    for (const form of forms) {
      const verified = verifyWebhook({ ...options, body: form });
      if (signatureValid && isJson(body)) await expect(verified).resolves.toEqual(JSON.parse(body));
      else if (signatureValid) await expect(verified).rejects.toThrow('the body is no JSON');
      else {
        await expect(verified).rejects.toThrow(WebhookVerificationError);
        await expect(verified).rejects.not.toThrow('no JSON');
      }
    }
  });
});

describe('pkce.json and links.json', () => {
  const pkce = readVectors<{ cases: { verifier: string; challenge: string }[] }>('pkce.json');
  it.each(pkce.cases)('challenge $challenge', async ({ verifier, challenge }) => {
    expect(await challengeOf(verifier)).toBe(challenge);
  });

  const links = readVectors<{ cases: { header: string | null; expect: object | null }[] }>('links.json');
  it.each(links.cases)('$header', ({ header, expect: expected }) => {
    expect(nextQueryOf(header)).toEqual(expected);
  });
});

describe('inputs.json', () => {
  const { baseUrls, tokens, paths } = readVectors<{
    baseUrls: { taken: string[]; refused: string[] };
    tokens: { sent: { given: string; as: string }[]; refused: string[] };
    paths: { refused: string[] };
  }>('inputs.json');
  const answer: PlayedAnswer = { status: 200, headers: { 'x-api-version': '2.0.0' }, body: '{"ok":true}' };
  const refusal = async (work: () => unknown): Promise<string> => {
    const error: unknown = await (async () => work())().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(PentarchError);
    expect(error).not.toBeInstanceOf(ConnectionFailedError);
    return error instanceof Error ? `${error.message} ${error.stack} ${JSON.stringify(error)}` : '';
  };

  it.each(baseUrls.taken)('takes the base URL %s', (baseUrl) => {
    createHttp({ baseUrl });
  });

  it.each(['', ...baseUrls.refused])('refuses the base URL %s', async (baseUrl) => {
    expect(await refusal(() => createHttp({ baseUrl }))).not.toContain('secret');
  });

  it.each(tokens.sent)('sends $given as $as', async ({ given, as }) => {
    const { options, requests } = play([answer]);
    await createHttp({ ...options, auth: given }).json({ method: 'GET', path: '/api/v1/agents' });
    expect(requests[0]?.headers.get('authorization')).toBe(`Bearer ${as}`);
  });

  it.each(['', ' \n', ...tokens.refused])('refuses the token %j, of a source too', async (token) => {
    expect(await refusal(() => createHttp({ baseUrl: 'http://api.invalid', auth: token }))).not.toContain(
      'secret',
    );
    const { options, requests } = play([]);
    const auth = { token: () => Promise.resolve(token), refused: () => false };
    const http = createHttp({ ...options, auth });
    expect(await refusal(() => http.json({ method: 'GET', path: '/api/v1/agents' }))).not.toContain('secret');
    expect(requests).toEqual([]);
  });

  it.each(paths.refused)('refuses the path %s', async (path) => {
    const { options, requests } = play([]);
    await refusal(() => createHttp(options).json({ method: 'GET', path }));
    expect(requests).toEqual([]);
  });
});

describe('exchanges.json', () => {
  interface Case {
    name: string;
    surface: 'v1' | 'v2';
    token: string | null;
    maxRetries: number;
    call: Call;
    answers: PlayedAnswer[];
    expect: {
      requests: { method: string; target: string; json?: unknown }[];
      keyed?: false;
      waitsMs: number[];
      error: ExpectedError | null;
    };
  }
  const { cases } = readVectors<{ cases: Case[] }>('exchanges.json');

  it.each(cases)('$name', async ({ surface, token, maxRetries, call, answers, expect: expected }) => {
    const { options, requests, waitsMs } = play(answers);
    const told: string[] = [];
    const http = createHttp({
      ...options,
      surface,
      maxRetries,
      ...(token === null ? {} : { auth: token }),
      log: (entry) => told.push(JSON.stringify(entry)),
    });
    const done = http.json(call);
    if (expected.error === null) expect(await done).toEqual({ ok: true });
    else {
      const error: unknown = await done.catch((thrown: unknown) => thrown);
      checkError(error, expected.error);
      if (token !== null && error instanceof Error) {
        expect(`${error.message} ${error.stack} ${JSON.stringify(error)}`).not.toContain(token);
      }
    }
    expect(requests.map(({ method, target }) => ({ method, target }))).toEqual(
      expected.requests.map(({ method, target }) => ({ method, target })),
    );
    for (const [n, { json }] of expected.requests.entries()) {
      const { body, headers } = requests[n]!;
      expect(body === null ? undefined : JSON.parse(body)).toEqual(json);
      expect(headers.get('content-type')).toBe(json === undefined ? null : 'application/json');
      expect(headers.get('authorization')).toBe(token === null ? null : `Bearer ${token}`);
    }
    const keys = new Set(requests.map(({ headers }) => headers.get('idempotency-key')));
    expect(keys.size).toBe(1);
    expect(keys.has(null)).toBe(call.method !== 'POST' || expected.keyed === false);
    expect(waitsMs).toEqual(expected.waitsMs);
    expect(told).toHaveLength(requests.length);
    if (token !== null) expect(told.join()).not.toContain(token);
  });
});

describe('tokens.json', () => {
  interface Case {
    name: string;
    steps: {
      nowS: number;
      answers: PlayedAnswer[];
      requests: { method: string; target: string; json: unknown; authorization: string | null }[];
      error: ExpectedError | null;
    }[];
  }
  const { cases } = readVectors<{ cases: Case[] }>('tokens.json');

  it.each(cases)('$name', async ({ steps }) => {
    let nowS = 0;
    const { options, requests } = play(steps.flatMap(({ answers }) => answers));
    const auth = passwordLogin('a@b.test', 'pw-secret');
    const http = createHttp({ ...options, auth, now: () => nowS * 1000 });
    for (const step of steps) {
      nowS = step.nowS;
      requests.length = 0;
      const done = await http
        .json({ method: 'GET', path: '/api/v1/agents' })
        .catch((thrown: unknown) => thrown);
      if (step.error === null) expect(done).toEqual({ ok: true });
      else {
        checkError(done, step.error);
        expect(`${done} ${JSON.stringify(done)}`).not.toMatch(/at-|rt-|pw-/);
      }
      expect(
        requests.map(({ method, target, body, headers }) => ({
          method,
          target,
          json: body === null ? null : JSON.parse(body),
          authorization: headers.get('authorization'),
        })),
      ).toEqual(step.requests);
    }
  });

  it('asks once for many callers', async () => {
    const { options, requests } = play([
      { body: JSON.stringify({ access_token: 'at', expires_in: 3600 }) },
      ...Array.from({ length: 20 }, () => ({ body: '{}' })),
    ]);
    const http = createHttp({ ...options, auth: passwordLogin('a@b.test', 'pw') });
    await Promise.all(Array.from({ length: 20 }, () => http.json({ method: 'GET', path: '/api/v1/agents' })));
    expect(requests.filter(({ target }) => target === '/v2/auth/login')).toHaveLength(1);
  });
});

describe('chats.json', () => {
  interface Case {
    name: string;
    store?: false;
    answers: PlayedAnswer[];
    expect: {
      requests: { method: string; target: string; lastEventId: string | null }[];
      ids: string[];
      text: string | null;
      error: ExpectedError | null;
      waitsMs: number[];
    };
  }
  const { cases } = readVectors<{ cases: Case[] }>('chats.json');

  it.each(cases)('$name', async ({ store, answers, expect: expected }) => {
    const { options, requests, waitsMs } = play(answers);
    const client = createClient(options);
    const events: ChatEvent[] = [];
    const read = async (): Promise<void> => {
      for await (const event of client.chat.stream({ message: 'Hi', ...(store === false ? { store } : {}) }))
        events.push(event);
    };
    const error = await read().catch((thrown: unknown) => thrown);
    if (expected.error === null) expect(error).toBeUndefined();
    else checkError(error, expected.error);
    expect(events.map(({ id }) => id)).toEqual(expected.ids);
    if (expected.text !== null) {
      const text = events
        .map((event) => (event.event === 'message.delta' ? event.data.content : ''))
        .join('');
      expect(text).toBe(expected.text);
    }
    expect(
      requests.map(({ method, target, headers }) => ({
        method,
        target,
        lastEventId: headers.get('last-event-id'),
      })),
    ).toEqual(expected.requests);
    const posts = requests.filter(({ method }) => method === 'POST');
    const keys = new Set(posts.map(({ headers }) => headers.get('idempotency-key')));
    expect(keys.size).toBe(1);
    expect(keys.has(null)).toBe(store === false);
    expect(waitsMs).toEqual(expected.waitsMs);
  });
});
