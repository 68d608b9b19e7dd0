import { beforeEach, describe, expect } from 'vitest';
import { req } from '../../../test/requirements.ts';
import type { Client, SseEvent } from '../../../test/support/client.ts';
import type { TestProvider, TestRequest } from '../../../test/support/provider.ts';
import type { TestServer } from '../../../test/support/server.ts';
import { newPerson } from '../../../test/support/shapes.ts';
import { withWorld } from '../../../test/support/suite.ts';

/** What goes wrong between a client, the platform and a provider, and what has to stand in the store afterwards. */

interface ToolCall {
  name: string;
  status: string;
  arguments: Record<string, unknown>;
  error: string | null;
}
interface ChatAnswer {
  content: string;
  tool_calls: ToolCall[];
  conversation_id: string;
}
interface Stored {
  messages: { role: string; content: string; cost_usd: number; metadata: Record<string, unknown> }[];
}
interface RunState {
  status: string;
  cost_usd: number;
  conversation_id: string;
  usage: { output_tokens: number };
}

let server: TestServer;
let provider: TestProvider;
let admin: Client;

const it = withWorld({
  env: {
    MODEL_TIMEOUT_S: '20',
    MCP_BUILTIN: 'on',
  },
});
it.beforeAll(({ world }) => {
  ({ provider, server, admin } = world);
});
beforeEach(() => provider.reset());

const ask = (message: string, agent = 'zeus') => ({ message, context: { agent_id: agent } });
const runIdOf = (events: readonly SseEvent[]): string => {
  const started = events[0]?.data as { run_id: string } | undefined;
  return started?.run_id ?? '';
};
const runState = async (client: Client, id: string) =>
  (await client.get(`/api/v1/chat/runs/${id}`)).json<RunState>();
const stored = async (client: Client, id: string) =>
  (await client.get(`/api/v1/conversations/${id}`)).json<Stored>();
const told = (request: TestRequest | undefined): string[] =>
  (request?.body.messages ?? []).filter((m) => m.role === 'tool').map((m) => String(m.content));
const streamed = async (message: string, agent?: string): Promise<ChatAnswer> => {
  const events = await (await admin.stream('/api/v1/chat/stream', ask(message, agent))).rest();
  const last = events.at(-1);
  expect(last?.event, JSON.stringify(last?.data)).toBe('message.completed');
  return last?.data as ChatAnswer;
};
const toolDelta = (index: number, id: string | null, name: string | null, args: string) => ({
  tool_calls: [
    {
      index,
      ...(id === null ? {} : { id, type: 'function' }),
      function: { ...(name === null ? {} : { name }), arguments: args },
    },
  ],
});

it('an answer that its provider withholds is an error, never an empty success', async () => {
  provider.always({ chunks: [], finishReason: 'content_filter' });
  const answer = await admin.post('/api/v1/chat', ask('Say it'));
  expect(answer.status).toBe(502);
  expect(answer.json()).toMatchObject({
    error: { code: 'UPSTREAM_ERROR', details: { provider: 'compatible' } },
  });
});

