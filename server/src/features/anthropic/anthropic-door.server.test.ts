import Anthropic, { APIError, AuthenticationError, BadRequestError, NotFoundError } from '@anthropic-ai/sdk';
import { beforeEach, describe, expect } from 'vitest';
import { req } from '../../../test/requirements.ts';
import type { Client } from '../../../test/support/client.ts';
import type { TestProvider } from '../../../test/support/provider.ts';
import type { TestServer } from '../../../test/support/server.ts';
import { newPerson } from '../../../test/support/shapes.ts';
import { withWorld } from '../../../test/support/suite.ts';

/** The door of the Anthropic API, through the official client. */

const POLICIES = { policies: { files: { tools: { write_file: { approval: 'human' } } } } };
const APPROVAL_TIMEOUT_MS = 60_000;

let server: TestServer;
let provider: TestProvider;
let admin: Client;
let anthropic: Anthropic;

const clientOf = (apiKey: string, more: Record<string, string> = {}): Anthropic =>
  new Anthropic({ apiKey, authToken: null, baseURL: server.url, maxRetries: 0, defaultHeaders: more });

const it = withWorld({
  files: { GOVERNANCE_FILE: POLICIES },
  env: { MODEL_TIMEOUT_S: '5', MCP_BUILTIN: 'on', ALLOW_SELF_APPROVAL: 'on' },
});
it.beforeAll(({ world }) => {
  ({ provider, server, admin } = world);
  anthropic = clientOf(admin.token ?? '');
});
beforeEach(() => provider.reset());

type Asked = Anthropic.MessageCreateParamsNonStreaming;
const params = (more: Partial<Asked> = {}): Asked => ({
  model: 'pentarch/zeus',
  max_tokens: 500,
  messages: [{ role: 'user', content: 'Two and two?' }],
  ...more,
});
const ask = (more: Partial<Asked> = {}) => anthropic.messages.create(params(more));
const textOf = (message: Anthropic.Message): string =>
  message.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
const extensionOf = (value: object) =>
  (value as { pentarch: { conversation_id: string; run_id: string; cost_usd: number; proposals: string[] } })
    .pentarch;
const failure = async (call: PromiseLike<unknown>): Promise<APIError> => {
  const error: unknown = await call.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof APIError)) throw new Error(`no API error but ${String(error)}`);
  return error;
};
const prompt = (index = 0) =>
  (provider.requests[index]?.body.messages ?? []).map((m) => ({ role: m.role, content: String(m.content) }));

