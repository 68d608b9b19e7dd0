import OpenAI, { APIError, BadRequestError } from 'openai';
import { zodTextFormat } from 'openai/helpers/zod';
import { beforeEach, describe, expect } from 'vitest';
import { z } from 'zod';
import { req } from '../../../test/requirements.ts';
import type { Client } from '../../../test/support/client.ts';
import { nextSecond } from '../../../test/support/next-second.ts';
import type { TestProvider } from '../../../test/support/provider.ts';
import type { TestServer } from '../../../test/support/server.ts';
import { newPerson } from '../../../test/support/shapes.ts';
import { withWorld } from '../../../test/support/suite.ts';

/** `/v1/responses`, through the official client. */

const POLICIES = { policies: { files: { tools: { write_file: { approval: 'human' } } } } };
const APPROVAL_TIMEOUT_MS = 60_000;

let server: TestServer;
let provider: TestProvider;
let admin: Client;
let openai: OpenAI;

const clientOf = (apiKey: string, defaultHeaders: Record<string, string> = {}): OpenAI =>
  new OpenAI({ apiKey, baseURL: `${server.url}/v1`, maxRetries: 0, defaultHeaders });

const it = withWorld({
  files: { GOVERNANCE_FILE: POLICIES },
  env: { MODEL_TIMEOUT_S: '5', MCP_BUILTIN: 'on', ALLOW_SELF_APPROVAL: 'on' },
});
it.beforeAll(({ world }) => {
  ({ provider, server, admin } = world);
  openai = clientOf(admin.token ?? '');
});
beforeEach(() => provider.reset());

type Asked = Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, 'stream'>;
const params = (more: Partial<Asked> = {}): Asked => ({
  model: 'pentarch/zeus',
  input: 'Two and two?',
  ...more,
});
const ask = (more: Partial<Asked> = {}) => openai.responses.create(params(more));
const extensionOf = (value: object) =>
  (value as { pentarch: { conversation_id: string; cost_usd: number; proposals: string[] } }).pentarch;
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

const WEATHER: OpenAI.Responses.FunctionTool = {
  type: 'function',
  name: 'get_weather',
  description: 'The weather of a city',
  strict: true,
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
};
const calledFor = (city: string) => ({
  toolCalls: [{ id: 'x', name: 'get_weather', arguments: JSON.stringify({ city }) }],
});
const callIn = (response: OpenAI.Responses.Response) => {
  const call = response.output.find((item) => item.type === 'function_call');
  if (call === undefined) throw new Error('there is no call');
  return call;
};

