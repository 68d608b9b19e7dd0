import { describe, expect } from 'vitest';
import { req } from '../requirements.ts';
import type { Client } from '../support/client.ts';
import type { TestProvider } from '../support/provider.ts';
import type { TestServer } from '../support/server.ts';
import { withWorld } from '../support/suite.ts';

/** What is kept of a person, handed out and erased: on a real server, with a run that is going on meanwhile. */

const PASSWORD = 'a long password of a person';
const SECRET = 'wombat seventy-seven';

let server: TestServer;
let provider: TestProvider;
let admin: Client;
let count = 0;

const it = withWorld({ env: { MCP_BUILTIN: 'on' } });
it.beforeAll(({ world }) => {
  ({ provider, server, admin } = world);
});

const makePerson = async (): Promise<{ id: string; client: Client }> => {
  count += 1;
  const email = `kept${count}@example.test`;
  const made = await admin.post('/v2/users', { email, password: PASSWORD });
  expect(made.status, made.text).toBe(201);
  return { id: made.json<{ id: string }>().id, client: await server.signIn(email, PASSWORD) };
};

interface Exported {
  data: {
    conversations: { feedback: { comment: string | null }[] }[];
    proposals: { proposals: { action: string }[]; votes: { reason: string }[] };
    files: { path: string; content: string }[];
  };
}

describe('the data of a person', () => {
  it(
    req('DATA-01', 'holds proposals, votes, feedback and files, and is gone after the erasure'),
    async () => {
      const { id, client } = await makePerson();
      const other = await makePerson();
      await admin.patch(`/v2/users/${id}`, { roles: ['operator'] });
      const asked = await client.post('/v2/governance/proposals', {
        action: `Buy for ${SECRET}`,
        description: SECRET,
        estimated_cost: 500,
      });
      expect(asked.status, asked.text).toBe(201);
      const proposalId = asked.json<{ id: string }>().id;
      const theirs = await other.client.post('/v2/governance/proposals', {
        action: 'Paper',
        estimated_cost: 500,
      });
      const votedOn = theirs.json<{ id: string }>().id;
      const vote = await client.post(`/v2/governance/proposals/${votedOn}/vote`, {
        vote: 'abstain',
        reason: SECRET,
      });
      expect(vote.status, vote.text).toBe(200);
      const written = await client.post('/v2/mcp/files/call', {
        tool: 'write_file',
        arguments: { path: 'notes/own.txt', content: SECRET },
      });
      expect(written.status, written.text).toBe(200);
      provider.script({ text: 'Noted.' });
      const chat = (
        await client.post('/v2/chat', { message: SECRET, context: { agent_id: 'hestia' } })
      ).json<{
        id: string;
      }>();
      await client.post(`/v2/messages/${chat.id}/feedback`, { rating: 'down', comment: SECRET });
      // Whoever decides was told of it, in words that are the person's.
      const inbox = async (): Promise<string> => (await admin.get('/v2/notifications')).text;
      await expect.poll(inbox).toContain(SECRET);

      const { data } = (await client.get(`/v2/users/${id}/export`)).json<Exported>();
      expect(data.proposals.proposals.map((one) => one.action)).toEqual([`Buy for ${SECRET}`]);
      expect(data.proposals.votes.map((one) => one.reason)).toEqual([SECRET]);
      expect(data.files).toMatchObject([{ path: 'notes/own.txt', content: SECRET }]);
      expect(data.conversations[0]?.feedback).toMatchObject([{ rating: 'down', comment: SECRET }]);

      const erased = await admin.delete(`/v2/users/${id}/data`);
      expect(erased.status, erased.text).toBe(200);
      expect(erased.json()).toMatchObject({ erased: { proposals: 1, files: 1, conversations: 1 } });
      expect((await admin.get(`/v2/users/${id}/export`)).text).not.toContain(SECRET);
      const left = await admin.get(`/v2/governance/proposals/${proposalId}`);
      expect(left.json()).toMatchObject({ action: 'Erased', description: '', status: 'cancelled' });
      expect((await admin.get(`/v2/governance/proposals/${votedOn}`)).text).not.toContain(SECRET);
      expect(await inbox()).not.toContain(SECRET);
      expect((await admin.get('/v2/audit/verify')).json()).toMatchObject({ ok: true });
    },
  );

  it(req('DATA-01', 'is not written on by a run that was going on'), async () => {
    const { id, client } = await makePerson();
    const held = Promise.withResolvers<void>();
    provider.script({ chunks: ['At', ' last.'], hold: held.promise });
    const answer = client.post('/v2/chat', { message: SECRET, context: { agent_id: 'hestia' } });
    await expect
      .poll(async () => (await client.get('/v2/conversations')).json<{ total: number }>().total)
      .toBe(1);
    expect((await admin.delete(`/v2/users/${id}/data`)).status).toBe(200);
    held.resolve();
    // Stopped, not failed: its end is told to whoever waits.
    expect((await answer).json()).toMatchObject({ finish_reason: 'cancelled' });
    expect((await client.get('/v2/conversations')).json()).toMatchObject({ total: 0 });
  });
});
