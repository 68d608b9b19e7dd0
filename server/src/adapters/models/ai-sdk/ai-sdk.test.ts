import { createServer, type IncomingMessage, type Server } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { req } from '../../../../test/requirements.ts';
import { ModelError, type ModelProvider, type ModelRequest } from '../../../kernel/model.ts';
import { createAnthropicProvider, createGoogleProvider } from './index.ts';

interface Reply {
  status?: number;
  headers?: Record<string, string>;
  body: string;
  /** Bytes a packet. */
  split?: number;
  /** Cuts the socket, or keeps it open, after the body. */
  after?: 'cut' | 'hang';
  /** Nothing is sent at all. */
  silent?: boolean;
}

let servers: Server[] = [];
let seen: { url: string; headers: IncomingMessage['headers']; body: unknown; left: Promise<void> }[] = [];
afterEach(async () => {
  for (const server of servers) {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  }
  servers = [];
  seen = [];
});

/** A provider that answers each call with the same bytes. Returns its base address. */
const serve = async (reply: Reply): Promise<string> => {
  const started = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const left = new Promise<void>((done) => response.once('close', () => done()));
    seen.push({
      url: request.url ?? '',
      headers: request.headers,
      body: JSON.parse(Buffer.concat(parts).toString()),
      left,
    });
    if (reply.silent === true) return;
    const type = reply.body.startsWith('{') ? 'application/json' : 'text/event-stream';
    response.writeHead(reply.status ?? 200, { 'content-type': type, ...reply.headers });
    const bytes = Buffer.from(reply.body);
    const size = reply.split ?? bytes.length;
    for (let start = 0; start < bytes.length; start += size)
      await new Promise<void>((done) =>
        response.write(bytes.subarray(start, start + size), () => setImmediate(done)),
      );
    if (reply.after === 'cut') response.socket?.destroy();
    else if (reply.after !== 'hang') response.end();
  });
  servers.push(started);
  await new Promise<void>((done) => started.listen(0, '127.0.0.1', done));
  const address = started.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return `http://127.0.0.1:${address.port}/v1`;
};

const SECRET = 'secret-key-1';
const timeouts = { firstByteTimeoutMs: 5000, idleTimeoutMs: 5000 };
const anthropic = (baseUrl: string, more = {}): ModelProvider =>
  createAnthropicProvider({ apiKey: SECRET, baseUrl, ...timeouts, ...more });
const google = (baseUrl: string): ModelProvider =>
  createGoogleProvider({ apiKey: SECRET, baseUrl, ...timeouts });

const ask = (more: Partial<ModelRequest> = {}): ModelRequest => ({
  model: 'claude-haiku-4-5',
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

const sse = (...events: Record<string, unknown>[]): string =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');

const start = {
  type: 'message_start',
  message: {
    id: 'msg_01',
    type: 'message',
    role: 'assistant',
    model: 'claude-haiku-4-5-20251001',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: {
      input_tokens: 3,
      cache_creation_input_tokens: 12_304,
      cache_read_input_tokens: 0,
      output_tokens: 1,
    },
  },
};
const textStart = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } };
const text = (words: string) => ({
  type: 'content_block_delta',
  index: 0,
  delta: { type: 'text_delta', text: words },
});
const textStop = { type: 'content_block_stop', index: 0 };
const end = (reason: string) => [
  {
    type: 'message_delta',
    delta: { stop_reason: reason, stop_sequence: null },
    usage: { output_tokens: 550 },
  },
  { type: 'message_stop' },
];
const answer = sse(
  start,
  textStart,
  { type: 'ping' },
  text('Grüße, '),
  text('東京 🏯'),
  textStop,
  ...end('end_turn'),
);

const PICTURE = {
  id: 'picture-1',
  name: 'cat.png',
  mediaType: 'image/png' as const,
  width: 2,
  height: 2,
  size: 3,
};
const shownRequest = (model: string): ModelRequest =>
  ask({
    model,
    messages: [{ role: 'user', content: 'See?', pictures: [PICTURE, { ...PICTURE, id: 'gone' }] }],
    pictures: new Map([[PICTURE.id, 'AAEC']]),
  });