describe('responses', () => {
  it(req('RESPONSES-01', 'are runs: answered, stored and charged'), async () => {
    provider.script({ text: 'Four.' });
    const response = await ask({
      instructions: 'Be short.',
      temperature: 0.5,
      max_output_tokens: 300,
      metadata: { ticket: '7' },
      store: true,
      include: ['reasoning.encrypted_content'],
    });
    expect(response).toMatchObject({
      object: 'response',
      status: 'completed',
      model: 'pentarch/zeus',
      output_text: 'Four.',
      instructions: 'Be short.',
      max_output_tokens: 300,
      metadata: { ticket: '7' },
      store: true,
      error: null,
    });
    const [metered] = provider.meter;
    expect(response.usage).toMatchObject({
      input_tokens: metered?.inputTokens,
      output_tokens: metered?.outputTokens,
    });
    const { conversation_id: id, cost_usd: cost } = extensionOf(response);
    expect(cost).toBeGreaterThan(0);
    expect((await admin.get(`/api/v1/conversations/${id}`)).json()).toMatchObject({
      metadata: { source: 'openai', client: { ticket: '7' } },
      total_cost_usd: cost,
      taint: ['context'],
    });
    expect(prompt()[0]?.content).toContain('Be short.');
    expect(provider.requests[0]?.body).toMatchObject({ temperature: 0.5 });
  });

  it(req('RESPONSES-01', 'bring their history as items'), async () => {
    provider.script({ text: 'Ada.' });
    await ask({
      input: [
        { role: 'developer', content: 'Be kind.' },
        { role: 'user', content: [{ type: 'input_text', text: 'I am Ada.' }] },
        { id: 'rs_1', type: 'reasoning', summary: [] },
        {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: 'Hello.', annotations: [] }],
        },
        { role: 'user', content: 'Who am I?' },
      ],
    });
    expect(prompt().slice(1)).toEqual([
      { role: 'user', content: 'I am Ada.' },
      { role: 'assistant', content: 'Hello.' },
      { role: 'user', content: expect.stringMatching(/^Now: \S+\n\n(?:[\s\S]*\n\n)?Who am I\?$/) },
    ]);
    expect(prompt()[0]?.content).toContain('Be kind.');
  });

  it(req('RESPONSES-02', 'go on with previous_response_id and with a conversation'), async () => {
    provider.script({ text: 'Hello Ada.' }, { text: 'Ada.' }, { text: 'Still Ada.' });
    const first = await ask({ input: 'I am Ada.' });
    const second = await ask({ input: 'Who am I?', previous_response_id: first.id });
    expect(second.previous_response_id).toBe(first.id);
    const { conversation_id: id } = extensionOf(first);
    expect(extensionOf(second).conversation_id).toBe(id);
    expect(prompt(1).map((m) => m.content)).toEqual(
      expect.arrayContaining([
        'I am Ada.',
        'Hello Ada.',
        expect.stringMatching(/^Now: \S+\n\n(?:[\s\S]*\n\n)?Who am I\?$/),
      ]),
    );
    const third = await ask({ input: 'And now?', conversation: { id } });
    expect(extensionOf(third).conversation_id).toBe(id);
    // What has been gone on from is not the newest any more.
    const older = await failure(ask({ input: 'Again?', previous_response_id: first.id }));
    expect(older).toMatchObject({ status: 400, param: 'previous_response_id' });
    const stranger = await newPerson(server, admin);
    const others = clientOf(stranger.token ?? '');
    for (const previous of [third.id, 'resp_none', `resp_${crypto.randomUUID()}`]) {
      const refused = await failure(others.responses.create(params({ previous_response_id: previous })));
      expect(refused).toMatchObject({ status: 400, code: 'previous_response_not_found' });
    }
    expect(provider.requests).toHaveLength(3);
  });

  it(req('RESPONSES-03', 'stream as the events of the protocol'), async () => {
    provider.script({ chunks: ['Once ', 'upon ', 'a 🐉.'] });
    const types: string[] = [];
    const numbers: number[] = [];
    const stream = openai.responses.stream(params());
    stream.on('event', (event) => {
      types.push(event.type);
      if ('sequence_number' in event) numbers.push(event.sequence_number);
    });
    const response = await stream.finalResponse();
    expect(response).toMatchObject({ status: 'completed', output_text: 'Once upon a 🐉.' });
    expect(response.usage?.output_tokens).toBe(provider.meter[0]?.outputTokens);
    expect(types.filter((type, i) => type !== types[i - 1])).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ]);
    expect(numbers).toEqual(numbers.map((_, i) => i));
  });

  it(req('RESPONSES-04', 'call functions of the client and go on with their outputs'), async () => {
    const tools = [WEATHER];
    provider.script(calledFor('Oslo'), { text: 'It is 3 °C.' }, { text: 'Cold.' });
    const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'Weather in Oslo?' }];
    const called = await ask({ input, tools });
    const call = callIn(called);
    expect(call).toMatchObject({ name: 'get_weather', arguments: '{"city":"Oslo"}' });
    const output = { type: 'function_call_output' as const, call_id: call.call_id, output: '3 °C' };
    const answer = await ask({ input: [...input, ...called.output, output] as typeof input, tools });
    expect(answer.output_text).toBe('It is 3 °C.');
    expect(extensionOf(answer).conversation_id).toBe(extensionOf(called).conversation_id);
    expect(prompt(1).at(-1)).toEqual({ role: 'tool', content: '3 °C' });
    // Answers and calls may be named by their ids alone.
    const [said] = answer.output;
    await ask({
      input: [
        { role: 'user', content: 'Weather?' },
        { type: 'item_reference', id: said?.id ?? '' },
        { role: 'user', content: 'In one word?' },
      ],
    });
    expect(prompt(2).slice(1)).toEqual([
      { role: 'user', content: 'Weather?' },
      { role: 'assistant', content: 'It is 3 °C.' },
      { role: 'user', content: expect.stringMatching(/^Now: \S+\n\nIn one word\?$/) },
    ]);
  });

  it(req('RESPONSES-04', 'take outputs behind previous_response_id, two at once too'), async () => {
    const tools = [WEATHER];
    const two = [...calledFor('Oslo').toolCalls, { ...calledFor('Bergen').toolCalls[0], id: 'y' }];
    provider.script({ text: 'Let me see.', toolCalls: two as never }, { text: 'Both are cold.' });
    const called = await ask({ tools });
    const outputs = called.output
      .filter((item) => item.type === 'function_call')
      .map(({ call_id }, i) => ({
        type: 'function_call_output' as const,
        call_id,
        output: [{ type: 'input_text' as const, text: `${i} °C` }],
      }));
    expect(outputs).toHaveLength(2);
    const answer = await ask({ input: outputs, tools, previous_response_id: called.id });
    expect(answer.output_text).toBe('Both are cold.');
    expect(prompt(1).slice(-2)).toEqual([
      { role: 'tool', content: '0 °C' },
      { role: 'tool', content: '1 °C' },
    ]);
    const lost = { type: 'function_call_output' as const, call_id: 'call_none', output: 'x' };
    expect(await failure(ask({ input: [lost], tools }))).toMatchObject({ status: 400, param: 'input' });
  });

  it(req('RESPONSES-04', 'stream calls of functions, forced ones too'), async () => {
    provider.script({ text: 'Let me see.', ...calledFor('Bergen') });
    const response = await openai.responses
      .stream(params({ tools: [WEATHER], tool_choice: { type: 'function', name: 'get_weather' } }))
      .finalResponse();
    expect(response.output).toMatchObject([
      { type: 'message', content: [{ text: 'Let me see.' }] },
      { type: 'function_call', name: 'get_weather', arguments: '{"city":"Bergen"}' },
    ]);
    expect(provider.requests[0]?.body.tool_choice).toEqual({
      type: 'function',
      function: { name: 'get_weather' },
    });
  });

  it(req('RESPONSES-01', 'are parsed, whole and streamed'), async () => {
    const Lamp = z.object({ name: z.string(), hours: z.number().int() });
    const good = '{"name":"Argand","hours":12}';
    const format = { text: { format: zodTextFormat(Lamp, 'lamp') } };
    provider.script({ text: 'no' }, { text: good }, { text: good });
    expect((await openai.responses.parse(params(format))).output_parsed).toEqual({
      name: 'Argand',
      hours: 12,
    });
    const streamed = await openai.responses.stream(params(format)).finalResponse();
    expect(streamed.output_parsed).toEqual({ name: 'Argand', hours: 12 });
    provider.script({ text: '{"a":1}' });
    const any = await ask({ text: { format: { type: 'json_object' } } });
    expect(any.output_text).toBe('{"a":1}');
  });

  it(req('RESPONSES-01', 'of one Idempotency-Key are one, whole and streamed'), async () => {
    const once = clientOf(admin.token ?? '', { 'idempotency-key': 'responses-1' });
    provider.script({ text: 'Once.' });
    const first = await once.responses.create(params());
    expect((await once.responses.create(params())).id).toBe(first.id);
    const streamed = clientOf(admin.token ?? '', { 'idempotency-key': 'responses-2' });
    provider.script({ text: 'Twice.' });
    const second = await streamed.responses.stream(params()).finalResponse();
    await nextSecond();
    const { id, created_at: createdAt } = await streamed.responses.stream(params()).finalResponse();
    expect({ id, createdAt }).toEqual({ id: second.id, createdAt: second.created_at });
    expect(provider.requests).toHaveLength(2);
  });

  it(
    req('RESPONSES-01', 'that need a decision say so, whole and streamed'),
    async () => {
      provider.always((request) => {
        if (request.body.response_format !== undefined) return { chunks: ['{}'] };
        return {
          toolCalls: [{ id: 'w', name: 'files__write_file', arguments: '{"path":"r.txt","content":"x"}' }],
        };
      });
      const asked = params({ model: 'pentarch/hephaestus' });
      const [whole, streamed] = await Promise.all([
        openai.responses.create(asked),
        openai.responses.stream(asked).finalResponse(),
      ]);
      for (const response of [whole, streamed]) {
        expect(response).toMatchObject({
          status: 'completed',
          output_text: expect.stringContaining('Waiting for approval'),
        });
      }
      expect(extensionOf(whole).proposals).toHaveLength(1);
    },
    APPROVAL_TIMEOUT_MS,
  );

  it(req('RESPONSES-01', 'that are cut are incomplete'), async () => {
    provider.script(
      { text: 'Once upon', finishReason: 'length' },
      { text: 'Once upon', finishReason: 'length' },
    );
    const cut = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
    expect(await ask()).toMatchObject(cut);
    expect(await openai.responses.stream(params()).finalResponse()).toMatchObject(cut);
  });
});