const WEATHER: Anthropic.Tool = {
  name: 'get_weather',
  description: 'The weather of a city',
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

describe('messages', () => {
  it(
    req(
      'ANTHROPIC-01',
      'are runs: answered, stored and charged, with the key as x-api-key or as a bearer token',
    ),
    async () => {
      provider.script({ text: 'Four.' });
      // A field that the client has no name for since the version 2026-10-21.
      const cooler: Partial<Asked> & { temperature: number } = { temperature: 0.5 };
      const answer = await ask({ system: 'Be short.', stop_sequences: ['END'], ...cooler });
      expect(answer).toMatchObject({
        type: 'message',
        role: 'assistant',
        model: 'pentarch/zeus',
        content: [{ type: 'text', text: 'Four.' }],
        stop_reason: 'end_turn',
      });
      expect(answer._request_id).toBeTruthy();
      const [metered] = provider.meter;
      expect(answer.usage.input_tokens + (answer.usage.cache_read_input_tokens ?? 0)).toBe(
        metered?.inputTokens,
      );
      expect(answer.usage.output_tokens).toBe(metered?.outputTokens);
      const { conversation_id: id, cost_usd: cost } = extensionOf(answer);
      expect(cost).toBeGreaterThan(0);
      const conversation = await admin.get(`/api/v1/conversations/${id}`);
      expect(conversation.json()).toMatchObject({
        metadata: { source: 'anthropic' },
        total_cost_usd: cost,
        messages: [{ content: 'Two and two?' }, { content: 'Four.' }],
        // Instructions of a client's program.
        taint: ['context'],
      });
      expect(provider.requests[0]?.body).toMatchObject({ temperature: 0.5, stop: ['END'], max_tokens: 500 });
      expect(prompt()[0]?.content).toContain('Be short.');
      // As clients before the version 2026-10-21 send it; it goes before the other header.
      const older = { 'x-api-key': admin.token ?? '', 'anthropic-version': '2023-06-01' };
      const others: Record<string, string>[] = [{}, { authorization: 'Bearer something' }];
      for (const more of others) {
        provider.script({ text: 'Four again.' });
        const sent = await server
          .anonymous()
          .post('/v1/messages', params(), { headers: { ...older, ...more } });
        expect([sent.status, sent.headers.get('request-id')]).toEqual([
          200,
          sent.headers.get('x-request-id'),
        ]);
      }
      for (const key of ['', 'two words', 'ptk_wrong']) {
        const headers = { 'x-api-key': key, authorization: `Bearer ${admin.token}` };
        expect((await server.anonymous().post('/v1/messages', params(), { headers })).status).toBe(401);
      }
      const bearer = new Anthropic({
        apiKey: null,
        authToken: admin.token ?? '',
        baseURL: server.url,
        maxRetries: 0,
      });
      provider.script({ text: 'Also four.' });
      expect(textOf(await bearer.messages.create(params()))).toBe('Also four.');
    },
  );

  it(req('ANTHROPIC-01', 'bring their history, or go on with a stored conversation'), async () => {
    provider.script({ text: 'Ada.' });
    const first = await ask({
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'I am Ada.' }] },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm', signature: 's' },
            { type: 'text', text: 'Hello.' },
          ],
        },
        { role: 'user', content: 'Who am I?' },
      ],
    });
    expect(prompt().slice(1)).toEqual([
      { role: 'user', content: 'I am Ada.' },
      { role: 'assistant', content: 'Hello.' },
      { role: 'user', content: expect.stringMatching(/^Now: \S+\n\nWho am I\?$/) },
    ]);
    const { conversation_id: id } = extensionOf(first);
    provider.script({ text: 'Still Ada.' });
    const metadata = { conversation_id: id } as Anthropic.Metadata;
    const next = await ask({ messages: [{ role: 'user', content: 'And now?' }], metadata });
    expect(extensionOf(next).conversation_id).toBe(id);
    expect(prompt(1).map((m) => m.content)).toEqual(
      expect.arrayContaining(['Who am I?', 'Ada.', expect.stringMatching(/^Now: \S+\n\nAnd now\?$/)]),
    );
  });

  it(req('ANTHROPIC-02', 'stream as the events of the protocol'), async () => {
    provider.script({ chunks: ['Once ', 'upon ', 'a 🐉.'] });
    const types: string[] = [];
    const stream = anthropic.messages.stream(params());
    stream.on('streamEvent', (event) => types.push(event.type));
    const message = await stream.finalMessage();
    expect(textOf(message)).toBe('Once upon a 🐉.');
    expect(message).toMatchObject({
      stop_reason: 'end_turn',
      usage: { output_tokens: provider.meter[0]?.outputTokens },
    });
    expect(types.filter((type, i) => type !== types[i - 1])).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
  });

  it(req('ANTHROPIC-03', 'call tools of the client and go on with their results'), async () => {
    provider.script(
      { toolCalls: [{ id: 'x', name: 'get_weather', arguments: '{"city":"Oslo"}' }] },
      { text: 'It is 3 °C.' },
    );
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Weather in Oslo?' }];
    const called = await ask({ messages, tools: [WEATHER] });
    expect(called.stop_reason).toBe('tool_use');
    const use = called.content.find((block) => block.type === 'tool_use');
    expect(use).toMatchObject({ name: 'get_weather', input: { city: 'Oslo' } });
    const result: Anthropic.ToolResultBlockParam = {
      type: 'tool_result',
      tool_use_id: use?.id ?? '',
      content: [{ type: 'text', text: '3 °C' }],
    };
    messages.push({ role: 'assistant', content: called.content }, { role: 'user', content: [result] });
    const answer = await ask({ messages, tools: [WEATHER] });
    expect(textOf(answer)).toBe('It is 3 °C.');
    expect(extensionOf(answer).conversation_id).toBe(extensionOf(called).conversation_id);
    expect(prompt(1).at(-1)).toEqual({ role: 'tool', content: '3 °C' });
    // What is said beside a result comes behind it.
    provider.script({ text: 'Noted.' });
    await ask({
      messages: [
        ...messages.slice(0, -1),
        { role: 'user', content: [result, { type: 'text', text: 'Now in one word.' }] },
      ],
      tools: [WEATHER],
    });
    expect(prompt(2).at(-1)?.content).toContain('Now in one word.');
  });

  it(req('ANTHROPIC-03', 'stream calls of tools, forced ones too'), async () => {
    provider.script({
      text: 'Let me see.',
      toolCalls: [{ id: 'x', name: 'get_weather', arguments: '{"city":"Bergen"}' }],
    });
    const message = await anthropic.messages
      .stream(params({ tools: [WEATHER], tool_choice: { type: 'tool', name: 'get_weather' } }))
      .finalMessage();
    expect(message).toMatchObject({
      stop_reason: 'tool_use',
      content: [
        { type: 'text', text: 'Let me see.' },
        { type: 'tool_use', name: 'get_weather', input: { city: 'Bergen' } },
      ],
    });
    expect(provider.requests[0]?.body.tool_choice).toEqual({
      type: 'function',
      function: { name: 'get_weather' },
    });
  });

  it(req('ANTHROPIC-01', 'give objects of a schema'), async () => {
    provider.script({ text: 'no' }, { text: '{"hours":12}' });
    const schema = { type: 'object', properties: { hours: { type: 'integer' } }, required: ['hours'] };
    const answer = await ask({ output_config: { format: { type: 'json_schema', schema } } });
    expect(JSON.parse(textOf(answer))).toEqual({ hours: 12 });
  });

  it(req('ANTHROPIC-01', 'of one Idempotency-Key are one, whole and streamed'), async () => {
    const once = clientOf(admin.token ?? '', { 'idempotency-key': 'anthropic-1' });
    provider.script({ text: 'Once.' });
    const first = await once.messages.create(params());
    expect((await once.messages.create(params())).id).toBe(first.id);
    const streamed = clientOf(admin.token ?? '', { 'idempotency-key': 'anthropic-2' });
    provider.script({ text: 'Twice.' });
    const second = await streamed.messages.stream(params()).finalMessage();
    expect((await streamed.messages.stream(params()).finalMessage()).id).toBe(second.id);
    expect(provider.requests).toHaveLength(2);
  });

  it(
    req('ANTHROPIC-01', 'that need a decision say so, whole and streamed'),
    async () => {
      provider.always((request) => {
        if (request.body.response_format !== undefined) return { chunks: ['{}'] };
        return {
          toolCalls: [{ id: 'w', name: 'files__write_file', arguments: '{"path":"m.txt","content":"x"}' }],
        };
      });
      const asked = { model: 'pentarch/hephaestus' };
      const [whole, streamed] = await Promise.all([
        ask(asked),
        anthropic.messages.stream(params(asked)).finalMessage(),
      ]);
      for (const message of [whole, streamed]) {
        expect(textOf(message)).toContain('Waiting for approval');
        expect(message.stop_reason).toBe('end_turn');
      }
      expect(extensionOf(whole).proposals).toHaveLength(1);
    },
    APPROVAL_TIMEOUT_MS,
  );

  it(req('ANTHROPIC-01', 'are counted for nothing'), async () => {
    const short = await anthropic.messages.countTokens({ model: 'pentarch', messages: params().messages });
    const long = await anthropic.messages.countTokens({
      model: 'pentarch',
      system: 'word '.repeat(400),
      messages: params().messages,
      tools: [WEATHER],
    });
    expect(short.input_tokens).toBeGreaterThan(0);
    expect(long.input_tokens).toBeGreaterThan(short.input_tokens + 400);
    expect(provider.requests).toEqual([]);
  });
});

