import OpenAI, { APIError } from 'openai';
import { beforeEach, describe, expect } from 'vitest';
import { req } from '../../../test/requirements.ts';
import type { Client } from '../../../test/support/client.ts';
import { nextSecond } from '../../../test/support/next-second.ts';
import type { TestProvider } from '../../../test/support/provider.ts';
import type { TestServer } from '../../../test/support/server.ts';
import { newPerson } from '../../../test/support/shapes.ts';
import { withWorld } from '../../../test/support/suite.ts';

/** `/v1/completions`, through the official client. */

const POLICIES = { policies: { files: { tools: { write_file: { approval: 'human' } } } } };
const APPROVAL_TIMEOUT_MS = 60_000;

let server: TestServer;
let provider: TestProvider;
let admin: Client;
let openai: OpenAI;

const clientOf = (apiKey: string): OpenAI =>
  new OpenAI({ apiKey, baseURL: `${server.url}/v1`, maxRetries: 0 });

const it = withWorld({
  files: { GOVERNANCE_FILE: POLICIES },
  env: { MODEL_TIMEOUT_S: '5', MCP_BUILTIN: 'on', ALLOW_SELF_APPROVAL: 'on' },
});
it.beforeAll(({ world }) => {
  ({ provider, server, admin } = world);
  openai = clientOf(admin.token ?? '');
});
beforeEach(() => provider.reset());

type Asked = OpenAI.CompletionCreateParamsNonStreaming;
const params = (more: Partial<Asked> = {}): Asked => ({
  model: 'pentarch/zeus',
  prompt: 'Two and two?',
  ...more,
});
const extensionOf = (value: object) =>
  (value as { pentarch: { conversation_id: string; run_id: string } }).pentarch;

