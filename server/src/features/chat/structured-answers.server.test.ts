import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, Output, streamText } from 'ai';
import OpenAI, { APIError } from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import { beforeEach, describe, expect } from 'vitest';
import { z } from 'zod';
import { req } from '../../../test/requirements.ts';
import type { Client } from '../../../test/support/client.ts';
import type { TestProvider } from '../../../test/support/provider.ts';
import { startServer, type TestServer } from '../../../test/support/server.ts';
import { withWorld } from '../../../test/support/suite.ts';

/** Answers of a form that a client asks for: natively, and as clients of the OpenAI API ask for it. */

let server: TestServer;
let provider: TestProvider;
let admin: Client;
let openai: OpenAI;

const it = withWorld({ env: { MCP_BUILTIN: 'on' } });
it.beforeAll(({ world }) => {
  ({ provider, server, admin } = world);
  openai = new OpenAI({ apiKey: admin.token ?? '', baseURL: `${server.url}/v1`, maxRetries: 0 });
});
beforeEach(() => provider.reset());

const Lamp = z.object({ name: z.string(), hours: z.number().int() });
const LAMP = {
  type: 'object',
  properties: { name: { type: 'string' }, hours: { type: 'integer' } },
  required: ['name', 'hours'],
  additionalProperties: false,
};
const GOOD = '{"name":"Argand","hours":12}';
const BAD = '{"name":"Argand","hours":"twelve"}';

interface Answer {
  content: string;
  parsed?: unknown;
  run_id: string;
  conversation_id: string;
  cost_usd: number;
  citations: { title: string }[];
  usage: { output_tokens: number };
}
const ask = (more: Record<string, unknown> = {}, client = admin) =>
  client.post('/api/v1/chat', {
    message: 'Which lamp?',
    context: { agent_id: 'zeus' },
    response_schema: LAMP,
    ...more,
  });

const teach = async (client: Client, content: string): Promise<void> => {
  const document = { title: 'Lamps', content, content_type: 'text/plain' };
  const made = await client.post('/api/v1/knowledge/documents', document);
  expect(made.status, made.text).toBe(201);
};

