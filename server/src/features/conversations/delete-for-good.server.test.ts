import { describe, expect } from 'vitest';
import { req } from '../../../test/requirements.ts';
import type { Answer, Client } from '../../../test/support/client.ts';
import type { TestProvider } from '../../../test/support/provider.ts';
import type { TestServer } from '../../../test/support/server.ts';
import { expectErrorA, newPerson } from '../../../test/support/shapes.ts';
import { withWorld } from '../../../test/support/suite.ts';

/** Conversations that are deleted for good: nothing of them is read, found or counted, but what they have cost. */

const URL_V1 = '/api/v1/conversations';
const NO_SUCH_ID = '01890000-0000-7000-8000-000000000000';

interface Reply {
  id: string;
  conversation_id: string;
  run_id: string;
}

let server: TestServer;
let provider: TestProvider;
let admin: Client;

const it = withWorld();
it.beforeAll(({ world }) => {
  ({ provider, server, admin } = world);
});

const say = async (client: Client, message: string): Promise<Reply> => {
  const answer = await client.post('/api/v1/chat', { message, context: { agent_id: 'zeus' } });
  expect(answer.status, answer.text).toBe(200);
  return answer.json<Reply>();
};
const forGood = (client: Client, id: string): Promise<Answer> =>
  client.delete(`${URL_V1}/${id}?permanent=true`);
const total = async (client: Client, query = ''): Promise<number> =>
  (await client.get(`${URL_V1}${query}`)).json<{ total: number }>().total;
const deletions = async (): Promise<(string | null)[]> => {
  const answer = await admin.get('/v2/audit?action=conversation.deleted&limit=100');
  return answer.json<{ items: { target_id: string | null }[] }>().items.map((item) => item.target_id);
};

describe('deleting for good', () => {
  it(req('CONV-11', 'leaves nothing but the ledger, archived or not'), async () => {
    const person = await newPerson(server, admin);
    const one = await say(person, 'quicksilver');
    const other = await say(person, 'amber');
    await person.post(`/api/v1/messages/${one.id}/feedback`, { rating: 'up' });
    expect((await person.delete(`${URL_V1}/${other.conversation_id}`)).status).toBe(204);
    for (const { conversation_id: id, run_id: run } of [one, other]) {
      const gone = await forGood(person, id);
      expect(gone.status, gone.text).toBe(204);
      expectErrorA(await person.get(`${URL_V1}/${id}`), 404, 'NOT_FOUND');
      expectErrorA(await person.get(`/api/v1/chat/runs/${run}`), 404, 'NOT_FOUND');
      expectErrorA(await forGood(person, id), 404, 'NOT_FOUND');
    }
    expect(await total(person)).toBe(0);
    expect(await total(person, '?status=archived')).toBe(0);
    expect(await total(person, '?q=quicksilver')).toBe(0);
    const usage = (await person.get('/api/v1/costs/usage?period=day')).json<{ total_usd: number }>();
    expect(usage.total_usd).toBeGreaterThan(0);
    expect(await deletions()).toEqual(expect.arrayContaining([one.conversation_id, other.conversation_id]));
  });

  it(req('CONV-11', 'refuses while a run has not ended, and what is another’s'), async () => {
    const person = await newPerson(server, admin);
    const gate = Promise.withResolvers<void>();
    provider.always(() => ({ text: 'late', hold: gate.promise }));
    const id = (await person.post(URL_V1, {})).json<{ id: string }>().id;
    const stream = await person.stream('/api/v1/chat/stream', {
      message: 'wait',
      conversation_id: id,
      context: { agent_id: 'zeus' },
    });
    await stream.until('run.started');
    expectErrorA(await forGood(person, id), 409, 'CONFLICT');
    expectErrorA(await forGood(admin, id), 404, 'NOT_FOUND');
    gate.resolve();
    await stream.rest();
    provider.reset();
    expect((await forGood(person, id)).status).toBe(204);
  });

  it(req('CONV-11', 'takes many at once, each by itself'), async () => {
    const person = await newPerson(server, admin);
    const made = await Promise.all(['a', 'b', 'c'].map((word) => say(person, word)));
    const strange = await say(admin, 'mine');
    const ids = made.slice(0, 2).map((one) => one.conversation_id);
    const answer = await person.post(`${URL_V1}/delete`, {
      ids: [...ids, strange.conversation_id, NO_SUCH_ID],
    });
    expect(answer.status, answer.text).toBe(200);
    const report = answer.json<{ deleted: string[]; failed: unknown[] }>();
    expect([...report.deleted].sort()).toEqual([...ids].sort());
    expect(report.failed).toEqual([
      { id: strange.conversation_id, code: 'NOT_FOUND' },
      { id: NO_SUCH_ID, code: 'NOT_FOUND' },
    ]);
    expect(await total(person)).toBe(1);
    const noted = await deletions();
    expect(noted).toEqual(expect.arrayContaining(ids));
    const count = noted.length;
    await person.post(`${URL_V1}/delete`, { ids: [NO_SUCH_ID] });
    expect(await deletions()).toHaveLength(count);
    expectErrorA(await person.post(`${URL_V1}/delete`, { ids: [] }), 422, 'VALIDATION_ERROR');
  });
});