describe('pictures', () => {
  test(req('PIC-14', 'stand before the words of their message, in the form of each provider'), async () => {
    await anthropic(await serve({ body: answer })).stream(shownRequest('claude-haiku-4-5'), () => {});
    const sent = seen[0]?.body as { messages: { content: unknown[] }[] };
    expect(sent.messages[0]?.content).toMatchObject([
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAEC' } },
      { type: 'text', text: '[image: cat.png]' },
      { type: 'text', text: 'See?' },
    ]);
    seen = [];
    await google(await serve({ body: '{}' }))
      .generate(shownRequest('gemini-2.5-flash'))
      .catch(() => {});
    const asked = seen[0]?.body as { contents: { parts: unknown[] }[] };
    expect(asked.contents[0]?.parts).toEqual([
      { inlineData: { mimeType: 'image/png', data: 'AAEC' } },
      { text: '[image: cat.png]' },
      { text: 'See?' },
    ]);
  });
});

describe('Anthropic', () => {
  test.each([1, 7, 100_000])(
    'a stream split into packets of %i bytes gives the exact text and the whole prompt',
    async (split) => {
      const client = anthropic(await serve({ body: answer, split }));
      const texts: string[] = [];
      const result = await client.stream(ask(), (more) => texts.push(more));
      expect(texts.join('')).toBe('Grüße, 東京 🏯');
      expect(result).toEqual({
        content: 'Grüße, 東京 🏯',
        toolCalls: [],
        finishReason: 'stop',
        model: 'claude-haiku-4-5-20251001',
        usage: {
          inputTokens: 12_307,
          outputTokens: 550,
          cachedInputTokens: 0,
          cacheWriteTokens: 12_304,
          reasoningTokens: 0,
          estimated: false,
        },
      });
    },
  );

  test('parts that come in one read leave as few calls', async () => {
    const many = Array.from({ length: 200 }, (_, index) => text(` ${index}`));
    const client = anthropic(
      await serve({ body: sse(start, textStart, ...many, textStop, ...end('end_turn')) }),
    );
    const texts: string[] = [];
    const { content } = await client.stream(ask(), (more) => texts.push(more));
    expect(texts.join('')).toBe(content);
    expect(texts.length).toBeLessThan(40);
  });

  test('tool calls come whole, and a cut answer says so', async () => {
    const tool = {
      type: 'content_block_start',
      index: 1,
      content_block: { type: 'tool_use', id: 'toolu_1', name: 'search', input: {} },
    };
    const piece = (json: string) => ({
      type: 'content_block_delta',
      index: 1,
      delta: { type: 'input_json_delta', partial_json: json },
    });
    const body = sse(
      start,
      textStart,
      text('Looking.'),
      textStop,
      tool,
      piece('{"q":'),
      piece('"grün"}'),
      { type: 'content_block_stop', index: 1 },
      ...end('tool_use'),
    );
    const called = await anthropic(await serve({ body })).stream(ask(), () => {});
    expect(called.finishReason).toBe('tool_calls');
    expect(called.toolCalls).toEqual([{ id: 'toolu_1', name: 'search', arguments: '{"q":"grün"}' }]);
  });

  test('a whole answer is read the same, and the request has the form of the wire', async () => {
    const body = JSON.stringify({
      ...start.message,
      content: [{ type: 'text', text: 'short' }],
      stop_reason: 'max_tokens',
      usage: {
        input_tokens: 10,
        cache_read_input_tokens: 90,
        cache_creation_input_tokens: 0,
        output_tokens: 5,
      },
    });
    const client = anthropic(await serve({ body }));
    const result = await client.generate(
      ask({
        maxOutputTokens: 5,
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'look' },
          { role: 'system', content: 'Be kind.' },
          {
            role: 'assistant',
            content: '',
            toolCalls: [
              { id: 'a', name: 'search', arguments: '{"q":1}' },
              { id: 'b', name: 'search', arguments: '{broken' },
            ],
          },
          { role: 'tool', toolCallId: 'a', name: 'search', content: 'one' },
          { role: 'tool', toolCallId: 'b', name: 'search', content: 'two' },
        ],
        tools: [{ name: 'search', description: 'looks', inputSchema: { type: 'object', properties: {} } }],
      }),
    );
    expect(result).toMatchObject({
      content: 'short',
      finishReason: 'length',
      usage: { inputTokens: 100, cachedInputTokens: 90, cacheWriteTokens: 0, outputTokens: 5 },
    });
    expect(seen[0]?.headers['x-api-key']).toBe(SECRET);
    expect(seen[0]?.body).toMatchObject({
      model: 'claude-haiku-4-5',
      max_tokens: 5,
      system: [{ type: 'text', text: 'Be brief.\n\nBe kind.' }],
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'look' }] },
        {
          role: 'assistant',
          content: [
            { type: 'tool_use', id: 'a', name: 'search', input: { q: 1 } },
            { type: 'tool_use', id: 'b', name: 'search', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'a' },
            { type: 'tool_result', tool_use_id: 'b' },
          ],
        },
      ],
      tools: [{ name: 'search' }],
    });
  });

  test('marks for the cache what the next call begins with: instructions, history, results of tools', async () => {
    const body = JSON.stringify({
      ...start.message,
      content: [{ type: 'text', text: 'x' }],
      stop_reason: 'end_turn',
    });
    const client = anthropic(await serve({ body }));
    const tools = [{ name: 'search', description: 'looks', inputSchema: { type: 'object', properties: {} } }];
    const asked: ModelRequest['messages'] = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'first' },
      { role: 'assistant', content: 'one' },
      { role: 'user', content: 'second' },
    ];
    const step: ModelRequest['messages'] = [
      { role: 'assistant', content: '', toolCalls: [{ id: 'a', name: 'search', arguments: '{}' }] },
      { role: 'tool', toolCallId: 'a', name: 'search', content: 'found' },
    ];
    await client.generate(ask({ messages: asked, tools }));
    await client.generate(ask({ messages: [...asked, ...step], tools }));
    const mark = { type: 'ephemeral' };
    const [plain, stepped] = seen.map((one) => one.body as { system: unknown; messages: unknown[] });
    const marks = (sent: unknown) => JSON.stringify(sent).split('"cache_control":').length - 1;
    expect(plain?.system).toMatchObject([{ text: 'Be brief.', cache_control: mark }]);
    expect(plain?.messages[1]).toMatchObject({ content: [{ text: 'one', cache_control: mark }] });
    expect(marks(plain)).toBe(2);
    expect(stepped?.messages[1]).toMatchObject({ content: [{ text: 'one', cache_control: mark }] });
    expect(stepped?.messages.at(-1)).toMatchObject({
      content: [{ type: 'tool_result', cache_control: mark }],
    });
    expect(marks(stepped)).toBe(3);
  });

  test.each([
    [401, 'refused', undefined],
    [400, 'refused', undefined],
    [429, 'unavailable', 2000],
    [529, 'unavailable', 2000],
  ])('status %i is %s without a word of key or prompt', async (status, kind, retryAfterMs) => {
    const body = JSON.stringify({
      type: 'error',
      error: { type: 'some_error', message: `${SECRET} the private question` },
    });
    const headers: Record<string, string> = retryAfterMs === undefined ? {} : { 'retry-after': '2' };
    const client = anthropic(await serve({ status, headers, body }));
    for (const call of [client.generate(ask()), client.stream(ask(), () => {})]) {
      const error = await failure(call);
      expect([error.kind, error.status, error.retryAfterMs]).toEqual([kind, status, retryAfterMs]);
      expect(error.message).toBe(`anthropic answered ${status} (some_error)`);
      expect(error.cause).toBeUndefined();
    }
  });

  const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
  const broken: [string, Reply][] = [
    ['an error event', { body: sse(start, textStart, text('one '), overloaded) }],
    [
      'a garbage line',
      { body: `${sse(start, textStart, text('one '))}data: {"type":\n\n${sse(...end('end_turn'))}` },
    ],
    ['a cut socket', { body: sse(start, textStart, text('one ')), after: 'cut' }],
    ['an early end', { body: sse(start, textStart, text('one ')) }],
  ];
  test.each(broken)('%s in mid-stream is unavailable and keeps the text', async (_name, reply) => {
    let got = '';
    const client = anthropic(await serve(reply));
    const error = await failure(
      client.stream(ask(), (more) => {
        got += more;
      }),
    );
    expect(error.kind).toBe('unavailable');
    expect(error.partial).toMatchObject({ content: 'one ', usage: { outputTokens: 1, estimated: true } });
    expect(got).toBe('one ');
  });

  test('silence and a pause are timeouts', async () => {
    const quick = { firstByteTimeoutMs: 50, idleTimeoutMs: 50 };
    const silent = anthropic(await serve({ body: answer, silent: true }), quick);
    expect((await failure(silent.generate(ask()))).kind).toBe('timeout');
    expect((await failure(silent.stream(ask(), () => {}))).kind).toBe('timeout');
    const paused = anthropic(
      await serve({ body: sse(start, textStart, text('one ')), after: 'hang' }),
      quick,
    );
    const error = await failure(paused.stream(ask(), () => {}));
    expect([error.kind, error.partial?.content]).toEqual(['timeout', 'one ']);
  });

  test('an abort ends the call at the provider; a throwing listener too, with its own error', async () => {
    const client = anthropic(await serve({ body: sse(start, textStart, text('one ')), after: 'hang' }));
    const leave = new AbortController();
    const error = await failure(client.stream(ask({ signal: leave.signal }), () => leave.abort()));
    expect([error.kind, error.partial?.content]).toEqual(['aborted', 'one ']);
    await seen[0]?.left;
    const thrower = client.stream(ask(), () => {
      throw new TypeError('listener');
    });
    await expect(thrower).rejects.toThrow('listener');
    await seen[1]?.left;
    expect((await failure(client.generate(ask({ signal: AbortSignal.abort() })))).kind).toBe('aborted');
    expect(seen).toHaveLength(2);
  });
});