describe('natively', () => {
  it(req('CHAT-07', 'the answer fits response_schema, and parsed is its value'), async () => {
    provider.script({ text: `\`\`\`json\n${GOOD}\n\`\`\`` });
    const answer = await ask();
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json<Answer>()).toMatchObject({ content: GOOD, parsed: { name: 'Argand', hours: 12 } });
    const [{ body }] = provider.requests as [(typeof provider.requests)[number]];
    expect(body.response_format).toEqual({
      type: 'json_schema',
      json_schema: { name: 'answer', schema: LAMP, strict: true },
    });
    expect(String(body.messages?.[0]?.content)).toContain(JSON.stringify(LAMP));
    // The schema came from a program: what it says is no word of the house.
    const { conversation_id: id } = answer.json<Answer>();
    const conversation = await admin.get(`/api/v1/conversations/${id}`);
    expect(conversation.json()).toMatchObject({ taint: ['context'] });
    provider.script({ text: 'Plain.' });
    const plain = await ask({ response_schema: undefined });
    expect(plain.json<Answer>()).not.toHaveProperty('parsed');
  });

  it(req('CHAT-07', 'one that does not fit is asked for once more, and paid for'), async () => {
    provider.script({ text: BAD }, { text: GOOD });
    const answer = (await ask()).json<Answer>();
    expect(answer).toMatchObject({ content: GOOD, parsed: { name: 'Argand', hours: 12 } });
    expect(provider.requests).toHaveLength(2);
    const again = provider.requests[1]?.body.messages ?? [];
    expect(again.slice(-2)).toMatchObject([
      { role: 'assistant', content: BAD },
      { role: 'user', content: expect.stringContaining('/hours must be integer') },
    ]);
    const spent = provider.meter.reduce((sum, entry) => sum + entry.outputTokens, 0);
    expect(answer.usage.output_tokens).toBe(spent);
  });

  it(req('CHAT-07', 'after a second one that does not fit the run fails and says why'), async () => {
    provider.script({ text: 'A lamp.' }, { text: BAD });
    const failed = await ask();
    expect(failed.status).toBe(502);
    expect(failed.json()).toMatchObject({
      error: { code: 'UPSTREAM_ERROR', message: expect.stringContaining('/hours must be integer') },
    });
    expect(provider.requests).toHaveLength(2);
  });

  it(req('CHAT-07', 'a schema that cannot be used is refused before anything is spent'), async () => {
    for (const schema of [
      { type: 'nonsense' },
      { $ref: '#/nowhere' },
      { type: 'object', description: 'x'.repeat(40_000) },
    ]) {
      const refused = await ask({ response_schema: schema });
      expect([JSON.stringify(schema).slice(0, 60), refused.status]).toEqual([
        JSON.stringify(schema).slice(0, 60),
        422,
      ]);
      expect(refused.text).toContain('/response_schema');
    }
    expect(provider.requests).toEqual([]);
  });

  it(req('CHAT-07', 'a schema that cannot be checked wholly is refused by its keyword'), async () => {
    const $defs: Record<string, unknown> = { d0: { type: 'string' } };
    for (let i = 1; i <= 40; i++) {
      const $ref = `#/$defs/d${i - 1}`;
      $defs[`d${i}`] = { anyOf: [{ $ref }, { $ref }] };
    }
    for (const [schema, word] of [
      [{ type: 'object', properties: { a: { pattern: '^(?=.*[0-9]).{8,}$' } } }, 'pattern at /properties/a'],
      [{ $ref: '#' }, 'refers to itself without end'],
      [{ $ref: '#/$defs/d40', $defs }, 'multiplies into too many ways'],
    ] as const) {
      const refused = await ask({ response_schema: schema });
      expect([word, refused.status]).toEqual([word, 422]);
      expect(refused.text).toContain(word);
      const format = { type: 'json_schema', json_schema: { name: 'a', schema } };
      const messages = [{ role: 'user', content: 'Which lamp?' }];
      const other = await admin.post('/v1/chat/completions', {
        model: 'pentarch',
        messages,
        response_format: format,
      });
      expect([word, other.status]).toEqual([word, 400]);
      expect(other.text).toContain(word);
      const text = { format: { type: 'json_schema', name: 'a', schema } };
      const third = await admin.post('/v1/responses', { model: 'pentarch', input: 'Which lamp?', text });
      expect([word, third.status]).toEqual([word, 400]);
      const config = { format: { type: 'json_schema', schema } };
      const fourth = await admin.post('/v1/messages', {
        model: 'pentarch',
        max_tokens: 100,
        messages,
        output_config: config,
      });
      expect([word, fourth.status]).toEqual([word, 400]);
    }
    expect(provider.requests).toEqual([]);
  });

  it(
    req('CHAT-07', 'an answer that cannot be checked wholly does not fit, and the reason is told'),
    async () => {
      const next = { type: 'object', properties: { next: { $ref: '#' } } };
      const doubled = {
        anyOf: [
          { ...next, required: ['x'] },
          { ...next, required: ['y'] },
        ],
      };
      const chain = `${'{"next":'.repeat(40)}{}${'}'.repeat(40)}`;
      const deep = `{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}`;
      for (const [schema, text, reason] of [
        [doubled, chain, 'takes too long'],
        [{ type: 'object' }, deep, 'nested more than 100 deep'],
        [{ type: 'object' }, '{"n":1e999}', '1e999 is too large'],
        [{ type: 'object' }, '{"n":9007199254740993}', '9007199254740993 has more digits'],
      ] as const) {
        provider.reset();
        provider.script({ text }, { text });
        const failed = await ask({ response_schema: schema });
        expect([reason, failed.status]).toEqual([reason, 502]);
        expect(failed.text).toContain(reason);
        expect(provider.requests).toHaveLength(2);
      }
    },
  );

  it(req('CHAT-07', 'a stream tells nothing that does not fit, and ends with the value'), async () => {
    provider.script({ chunks: ['{"name":', '1}'] }, { chunks: ['{"name":"Argand",', '"hours":12}'] });
    const asked = await admin.stream('/api/v1/chat/stream', {
      message: 'Which lamp?',
      context: { agent_id: 'zeus' },
      response_schema: LAMP,
    });
    const events = await asked.rest();
    const text = events
      .filter((event) => event.event === 'message.delta')
      .map((event) => (event.data as { content: string }).content)
      .join('');
    expect(text).toBe(GOOD);
    expect(events.at(-1)).toMatchObject({
      event: 'message.completed',
      data: { content: GOOD, parsed: { name: 'Argand', hours: 12 } },
    });
    const { run_id: id } = (events[0] ?? { data: null }).data as { run_id: string };
    const replayed = await admin.stream(`/api/v1/chat/runs/${id}/stream`);
    expect((await replayed.rest()).at(-1)?.data).toMatchObject({ parsed: { name: 'Argand', hours: 12 } });
  });

  it(
    req('CHAT-07', 'tools are called on the way; what is said beside a call is not part of the value'),
    async () => {
      provider.script(
        {
          text: 'Let me look.',
          toolCalls: [{ id: 'c1', name: 'time__get_current_time', arguments: '{"timezone":"UTC"}' }],
        },
        { text: BAD },
        { text: GOOD },
      );
      const answer = (await ask({ context: { agent_id: 'chronos' } })).json<Answer>();
      expect(answer).toMatchObject({ content: GOOD, parsed: { hours: 12 } });
      expect(answer).toMatchObject({ tool_calls: [{ name: 'get_current_time' }] });
      // The second try is for the form alone.
      expect(provider.requests[2]?.body.tool_choice).toBe('none');
    },
  );

  it(req('CHAT-07', 'what was cut is no value'), async () => {
    provider.script({ text: '{"name":"Arg', finishReason: 'length' });
    const answer = (await ask()).json<Answer>();
    expect(answer).toMatchObject({ content: '{"name":"Arg', finish_reason: 'length' });
    expect(answer).not.toHaveProperty('parsed');
  });

  it(req('CHAT-07', 'citations stand beside it, and a list of numbers is none'), async () => {
    await teach(admin, 'The Argand lamp burns twelve hours without trimming.');
    provider.script(
      { text: '{"text":"It burns twelve hours without trimming [1]","rows":[1]}' },
      { text: '{"text":"No word of it","rows":[1]}' },
    );
    const schema = { type: 'object', properties: { text: { type: 'string' }, rows: { type: 'array' } } };
    const more = { message: 'How long does the Argand lamp burn?', context: { agent_id: 'athena' } };
    const cited = (await ask({ ...more, response_schema: schema })).json<Answer>();
    expect(cited.citations).toMatchObject([{ title: 'Lamps' }]);
    const none = (await ask({ ...more, response_schema: schema })).json<Answer>();
    expect(none.citations).toEqual([]);
  });
});