describe('a client', () => {
  it(
    req(
      'STREAM-04',
      'that closes in the middle: whole answer stored, one ledger row, one count of its agent',
    ),
    async () => {
      const person = await newPerson(server, admin);
      const requestsOf = async (): Promise<number> =>
        (await admin.get('/api/v1/agents/memorix/metrics')).json<{ requests: number }>().requests;
      const before = await requestsOf();
      const words = Array.from({ length: 20 }, (_, i) => `word${i} `);
      provider.script({ chunks: words, chunkDelayMs: 60 });
      const stream = await person.stream('/api/v1/chat/stream', ask('Tell me', 'memorix'));
      const events = await stream.until('message.delta');
      stream.close();
      const id = runIdOf(events);
      await expect
        .poll(async () => (await runState(person, id)).status, { timeout: 20_000 })
        .toBe('completed');
      const run = await runState(person, id);
      const { messages } = await stored(person, run.conversation_id);
      expect(messages.map((m) => [m.role, m.content])).toEqual([
        ['user', 'Tell me'],
        ['assistant', words.join('')],
      ]);
      const usage = (await person.get('/v2/costs/usage?period=day')).json<{
        requests: number;
        total_usd: number;
      }>();
      expect(usage.requests).toBe(1);
      expect(usage.total_usd).toBe(run.cost_usd);
      expect(await requestsOf()).toBe(before + 1);
    },
  );

  it('whose message waits for its turn has its stream open meanwhile, and a refusal then is its error event', async () => {
    const made = (await admin.post('/v2/conversations', {})).json<{ id: string }>();
    const say = (message: string) => ({ ...ask(message), conversation_id: made.id });
    provider.always({ chunks: ['one ', 'two'], hangAfter: 1 });
    const first = await admin.stream('/api/v1/chat/stream', say('one'));
    const id = runIdOf(await first.until('message.delta'));
    // Both get their headers while the first still runs.
    const second = await admin.stream('/api/v1/chat/stream', say('two'));
    expect((await runState(admin, id)).status).toBe('running');
    provider.always({ chunks: ['Second.'] });
    await admin.post(`/api/v1/chat/runs/${id}/cancel`);
    const answered = await second.rest();
    expect(answered.at(-1)?.event).toBe('message.completed');

    provider.always({ chunks: ['one ', 'two'], hangAfter: 1 });
    const third = await admin.stream('/api/v1/chat/stream', say('three'));
    const busy = runIdOf(await third.until('message.delta'));
    const fourth = await admin.stream('/api/v1/chat/stream', say('four'));
    expect((await admin.delete(`/v2/conversations/${made.id}`)).status).toBe(204);
    await admin.post(`/api/v1/chat/runs/${busy}/cancel`);
    expect(await fourth.rest()).toMatchObject([
      { event: 'run.started' },
      { event: 'error', data: { error: { code: 'CONFLICT' } } },
    ]);
  }, 60_000);

  it(req('CHAT-01', 'with two messages 50 ms apart: both answered, the history stays in pairs'), async () => {
    provider.always((request) => ({
      text: `Answer to ${String(request.body.messages?.at(-1)?.content).split('\n').at(-1)}`,
      firstByteDelayMs: 150,
    }));
    const made = (await admin.post('/v2/conversations', {})).json<{ id: string }>();
    const say = (message: string) =>
      admin.post('/api/v1/chat', { ...ask(message), conversation_id: made.id });
    const first = say('one');
    await new Promise((resolve) => setTimeout(resolve, 50));
    const second = say('two');
    const answers = await Promise.all([first, second]);
    expect(answers.map((answer) => answer.json<ChatAnswer>().content)).toEqual([
      'Answer to one',
      'Answer to two',
    ]);
    expect((await stored(admin, made.id)).messages.map((m) => m.content)).toEqual([
      'one',
      'Answer to one',
      'two',
      'Answer to two',
    ]);
    expect(provider.requests[1]?.body.messages?.map((m) => m.role)).toEqual([
      'system',
      'user',
      'assistant',
      'user',
    ]);
    const impatient = say('three');
    await provider.seen(3);
    const refused = await admin.post(
      '/api/v1/chat',
      { ...ask('four'), conversation_id: made.id },
      { headers: { prefer: 'no-wait' } },
    );
    expect(refused.status).toBe(409);
    expect((await impatient).status).toBe(200);
  });
});

