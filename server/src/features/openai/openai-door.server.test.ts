import OpenAI, { APIError, AuthenticationError, BadRequestError, NotFoundError } from 'openai';
import { beforeEach, describe, expect } from 'vitest';
import { req } from '../../../test/requirements.ts';
import type { Client } from '../../../test/support/client.ts';
import { nextSecond } from '../../../test/support/next-second.ts';
import type { TestProvider } from '../../../test/support/provider.ts';
import type { TestServer } from '../../../test/support/server.ts';
import { expectBaseHeaders, newPerson, TIMESTAMP, UUID_V7 } from '../../../test/support/shapes.ts';
import { withWorld } from '../../../test/support/suite.ts';

/** The OpenAI-compatible door, through the official client. */

const POLICIES = { policies: { files: { tools: { write_file: { approval: 'human' } } } } };
const APPROVAL_TIMEOUT_MS = 60_000;

interface Extension {
  conversation_id: string;
  run_id: string;
  agent_id: string;
  cost_usd: number;
  proposals: string[];
}
interface ConversationBody {
  metadata: Record<string, unknown>;
  total_cost_usd: number;
  title: string;
  messages: { role: string; content: string }[];
}

let server: TestServer;
let provider: TestProvider;
let admin: Client;

const clientOf = (apiKey: string): OpenAI =>
  new OpenAI({ apiKey, baseURL: `${server.url}/v1`, maxRetries: 0 });
let openai: OpenAI;

const it = withWorld({
  files: { GOVERNANCE_FILE: POLICIES },
  env: {
    MODEL_TIMEOUT_S: '2',
    MCP_BUILTIN: 'on',
    ALLOW_SELF_APPROVAL: 'on',
  },
});
it.beforeAll(({ world }) => {
  ({ provider, server, admin } = world);
  openai = clientOf(admin.token ?? '');
});
beforeEach(() => provider.reset());

const extensionOf = (value: object): Extension => (value as { pentarch: Extension }).pentarch;
const conversation = async (id: string) =>
  (await admin.get(`/api/v1/conversations/${id}`)).json<ConversationBody>();
const prompt = (index = 0) =>
  (provider.requests[index]?.body.messages ?? []).map((m) => ({ role: m.role, content: String(m.content) }));
const failure = async (call: Promise<unknown>): Promise<APIError> => {
  const error: unknown = await call.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof APIError)) throw new Error(`no API error but ${String(error)}`);
  return error;
};
const ask = (more: Partial<OpenAI.ChatCompletionCreateParamsNonStreaming> = {}) =>
  openai.chat.completions.create({
    model: 'pentarch/zeus',
    messages: [{ role: 'user', content: 'Two and two?' }],
    ...more,
  });

describe('models', () => {
  it(req('OPENAI-01', 'are the network, its agents and the embedding model'), async () => {
    const ids = (await openai.models.list()).data.map((model) => model.id);
    expect(ids[0]).toBe('pentarch');
    expect(ids).toHaveLength(13);
    expect(ids).toEqual(
      expect.arrayContaining(['pentarch/athena', 'pentarch/morpheus', 'pentarch/embedding']),
    );
    const one = await openai.models.retrieve('pentarch/athena');
    expect(one).toMatchObject({ id: 'pentarch/athena', object: 'model', owned_by: 'pentarch' });
    expect((await admin.get('/v1/models/pentarch/athena')).json()).toEqual(one);
    const unknown = await failure(openai.models.retrieve('gpt-5'));
    expect(unknown).toBeInstanceOf(NotFoundError);
    expect(unknown).toMatchObject({ code: 'model_not_found', param: 'model', type: 'invalid_request_error' });
  });

  it(req('OPENAI-01', 'leave out an agent that is switched off'), async () => {
    await admin.patch('/api/v1/agents/iris', { enabled: false });
    const ids = (await openai.models.list()).data.map((model) => model.id);
    expect(ids).not.toContain('pentarch/iris');
    expect(await failure(ask({ model: 'pentarch/iris' }))).toMatchObject({
      status: 404,
      code: 'model_not_found',
    });
    await admin.patch('/api/v1/agents/iris', { enabled: true });
  });
});