describe('at /v1', () => {
  const messages = [{ role: 'user' as const, content: 'Which lamp?' }];

  it(req('OPENAI-10', 'parse of the official client gives the value'), async () => {
    provider.script({ text: GOOD });
    const completion = await openai.chat.completions.parse({
      model: 'pentarch/zeus',
      messages,
      response_format: zodResponseFormat(Lamp, 'lamp'),
    });
    expect(completion.choices[0]?.message.parsed).toEqual({ name: 'Argand', hours: 12 });
    expect(provider.requests[0]?.body.response_format).toMatchObject({
      json_schema: { name: 'lamp', strict: true },
    });
  });

  it(req('OPENAI-10', 'a stream has it too'), async () => {
    provider.script({ chunks: ['{"name":"Argand",', '"hours":12}'] });
    const stream = openai.chat.completions.stream({
      model: 'pentarch/zeus',
      messages,
      response_format: zodResponseFormat(Lamp, 'lamp'),
    });
    const completion = await stream.finalChatCompletion();
    expect(completion.choices[0]?.message.parsed).toEqual({ name: 'Argand', hours: 12 });
  });

  it(req('OPENAI-10', 'json_object is any object'), async () => {
    provider.script({ text: '[1]' }, { text: '{"a":[1]}' });
    const completion = await openai.chat.completions.create({
      model: 'pentarch/zeus',
      messages,
      response_format: { type: 'json_object' },
    });
    expect(completion.choices[0]?.message.content).toBe('{"a":[1]}');
    expect(provider.requests).toHaveLength(2);
  });

  it(req('OPENAI-10', 'the AI SDK gets objects, whole and streamed'), async () => {
    const compatible = createOpenAICompatible({
      name: 'pentarch',
      baseURL: `${server.url}/v1`,
      apiKey: admin.token ?? '',
      supportsStructuredOutputs: true,
    });
    const asked = {
      model: compatible('pentarch/zeus'),
      prompt: 'Which lamp?',
      output: Output.object({ schema: Lamp }),
      maxRetries: 0,
    };
    provider.script({ text: GOOD }, { text: GOOD });
    expect((await generateText(asked)).output).toEqual({ name: 'Argand', hours: 12 });
    expect(await streamText(asked).output).toEqual({ name: 'Argand', hours: 12 });
  });

  it(req('OPENAI-10', 'what cannot be used is refused by its name'), async () => {
    const formats: [unknown, string][] = [
      [{ type: 'yaml' }, 'response_format'],
      [{ type: 'json_schema' }, 'response_format'],
      [
        { type: 'json_schema', json_schema: { name: 'two words', schema: LAMP } },
        'response_format.json_schema.name',
      ],
      [{ type: 'json_schema', json_schema: { name: 'lamp' } }, 'response_format.json_schema.schema'],
      [
        { type: 'json_schema', json_schema: { name: 'lamp', schema: { type: 'no' } } },
        'response_format.json_schema.schema',
      ],
    ];
    for (const [format, param] of formats) {
      const body = { model: 'pentarch', messages, response_format: format };
      const refused = await admin.post('/v1/chat/completions', body);
      expect([format, refused.status, refused.body]).toMatchObject([format, 400, { error: { param } }]);
    }
    provider.script({ text: 'no' }, { text: 'no' });
    const failed = await openai.chat.completions
      .parse({ model: 'pentarch/zeus', messages, response_format: zodResponseFormat(Lamp, 'lamp') })
      .catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(APIError);
    expect(failed).toMatchObject({ status: 502, type: 'server_error' });
  });
});

describe('the built-in model', () => {
  it(req('CHAT-07', 'fills what it quotes, and says what it cannot tell'), async () => {
    const plain = await startServer({ env: { MCP_BUILTIN: 'off' } });
    try {
      const client = await plain.signIn();
      await teach(client, 'The Argand lamp burns 12 hours without trimming.');
      const question = { message: 'How long does the Argand lamp burn?', context: { agent_id: 'athena' } };
      const properties = { answer: { type: 'string' }, hours: { type: 'integer' } };
      const schema = { type: 'object', properties, required: ['answer', 'hours'] };
      const answer = (await ask({ ...question, response_schema: schema }, client)).json<Answer>();
      expect(answer.parsed).toMatchObject({ answer: expect.stringContaining('12 hours'), hours: 12 });
      expect(answer.citations).toMatchObject([{ title: 'Lamps' }]);
      const unknown = { type: 'object', properties: { lit: { type: 'boolean' } }, required: ['lit'] };
      const refused = await ask({ ...question, response_schema: unknown }, client);
      expect(refused.status).toBe(502);
      expect(refused.text).toContain('lit');
    } finally {
      await plain.close();
    }
  });
});
