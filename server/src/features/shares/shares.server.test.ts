import { beforeEach, describe, expect } from 'vitest';
import { req } from '../../../test/requirements.ts';
import type { Answer, Client } from '../../../test/support/client.ts';
import type { TestProvider } from '../../../test/support/provider.ts';
import type { TestServer } from '../../../test/support/server.ts';
import { expectErrorA, fieldsOf, newPerson } from '../../../test/support/shapes.ts';
import { withWorld } from '../../../test/support/suite.ts';

/** Conversations that their people let others read: within the tenant, or by a secret link where the operator allows it. */

interface Shared {
  id: string;
  token: string;
  url: string;
  audience: string;
  up_to_message_id: string;
  expires_at: string;
}
interface View {
  title: string | null;
  messages: {
    role: string;
    content: string;
    agent_name: string | null;
    citations: { title: string | null }[];
    attachments: (string | null)[];
  }[];
}
interface Reply {
  id: string;
  conversation_id: string;
}

const URL_V1 = '/api/v1/conversations';
const DAY_MS = 86_400_000;
const zeus = { agent_id: 'zeus' };

let provider: TestProvider;
let server: TestServer;
let admin: Client;
let owner: Awaited<ReturnType<typeof newPerson>>;
let reader: Awaited<ReturnType<typeof newPerson>>;
const it = withWorld({
  env: {
    SHARE_LINKS: 'on',
  },
});
it.beforeAll(async ({ world }) => {
  ({ provider, server, admin } = world);
  owner = await newPerson(server, admin);
  reader = await newPerson(server, admin);
});

beforeEach(() => {
  provider.reset();
  provider.always({ text: 'The lamp is trimmed at dusk.' });
});

const say = async (client: Client, message: string, more: object = {}): Promise<Reply> => {
  const answer = await client.post('/api/v1/chat', { message, context: zeus, ...more });
  expect(answer.status, answer.text).toBe(200);
  return answer.json<Reply>();
};
const share = (client: Client, id: string, body: object = { audience: 'tenant' }): Promise<Answer> =>
  client.post(`${URL_V1}/${id}/shares`, body);
const shared = async (client: Client, id: string, body?: object): Promise<Shared> => {
  const answer = await share(client, id, body);
  expect(answer.status, answer.text).toBe(201);
  return answer.json<Shared>();
};
const open = (client: Client, token: string): Promise<Answer> => client.get(`/api/v1/shares/${token}`);
const openPublic = (token: string): Promise<Answer> =>
  server.anonymous().get(`/api/v1/shares/${token}/public`);
const viewOf = (answer: Answer): View => {
  expect(answer.status, answer.text).toBe(200);
  return answer.json<View>();
};
const audited = async (action: string) =>
  (await admin.get(`/v2/audit?action=${action}&limit=100`)).json<{
    items: { actor_id: string | null; target_id: string; details: object }[];
  }>().items;

