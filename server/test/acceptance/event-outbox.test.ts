import { afterEach, describe, expect, it } from 'vitest';
import { req } from '../requirements.ts';
import type { Client } from '../support/client.ts';
import { type Received, startReceiver } from '../support/receiver.ts';
import { startServer, type TestServer } from '../support/server.ts';

/** What webhooks hear of changes over the real door: whose request it was, and nothing lost when the server dies. */
let server: TestServer | null = null;
let receiver: Awaited<ReturnType<typeof startReceiver>> | null = null;
afterEach(async () => {
  await server?.close();
  await receiver?.close();
  server = null;
  receiver = null;
});

const EVENTS = ['message.created', 'conversation.completed', 'document.indexed', 'user.created'];

const house = async (): Promise<{ srv: TestServer; admin: Client; received: Received[] }> => {
  receiver = await startReceiver((response) => response.end());
  server = await startServer({ env: { WEBHOOK_ALLOW_PRIVATE: 'on' } });
  const admin = await server.signIn();
  const events = [...EVENTS, 'proposal.created', 'proposal.decided'];
  expect((await admin.post('/api/v1/webhooks', { url: receiver.url, events })).status).toBe(201);
  return { srv: server, admin, received: receiver.received };
};

const told = (received: readonly Received[]): { event: string; id: string; requestId: string }[] =>
  received.map(({ headers, body }) => ({
    event: (JSON.parse(body) as { event: string }).event,
    id: String(headers['webhook-id']),
    requestId: String(headers['x-request-id']),
  }));

const changes = (admin: Client, n: string) => {
  const headers = (what: string) => ({ headers: { 'x-request-id': `${what}-${n}` } });
  return [
    admin.post('/v2/knowledge/documents', { title: n, content: `The lamp of ${n}.` }, headers('document')),
    admin.post('/v2/users', { email: `${n}@example.test` }, headers('user')),
    admin.post('/v2/governance/proposals', { action: n, estimated_cost: 1 }, headers('proposal')),
    admin.post('/v2/chat', { message: `Hello ${n}`, context: { agent_id: 'zeus' } }, headers('chat')),
  ];
};

/** Of each `changes`. */
const FOLLOWING = [
  'document.indexed document',
  'user.created user',
  'proposal.created proposal',
  'proposal.decided proposal',
  'message.created chat',
  'message.created chat',
  'conversation.completed chat',
];

describe('webhook deliveries', () => {
  it(req('HOOK-07', 'carry the X-Request-ID of the request that led to them'), async () => {
    const { admin, received } = await house();
    for (const answer of await Promise.all(changes(admin, 'one'))) {
      expect([200, 201], answer.text).toContain(answer.status);
    }
    const seen = () => told(received).map(({ event, requestId }) => `${event} ${requestId}`);
    await expect
      .poll(() => seen().sort(), { timeout: 20_000 })
      .toEqual(FOLLOWING.map((line) => `${line}-one`).sort());
  });

  it(req('HOOK-06', 'of what was acknowledged arrive though the server is killed at once'), {
    timeout: 120_000,
  }, async () => {
    const { srv, admin, received } = await house();
    const expected: string[] = [];
    for (let round = 0; round < 4; round += 1) {
      const names = [0, 1, 2, 3].map((n) => `r${round}n${n}`);
      const answers = names.flatMap((name) => changes(admin, name));
      for (const answer of await Promise.all(answers))
        expect([200, 201], answer.text).toContain(answer.status);
      expect(await srv.end('SIGKILL')).toBeNull();
      expected.push(...names.flatMap((name) => FOLLOWING.map((line) => `${line}-${name}`)));
      await srv.start();
    }
    const seen = () => {
      const once = new Map(told(received).map(({ id, event, requestId }) => [id, `${event} ${requestId}`]));
      return [...once.values()].sort();
    };
    await expect.poll(seen, { timeout: 60_000 }).toEqual(expected.sort());
  });
});
