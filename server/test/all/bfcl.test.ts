import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { beforeAll, describe, expect } from 'vitest';
import { createAnthropicProvider, createGoogleProvider } from '../../src/adapters/models/ai-sdk/index.ts';
import {
  COMPATIBLE_DIALECT,
  createChatCompletions,
  OPENAI_DIALECT,
} from '../../src/adapters/models/chat-completions/index.ts';
import type { ModelProvider, ModelResult, ToolSpec } from '../../src/kernel/model.ts';
import { type MeantCall, WIRES } from '../support/bfcl-wires.ts';
import { withWorld } from '../support/suite.ts';

/**
 * The cases of bfcl-eval as a round trip: the tools of a case go to the provider, the provider calls what the case's answer
 * names, and what comes out is what was meant. The folder with the package is BFCL_PATH (.ci/run makes it). All cases by
 * `BFCL_EVERY=1`; by default every 12th goes through the adapters and every 120th through the doors.
 */

interface Case {
  id: string;
  question: string;
  tools: { name: string; description: string; parameters: Record<string, unknown> }[];
  calls: MeantCall[];
}

const { BFCL_PATH: FOLDER, BFCL_EVERY, BFCL_DOORS_EVERY } = process.env;
const EVERY = Number(BFCL_EVERY ?? 12);
const DOORS_EVERY = Number(BFCL_DOORS_EVERY ?? 120);
const TIME_LIMIT_MS = 1_800_000;

let cases: Case[] = [];
beforeAll(async () => {
  if (FOLDER === undefined)
    throw new Error('BFCL_PATH is needed: pip install --no-deps --target DIR bfcl-eval==2026.3.23');
  const script = path.join(import.meta.dirname, '..', 'support', 'bfcl.py');
  const child = spawn('python3', [script, FOLDER], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  for await (const line of createInterface({ input: child.stdout })) cases.push(JSON.parse(line) as Case);
  expect(await ended).toEqual([0, null]);
  cases = cases.filter(({ tools }) => tools.length > 0);
}, 120_000);

const sample = (every: number): Case[] => cases.filter((_case, i) => i % every === 0);

const toolSpecs = ({ tools }: Case): ToolSpec[] =>
  tools.map(({ name, description, parameters }) => ({ name, description, inputSchema: parameters }));

const outOf = ({ toolCalls }: ModelResult): MeantCall[] =>
  toolCalls.map((call) => ({
    name: call.name,
    arguments: (call.arguments === '' ? {} : JSON.parse(call.arguments)) as MeantCall['arguments'],
  }));

/** A loopback provider that answers each request with what `next` holds. */
const startPlayed = async () => {
  const state = { answer: '', body: {} as Record<string, unknown> };
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      state.body = JSON.parse(Buffer.concat(parts).toString()) as Record<string, unknown>;
      const type = state.answer.startsWith('{') ? 'application/json' : 'text/event-stream';
      response.writeHead(200, { 'content-type': type }).end(state.answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const close = (): Promise<void> => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(() => resolve()));
  };
  return { state, url: `http://127.0.0.1:${address.port}/v1`, close };
};

const ADAPTERS: readonly {
  name: string;
  wire: keyof typeof WIRES;
  make(baseUrl: string): ModelProvider;
}[] = [
  {
    name: 'openai',
    wire: 'openai',
    make: (baseUrl) => createChatCompletions({ name: 'openai', baseUrl, dialect: OPENAI_DIALECT }),
  },
  {
    name: 'ollama and compatible',
    wire: 'openai',
    make: (baseUrl) => createChatCompletions({ name: 'compatible', baseUrl, dialect: COMPATIBLE_DIALECT }),
  },
  {
    name: 'anthropic',
    wire: 'anthropic',
    make: (baseUrl) => createAnthropicProvider({ apiKey: 'key', baseUrl }),
  },
  { name: 'google', wire: 'google', make: (baseUrl) => createGoogleProvider({ apiKey: 'key', baseUrl }) },
];

const it = withWorld();

describe('what is called comes out of each adapter as it was meant', () => {
  it.for(ADAPTERS)('$name', { timeout: TIME_LIMIT_MS }, async ({ wire: wireName, make }) => {
    const wire = WIRES[wireName];
    const played = await startPlayed();
    const provider = make(played.url);
    const wrong: unknown[] = [];
    const chosen = sample(EVERY);
    try {
      for (const one of chosen) {
        const request = {
          model: 'model',
          messages: [{ role: 'user' as const, content: one.question }],
          tools: toolSpecs(one),
          signal: new AbortController().signal,
        };
        const meant = one.calls;
        played.state.answer = wire.whole(meant);
        const whole = outOf(await provider.generate(request));
        const told = wire.toolsOf(played.state.body);
        played.state.answer = wire.streamed(meant);
        const streamed = outOf(await provider.stream(request, () => {}));
        const tools = one.tools.map(({ name, description, parameters: schema }) => ({
          name,
          description,
          schema,
        }));
        const same = (a: unknown, b: unknown): boolean => {
          try {
            expect(a).toEqual(b);
            return true;
          } catch {
            return false;
          }
        };
        if (!same(whole, meant)) wrong.push({ id: one.id, whole, meant });
        if (!same(streamed, meant)) wrong.push({ id: one.id, streamed, meant });
        if (!same(told, tools)) wrong.push({ id: one.id, told, tools });
      }
    } finally {
      await provider.close();
      await played.close();
    }
    process.stdout.write(`${wireName}: ${chosen.length} cases of ${cases.length}, ${wrong.length} wrong\n`);
    expect(chosen.length).toBeGreaterThan(cases.length / EVERY - 1);
    expect(wrong.slice(0, 5)).toEqual([]);
  });
});

