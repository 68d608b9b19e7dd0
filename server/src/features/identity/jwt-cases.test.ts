import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  randomUUID,
  sign as rawSign,
} from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  authorizeUrl,
  CLI_REDIRECT,
  challengeOf,
  createBrowser,
  newVerifier,
  signIn,
  tokenRequest,
} from '../../../test/support/browser.ts';
import { type IdentityServer, startIdentityServer } from '../../../test/support/identity-server.ts';

/** Every row of the case files (origin and licence stand inside them), over HTTP: the stated refusal, under a second, never a 5xx. */

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../../test/cases/${name}`, import.meta.url), 'utf8'));

interface Mutation {
  header?: Record<string, unknown>;
  header_remove?: string[];
  payload?: Record<string, unknown>;
  payload_remove?: string[];
  payload_raw_whole?: string;
  signature?: string;
  raw?: string;
  use?: string;
  header_line?: string;
  replay?: string;
  form?: string;
  assert?: string;
}

interface Case {
  id: string;
  target: 'access_token' | 'client_assertion' | 'jwt_bearer_assertion';
  mutation: Mutation;
  expect: { status?: number | number[]; error?: string; www_authenticate?: string };
}

const encode = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
const nowS = () => Math.floor(Date.now() / 1000);
const rs256 = (input: string, key: KeyObject): string =>
  rawSign('sha256', Buffer.from(input), key).toString('base64url');
const hmac = (input: string, key: string): string =>
  createHmac('sha256', key).update(input).digest('base64url');
const decode = (part: string | undefined): Record<string, unknown> =>
  JSON.parse(Buffer.from(part ?? '', 'base64url').toString());
const COMMON_SECRETS = [
  'secret',
  'changeme',
  'password',
  'your-256-bit-secret',
  'dev',
  'test',
  'jwt',
  'key',
  'null',
  'undefined',
];

describe('case files', () => {
  let server: IdentityServer;
  let token: string;
  let otherToken: string;
  let refreshToken: string;
  let idToken: string;
  let realKey: KeyObject;
  let canaryHits = 0;
  let canaryPort = 0;
  const attacker = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const clientKey = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const canary = createServer((_request, response) => {
    canaryHits += 1;
    response.end('{"keys":[]}');
  });
  let assertionClient = '';
  let otherClient = '';
  let serviceUser = '';
  let serviceKey: { key: string; keyId: string };

  const post = async (path: string, body: unknown, bearer?: string) => {
    const answer = await fetch(server.url + path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(bearer ? { authorization: `Bearer ${bearer}` } : {}),
      },
      body: JSON.stringify(body),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };

  beforeAll(async () => {
    server = await startIdentityServer();
    await new Promise<void>((done) => canary.listen(0, '127.0.0.1', done));
    canaryPort = (canary.address() as AddressInfo).port;
    const verifier = newVerifier();
    const back = await signIn(
      createBrowser(server.url),
      authorizeUrl(server.url, { verifier }),
      server.admin,
    );
    const { body } = await tokenRequest(server.url, {
      grant_type: 'authorization_code',
      code: back.get('code') ?? '',
      redirect_uri: CLI_REDIRECT,
      client_id: 'pentarch-cli',
      code_verifier: verifier,
    });
    token = String(body.access_token);
    refreshToken = String(body.refresh_token);
    idToken = String(body.id_token);
    otherToken = String((await post('/v2/auth/login', server.admin)).body.access_token);
    const jwk = server.identity.oidc.keys().jwks[0];
    realKey = createPrivateKey({ key: jwk as JsonWebKey, format: 'jwk' });
    const register = async (name: string, publicKey: KeyObject) =>
      String(
        (
          await post(
            '/v2/oauth/clients',
            { name, type: 'confidential', jwks: { keys: [publicKey.export({ format: 'jwk' })] } },
            otherToken,
          )
        ).body.client_id,
      );
    assertionClient = await register('signs assertions', clientKey.publicKey);
    otherClient = await register('another', attacker.publicKey);
    serviceUser = String(
      (await post('/v2/users', { email: 'svc@localhost', type: 'service' }, otherToken)).body.id,
    );
    const made = await post(`/management/v1/users/${serviceUser}/machine_keys`, {}, otherToken);
    serviceKey = JSON.parse(Buffer.from(String(made.body.keyDetails), 'base64').toString());
  });
  afterAll(async () => {
    canary.close();
    await server.close();
  });

  /** Values with a meaning: `now+8`, `<issuer>`, `x*16000`. */
  const resolve = (value: unknown): unknown => {
    if (typeof value !== 'string') return value;
    const time = /^now([+-]\d+)$/.exec(value);
    if (time) return nowS() + Number(time[1]);
    const repeat = /^(.)\*(\d+)$/.exec(value);
    if (repeat?.[1]) return repeat[1].repeat(Number(repeat[2]));
    const words: Record<string, string> = {
      '<issuer>': server.url,
      '<token endpoint>': `${server.url}/oauth/v2/token`,
      '<other client>': otherClient,
      '<victim user id>': randomUUID(),
      '<other tenant>': randomUUID(),
    };
    return words[value] ?? value.replaceAll('<canary>', String(canaryPort));
  };

  const resolveHeader = (header: Record<string, unknown>): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(header).map(([name, value]) => {
        if (name === 'jwk') return [name, attacker.publicKey.export({ format: 'jwk' })];
        return [name, resolve(value)];
      }),
    );

  const mutated = (
    mutation: Mutation,
    base: { header: Record<string, unknown>; payload: Record<string, unknown> },
    signer: KeyObject,
  ) => {
    const header = { ...base.header, ...resolveHeader(mutation.header ?? {}) };
    for (const name of mutation.header_remove ?? []) delete header[name];
    const payload = { ...base.payload };
    for (const [name, value] of Object.entries(mutation.payload ?? {})) {
      payload[name === '<tenant claim>' ? 'org_id' : name] = resolve(value);
    }
    for (const name of mutation.payload_remove ?? []) delete payload[name];
    const input = `${encode(header)}.${encode(mutation.payload_raw_whole ?? payload)}`;
    const how = mutation.signature ?? 'real key';
    const kept = token.split('.')[2] ?? '';
    const bytes = Buffer.from(kept, 'base64url');
    const flip = (index: number) => {
      bytes[index] = (bytes[index] ?? 0) ^ 1;
      return bytes.toString('base64url');
    };
    const publicPem = createPublicKey(signer).export({ format: 'pem', type: 'spki' }).toString();
    const signatures: Record<string, () => string> = {
      empty: () => '',
      keep: () => kept,
      'real key': () => rs256(input, signer),
      'by attacker key': () => rs256(input, attacker.privateKey),
      'RS256 by attacker key, header kid = real kid': () => rs256(input, attacker.privateKey),
      'hmac(empty key)': () => hmac(input, ''),
      'hmac(public key as SPKI PEM, with trailing newline)': () => hmac(input, publicPem),
      'hmac(public key PEM)': () => hmac(input, publicPem),
      'hmac(empty key) if HS256, else attacker key': () =>
        header.alg === 'HS256' ? hmac(input, '') : rs256(input, attacker.privateKey),
      'flip bit 0 of byte 0': () => flip(0),
      'flip bit 0 of last byte': () => flip(bytes.length - 1),
      'drop last 16 bytes': () => bytes.subarray(0, -16).toString('base64url'),
      'signature of another valid token': () => otherToken.split('.')[2] ?? '',
    };
    const made = signatures[how];
    if (made === undefined) throw new Error(`unknown signature: ${how}`);
    return `${input}.${made()}`;
  };

  const timed = async <T>(work: () => Promise<T>): Promise<T> => {
    const started = performance.now();
    const result = await work();
    expect(performance.now() - started).toBeLessThan(1000);
    return result;
  };

  const get = (path: string, authorization?: string) =>
    timed(() => fetch(server.url + path, authorization === undefined ? {} : { headers: { authorization } }));

  const rawTokens = (mutation: Mutation): string[] => {
    const [header, payload, signature] = token.split('.');
    if (mutation.signature?.startsWith('hmac(each of')) {
      return COMMON_SECRETS.map((secret) => {
        const input = `${encode({ ...decode(header), ...mutation.header })}.${payload}`;
        return `${input}.${hmac(input, secret)}`;
      });
    }
    if (mutation.use !== undefined) {
      const uses: Record<string, string> = {
        "the user's ID token as bearer": idToken,
        'the refresh token as bearer': refreshToken,
        'an authorization code as bearer': newVerifier(),
      };
      return [uses[mutation.use] ?? ''];
    }
    if (mutation.raw === undefined) {
      return [mutated(mutation, { header: decode(header), payload: decode(payload) }, realKey)];
    }
    if (mutation.raw.startsWith('{')) {
      return [JSON.stringify({ payload, signatures: [{ protected: header, signature }] })];
    }
    return [String(resolve(mutation.raw.replace('<token>', token)))];
  };

  const cases: Case[] = read('jwt-mutations.json').cases;

  it.each(cases.filter((row) => row.target === 'access_token'))(
    '$id',
    async ({ id, mutation, expect: wanted }) => {
      const allowed = [wanted.status].flat();
      if (mutation.header_line !== undefined) {
        const line = mutation.header_line.replace('Authorization: ', '').replace('<token>', token);
        expect(allowed).toContain((await get('/v2/auth/me', line)).status);
        return;
      }
      if (id === 'AT-query-token') {
        expect((await get(`/v2/auth/me?access_token=${token}`)).status).toBe(401);
        return;
      }
      if (id === 'AT-size-1M-header') {
        // Node refuses the header itself: an answer, or a closed connection.
        const status = await get('/v2/auth/me', `Bearer ${'a'.repeat(1_048_576)}`).then(
          (r) => r.status,
          () => 431,
        );
        expect(allowed).toContain(status);
        return;
      }
      for (const bearer of rawTokens(mutation)) {
        const answer = await get('/v2/auth/me', `Bearer ${bearer}`);
        expect([id, allowed.includes(answer.status), answer.status]).toEqual([id, true, answer.status]);
        if (answer.status === 401)
          expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer error="invalid_token"/);
      }
      expect(canaryHits).toBe(0);
    },
  );

  it.each(cases.filter((row) => row.target === 'client_assertion'))(
    '$id',
    async ({ mutation, expect: wanted }) => {
      const base = {
        header: { alg: 'RS256' },
        payload: {
          iss: assertionClient,
          sub: assertionClient,
          aud: server.url,
          jti: randomUUID(),
          iat: nowS(),
          exp: nowS() + 60,
        },
      };
      const signature = mutation.header?.alg === 'none' ? 'empty' : mutation.signature;
      const assertion = mutated(
        { ...mutation, ...(signature === undefined ? {} : { signature }) },
        base,
        clientKey.privateKey,
      );
      const request = () =>
        timed(() =>
          tokenRequest(server.url, {
            grant_type: 'client_credentials',
            client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
            ...Object.fromEntries(new URLSearchParams(mutation.form ?? '')),
            client_assertion: assertion,
          }),
        );
      if (mutation.replay !== undefined) expect((await request()).status).toBe(200);
      const answer = await request();
      expect([wanted.status].flat()).toContain(answer.status);
      if (wanted.error !== undefined) expect(answer.body.error).toBe(wanted.error);
      expect(canaryHits).toBe(0);
    },
  );

  it.each(cases.filter((row) => row.target === 'jwt_bearer_assertion'))(
    '$id',
    async ({ mutation, expect: wanted }) => {
      const base = {
        header: { alg: 'RS256', kid: serviceKey.keyId },
        payload: {
          iss: serviceUser,
          sub: serviceUser,
          aud: server.url,
          iat: nowS(),
          exp: nowS() + 60,
          jti: randomUUID(),
        },
      };
      const assertion = mutated(mutation, base, createPrivateKey(serviceKey.key));
      const request = () =>
        timed(() =>
          tokenRequest(server.url, {
            grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
            assertion,
            scope: 'openid',
          }),
        );
      if (mutation.assert !== undefined) {
        const answer = await request();
        expect([answer.status, answer.body.refresh_token]).toEqual([200, undefined]);
        return;
      }
      if (mutation.replay !== undefined) {
        expect((await request()).status).toBe(200);
        // Our choice (docs/security.md): an assertion with a jti is good for one use.
        expect((await request()).status).toBe(400);
        return;
      }
      const answer = await request();
      expect([wanted.status].flat()).toContain(answer.status);
      expect(answer.body.error).toBe(wanted.error);
    },
  );

  interface PkceCase {
    name: string;
    verifier: string;
    challenge: string;
    method: string;
    expect: number | string;
  }

  it.each(read('pkce-vectors.json').cases as PkceCase[])('PKCE: $name', async (row) => {
    const url = authorizeUrl(server.url, {
      extra: { code_challenge: row.challenge, code_challenge_method: row.method },
    });
    if (row.method !== 'S256') {
      const refused = await createBrowser(server.url).open(url);
      const location = new URL(refused.headers.get('location') ?? 'about:blank');
      expect(location.searchParams.get('error')).toBe('invalid_request');
      return;
    }
    const back = await signIn(createBrowser(server.url), url, server.admin);
    const exchange = () =>
      tokenRequest(server.url, {
        grant_type: 'authorization_code',
        code: back.get('code') ?? '',
        redirect_uri: CLI_REDIRECT,
        client_id: 'pentarch-cli',
        code_verifier: row.verifier,
      });
    if (row.name.includes('reuse')) {
      const first = await exchange();
      expect(first.status).toBe(200);
      const second = await exchange();
      expect([second.status, second.body.error]).toEqual([400, 'invalid_grant']);
      expect((await get('/v2/auth/me', `Bearer ${first.body.access_token}`)).status).toBe(401);
      return;
    }
    expect((await exchange()).status).toBe(row.expect);
  });

  it('refuses an authorization without PKCE, for public and confidential clients', async () => {
    const made = await post(
      '/v2/oauth/clients',
      { name: 'Web', type: 'confidential', redirect_uris: ['https://web.example.test/cb'] },
      otherToken,
    );
    for (const client of [
      {},
      { clientId: String(made.body.client_id), redirectUri: 'https://web.example.test/cb' },
    ]) {
      const answer = await createBrowser(server.url).open(authorizeUrl(server.url, client));
      const location = new URL(answer.headers.get('location') ?? 'about:blank');
      expect(location.searchParams.get('error')).toBe('invalid_request');
      const wrong = authorizeUrl(server.url, {
        ...client,
        extra: { code_challenge: challengeOf('x'.repeat(43)), code_challenge_method: 'plain' },
      });
      const plain = await createBrowser(server.url).open(wrong);
      expect(new URL(plain.headers.get('location') ?? 'about:blank').searchParams.get('error')).toBe(
        'invalid_request',
      );
    }
  });

  interface Group {
    comment: string;
    public?: Record<string, unknown> & { keys?: Record<string, unknown>[] };
    private?: Record<string, unknown> & { keys?: Record<string, unknown>[] };
    tests: { tcId: number; comment: string; jws: unknown; result: string }[];
  }

  const vectors = (name: string): Group[] => read(name).testGroups;

  it.each(['wycheproof-json_web_signature_test.json', 'wycheproof-json_web_key_test.json'])(
    '%s: no vector passes as a bearer token, an assertion or a client assertion',
    async (name) => {
      for (const group of vectors(name)) {
        for (const { tcId, jws } of group.tests) {
          const text = typeof jws === 'string' ? jws : JSON.stringify(jws);
          // What cannot stand in a header at all is refused by the client already.
          const status = await get('/v2/auth/me', `Bearer ${text}`).then(
            (answer) => answer.status,
            () => 401,
          );
          expect([tcId, status]).toEqual([tcId, 401]);
          const form = { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: text };
          expect([tcId, (await tokenRequest(server.url, form)).body.error]).toEqual([tcId, 'invalid_grant']);
          const client = await tokenRequest(server.url, {
            grant_type: 'client_credentials',
            client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
            client_assertion: text,
          });
          expect([tcId, client.body.error]).toEqual([tcId, 'invalid_client']);
        }
      }
    },
  );

  it('wycheproof key sets: private, symmetric, weak, mixed, ambiguous and mismatched keys cannot be registered', async () => {
    const register = async (keys: unknown[]) =>
      (await post('/v2/oauth/clients', { name: 'w', type: 'confidential', jwks: { keys } }, otherToken))
        .status;
    for (const group of vectors('wycheproof-json_web_key_test.json')) {
      const secret = group.private?.keys ?? [group.private ?? {}];
      expect([group.comment, await register(secret)]).toEqual([group.comment, 422]);
      if (group.public === undefined) continue;
      const keys = group.public.keys ?? [group.public];
      const good = group.tests.some((test) => test.result === 'valid');
      expect([group.comment, await register(keys)]).toEqual([group.comment, good ? 201 : 422]);
    }
  });

  it('keeps answering after all that, and signs a real assertion still', async () => {
    const jwt = await new SignJWT({
      iss: assertionClient,
      sub: assertionClient,
      aud: server.url,
      jti: randomUUID(),
    })
      .setProtectedHeader({ alg: 'RS256' })
      .setExpirationTime('1m')
      .sign(clientKey.privateKey);
    const answer = await tokenRequest(server.url, {
      grant_type: 'client_credentials',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: jwt,
    });
    expect(answer.status).toBe(200);
    expect(server.logged()).not.toMatch(/"level":50/);
  });
});