describe('a model that never stops calling tools', () => {
  const time = { id: 'call_1', name: 'time__get_current_time', arguments: '{"timezone":"UTC"}' };

  it(req('RUN-03', 'has to answer with its last call'), async () => {
    provider.always((request) =>
      request.body.tool_choice === 'none' ? { text: 'This is what I know.' } : { toolCalls: [time] },
    );
    const answer = await streamed('What time is it?', 'chronos');
    expect(answer.content).toBe('This is what I know.');
    expect(answer.tool_calls).toHaveLength(11);
    expect(answer).toMatchObject({ finish_reason: 'stop' });
    expect(provider.requests).toHaveLength(12);
    // The tools are still told, since earlier calls of them are; the result says that there will be no more.
    expect(provider.requests.at(-1)?.body.tools?.length).toBeGreaterThan(0);
    expect(told(provider.requests.at(-1)).at(-1)).toContain('Answer now');
    expect(told(provider.requests.at(-2)).at(-1)).not.toContain('Answer now');
  });

  it(req('RUN-03', 'and calls even then: the run ends with length and says so'), async () => {
    provider.always({ toolCalls: [time] });
    const answer = await streamed('What time is it?', 'chronos');
    expect(answer).toMatchObject({ finish_reason: 'length', content: expect.stringContaining('12 steps') });
    expect(answer.tool_calls).toHaveLength(11);
    expect(provider.requests).toHaveLength(12);
  });
});

describe('a model that asks for too much', () => {
  it(req('RUN-03', 'has the first calls of an answer made, and is told of the others'), async () => {
    const calls = Array.from({ length: 40 }, (_, i) => ({
      id: `c${i}`,
      name: 'time__get_current_time',
      arguments: '{"timezone":"UTC"}',
    }));
    provider.script({ toolCalls: calls }, { text: 'Done.' });
    const answer = await streamed('What time is it?', 'chronos');
    expect(answer.tool_calls.filter((call) => call.status === 'completed')).toHaveLength(32);
    expect(answer.tool_calls.filter((call) => call.status === 'failed')).toHaveLength(8);
    expect(answer.content).toBe('Done.');
  });

  it(req('RUN-03', 'agents that hand on without end come to rest, with an answer'), async () => {
    // The calls are bounded here, not what they cost.
    const limits = [{ scope: 'run', period: 'run', limit_usd: 100 }];
    expect((await admin.put('/api/v1/costs/limits', { limits })).status).toBe(200);
    const hand = (i: number) => ({
      id: `d${i}`,
      name: 'delegate',
      arguments: JSON.stringify({ agent: i % 2 === 0 ? 'athena' : 'iris', task: `part ${i}` }),
    });
    provider.always((request) =>
      request.body.tool_choice === 'none'
        ? { text: 'What I have.' }
        : { toolCalls: Array.from({ length: 30 }, (_, i) => hand(i)) },
    );
    const answer = await streamed('Go on.');
    expect(answer.content).toBe('What I have.');
    // 120 of all agents together, and one more for each that was at work then.
    expect(provider.requests.length).toBeLessThanOrEqual(140);
  }, 60_000);
});