type Json = Readonly<Record<string, unknown>>;
const eventsOf = (text: string): Json[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice('data: '.length)) as Json);
const parsed = (name: unknown, text: unknown): MeantCall => ({
  name: String(name),
  arguments: JSON.parse(String(text)) as MeantCall['arguments'],
});

interface Door {
  path: string;
  headers?: Record<string, string>;
  body(one: Case, stream: boolean): Json;
  whole(answer: Json): MeantCall[];
  streamed(events: readonly Json[]): MeantCall[];
}

interface ChatCall {
  index: number;
  function: { name?: string; arguments: string };
}

const DOORS: readonly Door[] = [
  {
    path: '/v1/chat/completions',
    body: ({ question, tools }, stream) => ({
      model: 'pentarch/chronos',
      stream,
      messages: [{ role: 'user', content: question }],
      tools: tools.map((tool) => ({ type: 'function', function: tool })),
    }),
    whole: (answer) => {
      const [choice] = answer.choices as { message: { tool_calls?: ChatCall[] } }[];
      return (choice?.message.tool_calls ?? []).map((call) =>
        parsed(call.function.name, call.function.arguments),
      );
    },
    streamed: (events) => {
      const calls: { name: string; text: string }[] = [];
      for (const event of events) {
        const [choice] = event.choices as { delta: { tool_calls?: ChatCall[] } }[];
        for (const { index, function: fn } of choice?.delta.tool_calls ?? []) {
          const call = calls[index] ?? { name: '', text: '' };
          calls[index] = { name: call.name + (fn.name ?? ''), text: call.text + fn.arguments };
        }
      }
      return calls.map(({ name, text }) => parsed(name, text));
    },
  },
  {
    path: '/v1/responses',
    body: ({ question, tools }, stream) => ({
      model: 'pentarch/chronos',
      stream,
      input: question,
      tools: tools.map((tool) => ({ type: 'function', ...tool })),
    }),
    whole: (answer) =>
      (answer.output as Json[])
        .filter(({ type }) => type === 'function_call')
        .map((item) => parsed(item.name, item.arguments)),
    streamed: (events) =>
      events
        .filter(({ type }) => type === 'response.output_item.done')
        .map(({ item }) => item as Json)
        .filter(({ type }) => type === 'function_call')
        .map((item) => parsed(item.name, item.arguments)),
  },
  {
    path: '/v1/messages',
    headers: { 'anthropic-version': '2023-06-01' },
    body: ({ question, tools }, stream) => ({
      model: 'pentarch/chronos',
      stream,
      max_tokens: 1_000,
      messages: [{ role: 'user', content: question }],
      tools: tools.map(({ parameters, ...tool }) => ({ ...tool, input_schema: parameters })),
    }),
    whole: (answer) =>
      (answer.content as Json[])
        .filter(({ type }) => type === 'tool_use')
        .map(({ name, input }) => ({ name: String(name), arguments: input as MeantCall['arguments'] })),
    streamed: (events) => {
      const calls = new Map<unknown, { name: unknown; text: string }>();
      for (const event of events) {
        const block = event.content_block as Json | undefined;
        if (block?.type === 'tool_use') calls.set(event.index, { name: block.name, text: '' });
        const delta = event.delta as Json | undefined;
        const call = calls.get(event.index);
        if (delta?.type === 'input_json_delta' && call !== undefined) call.text += String(delta.partial_json);
      }
      return [...calls.values()].map(({ name, text }) => parsed(name, text === '' ? '{}' : text));
    },
  },
];

describe('what is called comes out of each door as it was meant', () => {
  it.for(DOORS)('$path', { timeout: TIME_LIMIT_MS }, async (door, { world }) => {
    const { admin, provider, server } = world;
    const wrong: unknown[] = [];
    const chosen = sample(DOORS_EVERY);
    for (const one of chosen) {
      for (const stream of [false, true]) {
        const toolCalls = one.calls.map((call, i) => ({
          id: `call_${i}`,
          name: call.name,
          arguments: JSON.stringify(call.arguments),
          pieceChars: 7,
        }));
        provider.reset();
        provider.always(toolCalls.length === 0 ? { text: 'No tool fits.' } : { toolCalls });
        const answer = await fetch(`${server.url}${door.path}`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            authorization: `Bearer ${admin.token ?? ''}`,
            ...door.headers,
          },
          body: JSON.stringify(door.body(one, stream)),
        });
        const text = await answer.text();
        if (answer.status !== 200) {
          wrong.push({ id: one.id, stream, status: answer.status, text: text.slice(0, 500) });
          continue;
        }
        const out = stream ? door.streamed(eventsOf(text)) : door.whole(JSON.parse(text) as Json);
        const told = WIRES.openai.toolsOf({ ...provider.requests[0]?.body });
        const missing = one.tools.filter(
          ({ name, description, parameters }) =>
            !told.some(
              (tool) =>
                JSON.stringify([tool.name, tool.description, tool.schema]) ===
                JSON.stringify([name, description, parameters]),
            ),
        );
        if (JSON.stringify(out) !== JSON.stringify(one.calls))
          wrong.push({ id: one.id, stream, out, meant: one.calls });
        if (missing.length > 0) wrong.push({ id: one.id, stream, missing, told });
      }
    }
    process.stdout.write(`${door.path}: ${chosen.length} cases of ${cases.length}, ${wrong.length} wrong\n`);
    expect(wrong.slice(0, 3)).toEqual([]);
  });
});
