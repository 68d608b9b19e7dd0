import { afterEach, beforeEach, describe, expect } from 'vitest';
import { req } from '../../../test/requirements.ts';
import type { Client } from '../../../test/support/client.ts';
import type { TestProvider, TestRequest } from '../../../test/support/provider.ts';
import { withWorld } from '../../../test/support/suite.ts';

/** One bad turn must not make the later ones fail: a provider that refuses what the strictest do, and turns of every kind. */

let provider: TestProvider;
let admin: Client;

const it = withWorld({
  provider: { strict: true },
  env: {
    MODEL: 'compatible/test',
    MCP_BUILTIN: 'on',
    HISTORY_TOKENS: '300',
  },
});
it.beforeAll(({ world }) => {
  ({ provider, admin } = world);
});
beforeEach(() => provider.reset());
afterEach(() => expect(provider.refusals).toEqual([]));

interface ChatAnswer {
  content: string;
  conversation_id: string;
  tool_calls: { status: string }[];
}
const say = (message: string, conversationId?: string, agent = 'zeus') => ({
  message,
  context: { agent_id: agent },
  ...(conversationId === undefined ? {} : { conversation_id: conversationId }),
});
const startOf = (events: readonly { data: unknown }[]) =>
  (events[0] ?? { data: null }).data as { run_id: string; conversation_id: string };
const lastOf = (request: TestRequest): string =>
  String(request.body.messages?.at(-1)?.content).split('\n').at(-1) ?? '';
const sent = (): { role: string; content: string }[] =>
  (provider.requests.at(-1)?.body.messages ?? []).map(({ role, content }) => ({
    role,
    content: String(content),
  }));
/** The next turn of the conversation is answered. */
const goesOn = async (conversationId: string): Promise<void> => {
  provider.always({ text: 'Here I am.' });
  const answer = await admin.post('/api/v1/chat', say('And now?', conversationId));
  expect(answer.status, answer.text).toBe(200);
  expect(answer.json<ChatAnswer>().content).toBe('Here I am.');
};

describe(req('PROV-01', 'the turn after'), () => {
  it('a run that was stopped before its first word', async () => {
    provider.always({ hangAfter: 0 });
    const stream = await admin.stream('/api/v1/chat/stream', say('one'));
    const { run_id, conversation_id } = startOf(await stream.until('run.started'));
    await provider.seen(1);
    expect((await admin.post(`/api/v1/chat/runs/${run_id}/cancel`)).status).toBe(202);
    await stream.rest();
    await goesOn(conversation_id);
    await goesOn(conversation_id);
  });

  it('a run that failed before its first word', async () => {
    provider.always({ error: { status: 400 } });
    const stream = await admin.stream('/api/v1/chat/stream', say('one'));
    const { conversation_id } = startOf(await stream.until('run.started'));
    expect((await stream.rest()).at(-1)?.event).toBe('error');
    await goesOn(conversation_id);
    expect(sent().filter((message) => message.role === 'user')).toHaveLength(1);
  });

  it('an answer of blanks, which is none', async () => {
    provider.always({ text: 'First.' });
    const first = (await admin.post('/api/v1/chat', say('one'))).json<ChatAnswer>();
    provider.always({ text: ' \n\t ' });
    expect((await admin.post('/api/v1/chat', say('two', first.conversation_id))).status).toBe(502);
    await goesOn(first.conversation_id);
  });

  it('a run with tools whose ids and names no provider takes', async () => {
    const args = JSON.stringify({ timezone: 'UTC' });
    provider.script(
      { toolCalls: [{ id: 'call_1', name: 'time__get_current_time', arguments: args }], text: '  ' },
      { toolCalls: [{ id: 'call_1', name: 'no such tool!', arguments: '{"broken' }] },
      { text: 'It is noon.' },
    );
    const answer = await admin.post('/api/v1/chat', say('What time is it?', undefined, 'hephaestus'));
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json<ChatAnswer>().tool_calls.map((call) => call.status)).toEqual(['completed', 'failed']);
    await goesOn(answer.json<ChatAnswer>().conversation_id);
  });

  it('an imported history that begins with an answer, has blanks and questions in a row', async () => {
    const turn = (id: string, parentId: string | null, role: string, content: string) => [
      id,
      { id, parentId, role, content, timestamp: 1_750_000_000 },
    ];
    const messages = Object.fromEntries([
      turn('a', null, 'assistant', 'Welcome!'),
      turn('b', 'a', 'user', 'First?'),
      turn('c', 'b', 'user', 'Second?'),
      turn('d', 'c', 'assistant', '   '),
      turn('e', 'd', 'assistant', 'Both.'),
    ]);
    const conversation = {
      id: 'chat-1',
      title: 'Odd',
      created_at: 1_750_000_000,
      chat: { history: { messages, currentId: 'e' } },
    };
    const imported = await admin.post('/v2/conversations/import', { conversations: [conversation] });
    const [id = ''] = imported.json<{ conversation_ids: string[] }>().conversation_ids;
    expect(id, imported.text).not.toBe('');
    await goesOn(id);
  });

  it('many turns of which some are empty, when the oldest have become a summary', async () => {
    const words = 'tides come and go with the moon, and the harbour follows them all day long '.repeat(4);
    provider.always({ text: words });
    const { conversation_id: id } = (await admin.post('/api/v1/chat', say(words))).json<ChatAnswer>();
    for (let i = 0; i < 6; i++) {
      provider.always(i % 2 === 0 ? { error: { status: 400 } } : { text: words });
      await admin.post('/api/v1/chat', say(`${i} ${words}`, id));
    }
    await goesOn(id);
    expect(sent().some((message) => message.content.includes('<earlier>'))).toBe(true);
  });
});

describe(req('PROV-01', 'the /v1 door'), () => {
  const ask = (messages: unknown[], more: Record<string, unknown> = {}) =>
    admin.post('/v1/chat/completions', { model: 'pentarch/zeus', messages, ...more });
  const call = { id: 'weather-of-lisbon', type: 'function', function: { name: 'weather', arguments: '{}' } };
  const TOOLS = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }];

  it('takes any order of its clients, their calls with and without tools', async () => {
    provider.always((request) => ({ text: `Answer to ${lastOf(request)}` }));
    const user = (content: string) => ({ role: 'user', content });
    const histories: unknown[][] = [
      [user('one'), user('two')],
      [{ role: 'assistant', content: 'Hello' }, user('one')],
      [user('one'), { role: 'assistant', content: ' ' }, user('two')],
      [
        { role: 'system', content: 'Be brief' },
        user('one'),
        { role: 'system', content: 'Be kind' },
        user('two'),
      ],
      [
        user('one'),
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: call.id, content: '' },
      ],
      [
        user('one'),
        { role: 'assistant', content: '', tool_calls: [call] },
        { role: 'tool', tool_call_id: call.id, content: 'Sun' },
        user('two'),
      ],
      [
        user('one'),
        { role: 'assistant', content: '', tool_calls: [call] },
        { role: 'tool', tool_call_id: call.id, content: 'Sun' },
        { role: 'assistant', content: 'Sunny' },
        user('two'),
      ],
    ];
    for (const messages of histories) {
      for (const more of [{}, { tools: TOOLS }]) {
        const answer = await ask(messages, more);
        expect([answer.status, answer.text.slice(0, 200)], JSON.stringify(messages)).toEqual([
          200,
          expect.any(String),
        ]);
      }
    }
  });
});