describe('a provider', () => {
  it.each([
    ['ends its stream at once', { chunks: [], finishReason: null }],
    ['stops without a word', { chunks: [''], finishReason: 'stop' }],
    ['says that it calls tools and calls none', { chunks: [], finishReason: 'tool_calls' }],
  ])(req('STREAM-02', 'that %s: an error, never an empty success'), async (_what, reply) => {
    provider.always(reply);
    const events = await (await admin.stream('/api/v1/chat/stream', ask('Go'))).rest();
    expect(events.at(-1)).toMatchObject({
      event: 'error',
      data: { error: { code: 'UPSTREAM_ERROR', details: { provider: 'compatible' } } },
    });
    expect((await runState(admin, runIdOf(events))).status).toBe('failed');
    expect((await admin.post('/api/v1/chat', ask('Go'))).status).toBe(502);
  });

  it(
    req(
      'STREAM-02',
      'that resets after two chunks: partial text stored, message and run failed, tokens charged',
    ),
    async () => {
      provider.script({ chunks: ['Half ', 'an answer', ' and', ' more'], resetAfter: 2 });
      const events = await (await admin.stream('/api/v1/chat/stream', ask('Go'))).rest();
      expect(events.at(-1)?.event).toBe('error');
      const run = await runState(admin, runIdOf(events));
      expect(run.status).toBe('failed');
      expect(run.cost_usd).toBeGreaterThan(0);
      expect(run.usage.output_tokens).toBeGreaterThan(0);
      const answer = (await stored(admin, run.conversation_id)).messages.at(-1);
      expect(answer).toMatchObject({ role: 'assistant', content: 'Half an answer', cost_usd: run.cost_usd });
      expect(answer?.metadata).toMatchObject({ failed: true });
    },
  );

  it(req('CHAT-04', 'that answers 200 and then an error: an error, never an empty success'), async () => {
    provider.always({ chunks: ['x'], errorChunkAfter: 0 });
    const events = await (await admin.stream('/api/v1/chat/stream', ask('Go'))).rest();
    expect(events.map((event) => event.event)).not.toContain('message.completed');
    expect(events.at(-1)?.event).toBe('error');
    expect((await runState(admin, runIdOf(events))).status).toBe('failed');
  });

  it(
    req('STREAM-01', 'that splits characters over packets, also in tool arguments: the same text'),
    async () => {
      const title = 'Zażółć gęślą jaźń 🐉 日本語';
      provider.script(
        {
          toolCalls: [{ id: 'n', name: 'notify', arguments: JSON.stringify({ title }), pieceChars: 1 }],
          splitBytes: 1,
        },
        { chunks: ['Gęś', 'lą 🐉', ' 日本語'], splitBytes: 1 },
      );
      const answer = await streamed('Notify me', 'iris');
      expect(answer.content).toBe('Gęślą 🐉 日本語');
      expect(answer.tool_calls[0]).toMatchObject({
        name: 'notify',
        status: 'completed',
        arguments: { title },
      });
      const inbox = (await admin.get('/v2/notifications')).json<{ items: { title: string }[] }>();
      expect(inbox.items[0]?.title).toBe(title);
    },
  );

  it.each([
    [
      'at the same index with different ids',
      [
        toolDelta(0, 'x', 'time__get_current_time', '{"timezone":"UTC"}'),
        toolDelta(0, 'y', 'time__get_current_time', '{"timezone":"Asia/Tokyo"}'),
      ],
    ],
    [
      'interleaved',
      [
        toolDelta(0, 'x', 'time__get_current_time', '{"time'),
        toolDelta(1, 'y', 'time__get_current_time', '{"timezone":'),
        toolDelta(0, null, null, 'zone":"UTC"}'),
        toolDelta(1, null, null, '"Asia/Tokyo"}'),
      ],
    ],
  ])(req('STREAM-01', 'that sends two tool calls %s: both run'), async (_how, rawDeltas) => {
    provider.script({ chunks: [], rawDeltas, finishReason: 'tool_calls' }, { text: 'Done.' });
    const answer = await streamed('What time is it?', 'chronos');
    expect(answer.tool_calls.map((c) => [c.arguments.timezone, c.status])).toEqual([
      ['UTC', 'completed'],
      ['Asia/Tokyo', 'completed'],
    ]);
    expect(told(provider.requests[1])).toHaveLength(2);
  });

  it(
    req('STREAM-01', 'that writes two JSON objects as the arguments of one call: the model is told'),
    async () => {
      provider.script(
        {
          toolCalls: [
            { id: 'x', name: 'time__get_current_time', arguments: '{"timezone":"UTC"}{"timezone":"UTC"}' },
          ],
        },
        { text: 'I will not guess.' },
      );
      const answer = await streamed('What time is it?', 'chronos');
      expect(answer.content).toBe('I will not guess.');
      expect(answer.tool_calls).toEqual([
        expect.objectContaining({ status: 'failed', error: expect.any(String) }),
      ]);
      expect(told(provider.requests[1])).toEqual([expect.stringContaining('not valid JSON')]);
    },
  );
});
