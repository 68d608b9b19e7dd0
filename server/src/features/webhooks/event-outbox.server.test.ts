import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { req } from '../../../test/requirements.ts';
import type { Client } from '../../../test/support/client.ts';
import { startReceiver } from '../../../test/support/receiver.ts';
import { startServer, type TestServer } from '../../../test/support/server.ts';

/** What webhooks hear of changes over the real door: whose request it was, and nothing lost when the server dies. */
let server: TestServer;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
let admin: Client;

const EVENTS = [
  'message.created',
  'conversation.completed',
  'document.indexed',
  'user.created',
  'proposal.created',
  'proposal.decided',
];

beforeAll(async () => {
  receiver = await startReceiver((response) => response.end());
  server = await startServer({ env: { WEBHOOK_ALLOW_PRIVATE: 'on' } });
  admin = await server.signIn();
  const hook = await admin.post('/api/v1/webhooks', { url: receiver.url, events: EVENTS });
  expect(hook.status, hook.text).toBe(201);
}, 120_000);
afterAll(async () => {
  await server?.close();
  await receiver?.close();
});

/** What the receiver got, each delivery once: a try whose answer was lost comes again with the same id. */
const told = (): string[] => {
  const once = new Map(
    receiver.received.map(({ headers, body }) => {
      const { event } = JSON.parse(body) as { event: string };
      return [String(headers['webhook-id']), `${event} ${headers['x-request-id']}`];
    }),
  );
  return [...once.values()].sort();
};

/** Requests that change something, each under a name of its own. */
const change = async (names: readonly string[]): Promise<void> => {
  const headers = (id: string) => ({ headers: { 'x-request-id': id } });
  const answers = await Promise.all(
    names.flatMap((n) => [
      admin.post(
        '/v2/knowledge/documents',
        { title: n, content: `The lamp of ${n}.` },
        headers(`document-${n}`),
      ),
      admin.post('/v2/users', { email: `${n}@example.test` }, headers(`user-${n}`)),
      admin.post('/v2/governance/proposals', { action: n, estimated_cost: 1 }, headers(`proposal-${n}`)),
      admin.post('/v2/chat', { message: n, context: { agent_id: 'zeus' } }, headers(`chat-${n}`)),
    ]),
  );
  for (const answer of answers) expect([200, 201], answer.text).toContain(answer.status);
};

const following = (names: readonly string[]): string[] =>
  names
    .flatMap((n) => [
      `document.indexed document-${n}`,
      `user.created user-${n}`,
      `proposal.created proposal-${n}`,
      `proposal.decided proposal-${n}`,
      `message.created chat-${n}`,
      `message.created chat-${n}`,
      `conversation.completed chat-${n}`,
    ])
    .sort();

describe('webhook deliveries', () => {
  it(req('HOOK-07', 'carry the X-Request-ID of the request that led to them'), {
    timeout: 120_000,
  }, async () => {
    await change(['first']);
    await expect.poll(told, { timeout: 90_000 }).toEqual(following(['first']));
  });

  it(req('HOOK-06', 'of what was acknowledged arrive though the server is killed at once'), {
    timeout: 170_000,
  }, async () => {
    const names = ['one', 'two', 'three', 'four', 'five'];
    await change(names);
    expect(await server.end('SIGKILL')).toBeNull();
    await server.start();
    await expect.poll(told, { timeout: 110_000 }).toEqual(following(['first', ...names]));
  });
});