describe('refusals', () => {
  it(req('ANTHROPIC-04', 'have the body of the Anthropic API'), async () => {
    const nobody = await failure(clientOf('ptk_wrong').messages.create(params()));
    expect(nobody).toBeInstanceOf(AuthenticationError);
    expect(nobody.error).toMatchObject({ type: 'error', error: { type: 'authentication_error' } });
    expect(nobody.requestID).toBeTruthy();
    const unknown = await failure(ask({ model: 'claude-opus' }));
    expect(unknown).toBeInstanceOf(NotFoundError);
    expect(unknown.error).toMatchObject({ error: { type: 'not_found_error' } });
    const readonly = await newPerson(server, admin, { roles: ['readonly'] });
    expect((await failure(clientOf(readonly.token ?? '').messages.create(params()))).error).toMatchObject({
      error: { type: 'permission_error' },
    });
    const poor = await newPerson(server, admin);
    await admin.put('/v2/costs/limits', {
      limits: [{ scope: 'user', subject: poor.id, period: 'day', limit_usd: 0 }],
    });
    const broken = clientOf(poor.token ?? '').messages;
    // One after the other: who waits for none of two yet misses the one that fails first.
    for (const call of [() => broken.create(params()), () => broken.stream(params()).finalMessage()]) {
      const broke = await failure(call());
      expect([broke.status, broke.error]).toMatchObject([
        402,
        { error: { type: 'billing_error', details: { scope: 'user' } } },
      ]);
    }
    expect((await server.anonymous().post('/v1/messages', params())).status).toBe(401);
    expect((await admin.get('/v1/messages')).body).toMatchObject({ type: 'error' });
    // Elsewhere the header is no key.
    const headers = { 'x-api-key': admin.token ?? '' };
    expect((await server.anonymous().get('/v1/models', { headers })).status).toBe(401);
    expect((await server.anonymous().get('/api/v1/conversations', { headers })).status).toBe(401);
    expect(provider.requests).toEqual([]);
  });

  it.for<[string, Record<string, unknown>, string]>([
    ['no max_tokens', { max_tokens: undefined }, 'max_tokens'],
    ['an image', { messages: [{ role: 'user', content: [{ type: 'image', source: {} }] }] }, 'images'],
    ['an answer at the end', { messages: [{ role: 'assistant', content: 'I am' }] }, 'role user'],
    ['a tool of the provider', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }, 'tools.0'],
    [
      'a result of no call',
      { messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'x' }] }] },
      'must answer a call',
    ],
    ['a choice that there is not', { tools: [WEATHER], tool_choice: { type: 'perhaps' } }, 'tool_choice'],
    ['servers of its own', { mcp_servers: [{ type: 'url' }] }, 'mcp_servers'],
    [
      'a schema that is none',
      { output_config: { format: { type: 'json_schema', schema: { type: 'no' } } } },
      'output_config.format.schema',
    ],
    ['a number beyond one', { temperature: 1.5 }, 'temperature'],
  ])(req('ANTHROPIC-04', '%s is a 400 that says so'), async ([, more, words]) => {
    const refused = await failure(anthropic.messages.create({ ...params(), ...more } as Asked));
    expect(refused).toBeInstanceOf(BadRequestError);
    expect(refused.error).toMatchObject({
      error: { type: 'invalid_request_error', message: expect.stringContaining(words) },
    });
    expect(provider.requests).toEqual([]);
  });

  it(
    req('ANTHROPIC-04', 'of another version, of a provider that fails, and of a stream that breaks'),
    async () => {
      const version = await failure(
        clientOf(admin.token ?? '', { 'anthropic-version': '2030-01-01' }).messages.create(params()),
      );
      expect([version.status, String(version.message)]).toEqual([400, expect.stringContaining('2023-06-01')]);
      provider.always({ error: { status: 400, body: { error: { message: 'no' } } } });
      expect((await failure(ask())).error).toMatchObject({ error: { type: 'api_error' } });
      const broken = await failure(anthropic.messages.stream(params()).finalMessage());
      expect(String(broken.message)).toContain('api_error');
    },
  );

  it(req('ANTHROPIC-04', 'none for fields that are not known: they are named'), async () => {
    provider.script({ text: 'Fine.' });
    const more = { top_k: 5, thinking: { type: 'enabled', budget_tokens: 1024 }, service_tier: 'auto' };
    const answer = await admin.post('/v1/messages', { ...params(), ...more });
    expect([answer.status, answer.headers.get('x-pentarch-ignored')]).toEqual([200, 'top_k']);
  });
});