describe('chat completions', () => {
  it(req('OPENAI-02', 'answer like the OpenAI API, with run, conversation and ledger'), async () => {
    provider.script({ text: 'Four.', usage: { inputTokens: 100, outputTokens: 10, cachedInputTokens: 40 } });
    const { data, response } = await ask({ user: 'end-user-7', metadata: { trace: 'abc' } }).withResponse();
    expectBaseHeaders(response as unknown as Parameters<typeof expectBaseHeaders>[0]);
    const extension = extensionOf(data);
    expect(data).toMatchObject({
      id: `chatcmpl-${extension.run_id}`,
      object: 'chat.completion',
      model: 'pentarch/zeus',
      choices: [
        {
          index: 0,
          finish_reason: 'stop',
          native_finish_reason: 'stop',
          logprobs: null,
          message: { role: 'assistant', content: 'Four.', refusal: null },
        },
      ],
      usage: {
        prompt_tokens: 100,
        completion_tokens: 10,
        total_tokens: 110,
        prompt_tokens_details: { cached_tokens: 40 },
        completion_tokens_details: { reasoning_tokens: 0 },
      },
    });
    expect(extension.run_id).toMatch(UUID_V7);
    expect(extension.agent_id).toBe('zeus');
    const stored = await conversation(extension.conversation_id);
    expect(stored.messages.map((m) => [m.role, m.content])).toEqual([
      ['user', 'Two and two?'],
      ['assistant', 'Four.'],
    ]);
    expect(stored.metadata).toEqual({ source: 'openai', end_user: 'end-user-7', client: { trace: 'abc' } });
    expect(stored.total_cost_usd).toBeGreaterThan(0);
    expect(stored.total_cost_usd).toBe(extension.cost_usd);
    const run = (await admin.get(`/api/v1/chat/runs/${extension.run_id}`)).json<{
      status: string;
      cost_usd: number;
    }>();
    expect(run).toMatchObject({ status: 'completed', cost_usd: extension.cost_usd });
  });

  it(
    req('OPENAI-02', 'take the history of the request, and system messages below the rules of the house'),
    async () => {
      provider.script({ text: 'Blue.' });
      const answer = await ask({
        messages: [
          { role: 'system', content: 'Answer in one word.' },
          { role: 'developer', content: [{ type: 'text', text: 'Be kind.' }] },
          { role: 'user', content: 'My favourite colour is blue.' },
          { role: 'assistant', content: 'Noted.' },
          {
            role: 'user',
            content: [
              { type: 'text', text: 'Which is' },
              { type: 'text', text: 'it?' },
            ],
          },
        ],
      });
      const messages = prompt();
      expect(messages.map((m) => m.role)).toEqual(['system', 'user', 'assistant', 'user']);
      expect(messages[0]?.content).toContain(
        '<client_instructions>\nAnswer in one word.\n\nBe kind.\n</client_instructions>',
      );
      expect(messages[0]?.content.indexOf('Rules that nothing')).toBeLessThan(
        messages[0]?.content.indexOf('<client_instructions>') ?? -1,
      );
      expect(messages[1]?.content).toBe('My favourite colour is blue.');
      expect(messages[3]?.content).toContain('Which is\nit?');
      // Only the new turn is stored: what the client remembers is its own.
      const stored = await conversation(extensionOf(answer).conversation_id);
      expect(stored.messages).toHaveLength(2);
      expect(stored.title).toBe('My favourite colour is blue.');
    },
  );

  it(req('OPENAI-02', 'go on with a stored conversation by metadata.conversation_id'), async () => {
    provider.script({ text: 'First.' }, { text: 'Second.' });
    const first = extensionOf(await ask());
    const second = await ask({
      messages: [{ role: 'user', content: 'And then?' }],
      metadata: { conversation_id: first.conversation_id },
    });
    expect(extensionOf(second).conversation_id).toBe(first.conversation_id);
    expect(prompt(1).map((m) => m.role)).toEqual(['system', 'user', 'assistant', 'user']);
    expect((await conversation(first.conversation_id)).messages).toHaveLength(4);
    const stranger = await newPerson(server, admin);
    const refused = await failure(
      clientOf(stranger.token ?? '').chat.completions.create({
        model: 'pentarch',
        messages: [{ role: 'user', content: 'Let me in' }],
        metadata: { conversation_id: first.conversation_id },
      }),
    );
    expect(refused.status).toBe(404);
  });

  it(req('OPENAI-02', 'hand cap and temperature to the model, and find an agent by themselves'), async () => {
    provider.script({ text: 'One', finishReason: 'length' });
    const answer = await ask({
      model: 'pentarch',
      messages: [{ role: 'user', content: 'What time is it in Tokyo?' }],
      max_completion_tokens: 20,
      temperature: 0.5,
    });
    expect(extensionOf(answer).agent_id).toBe('chronos');
    expect(answer.choices[0]?.finish_reason).toBe('length');
    const body = provider.requests[0]?.body;
    expect(body?.max_completion_tokens ?? body?.max_tokens).toBe(20);
    expect(body?.temperature).toBe(0.5);
  });

  it(req('OPENAI-03', 'stream chunks, and the usage where it is asked for'), async () => {
    provider.script({
      chunks: ['Once ', 'upon ', 'a 🐉.'],
      chunkDelayMs: 5,
      usage: { inputTokens: 30, outputTokens: 5 },
    });
    const stream = await openai.chat.completions.create({
      model: 'pentarch/zeus',
      messages: [{ role: 'user', content: 'A story' }],
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks: OpenAI.ChatCompletionChunk[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    expect(chunks[0]?.choices[0]?.delta).toMatchObject({ role: 'assistant', content: '' });
    expect(chunks.map((c) => c.choices[0]?.delta.content ?? '').join('')).toBe('Once upon a 🐉.');
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('stop');
    expect(chunks.at(-1)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 30, completion_tokens: 5, total_tokens: 35 },
    });
    expect(new Set(chunks.map((c) => c.id)).size).toBe(1);
    expect(chunks.slice(0, -1).every((c) => c.usage === null)).toBe(true);
  });

  it(req('OPENAI-03', 'end with [DONE], and have no usage unasked'), async () => {
    provider.script({ chunks: ['Yes.'] });
    const answer = await admin.post('/v1/chat/completions', {
      model: 'pentarch/zeus',
      messages: [{ role: 'user', content: 'Well?' }],
      stream: true,
    });
    expect(answer.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expectBaseHeaders(answer);
    expect(answer.text.endsWith('data: [DONE]\n\n')).toBe(true);
    expect(answer.text).not.toContain('"usage"');
  });

  it(req('OPENAI-03', 'a client that hangs up changes nothing: the run is stored and charged'), async () => {
    provider.script({ chunks: ['One ', 'two ', 'three.'], chunkDelayMs: 150 });
    const stream = await openai.chat.completions.create({
      model: 'pentarch/zeus',
      messages: [{ role: 'user', content: 'Count' }],
      stream: true,
    });
    let id = '';
    for await (const chunk of stream) {
      id = chunk.id;
      if (chunk.choices[0]?.delta.content) break;
    }
    stream.controller.abort();
    const runId = id.replace('chatcmpl-', '');
    const state = async () =>
      (await admin.get(`/api/v1/chat/runs/${runId}`)).json<{
        status: string;
        conversation_id: string;
        cost_usd: number;
      }>();
    await expect.poll(async () => (await state()).status, { timeout: 15_000 }).toBe('completed');
    const run = await state();
    expect(run.cost_usd).toBeGreaterThan(0);
    expect((await conversation(run.conversation_id)).messages.at(-1)?.content).toBe('One two three.');
  });

  it(req('OPENAI-03', 'a provider that breaks in mid-stream is an error in the stream'), async () => {
    provider.script({ chunks: ['One ', 'two ', 'three.'], resetAfter: 2 });
    const stream = await openai.chat.completions.create({
      model: 'pentarch/zeus',
      messages: [{ role: 'user', content: 'Count' }],
      stream: true,
    });
    const parts: string[] = [];
    const error = await failure(
      (async () => {
        for await (const chunk of stream) parts.push(chunk.choices[0]?.delta.content ?? '');
      })(),
    );
    expect(parts.join('')).toBe('One two ');
    expect(error).toMatchObject({ type: 'server_error', code: 'upstream_error' });
  });

  it(req('OPENAI-04', 'the same Idempotency-Key gets the first answer again, streamed or not'), async () => {
    provider.script({ text: 'First.' }, { text: 'Streamed.' });
    const headers = { 'idempotency-key': 'door-1' };
    const body = { model: 'pentarch/zeus', messages: [{ role: 'user', content: 'Once' }] };
    const first = await admin.post('/v1/chat/completions', body, { headers });
    const again = await admin.post('/v1/chat/completions', body, { headers });
    expect(first.status, first.text).toBe(200);
    expect(again.json()).toEqual(first.json());
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const streamed = { ...body, stream: true };
    const key = { headers: { 'idempotency-key': 'door-2' } };
    const one = await admin.post('/v1/chat/completions', streamed, key);
    await nextSecond();
    const two = await admin.post('/v1/chat/completions', streamed, key);
    expect(two.text).toBe(one.text);
    const said = (text: string) =>
      [...text.matchAll(/"content":"([^"]*)"/g)].map((match) => match[1]).join('');
    expect(said(two.text)).toBe('Streamed.');
    expect(said(one.text)).toBe('Streamed.');
    expect(provider.requests).toHaveLength(2);
  });

  it(
    req('OPENAI-05', 'say that a decision is awaited, and the run goes on after it'),
    async () => {
      provider.always((request) => {
        if (request.body.response_format !== undefined) return { chunks: ['{}'] };
        return request.body.messages?.at(-1)?.role === 'tool'
          ? { chunks: ['Written.'] }
          : {
              toolCalls: [
                {
                  id: 'w',
                  name: 'files__write_file',
                  arguments: JSON.stringify({ path: 'door.txt', content: 'x' }),
                },
              ],
            };
      });
      const params = {
        model: 'pentarch/hephaestus',
        messages: [{ role: 'user' as const, content: 'Write the file' }],
      };
      const chunksOf = async (): Promise<OpenAI.ChatCompletionChunk[]> => {
        const chunks: OpenAI.ChatCompletionChunk[] = [];
        for await (const chunk of await openai.chat.completions.create({ ...params, stream: true }))
          chunks.push(chunk);
        return chunks;
      };
      const [answer, chunks] = await Promise.all([openai.chat.completions.create(params), chunksOf()]);
      const { proposals, run_id } = extensionOf(answer);
      expect(proposals).toHaveLength(1);
      expect(answer.choices[0]).toMatchObject({
        finish_reason: 'stop',
        native_finish_reason: 'awaiting_approval',
      });
      expect(answer.choices[0]?.message.content).toContain(`Waiting for approval`);
      expect(answer.choices[0]?.message.content).toContain(proposals[0]);
      expect(chunks.at(-1)?.choices[0]).toMatchObject({
        finish_reason: 'stop',
        native_finish_reason: 'awaiting_approval',
      });
      expect(chunks.map((c) => c.choices[0]?.delta.content ?? '').join('')).toContain('Waiting for approval');
      const vote = await admin.post(`/api/v1/governance/proposals/${proposals[0]}/vote`, { vote: 'approve' });
      expect(vote.status, vote.text).toBe(200);
      await expect
        .poll(
          async () => (await admin.get(`/api/v1/chat/runs/${run_id}`)).json<{ status: string }>().status,
          { timeout: 15_000 },
        )
        .toBe('completed');
      const stored = await conversation(extensionOf(answer).conversation_id);
      expect(stored.messages.at(-1)?.content).toContain('Written.');
    },
    APPROVAL_TIMEOUT_MS,
  );
});

describe('refusals', () => {
  it.each<[string, Record<string, unknown>, string]>([
    ['functions', { functions: [{ name: 'f', parameters: {} }] }, 'functions'],
    [
      'an image',
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:,' } }] }] },
      'messages.0.content.0',
    ],
    [
      'a tool message without its call',
      { messages: [{ role: 'tool', tool_call_id: 'x', content: 'y' }] },
      'messages.0.tool_call_id',
    ],
    ['more than one choice', { n: 2 }, 'n'],
    ['a form of answers that there is not', { response_format: { type: 'yaml' } }, 'response_format'],
    ['a top_p beyond one', { top_p: 1.5 }, 'top_p'],
    ['an effort that does not exist', { reasoning_effort: 'frantic' }, 'reasoning_effort'],
    [
      'an answer as the last message',
      {
        messages: [
          { role: 'user', content: 'a' },
          { role: 'assistant', content: 'b' },
        ],
      },
      'messages.1',
    ],
    ['a blank message', { messages: [{ role: 'user', content: '  ' }] }, 'messages.0'],
    [
      'a message beyond the limit',
      { messages: [{ role: 'user', content: 'x'.repeat(262_145) }] },
      'messages.0.content',
    ],
    ['a conversation id of no form', { metadata: { conversation_id: 'mine' } }, 'metadata.conversation_id'],
  ])(req('OPENAI-06', '%s is a 400 that names it'), async (_what, more, param) => {
    const error = await failure(ask(more as Partial<OpenAI.ChatCompletionCreateParamsNonStreaming>));
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error).toMatchObject({ type: 'invalid_request_error', param, requestID: expect.any(String) });
    expect(provider.requests).toHaveLength(0);
  });

  it(
    req('OPENAI-09', 'unknown fields are ignored and named, whole, streamed and for embeddings'),
    async () => {
      const body = { model: 'pentarch/zeus', messages: [{ role: 'user', content: 'Two and two?' }] };
      for (const stream of [false, true]) {
        const answer = await admin.post('/v1/chat/completions', {
          ...body,
          stream,
          top_k: 40,
          keep_alive: '5m',
        });
        expect(answer.status, answer.text).toBe(200);
        expect(answer.headers.get('x-pentarch-ignored')).toBe('top_k, keep_alive');
      }
      expect(provider.requests.every((request) => !('top_k' in request.body))).toBe(true);
      const vectors = await admin.post('/v1/embeddings', {
        model: 'pentarch/embedding',
        input: 'x',
        'Ü\n': 1,
      });
      expect(vectors.headers.get('x-pentarch-ignored')).toBe('%C3%9C%0A');
      const many = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`f${i}${'x'.repeat(200)}`, i]));
      const header = (await admin.post('/v1/chat/completions', { ...body, ...many })).headers.get(
        'x-pentarch-ignored',
      );
      expect(header?.endsWith(', +24')).toBe(true);
      expect(header?.length).toBeLessThan(1_200);
      expect((await admin.post('/v1/chat/completions', body)).headers.get('x-pentarch-ignored')).toBeNull();
      expect((await admin.post('/api/v1/chat', { message: 'Hello', top_k: 40 })).status).toBe(422);
    },
  );

  it(req('OPENAI-09', 'stop, top_p, seed and reasoning_effort go to the provider'), async () => {
    await ask({ stop: ['END'], top_p: 0.9, seed: 7, reasoning_effort: 'low' });
    expect(provider.requests[0]?.body).toMatchObject({
      stop: ['END'],
      top_p: 0.9,
      seed: 7,
      reasoning_effort: 'low',
    });
  });

  it(req('OPENAI-06', 'what has no effect, and what says nothing, is taken'), async () => {
    const answer = await ask({
      top_p: 0.9,
      seed: 1,
      tools: [{ type: 'function', function: { name: 'f', parameters: {} } }],
      tool_choice: 'none',
      stop: null,
      n: 1,
      response_format: { type: 'text' },
    });
    expect(answer.choices[0]?.finish_reason).toBe('stop');
  });

  it(req('OPENAI-06', 'have the body of the OpenAI API: 401, 403, 404, 405, 402'), async () => {
    const wrong = await failure(clientOf('ptk_wrong').models.list());
    expect(wrong).toBeInstanceOf(AuthenticationError);
    expect(wrong).toMatchObject({ code: 'invalid_api_key', type: 'invalid_request_error' });
    const readonly = await newPerson(server, admin, { roles: ['readonly'] });
    const asReadonly = clientOf(readonly.token ?? '');
    expect((await asReadonly.models.list()).data.length).toBeGreaterThan(0);
    const forbidden = await failure(
      asReadonly.chat.completions.create({ model: 'pentarch', messages: [{ role: 'user', content: 'x' }] }),
    );
    expect(forbidden).toMatchObject({ status: 403, code: 'insufficient_permissions' });
    const nowhere = await admin.get('/v1/nowhere');
    expect(nowhere.status).toBe(404);
    expect(nowhere.body).toEqual({
      error: {
        message: expect.any(String),
        type: 'invalid_request_error',
        param: null,
        code: 'not_found',
        request_id: nowhere.headers.get('x-request-id'),
      },
    });
    expect((await admin.delete('/v1/models')).status).toBe(405);
    const poor = await newPerson(server, admin);
    await admin.put('/v2/costs/limits', {
      limits: [{ scope: 'user', subject: poor.id, period: 'day', limit_usd: 0 }],
    });
    const broke = await failure(
      clientOf(poor.token ?? '').chat.completions.create({
        model: 'pentarch/zeus',
        messages: [{ role: 'user', content: 'x' }],
      }),
    );
    expect(broke).toMatchObject({ status: 402, code: 'insufficient_quota', type: 'insufficient_quota' });
    // What other doors say of the limit, so that a program knows which one it was and until when.
    expect(broke.error).toMatchObject({
      details: {
        scope: 'user',
        period: 'day',
        limit_usd: 0,
        used_usd: 0,
        reserved_usd: 0,
        resets_at: expect.stringMatching(TIMESTAMP),
      },
    });
  });

  it(req('OPENAI-06', 'a platform API key is a token here too'), async () => {
    const made = await admin.post('/v2/auth/api-keys', { name: 'door' });
    const key = made.json<{ key: string }>().key;
    expect(key).toMatch(/^ptk_/);
    expect((await clientOf(key).models.list()).data).toHaveLength(13);
  });
});