describe('refusals', () => {
  it.for<[string, Record<string, unknown>, string]>([
    ['an image', { input: [{ role: 'user', content: [{ type: 'input_image' }] }] }, 'input.0.content.0'],
    ['an item of another kind', { input: [{ type: 'computer_call' }] }, 'input.0'],
    ['an item that there is not', { input: [{ type: 'item_reference', id: 'msg_none' }] }, 'input.0.id'],
    ['a tool of the provider', { tools: [{ type: 'web_search' }] }, 'tools.0'],
    ['a choice without a tool', { tool_choice: 'required' }, 'tool_choice'],
    ['work in the background', { background: true }, 'background'],
    ['a stored prompt', { prompt: { id: 'pmpt_1' } }, 'prompt'],
    [
      'a schema that is none',
      { text: { format: { type: 'json_schema', name: 'x', schema: { type: 'no' } } } },
      'text.format.schema',
    ],
    ['a conversation of no form', { conversation: 'conv_1' }, 'metadata.conversation_id'],
    ['a number beyond two', { temperature: 3 }, 'temperature'],
  ])(req('RESPONSES-05', '%s is a 400 that names it'), async ([, more, param]) => {
    const refused = await failure(openai.responses.create({ ...params(), ...more } as Asked));
    expect(refused).toBeInstanceOf(BadRequestError);
    expect(refused.param).toBe(param);
    expect(provider.requests).toEqual([]);
  });

  it(
    req('RESPONSES-05', 'of rights, limits, providers and broken streams are those of the API'),
    async () => {
      const readonly = await newPerson(server, admin, { roles: ['readonly'] });
      const forbidden = await failure(clientOf(readonly.token ?? '').responses.create(params()));
      expect(forbidden).toMatchObject({ status: 403, code: 'insufficient_permissions' });
      const poor = await newPerson(server, admin);
      await admin.put('/v2/costs/limits', {
        limits: [{ scope: 'user', subject: poor.id, period: 'day', limit_usd: 0 }],
      });
      const broke = clientOf(poor.token ?? '').responses;
      for (const call of [() => broke.create(params()), () => broke.stream(params()).finalResponse()])
        expect(await failure(call())).toMatchObject({ status: 402, code: 'insufficient_quota' });
      expect(provider.requests).toEqual([]);
      provider.always({ error: { status: 400, body: { error: { message: 'no' } } } });
      expect(await failure(ask())).toMatchObject({ status: 502, type: 'server_error' });
      const failed = await openai.responses.create({ ...params(), stream: true });
      const events = [];
      for await (const event of failed) events.push(event);
      expect(events.at(-1)).toMatchObject({
        type: 'response.failed',
        response: { status: 'failed', error: { code: 'server_error' } },
      });
    },
  );

  it(req('RESPONSES-05', 'none for fields that are not known: they are named'), async () => {
    provider.script({ text: 'Fine.' });
    const answer = await admin.post('/v1/responses', { ...params(), context_management: [] });
    expect([answer.status, answer.headers.get('x-pentarch-ignored')]).toEqual([200, 'context_management']);
  });
});
