import { describe, expect } from 'vitest';
import { req } from '../requirements.ts';
import { type Answer, type Client, createClient } from '../support/client.ts';
import type { TestProvider } from '../support/provider.ts';
import type { TestServer } from '../support/server.ts';
import { expectErrorA, expectErrorB, fieldsOf, newPerson } from '../support/shapes.ts';
import { withWorld } from '../support/suite.ts';

let server: TestServer;
let provider: TestProvider;
let admin: Client;

const it = withWorld({ env: { DEFAULT_PRICE_OUTPUT: '15' } });
it.beforeAll(({ world }) => {
  ({ provider, server, admin } = world);
});

let keys = 0;
const newKey = (): string => `key-${++keys}`;
const withKey = (key: string) => ({ headers: { 'idempotency-key': key } });
const question = { message: 'hello', context: { agent_id: 'zeus' } };
const total = async (client: Client): Promise<number> =>
  (await client.get('/v2/conversations')).json<{ total: number }>().total;

describe('Idempotency-Key', () => {
  it(req('IDEM-01', 'POST conversations: one record, the same bytes, marked as replayed'), async () => {
    const before = await total(admin);
    const key = newKey();
    const first = await admin.post('/api/v1/conversations', { title: 'once' }, withKey(key));
    const second = await admin.post('/api/v1/conversations', { title: 'once' }, withKey(key));
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.text).toBe(first.text);
    expect(second.headers.get('location')).toBe(first.headers.get('location'));
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(await total(admin)).toBe(before + 1);
  });

  it(req('IDEM-01', 'POST chat: the provider is called once'), async () => {
    provider.reset();
    const key = newKey();
    const first = await admin.post('/api/v1/chat', question, withKey(key));
    const second = await admin.post('/api/v1/chat', question, withKey(key));
    expect(first.status).toBe(200);
    expect(second.text).toBe(first.text);
    expect(provider.requests.length).toBe(1);
  });

  it(req('IDEM-01', 'a key outlives a restart'), async () => {
    const key = newKey();
    const first = await admin.post('/v2/conversations', { title: 'kept' }, withKey(key));
    await server.end('SIGTERM');
    await server.start();
    const second = await admin.post('/v2/conversations', { title: 'kept' }, withKey(key));
    expect(second.text).toBe(first.text);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
  });

  it(req('IDEM-01', 'an answer that has been received is replayed at once, also after kill -9'), async () => {
    for (let round = 0; round < 5; round++) {
      const key = newKey();
      const first = await admin.post('/v2/conversations', { title: `sure ${round}` }, withKey(key));
      if (round === 4) {
        await server.end('SIGKILL');
        await server.start();
      }
      const second = await admin.post('/v2/conversations', { title: `sure ${round}` }, withKey(key));
      expect([second.status, second.text]).toEqual([201, first.text]);
    }
  });

  it(req('IDEM-02', 'another body under the same key is 422'), async () => {
    const key = newKey();
    await admin.post('/api/v1/conversations', { title: 'a' }, withKey(key));
    const other = await admin.post('/api/v1/conversations', { title: 'b' }, withKey(key));
    expect(fieldsOf(expectErrorA(other, 422, 'VALIDATION_ERROR'))).toEqual(['/Idempotency-Key']);
    const elsewhere = await admin.post('/api/v1/chat', question, withKey(key));
    expectErrorA(elsewhere, 422, 'VALIDATION_ERROR');
  });

  it(req('IDEM-02', 'the same body with another query under the same key is 422'), async () => {
    const line = `${JSON.stringify({ type: 'entity', name: 'Hel', entityType: 'place', observations: ['a lighthouse'] })}\n`;
    const key = newKey();
    const send = (query: string) =>
      fetch(`${server.url}/v2/memory/import${query}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${admin.token}`,
          'content-type': 'application/x-ndjson',
          'idempotency-key': key,
        },
        body: line,
      });
    const first = await send('?visibility=private');
    expect(first.status).toBe(200);
    const other = await send('?visibility=tenant');
    expect([other.status, await other.json()]).toMatchObject([422, { error: 'validation_error' }]);
    const none = await send('');
    expect([none.status, none.headers.get('idempotent-replayed')]).toEqual([422, null]);
    const again = await send('?visibility=private');
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expect(await again.text()).toBe(await first.text());
  });

  it(
    req('IDEM-03', 'a second request while the first one runs is 409, and is answered afterwards'),
    async () => {
      const gate = Promise.withResolvers<void>();
      provider.reset();
      provider.script({ text: 'late', hold: gate.promise });
      const key = newKey();
      const first = admin.post('/v2/chat', question, withKey(key));
      await provider.seen(1);
      expectErrorB(await admin.post('/v2/chat', question, withKey(key)), 409, 'CONFLICT');
      gate.resolve();
      expect((await first).json<{ content: string }>().content).toBe('late');
      const replay = await admin.post('/v2/chat', question, withKey(key));
      expect(replay.text).toBe((await first).text);
    },
  );

  it(req('IDEM-04', 'a failed request frees its key'), async () => {
    provider.reset();
    provider.always({ error: { status: 400, body: { error: { message: 'bad' } } } });
    const key = newKey();
    const failed = await admin.post('/api/v1/chat', question, withKey(key));
    expectErrorA(failed, 502, 'UPSTREAM_ERROR');
    provider.always(undefined);
    const retried = await admin.post('/api/v1/chat', question, withKey(key));
    expect(retried.status).toBe(200);
    expect(retried.headers.get('idempotent-replayed')).toBeNull();
    const invalid = newKey();
    expectErrorA(
      await admin.post('/api/v1/conversations', { title: 1 }, withKey(invalid)),
      422,
      'VALIDATION_ERROR',
    );
    expect((await admin.post('/api/v1/conversations', { title: 'x' }, withKey(invalid))).status).toBe(201);
  });

  it(req('IDEM-04', 'the same key of another caller is another key'), async () => {
    const other = await newPerson(server, admin);
    const key = newKey();
    const first = await admin.post('/v2/conversations', { title: 'mine' }, withKey(key));
    const second = await other.post('/v2/conversations', { title: 'theirs' }, withKey(key));
    expect(second.status).toBe(201);
    expect(second.json<{ id: string }>().id).not.toBe(first.json<{ id: string }>().id);
  });

  it(
    req('IDEM-07', 'keys of one person’s credentials are apart; sign-ins of one account share theirs'),
    async () => {
      const secretOf = async (permissions?: string[]) => {
        const made = await admin.post('/v2/auth/api-keys', {
          name: 'k',
          ...(permissions && { permissions }),
        });
        return createClient(() => server.url, made.json<{ key: string }>().key);
      };
      const narrow = await secretOf(['conversations:write']);
      const other = await secretOf(['conversations:write']);
      const again = await server.signIn();
      const key = newKey();
      const make = (client: Client) => client.post('/v2/conversations', { title: 'apart' }, withKey(key));
      const answers = [];
      for (const client of [admin, narrow, other, again, narrow]) answers.push(await make(client));
      const [first, second, third, fourth, fifth] = answers.map((answer) => answer.json<{ id: string }>().id);
      expect(new Set([first, second, third]).size).toBe(3);
      expect([fourth, fifth]).toEqual([first, second]);
      expect(answers.map((answer) => answer.headers.get('idempotent-replayed'))).toEqual([
        null,
        null,
        null,
        'true',
        'true',
      ]);
    },
  );

  const account = async () =>
    (
      await admin.post('/v2/users', {
        email: `once-${newKey()}@example.test`,
        password: 'a long password here',
      })
    ).json<{ id: string }>().id;
  /** Every POST whose answer shows a secret, with where that stands. */
  const SECRETS: Record<
    string,
    () => Promise<{ path: string; body: Record<string, unknown>; at: string[] }>
  > = {
    'an API key': async () => ({ path: '/v2/auth/api-keys', body: { name: 'k' }, at: ['key'] }),
    'a rotated key': async () => {
      const made = await admin.post('/v2/auth/api-keys', { name: 'k' });
      return { path: `/v2/auth/api-keys/${made.json<{ id: string }>().id}/rotate`, body: {}, at: ['key'] };
    },
    'a personal token': async () => ({ path: '/v2/users/me/tokens', body: { name: 't' }, at: ['token'] }),
    'a client': async () => ({
      path: '/v2/oauth/clients',
      body: { name: 'c', type: 'confidential' },
      at: ['client_secret'],
    }),
    'an invited account': async () => ({
      path: '/v2/users',
      body: { email: `invited-${newKey()}@example.test` },
      at: ['invitation_url'],
    }),
    'a tenant with an administrator': async () => ({
      path: '/v2/tenants',
      body: { name: 'T', slug: `t-${newKey()}`.slice(0, 30), admin: { email: `${newKey()}@t.test` } },
      at: ['admin', 'invitation_url'],
    }),
    'a reset link': async () => ({
      path: `/v2/users/${await account()}/password-reset`,
      body: {},
      at: ['url'],
    }),
    'an invitation link': async () => {
      const made = await admin.post('/v2/users', { email: `again-${newKey()}@example.test` });
      return { path: `/v2/users/${made.json<{ id: string }>().id}/invitation`, body: {}, at: ['url'] };
    },
    'a webhook': async () => ({
      path: '/api/v1/webhooks',
      body: { url: 'https://hooks.example.com/x', events: ['*'] },
      at: ['secret'],
    }),
    'a webhook’s new secret': async () => {
      const made = await admin.post('/api/v1/webhooks', {
        url: 'https://hooks.example.com/y',
        events: ['*'],
      });
      return {
        path: `/api/v1/webhooks/${made.json<{ id: string }>().id}/rotate-secret`,
        body: {},
        at: ['secret'],
      };
    },
  };

  it.each(Object.entries(SECRETS))(
    req('IDEM-08', '%s: the replay is without the secret, and says so'),
    async (_what, plan) => {
      const { path, body, at } = await plan();
      const sent = Object.keys(body).length === 0 && !path.endsWith('/rotate') ? undefined : body;
      const key = newKey();
      const first = await admin.post(path, sent, withKey(key));
      const again = await admin.post(path, sent, withKey(key));
      const secretOf = (answer: Answer): unknown =>
        at.reduce<unknown>((found, name) => (found as Record<string, unknown>)[name], answer.body);
      expect(first.status, first.text).toBeLessThan(300);
      expect(String(secretOf(first)).length).toBeGreaterThan(10);
      expect(first.body).not.toHaveProperty('secret_withheld');
      expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([first.status, 'true']);
      expect(secretOf(again) ?? '').toBe('');
      expect(again.text).not.toContain(String(secretOf(first)));
      expect(again.body).toMatchObject({ secret_withheld: true });
      // All else is as it was.
      for (const [name, value] of Object.entries(first.body as Record<string, unknown>))
        if (name !== at[0]) expect(again.body).toHaveProperty(name, value);
    },
  );

  it.each([255, 256])(req('IDEM-02', 'a key of %d characters: 255 is taken, 256 is 422'), async (length) => {
    const answer = await admin.post('/v2/conversations', {}, withKey('k'.repeat(length)));
    expect(answer.status).toBe(length === 255 ? 201 : 422);
  });

  it(req('IDEM-05', 'a stream is replayed from its start, live and finished'), async () => {
    const gate = Promise.withResolvers<void>();
    provider.reset();
    provider.script({ chunks: ['one ', 'two'], hold: gate.promise });
    const key = newKey();
    const first = await admin.stream('/v2/chat/stream', question, withKey(key));
    const started = await first.until('agent.selected');
    const again = await admin.stream('/v2/chat/stream', question, withKey(key));
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    gate.resolve();
    const whole = [...started, ...(await first.rest())];
    expect(await again.rest()).toEqual(whole);
    const later = await admin.stream('/v2/chat/stream', question, withKey(key));
    const replayed = await later.rest();
    expect(replayed.at(-1)).toEqual(whole.at(-1));
    expect(replayed[0]).toEqual(whole[0]);
    expect(provider.requests.length).toBe(1);
    const other = await admin.post('/v2/chat/stream', { ...question, message: 'other' }, withKey(key));
    expectErrorB(other, 422, 'VALIDATION_ERROR');
  });

  describe(req('IDEM-09', 'what was deleted for good'), () => {
    const DOORS: Readonly<Record<string, (word: string) => object>> = {
      '/v2/chat': (word) => ({ message: word, context: { agent_id: 'zeus' } }),
      '/v2/agents/zeus/invoke': (word) => ({ message: word }),
      '/v1/chat/completions': (word) => ({
        model: 'pentarch/zeus',
        messages: [{ role: 'user', content: word }],
      }),
      '/v1/completions': (word) => ({ model: 'pentarch/zeus', prompt: word }),
      '/v1/responses': (word) => ({ model: 'pentarch/zeus', input: word }),
      '/v1/messages': (word) => ({
        model: 'pentarch/zeus',
        max_tokens: 100,
        messages: [{ role: 'user', content: word }],
      }),
    };
    const idsOf = async (who: Client): Promise<string[]> => {
      const listed = await Promise.all(
        ['active', 'unlisted'].map((status) => who.get(`/v2/conversations?limit=100&status=${status}`)),
      );
      return listed.flatMap((list) => list.json<{ items: { id: string }[] }>().items.map(({ id }) => id));
    };
    const WAYS: Readonly<Record<string, (who: Client & { id: string }) => Promise<number>>> = {
      permanent: async (who) => {
        let status = 0;
        for (const id of await idsOf(who))
          ({ status } = await who.delete(`/v2/conversations/${id}?permanent=true`));
        return status;
      },
      'many at once': async (who) =>
        (await who.post('/v2/conversations/delete', { ids: await idsOf(who) })).status,
      erasure: async (who) => (await admin.delete(`/v2/users/${who.id}/data`)).status,
    };

    it.each(Object.keys(WAYS))(
      '%s: no door gives its answer again, and the key is free',
      async (way) => {
        provider.reset();
        const who = await newPerson(server, admin);
        const sent: { door: string; body: object; key: string }[] = [];
        for (const [door, bodyOf] of Object.entries(DOORS)) {
          const one = { door, body: bodyOf(`words at ${door}`), key: newKey() };
          provider.script({ chunks: [`The secret of ${door}.`] });
          const first = await who.post(door, one.body, withKey(one.key));
          expect([first.status, first.text]).toEqual([
            200,
            expect.stringContaining(`The secret of ${door}.`),
          ]);
          const again = await who.post(door, one.body, withKey(one.key));
          expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
          sent.push(one);
        }
        const calls = provider.requests.length;
        expect(await WAYS[way]?.(who)).toBeLessThan(300);
        expect(await idsOf(who)).toEqual([]);
        for (const { door, body, key } of sent) {
          provider.script({ chunks: ['Another answer.'] });
          const later = await who.post(door, body, withKey(key));
          expect([door, later.status, later.headers.get('idempotent-replayed')]).toEqual([door, 200, null]);
          expect(later.text).toContain('Another answer.');
          expect(later.text).not.toContain('The secret');
        }
        expect(provider.requests.length).toBe(calls + sent.length);
      },
      60_000,
    );

    it('erasure: neither answers that belong to no run', async () => {
      const who = await newPerson(server, admin);
      const key = newKey();
      const body = { title: 'A secret title' };
      expect((await who.post('/v2/conversations', body, withKey(key))).status).toBe(201);
      expect((await admin.delete(`/v2/users/${who.id}/data`)).status).toBe(200);
      const later = await who.post('/v2/conversations', body, withKey(key));
      expect([later.status, later.headers.get('idempotent-replayed')]).toEqual([201, null]);
    });
  });
});
