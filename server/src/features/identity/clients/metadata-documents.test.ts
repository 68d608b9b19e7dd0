import { describe, expect, it } from 'vitest';
import { req } from '../../../../test/requirements.ts';
import { createMetadataDocuments, isDocumentId } from './metadata-documents.ts';

const ID = 'https://app.example.com/oauth/client.json';
const DOCUMENT = {
  client_id: ID,
  client_name: 'Example app',
  redirect_uris: ['https://app.example.com/callback', 'http://127.0.0.1/callback'],
  token_endpoint_auth_method: 'none',
};

const json = (value: unknown, init: ResponseInit = {}): Response => Response.json(value, init);

/** A web of documents by address, and a clock that is set by hand. */
const world = (answer: (url: string) => Response | Promise<Response> = () => json(DOCUMENT)) => {
  let now = Date.UTC(2026, 0, 1);
  const asked: string[] = [];
  const warned: string[] = [];
  const documents = createMetadataDocuments({
    clock: { now: () => now },
    http: {
      check: (url) => (new URL(url).hostname === '10.0.0.1' ? 'must not point to a private address' : null),
      fetch: async (url, init) => {
        asked.push(String(url));
        expect(init?.redirect).toBe('manual');
        expect(init?.signal).toBeInstanceOf(AbortSignal);
        return answer(String(url));
      },
    },
    log: { warn: (fields) => warned.push(String(fields.err)) },
  });
  return { documents, asked, warned, pass: (ms: number) => (now += ms) };
};

const MINUTE = 60_000;