describe('a shared conversation', () => {
  it(
    req('SHARE-01', 'is read by people of the tenant as it stood, with names and without costs'),
    async () => {
      const { conversation_id: id } = await say(owner, 'When is the lamp trimmed?');
      const made = await shared(owner, id);
      expect(made.token).toMatch(/^[A-Za-z0-9_-]{43}$/);
      expect(made.url).toBe(`${server.url}/share#${made.token}`);
      await say(owner, 'What was said later', { conversation_id: id });
      await owner.patch(`${URL_V1}/${id}`, { title: 'Renamed later' });
      const answer = await open(reader, made.token);
      expect(answer.headers.get('x-robots-tag')).toContain('noindex');
      expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.json()).toEqual({
        title: 'When is the lamp trimmed?',
        audience: 'tenant',
        shared_at: expect.any(String),
        expires_at: made.expires_at,
        messages: [
          {
            role: 'user',
            content: 'When is the lamp trimmed?',
            agent_name: null,
            citations: [],
            attachments: [],
            finish_reason: null,
            created_at: expect.any(String),
          },
          {
            role: 'assistant',
            content: 'The lamp is trimmed at dusk.',
            agent_name: 'Zeus',
            citations: [],
            attachments: [],
            finish_reason: 'stop',
            created_at: expect.any(String),
          },
        ],
      });
    },
  );

  it(req('SHARE-01', 'shows one branch up to a message, whichever is active later'), async () => {
    const first = await say(owner, 'One');
    const id = first.conversation_id;
    await say(owner, 'Two', { conversation_id: id });
    const part = await shared(owner, id, { audience: 'tenant', up_to_message_id: first.id });
    const whole = await shared(owner, id);
    const other = await owner.post('/api/v1/chat', {
      message: 'Other',
      conversation_id: id,
      parent_message_id: null,
      context: zeus,
    });
    expect(other.status).toBe(200);
    const said = (view: View) => view.messages.filter((m) => m.role === 'user').map((m) => m.content);
    expect(said(viewOf(await open(reader, part.token)))).toEqual(['One']);
    expect(said(viewOf(await open(reader, whole.token)))).toEqual(['One', 'Two']);
    const now = await shared(owner, id);
    expect(said(viewOf(await open(reader, now.token)))).toEqual(['Other']);
  });

  it(req('SHARE-01', 'names only documents that its reader can read, and never their words'), async () => {
    const text = 'The lamp of the north tower is trimmed at dusk by the keeper.';
    const make = async (title: string, visibility: string) => {
      const content = `${title}. ${text}`;
      const made = await owner.post('/api/v1/knowledge/documents', { title, content, visibility });
      expect(made.status, made.text).toBe(201);
      return made.json<{ id: string }>().id;
    };
    const mine = await make('Private ledger', 'private');
    const ours = await make('House rules', 'tenant');
    provider.always({ text: 'At dusk [1] [2].' });
    const { conversation_id: id } = await say(owner, 'When is the lamp of the north tower trimmed?', {
      context: { agent_id: 'athena' },
      attachments: [{ document_id: mine }, { document_id: ours }],
    });
    const { token } = await shared(owner, id, { audience: 'link' });
    const seen = async (answer: Promise<Answer>) => {
      const got = await answer;
      const { messages } = viewOf(got);
      expect(got.text).not.toContain('by the keeper');
      return { attached: messages[0]?.attachments, cited: messages[1]?.citations.map((one) => one.title) };
    };
    const own = await seen(open(owner, token));
    expect(own.attached).toEqual(['Private ledger', 'House rules']);
    expect(own.cited?.toSorted()).toEqual(['House rules', 'Private ledger']);
    const colleague = await seen(open(reader, token));
    expect(colleague.attached).toEqual([null, 'House rules']);
    expect(colleague.cited).toHaveLength(2);
    expect(colleague.cited).toEqual(expect.arrayContaining([null, 'House rules']));
    const reads = await seen(open(admin, token));
    expect(reads.attached).toEqual(['Private ledger', 'House rules']);
    const stranger = await seen(openPublic(token));
    expect(stranger).toEqual({ attached: [null, null], cited: [null, null] });
  });

  it(req('SHARE-02', 'of the tenant is nothing to those outside of it, nor without a sign-in'), async () => {
    const { conversation_id: id } = await say(owner, 'Ours');
    const { token } = await shared(owner, id);
    const made = await admin.post('/v2/tenants', {
      name: 'Other',
      slug: 'share-other',
      admin: { email: 'boss@other.test', password: 'a long enough password' },
    });
    expect(made.status, made.text).toBe(201);
    const foreign = await server.signIn('boss@other.test', 'a long enough password');
    const nothing = 'A'.repeat(43);
    const unlike = (answer: Answer) => {
      expectErrorA(answer, 404, 'NOT_FOUND');
      return answer.json<{ error: { message: string } }>().error.message;
    };
    expect(unlike(await open(foreign, token))).toBe(unlike(await open(foreign, nothing)));
    expect(unlike(await openPublic(token))).toBe(unlike(await openPublic(nothing)));
    expect((await server.anonymous().get(`/api/v1/shares/${token}`)).status).toBe(401);
    const link = await shared(owner, id, { audience: 'link' });
    expectErrorA(await open(foreign, link.token), 404, 'NOT_FOUND');
    viewOf(await openPublic(link.token));
  });

  it(req('SHARE-02', 'is made, listed and ended by its own person alone'), async () => {
    const { conversation_id: id } = await say(owner, 'Mine');
    const made = await shared(owner, id);
    for (const stranger of [reader, admin]) {
      expectErrorA(await share(stranger, id), 404, 'NOT_FOUND');
      expectErrorA(await stranger.get(`${URL_V1}/${id}/shares`), 404, 'NOT_FOUND');
      expectErrorA(await stranger.delete(`${URL_V1}/${id}/shares/${made.id}`), 404, 'NOT_FOUND');
    }
    const listed = await owner.get(`${URL_V1}/${id}/shares`);
    expect(listed.json()).toMatchObject({ total: 1, items: [{ id: made.id, audience: 'tenant' }] });
    expect(listed.text).not.toContain(made.token);
    viewOf(await open(reader, made.token));
  });

  it(req('SHARE-03', 'that is revoked is read no more, and each act is in the audit'), async () => {
    const { conversation_id: id } = await say(owner, 'Once');
    const made = await shared(owner, id, { audience: 'link' });
    viewOf(await open(reader, made.token));
    viewOf(await open(reader, made.token));
    viewOf(await openPublic(made.token));
    const revoked = await owner.delete(`${URL_V1}/${id}/shares/${made.id}`);
    expect(revoked.status, revoked.text).toBe(204);
    expectErrorA(await open(reader, made.token), 404, 'NOT_FOUND');
    expectErrorA(await openPublic(made.token), 404, 'NOT_FOUND');
    expectErrorA(await owner.delete(`${URL_V1}/${id}/shares/${made.id}`), 404, 'NOT_FOUND');
    const of = async (action: string) =>
      (await audited(action)).filter((row) => row.target_id === made.id).map((row) => row.actor_id);
    expect(await of('share.created')).toEqual([owner.id]);
    expect((await of('share.opened')).toSorted()).toEqual([reader.id, null].toSorted());
    expect(await of('share.revoked')).toEqual([owner.id]);
    expect(JSON.stringify(server.log)).not.toContain(made.token);
  });

  it(
    req('SHARE-03', 'that is revoked while many read it is read by nobody who asks afterwards'),
    async () => {
      const { conversation_id: id } = await say(owner, 'Race');
      const made = await shared(owner, id);
      const before = Array.from({ length: 20 }, () => open(reader, made.token));
      const revoked = await owner.delete(`${URL_V1}/${id}/shares/${made.id}`);
      expect(revoked.status).toBe(204);
      const after = await Promise.all(Array.from({ length: 20 }, () => open(reader, made.token)));
      expect(new Set(after.map(({ status }) => status))).toEqual(new Set([404]));
      for (const { status } of await Promise.all(before)) expect([200, 404]).toContain(status);
    },
  );

  it(req('SHARE-01', 'is made or not, whatever happens to the conversation at that moment'), async () => {
    const { conversation_id: id } = await say(owner, 'Gone in a moment');
    const many = () => Array.from({ length: 8 }, () => share(owner, id));
    const sent = await Promise.all([...many(), owner.delete(`${URL_V1}/${id}?permanent=true`), ...many()]);
    for (const { status } of sent) expect([201, 204, 404]).toContain(status);
    const { conversation_id: crowded } = await say(owner, 'Of many');
    const made = await Promise.all(Array.from({ length: 110 }, () => share(owner, crowded)));
    expect(made.filter(({ status }) => status === 201)).toHaveLength(100);
    expect(made.filter(({ status }) => status === 409)).toHaveLength(10);
  });

  it(req('SHARE-03', 'ends when it said it would, and not later than the operator lets it'), async () => {
    const { conversation_id: id } = await say(owner, 'For a while');
    const at = (ms: number) => new Date(Date.now() + ms).toISOString();
    const short = await shared(owner, id, { audience: 'tenant', expires_at: at(4_000) });
    viewOf(await open(reader, short.token));
    await expect.poll(async () => (await open(reader, short.token)).status, { timeout: 60_000 }).toBe(404);
    expect((await owner.get(`${URL_V1}/${id}/shares`)).json()).toMatchObject({ total: 0 });
    for (const expires of [at(-1_000), at(91 * DAY_MS), `${at(DAY_MS).slice(0, 10)}T23:59:60Z`]) {
      const refused = await share(owner, id, { audience: 'tenant', expires_at: expires });
      expect(fieldsOf(expectErrorA(refused, 422, 'VALIDATION_ERROR'))).toEqual(['/expires_at']);
    }
    const plain = await shared(owner, id);
    expect(Date.parse(plain.expires_at) - Date.now()).toBeLessThanOrEqual(30 * DAY_MS);
  });

  it(
    req('SHARE-04', 'is gone with its conversation, and a fork or an archived one has what it had'),
    async () => {
      const said = await say(owner, 'To go');
      const id = said.conversation_id;
      const { token } = await shared(owner, id);
      const fork = await owner.post(`${URL_V1}/${id}/fork`, { message_id: said.id });
      const forked = fork.json<{ id: string }>().id;
      expect((await owner.get(`${URL_V1}/${forked}/shares`)).json()).toMatchObject({ total: 0 });
      const ofFork = await shared(owner, forked);
      expect((await owner.delete(`${URL_V1}/${id}`)).status).toBe(204);
      viewOf(await open(reader, token));
      expect((await owner.delete(`${URL_V1}/${id}?permanent=true`)).status).toBe(204);
      expectErrorA(await open(reader, token), 404, 'NOT_FOUND');
      viewOf(await open(reader, ofFork.token));
    },
  );

  it(req('SHARE-04', 'is closed with the account of its person, and gone with their data'), async () => {
    const leaver = await newPerson(server, admin);
    const { conversation_id: id } = await say(leaver, 'Farewell');
    const { token } = await shared(leaver, id, { audience: 'link' });
    viewOf(await openPublic(token));
    expect((await admin.patch(`/v2/users/${leaver.id}`, { status: 'deactivated' })).status).toBe(200);
    expectErrorA(await openPublic(token), 404, 'NOT_FOUND');
    expect((await admin.patch(`/v2/users/${leaver.id}`, { status: 'active' })).status).toBe(200);
    viewOf(await openPublic(token));
    expect((await admin.patch(`/v2/users/${leaver.id}`, { status: 'deactivated' })).status).toBe(200);
    expect((await admin.delete(`/v2/users/${leaver.id}/data`)).status).toBeLessThan(300);
    await admin.patch(`/v2/users/${leaver.id}`, { status: 'active' });
    expectErrorA(await openPublic(token), 404, 'NOT_FOUND');
  });

  it(req('SHARE-04', 'is closed with its tenant, and stands in what its person is handed out'), async () => {
    const made = await admin.post('/v2/tenants', {
      name: 'Closing',
      slug: 'share-closing',
      admin: { email: 'boss@closing.test', password: 'a long enough password' },
    });
    const tenant = made.json<{ id: string }>().id;
    const boss = await server.signIn('boss@closing.test', 'a long enough password');
    const { conversation_id: id } = await say(boss, 'Closing soon');
    const { id: shareId, token } = await shared(boss, id, { audience: 'link' });
    viewOf(await openPublic(token));
    const me = (await boss.get('/v2/users/me')).json<{ id: string }>().id;
    const exported = await boss.get(`/v2/users/${me}/export`);
    expect(exported.status, exported.text).toBe(200);
    expect(exported.text).toContain(shareId);
    expect(exported.text).not.toContain(token);
    expect((await admin.patch(`/v2/tenants/${tenant}`, { status: 'suspended' })).status).toBe(200);
    expectErrorA(await openPublic(token), 404, 'NOT_FOUND');
    expect((await admin.patch(`/v2/tenants/${tenant}`, { status: 'active' })).status).toBe(200);
    viewOf(await openPublic(token));
  });

  it(req('SHARE-03', 'made under an Idempotency-Key shows its secret once'), async () => {
    const { conversation_id: id } = await say(owner, 'Once only');
    const again = () =>
      owner.post(
        `${URL_V1}/${id}/shares`,
        { audience: 'tenant' },
        { headers: { 'idempotency-key': 'share-once' } },
      );
    const first = (await again()).json<Shared>();
    const replay = await again();
    expect(replay.json()).toMatchObject({ id: first.id, secret_withheld: true });
    expect(replay.text).not.toContain(first.token);
    expect((await owner.get(`${URL_V1}/${id}/shares`)).json()).toMatchObject({ total: 1 });
  });

  it(req('SHARE-01', 'has to have something to show, all of it said'), async () => {
    const empty = (await owner.post(URL_V1, {})).json<{ id: string }>().id;
    expectErrorA(await share(owner, empty), 422, 'VALIDATION_ERROR');
    const other = await say(owner, 'Elsewhere');
    const { conversation_id: id } = await say(owner, 'Here');
    const foreign = { audience: 'tenant', up_to_message_id: other.id };
    expectErrorA(await share(owner, id, foreign), 404, 'NOT_FOUND');
    const gate = Promise.withResolvers<void>();
    provider.always({ text: 'late', hold: gate.promise });
    const stream = await owner.stream('/api/v1/chat/stream', {
      message: 'wait',
      conversation_id: id,
      context: zeus,
    });
    await stream.until('run.started');
    const asked = await share(owner, id);
    gate.resolve();
    await stream.rest();
    expect([201, 409]).toContain(asked.status);
    if (asked.status === 201) {
      const { messages } = viewOf(await open(reader, asked.json<Shared>().token));
      expect(JSON.stringify(messages)).not.toContain('late');
    }
  });

  it(req('SHARE-05', 'by a link needs the operator’s word, and closes when it is taken back'), async () => {
    const { conversation_id: id } = await say(owner, 'By link');
    const { token } = await shared(owner, id, { audience: 'link' });
    const within = await shared(owner, id);
    viewOf(await openPublic(token));
    await server.end('SIGTERM');
    await server.start({ SHARE_LINKS: 'off' });
    const again = await server.signIn(owner.email, owner.password);
    const colleague = await server.signIn(reader.email, reader.password);
    expectErrorA(await openPublic(token), 404, 'NOT_FOUND');
    expectErrorA(await open(colleague, token), 404, 'NOT_FOUND');
    viewOf(await open(colleague, within.token));
    const refused = await share(again, id, { audience: 'link' });
    expect(expectErrorA(refused, 403, 'FORBIDDEN').message).toContain('SHARE_LINKS');
  });
});
