import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTestProvider, type TestProvider, type TestReply } from '../../../../test/support/provider.ts';
import { ModelError, type ModelProvider, type ModelRequest } from '../../../kernel/model.ts';
import { createChatCompletions, OPENAI_DIALECT } from './index.ts';

let provider: TestProvider;
let client: ModelProvider;
const SECRET = 'sk-very-secret-key';

beforeEach(async () => {
  provider = await startTestProvider({ apiKey: SECRET });
  client = createChatCompletions({ name: 'compatible', baseUrl: provider.url, apiKey: SECRET });
});
afterEach(async () => {
  await client.close();
  await provider.close();
});

const ask = (more: Partial<ModelRequest> = {}): ModelRequest => ({
  model: 'test-model',
  messages: [{ role: 'user', content: 'the private question' }],
  signal: new AbortController().signal,
  ...more,
});

const failure = async (call: Promise<unknown>): Promise<ModelError> => {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ModelError)) throw new Error(`not a ModelError: ${String(error)}`);
  return error;
};

const streamed = async (reply: TestReply, more: Partial<ModelRequest> = {}) => {
  provider.script(reply);
  const texts: string[] = [];
  const result = await client.stream(ask(more), (text) => texts.push(text));
  return { result, texts };
};

describe('answers', () => {
  test('a whole answer and a streamed one of the same reply are the same result', async () => {
    const reply: TestReply = {
      chunks: ['Grüße, ', '東京 🏯', ' "quoted" \\ and\nlines\u2028'],
      usage: { inputTokens: 100, outputTokens: 20, cachedInputTokens: 64, reasoningTokens: 8 },
    };
    provider.script(reply);
    const whole = await client.generate(ask());
    const { result, texts } = await streamed(reply);
    expect(result).toEqual(whole);
    expect(result.content).toBe('Grüße, 東京 🏯 "quoted" \\ and\nlines\u2028');
    expect(texts.join('')).toBe(result.content);
    expect(result.usage).toEqual({
      inputTokens: 100,
      outputTokens: 20,
      cachedInputTokens: 64,
      cacheWriteTokens: 0,
      reasoningTokens: 8,
      estimated: false,
    });
    expect(result.finishReason).toBe('stop');
  });

  test('all text of one read of the socket arrives in one call', async () => {
    // Fifty HTTP chunks that leave the server in one turn.
    const many = await startTestProvider({ writes: 50 });
    const own = createChatCompletions({ name: 'compatible', baseUrl: many.url });
    const texts: string[] = [];
    const result = await own.stream(ask(), (text) => texts.push(text));
    await own.close();
    await many.close();
    expect(texts.join('')).toBe(result.content);
    expect(texts.length).toBeLessThan(10);
    expect(result.usage).toMatchObject({ inputTokens: 20, outputTokens: 50, estimated: false });
  });

  test('packets that split characters change nothing', async () => {
    const chunks = ['ä', '漢字かな', '👩‍👩‍👧', '\\n', ' "x" '];
    const { result, texts } = await streamed({ chunks, splitBytes: 1 });
    expect(result.content).toBe(chunks.join(''));
    expect(texts.join('')).toBe(chunks.join(''));
    provider.script({ chunks, splitBytes: 1 });
    expect((await client.generate(ask())).content).toBe(chunks.join(''));
  });

  test('comments of a gateway that keeps the line open are passed over', async () => {
    const { result } = await streamed({
      text: 'late',
      comments: ['OPENROUTER PROCESSING', 'OPENROUTER PROCESSING'],
    });
    expect(result.content).toBe('late');
  });

  test('without usage the counts are estimated and marked', async () => {
    const { result } = await streamed({ text: 'four', usage: 'none' });
    expect(result.usage).toEqual({
      inputTokens: 9,
      outputTokens: 1,
      cachedInputTokens: 0,
      cacheWriteTokens: 0,
      reasoningTokens: 0,
      estimated: true,
    });
  });

  test('usage that is told under way does not win over the text that came after it', async () => {
    const chunk = (content: string, usage?: object) => {
      const choices = [{ index: 0, delta: { content }, finish_reason: null }];
      return `data: ${JSON.stringify({ model: 'm', choices, ...(usage === undefined ? {} : { usage }) })}\n\n`;
    };
    const end = (usage?: object) => {
      const choices = [{ index: 0, delta: {}, finish_reason: 'stop' }];
      const last = usage === undefined ? '' : `data: ${JSON.stringify({ choices: [], usage })}\n\n`;
      return `data: ${JSON.stringify({ choices })}\n\n${last}data: [DONE]\n\n`;
    };
    const first = { prompt_tokens: 40, completion_tokens: 1 };
    const words = 'and so on and so forth '.repeat(10);
    const usageOf = async (body: string) => {
      const server = createServer((_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end(body);
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      const other = createChatCompletions({
        name: 'compatible',
        baseUrl: `http://127.0.0.1:${port}`,
      });
      const { usage } = await other.stream(ask(), () => {});
      await other.close();
      server.close();
      return usage;
    };
    const interim = await usageOf(chunk('', first) + chunk(words) + end());
    expect(interim).toMatchObject({ inputTokens: 40, estimated: true });
    expect(interim.outputTokens).toBeGreaterThan(30);
    const told = { prompt_tokens: 40, completion_tokens: 55 };
    expect(await usageOf(chunk('', first) + chunk(words) + end(told))).toMatchObject({
      inputTokens: 40,
      outputTokens: 55,
      estimated: false,
    });
    // Running totals with each piece: the last one counts all of them.
    expect(await usageOf(chunk('', first) + chunk(words, told) + end())).toMatchObject({
      outputTokens: 55,
      estimated: false,
    });
  });

  test('the finish reason of a cut answer and the model that answered are told', async () => {
    const { result } = await streamed({ text: 'cut', finishReason: 'length', model: 'test-model-2026' });
    expect([result.finishReason, result.model]).toEqual(['length', 'test-model-2026']);
  });
});

describe('tool calls', () => {
  const calls = [
    { id: 'a', name: 'search', arguments: '{"q":"grün"}', pieceChars: 3 },
    { id: 'b', name: 'clock', arguments: '' },
  ];

  test('arrive whole from pieces, with text beside them', async () => {
    const { result } = await streamed({ text: 'Let me look.', toolCalls: calls });
    expect(result.content).toBe('Let me look.');
    expect(result.finishReason).toBe('tool_calls');
    expect(result.toolCalls).toEqual([
      { id: 'a', name: 'search', arguments: '{"q":"grün"}' },
      { id: 'b', name: 'clock', arguments: '' },
    ]);
    provider.script({ text: 'Let me look.', toolCalls: calls });
    expect((await client.generate(ask())).toolCalls).toEqual(result.toolCalls);
  });

  test('interleaved pieces go to the call of their index', async () => {
    const piece = (index: number, text: string) => ({
      tool_calls: [{ index, function: { arguments: text } }],
    });
    const head = (index: number, id: string, name: string) => ({
      tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }],
    });
    const { result } = await streamed({
      rawDeltas: [
        head(0, 'x', 'one'),
        head(1, 'y', 'two'),
        piece(1, '{"b"'),
        piece(0, '{"a"'),
        piece(1, ':2}'),
        piece(0, ':1}'),
      ],
    });
    expect(result.toolCalls).toEqual([
      { id: 'x', name: 'one', arguments: '{"a":1}' },
      { id: 'y', name: 'two', arguments: '{"b":2}' },
    ]);
  });

  test('one index with two ids is two calls; a repeated or renewed id without a name is one', async () => {
    const call = (id: string | null, name: string | null, text: string) => ({
      tool_calls: [{ index: 0, id, function: { name, arguments: text } }],
    });
    const two = await streamed({ rawDeltas: [call('x', 'one', '{}'), call('y', 'one', '{"b":1}')] });
    expect(two.result.toolCalls).toEqual([
      { id: 'x', name: 'one', arguments: '{}' },
      { id: 'y', name: 'one', arguments: '{"b":1}' },
    ]);
    const one = await streamed({
      rawDeltas: [call('x', 'one', '{"a"'), call('x', 'one', ':'), call('z', null, '1}')],
    });
    expect(one.result.toolCalls).toEqual([{ id: 'x', name: 'one', arguments: '{"a":1}' }]);
  });

  test('pieces of two calls that alternate on one index go to the call of their id', async () => {
    const piece = (index: number | null, id: string, name: string | null, text: string) => ({
      tool_calls: [
        {
          ...(index === null ? {} : { index }),
          id,
          function: { ...(name ? { name } : {}), arguments: text },
        },
      ],
    });
    for (const [index, repeated] of [
      [0, null],
      [0, 'one'],
      [null, null],
    ] as const) {
      const { result } = await streamed({
        rawDeltas: [
          piece(index, 'x', 'one', '{"a"'),
          piece(index, 'y', 'one', '{"b"'),
          piece(index, 'x', repeated, ':1}'),
          piece(index, 'y', repeated, ':2}'),
        ],
      });
      expect(result.toolCalls).toEqual([
        { id: 'x', name: 'one', arguments: '{"a":1}' },
        { id: 'y', name: 'one', arguments: '{"b":2}' },
      ]);
    }
  });

  test('calls without index or id, with one id for all, or with arguments as an object are told apart', async () => {
    const { result } = await streamed({
      rawDeltas: [
        { tool_calls: [{ function: { name: 'one', arguments: '{"a":1}' } }] },
        { tool_calls: [{ function: { name: 'two', arguments: { b: 2 } } }] },
        { tool_calls: [{ index: 7, id: 'same', function: { name: 'three', arguments: '{' } }] },
        { tool_calls: [{ index: 8, id: 'same', function: { name: 'four', arguments: '{}' } }] },
      ],
    });
    expect(result.toolCalls.map((call) => [call.name, call.arguments])).toEqual([
      ['one', '{"a":1}'],
      ['two', '{"b":2}'],
      ['three', '{'],
      ['four', '{}'],
    ]);
    expect(new Set(result.toolCalls.map((call) => call.id)).size).toBe(4);
  });
});