describe('embeddings', () => {
  it(req('OPENAI-07', 'come as numbers and as base64, one for each text, on the ledger'), async () => {
    const person = await newPerson(server, admin);
    const client = clientOf(person.token ?? '');
    const input = ['a cat sits on the mat', 'the cat is on a mat', 'quarterly tax report'];
    // The client asks for base64 by itself and decodes it.
    const decoded = await client.embeddings.create({ model: 'pentarch/embedding', input });
    const floats = await client.embeddings.create({
      model: 'pentarch/embedding',
      input,
      encoding_format: 'float',
    });
    expect(decoded.data.map((row) => row.index)).toEqual([0, 1, 2]);
    expect(decoded.usage.prompt_tokens).toBeGreaterThan(5);
    const dot = (a: readonly number[] = [], b: readonly number[] = []) =>
      a.reduce((sum, x, i) => sum + x * (b[i] ?? 0), 0);
    const [first, second, third] = floats.data.map((row) => row.embedding);
    expect(first).toHaveLength(384);
    expect(dot(first, first)).toBeCloseTo(1, 4);
    expect(dot(first, second)).toBeGreaterThan(dot(first, third) + 0.2);
    decoded.data.forEach((row, i) => {
      expect(dot(row.embedding, floats.data[i]?.embedding)).toBeCloseTo(1, 4);
    });
    const raw = await person.post('/v1/embeddings', {
      model: 'pentarch/embedding',
      input: 'one',
      encoding_format: 'base64',
    });
    expect(
      Buffer.from(raw.json<{ data: { embedding: string }[] }>().data[0]?.embedding ?? '', 'base64'),
    ).toHaveLength(384 * 4);
    const usage = (await person.get('/v2/costs/usage?period=day')).json<{
      requests: number;
      total_usd: number;
      input_tokens: number;
    }>();
    expect(usage).toMatchObject({ requests: 3, total_usd: 0 });
    expect(usage.input_tokens).toBeGreaterThan(10);
  });

  it.each<[string, Record<string, unknown>, number, string]>([
    ['token numbers', { input: [1, 2, 3] }, 400, 'input.0'],
    ['an empty text', { input: '' }, 400, 'input'],
    ['other dimensions', { input: 'x', dimensions: 17 }, 400, 'dimensions'],
    ['an unknown model', { input: 'x', model: 'text-embedding-3-small' }, 404, 'model'],
    ['too many texts', { input: Array.from({ length: 257 }, () => 'x') }, 400, 'input'],
  ])(req('OPENAI-07', 'refuse %s'), async (_what, more, status, param) => {
    const answer = await admin.post('/v1/embeddings', { model: 'pentarch/embedding', ...more });
    expect(answer.status, answer.text).toBe(status);
    expect(answer.json<{ error: { param: string } }>().error.param).toBe(param);
  });
});