describe('Google', () => {
  const chunk = (parts: unknown[], more: Record<string, unknown> = {}) =>
    `data: ${JSON.stringify({
      candidates: [{ content: { role: 'model', parts }, index: 0, ...more }],
      usageMetadata: {
        promptTokenCount: 200,
        cachedContentTokenCount: 150,
        candidatesTokenCount: 12,
        thoughtsTokenCount: 30,
        totalTokenCount: 242,
      },
      modelVersion: 'gemini-2.5-flash',
    })}\r\n\r\n`;

  test.each([1, 100_000])(
    'a stream in packets of %i bytes: text exact, thoughts counted as output',
    async (split) => {
      const body = chunk([{ text: 'Grüße, ' }]) + chunk([{ text: '東京 🏯' }], { finishReason: 'STOP' });
      const texts: string[] = [];
      const client = google(await serve({ body, split }));
      const result = await client.stream(ask({ model: 'gemini-2.5-flash' }), (more) => texts.push(more));
      expect(texts.join('')).toBe('Grüße, 東京 🏯');
      expect(result).toMatchObject({
        content: 'Grüße, 東京 🏯',
        finishReason: 'stop',
        usage: {
          inputTokens: 200,
          outputTokens: 42,
          cachedInputTokens: 150,
          cacheWriteTokens: 0,
          reasoningTokens: 30,
          estimated: false,
        },
      });
      expect(seen[0]?.headers['x-goog-api-key']).toBe(SECRET);
      expect(seen[0]?.url).not.toContain(SECRET);
    },
  );

  test('a function call becomes a tool call', async () => {
    const body = chunk([{ functionCall: { name: 'search', args: { q: 'x' } } }], { finishReason: 'STOP' });
    const result = await google(await serve({ body })).stream(ask({ model: 'gemini-2.5-flash' }), () => {});
    expect(result.finishReason).toBe('tool_calls');
    expect(result.toolCalls).toMatchObject([{ name: 'search', arguments: '{"q":"x"}' }]);
    expect(result.toolCalls[0]?.id).toMatch(/./);
  });

  test('refusals and safety stops are told', async () => {
    const refused = JSON.stringify({ error: { code: 403, message: SECRET, status: 'PERMISSION_DENIED' } });
    const error = await failure(
      google(await serve({ status: 403, body: refused })).generate(ask({ model: 'gemini-2.5-flash' })),
    );
    expect([error.kind, error.message]).toEqual(['refused', 'google answered 403 (PERMISSION_DENIED)']);
    const body = chunk([{ text: 'I' }], { finishReason: 'SAFETY' });
    const stopped = await google(await serve({ body })).stream(ask({ model: 'gemini-2.5-flash' }), () => {});
    expect(stopped.finishReason).toBe('content_filter');
  });
});