describe('the request', () => {
  test('carries messages, tools, schema and caps in the form of the wire', async () => {
    await client.stream(
      ask({
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'lone \ud800 surrogate' },
          { role: 'assistant', content: '', toolCalls: [{ id: 'a', name: 'search', arguments: '{broken' }] },
          { role: 'tool', toolCallId: 'a', name: 'search', content: 'nothing' },
        ],
        tools: [{ name: 'search', description: 'looks', inputSchema: { type: 'object' } }],
        responseSchema: {
          name: 'vote',
          schema: { type: 'object', properties: {}, additionalProperties: false },
        },
        maxOutputTokens: 99,
        temperature: 0.2,
      }),
      () => {},
    );
    expect(provider.requests[0]?.headers.authorization).toBe(`Bearer ${SECRET}`);
    expect(provider.requests[0]?.body).toEqual({
      model: 'test-model',
      stream: true,
      stream_options: { include_usage: true },
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'lone \ufffd surrogate' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'a', type: 'function', function: { name: 'search', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'a', content: 'nothing' },
      ],
      tools: [
        {
          type: 'function',
          function: { name: 'search', description: 'looks', parameters: { type: 'object' } },
        },
      ],
      response_format: {
        type: 'json_schema',
        json_schema: {
          name: 'vote',
          strict: true,
          schema: { type: 'object', properties: {}, additionalProperties: false },
        },
      },
      max_tokens: 99,
      temperature: 0.2,
    });
  });

  test("OpenAI's reasoning models get their own cap and no temperature", async () => {
    const openai = createChatCompletions({
      name: 'openai',
      baseUrl: `${provider.url}/`,
      apiKey: SECRET,
      dialect: OPENAI_DIALECT,
    });
    await openai.generate(ask({ model: 'gpt-5-mini', maxOutputTokens: 7, temperature: 0 }));
    await openai.close();
    const body = provider.requests[0]?.body;
    expect(body).toMatchObject({ max_completion_tokens: 7 });
    expect(body).not.toHaveProperty('temperature');
    expect(body).not.toHaveProperty('max_tokens');
  });
});