describe(req('AUTH-30', 'client metadata documents'), () => {
  it('describe a public client, with a name that says where it is said', async () => {
    const { documents } = world();
    expect(await documents.find(ID)).toEqual({
      id: ID,
      name: 'Example app (app.example.com)',
      type: 'public',
      redirectUris: DOCUMENT.redirect_uris,
      postLogoutRedirectUris: [],
      secretHash: null,
      jwks: null,
      firstParty: false,
      grants: ['authorization_code', 'refresh_token'],
    });
  });

  it.each([
    'http://app.example.com/client.json',
    'https://app.example.com',
    'https://app.example.com/',
    'https://app.example.com/a/../client.json',
    'https://app.example.com/a/./client.json',
    'https://APP.example.com/client.json',
    'https://app.example.com:443/client.json',
    'https://user@app.example.com/client.json',
    'https://app.example.com/client.json#part',
    'https://app.example.com/client.json#',
    ' https://app.example.com/client.json',
    'https:\\\\app.example.com\\client.json',
    `https://app.example.com/${'a'.repeat(600)}`,
    'pentarch-cli',
    'urn:example:client',
  ])('%s is no address of one, and nothing is fetched', async (id) => {
    const { documents, asked } = world();
    expect(isDocumentId(id)).toBe(false);
    expect(await documents.find(id)).toBeNull();
    expect(asked).toEqual([]);
  });

  it.each<[string, object]>([
    ['another client_id', { client_id: 'https://app.example.com/other.json' }],
    ['no client_id', { client_id: undefined }],
    ['a secret', { client_secret: 'x' }],
    ['an end of a secret', { client_secret_expires_at: 0 }],
    ['a shared secret as proof', { token_endpoint_auth_method: 'client_secret_basic' }],
    ['keys as proof', { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [] } }],
    ['no redirect address', { redirect_uris: [] }],
    ['redirect addresses that are none', { redirect_uris: 'https://app.example.com/callback' }],
    ['a redirect address of a script', { redirect_uris: ['javascript:alert(1)'] }],
    ['a redirect address without encryption', { redirect_uris: ['http://app.example.com/callback'] }],
    ['a redirect address with a fragment', { redirect_uris: ['https://app.example.com/#x'] }],
    ['a wildcard', { redirect_uris: ['https://*.example.com/callback'] }],
    ['too many addresses', { redirect_uris: Array.from({ length: 21 }, (_, i) => `https://a.example/${i}`) }],
    ['another grant alone', { grant_types: ['client_credentials'] }],
    ['another response alone', { response_types: ['token'] }],
  ])('with %s are not usable', async (_what, more) => {
    const { documents, warned } = world(() => json({ ...DOCUMENT, ...more }));
    expect(await documents.find(ID)).toBeNull();
    expect(warned).toHaveLength(1);
  });

  it.each<[string, () => Response | Promise<Response>]>([
    ['a redirect', () => new Response(null, { status: 302, headers: { location: 'https://x.example/' } })],
    ['an error', () => new Response('no', { status: 404 })],
    ['no JSON', () => new Response('<html>')],
    ['a list', () => json([DOCUMENT])],
    ['too much', () => json({ ...DOCUMENT, padding: 'x'.repeat(20_000) })],
    [
      'a body without end',
      () => new Response(new ReadableStream({ pull: (c) => c.enqueue(new Uint8Array(4096)) })),
    ],
    ['a broken connection', () => Promise.reject(new Error('reset'))],
  ])('that are %s are not usable', async (_what, answer) => {
    const { documents } = world(answer);
    expect(await documents.find(ID)).toBeNull();
  });

  it('are not fetched from addresses that may not be called', async () => {
    const { documents, asked } = world();
    expect(await documents.find('https://10.0.0.1/client.json')).toBeNull();
    expect(asked).toEqual([]);
  });

  it('are fetched once for many, kept as long as they say within bounds, and failures for a minute', async () => {
    let headers: Record<string, string> = { 'cache-control': 'public, max-age=3600' };
    let ok = true;
    const { documents, asked, pass } = world(() =>
      ok ? json(DOCUMENT, { headers }) : json({}, { status: 500 }),
    );
    await Promise.all([documents.find(ID), documents.find(ID), documents.find(ID)]);
    expect(asked).toHaveLength(1);
    pass(59 * MINUTE);
    await documents.find(ID);
    expect(asked).toHaveLength(1);
    headers = { 'cache-control': 'no-store, max-age=0' };
    pass(2 * MINUTE);
    await documents.find(ID);
    expect(asked).toHaveLength(2);
    pass(4 * MINUTE);
    await documents.find(ID);
    expect(asked).toHaveLength(2);
    // Not to be read just now: what was known counts for a day.
    ok = false;
    pass(2 * MINUTE);
    expect((await documents.find(ID))?.id).toBe(ID);
    expect((await documents.find(ID))?.id).toBe(ID);
    expect(asked).toHaveLength(3);
    pass(26 * 60 * MINUTE);
    expect(await documents.find(ID)).toBeNull();
    ok = true;
    expect(await documents.find(ID)).toBeNull();
    pass(2 * MINUTE);
    expect((await documents.find(ID))?.id).toBe(ID);
  });

  it('are fetched sixty times a minute at most, whoever asks', async () => {
    const { documents, asked, pass } = world((url) => json({ ...DOCUMENT, client_id: url }));
    for (let i = 0; i < 70; i += 1) await documents.find(`https://app.example.com/${i}.json`);
    expect(asked).toHaveLength(60);
    pass(2 * MINUTE);
    expect(await documents.find('https://app.example.com/65.json')).not.toBeNull();
  });

  it('cannot put control characters or endless text into their name', async () => {
    const { documents } = world(() =>
      json({ ...DOCUMENT, client_name: `\u202eTrusted\u0000${'x'.repeat(500)}` }),
    );
    const name = (await documents.find(ID))?.name ?? '';
    expect(name).toMatch(/^Trustedx{93} \(app\.example\.com\)$/);
  });

  it('are not forgotten for addresses that somebody makes up, and a shortage is no word about a document', async () => {
    const { documents, pass } = world((url) => json({ ...DOCUMENT, client_id: url }));
    expect(await documents.find(ID)).not.toBeNull();
    for (let i = 0; i < 1_200; i++) expect(await documents.find(`https://10.0.0.1/${i}`)).toBeNull();
    for (let i = 0; i < 70; i++) await documents.find(`https://made.example/${i}`);
    pass(6 * MINUTE);
    for (let i = 0; i < 70; i++) await documents.find(`https://more.example/${i}`);
    // What is known counts on while no further document is fetched.
    expect(await documents.find(ID)).not.toBeNull();
    expect(await documents.find('https://late.example/client.json')).toBeNull();
    pass(MINUTE);
    expect(await documents.find('https://late.example/client.json')).not.toBeNull();
  });
});