describe('a text completion', () => {
  it.for<[string, Asked['prompt']]>([
    ['a text', 'Two and two?'],
    ['a list of one', ['Two and two?']],
  ])(req('OPENAI-11', 'of %s is a run like any other'), async ([, prompt]) => {
    provider.script({ text: 'Four.' });
    const answer = await openai.completions.create(params({ prompt, user: 'someone' }));
    expect(answer).toMatchObject({
      object: 'text_completion',
      model: 'pentarch/zeus',
      choices: [{ index: 0, text: 'Four.', logprobs: null, finish_reason: 'stop' }],
    });
    expect(answer.id).toBe(`cmpl-${extensionOf(answer).run_id}`);
    expect(answer.usage?.total_tokens).toBe(
      (answer.usage?.prompt_tokens ?? 0) + (answer.usage?.completion_tokens ?? 0),
    );
    const kept = await admin.get(`/v2/conversations/${extensionOf(answer).conversation_id}`);
    expect(kept.json()).toMatchObject({ status: 'unlisted', metadata: { end_user: 'someone' } });
    expect(provider.requests.at(-1)?.body.messages?.at(-1)).toMatchObject({ role: 'user' });
    expect(JSON.stringify(provider.requests.at(-1)?.body.messages)).toContain('Two and two?');
  });

  it(req('OPENAI-11', 'streams, with usage where it is asked for'), async () => {
    provider.script({ chunks: ['Four', ' it is.'] });
    const stream = await openai.completions.create({
      ...params(),
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks: OpenAI.Completion[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    expect(chunks.map(({ choices }) => choices[0]?.text ?? '').join('')).toBe('Four it is.');
    expect(new Set(chunks.map(({ id, object }) => `${id} ${object}`)).size).toBe(1);
    const ends = chunks.flatMap(({ choices }) => choices).filter((choice) => choice.finish_reason !== null);
    expect(ends).toMatchObject([{ finish_reason: 'stop', native_finish_reason: 'stop' }]);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } });
  });

  it(req('OPENAI-11', 'has its settings passed on, and says when it was cut'), async () => {
    provider.script({ text: 'Once upon', finishReason: 'length' });
    const answer = await openai.completions.create(
      params({ max_tokens: 5, temperature: 0.2, top_p: 0.9, stop: ['END'], seed: 7 }),
    );
    expect(answer.choices[0]?.finish_reason).toBe('length');
    expect(provider.requests[0]?.body).toMatchObject({
      temperature: 0.2,
      top_p: 0.9,
      stop: ['END'],
      seed: 7,
    });
  });

  it(req('OPENAI-11', 'is repeated by its key, as a whole and as a stream'), async () => {
    provider.always({ text: 'Four.' });
    for (const stream of [false, true]) {
      const headers = { 'idempotency-key': `text-completion-${stream}` };
      const before = provider.requests.length;
      const first = await admin.post('/v1/completions', { ...params(), stream }, { headers });
      await nextSecond();
      const again = await admin.post('/v1/completions', { ...params(), stream }, { headers });
      expect(first.status, first.text).toBe(200);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expect(again.text).toBe(first.text);
      expect(provider.requests.length).toBe(before + 1);
      const other = await admin.post(
        '/v1/completions',
        { ...params(), prompt: 'Other?', stream },
        { headers },
      );
      expect(other.status).toBe(400);
    }
  });

  it(req('OPENAI-11', 'with store false stores nothing'), async () => {
    const answer = await admin.post('/v1/completions', { ...params(), store: false });
    expect(answer.status, answer.text).toBe(200);
    const { conversation_id: id } = extensionOf(answer.json<object>());
    expect((await admin.get(`/v2/conversations/${id}`)).status).toBe(404);
  });

  it(
    req('OPENAI-11', 'that waits for a decision says so'),
    async () => {
      const call = { id: 'w', name: 'files__write_file', arguments: '{"path":"r.txt","content":"x"}' };
      provider.always((request) =>
        request.body.response_format === undefined ? { toolCalls: [call] } : { chunks: ['{}'] },
      );
      const asked = params({ model: 'pentarch/hephaestus' });
      const [whole, stream] = await Promise.all([
        openai.completions.create(asked),
        openai.completions.create({ ...asked, stream: true }),
      ]);
      expect(whole.choices).toMatchObject([
        {
          text: expect.stringContaining('Waiting for approval'),
          finish_reason: 'stop',
          native_finish_reason: 'awaiting_approval',
        },
      ]);
      let text = '';
      for await (const chunk of stream) text += chunk.choices[0]?.text ?? '';
      expect(text).toContain('Waiting for approval');
    },
    APPROVAL_TIMEOUT_MS,
  );

  it.for<[string, object, string]>([
    ['two prompts', { prompt: ['One?', 'Two?'] }, 'prompt'],
    ['token numbers', { prompt: [1, 2, 3] }, 'prompt'],
    ['lists of token numbers', { prompt: [[1, 2], [3]] }, 'prompt'],
    ['an empty prompt', { prompt: '  ' }, 'prompt'],
    ['a prompt beyond the limit', { prompt: 'x'.repeat(262_145) }, 'prompt'],
    ['an echo', { echo: true }, 'echo'],
    ['a suffix', { suffix: 'end' }, 'suffix'],
    ['log probabilities', { logprobs: 2 }, 'logprobs'],
    ['the best of many', { best_of: 3 }, 'best_of'],
    ['many answers', { n: 2 }, 'n'],
    ['a number beyond two', { temperature: 3 }, 'temperature'],
    ['a model that there is not', { model: 'gpt-3.5-turbo-instruct' }, 'model'],
  ])(req('OPENAI-11', 'refuses %s by its name'), async ([, more, param]) => {
    const error: unknown = await openai.completions.create({ ...params(), ...more }).then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({ status: param === 'model' ? 404 : 400, param });
    expect(provider.requests).toEqual([]);
  });

  it(req('OPENAI-11', 'takes what says nothing, and names what is not known'), async () => {
    const answer = await admin.post('/v1/completions', {
      ...params(),
      echo: false,
      suffix: null,
      best_of: 1,
      n: 1,
      logprobs: null,
      presence_penalty: 0.5,
      use_beam_search: false,
    });
    expect([answer.status, answer.headers.get('x-pentarch-ignored')]).toEqual([200, 'use_beam_search']);
  });

  it(req('OPENAI-11', 'asks for the right to chat, and keeps to cost limits'), async () => {
    const readonly = await newPerson(server, admin, { roles: ['readonly'] });
    expect((await readonly.post('/v1/completions', params())).status).toBe(403);
    const poor = await newPerson(server, admin);
    await admin.put('/v2/costs/limits', {
      limits: [{ scope: 'user', subject: poor.id, period: 'day', limit_usd: 0 }],
    });
    for (const stream of [false, true])
      expect((await poor.post('/v1/completions', { ...params(), stream })).status).toBe(402);
    expect(provider.requests).toEqual([]);
  });
});