describe('failures', () => {
  const kinds: [number, string][] = [
    [400, 'refused'],
    [401, 'refused'],
    [403, 'refused'],
    [404, 'refused'],
    [422, 'refused'],
    [429, 'unavailable'],
    [500, 'unavailable'],
    [503, 'unavailable'],
    [302, 'refused'],
  ];
  test.each(kinds)('status %i is %s, and says nothing of key or request', async (status, kind) => {
    const body = { error: { message: `bad key ${SECRET} for "the private question"`, code: 'some_code' } };
    for (const call of ['generate', 'stream'] as const) {
      provider.script({ error: { status, body } });
      const error = await failure(
        call === 'stream' ? client.stream(ask(), () => {}) : client.generate(ask()),
      );
      expect([error.kind, error.status, error.message]).toEqual([
        kind,
        status,
        `compatible answered ${status} (some_code)`,
      ]);
      expect(error.cause).toBeUndefined();
    }
  });

  test('a wait that the provider asks for is handed on', async () => {
    provider.script({ error: { status: 429, headers: { 'retry-after': '3' } } });
    expect((await failure(client.generate(ask()))).retryAfterMs).toBe(3000);
    provider.script({ error: { status: 429, headers: { 'retry-after-ms': '120', 'retry-after': '3' } } });
    expect((await failure(client.generate(ask()))).retryAfterMs).toBe(120);
  });

  const broken: [string, TestReply][] = [
    ['a reset', { chunks: ['one ', 'two'], resetAfter: 1, chunkDelayMs: 5 }],
    ['an error chunk', { chunks: ['one ', 'two'], errorChunkAfter: 1 }],
    ['a garbage line', { chunks: ['one ', 'two'], garbageAfter: 1 }],
    ['an end without finish', { chunks: ['one ', 'two'], endAfter: 1 }],
  ];
  test.each(broken)('%s in mid-stream is unavailable and keeps what had come', async (_name, reply) => {
    provider.script(reply);
    let text = '';
    const error = await failure(
      client.stream(ask(), (more) => {
        text += more;
      }),
    );
    expect(error.kind).toBe('unavailable');
    expect(error.partial).toEqual({
      content: 'one ',
      usage: expect.objectContaining({ outputTokens: 1, estimated: true }),
    });
    expect(text).toBe('one ');
  });

  test.each([
    { resetAfter: 0 },
    { errorChunkAfter: 0 },
    { garbageAfter: 0 },
    { text: '', endAfter: 0 },
  ] as TestReply[])('before any text (%j) there is no partial answer', async (reply) => {
    for (const call of ['generate', 'stream'] as const) {
      provider.script(reply);
      const error = await failure(
        call === 'stream' ? client.stream(ask(), () => {}) : client.generate(ask()),
      );
      expect([error.kind, error.partial]).toEqual(['unavailable', undefined]);
    }
  });

  test('nobody at the address is unavailable', async () => {
    await provider.close();
    const error = await failure(client.generate(ask()));
    expect([error.kind, error.message]).toEqual(['unavailable', 'compatible refuses connections']);
  });

  test('a slow first byte and a pause between bytes are timeouts', async () => {
    const hasty = createChatCompletions({
      name: 'compatible',
      baseUrl: provider.url,
      apiKey: SECRET,
      firstByteTimeoutMs: 60,
      idleTimeoutMs: 60,
    });
    try {
      for (const reply of [{ hangAfter: 0 }, { chunks: ['one ', 'two'], hangAfter: 1 }]) {
        provider.script(reply);
        const error = await failure(hasty.stream(ask(), () => {}));
        expect(error.kind).toBe('timeout');
        expect(error.partial?.content).toBe(reply.hangAfter === 0 ? undefined : 'one ');
      }
      const outcomes = await Promise.all(provider.requests.map((request) => request.ended));
      expect(outcomes).toEqual(['left', 'left']);
    } finally {
      await hasty.close();
    }
  });

  test('an abort ends the call at the provider at once and keeps what had come', async () => {
    provider.script({ chunks: ['one ', 'two'], hangAfter: 1 });
    const leave = new AbortController();
    const error = await failure(client.stream(ask({ signal: leave.signal }), () => leave.abort()));
    expect([error.kind, error.partial?.content]).toEqual(['aborted', 'one ']);
    expect(await provider.requests[0]?.ended).toBe('left');
    const before = await failure(client.generate(ask({ signal: AbortSignal.abort() })));
    expect(before.kind).toBe('aborted');
    expect(provider.requests).toHaveLength(1);
  });

  test('a listener that throws rejects the call and frees the provider', async () => {
    provider.script({ chunks: ['one ', 'two'], hangAfter: 1 });
    const call = client.stream(ask(), () => {
      throw new TypeError('listener');
    });
    await expect(call).rejects.toThrow('listener');
    expect(await provider.requests[0]?.ended).toBe('left');
  });

  test('a connection serves the next call after a good answer and after a refusal', async () => {
    provider.script({ error: { status: 429 } }, { text: 'ok' });
    await failure(client.generate(ask()));
    expect((await client.generate(ask())).content).toBe('ok');
  });
});
