import { describe, expect, test } from 'vitest';
import { PASSAGES } from '../test/answers.ts';
import { createBuiltinModel } from './builtin.ts';
import type { ModelMessage, ModelRequest } from './port.ts';

const model = createBuiltinModel(Date.now);
const ask = (messages: ModelMessage[] | string, extra: Partial<ModelRequest> = {}): ModelRequest => ({
  model: 'builtin',
  messages:
    typeof messages === 'string'
      ? [
          { role: 'system', content: 'You are Athena.' },
          { role: 'user', content: messages },
        ]
      : messages,
  signal: new AbortController().signal,
  ...extra,
});
const grounding = { question: null, passages: PASSAGES, memories: [] };

describe('the built-in model', () => {
  test('answers from passages, with estimated usage', async () => {
    const result = await model.generate(ask('How high is the tower?', { grounding }));
    expect(result.content).toMatch(/It stands 41 metres high.* \[1\]$/);
    expect(result).toMatchObject({
      toolCalls: [],
      finishReason: 'stop',
      model: 'builtin',
      usage: { estimated: true, cachedInputTokens: 0 },
    });
    expect(result.usage.inputTokens).toBeGreaterThan(10);
    expect(result.usage.outputTokens).toBeGreaterThan(20);
  });

  test('says plainly when they do not answer, or when there are none', async () => {
    expect((await model.generate(ask('Who painted the tower?', { grounding }))).content).toMatch(
      /no sentence that answers this/,
    );
    expect(
      (await model.generate(ask('Who painted the tower?', { grounding: { ...grounding, passages: [] } })))
        .content,
    ).toMatch(/found nothing/);
    expect((await model.generate(ask('Write a poem about rain'))).content).toMatch(
      /built-in model.*OPENAI_API_KEY/s,
    );
  });

  test.each([
    ['Hello! What can you do?', /^Hello! .*search your documents.*Try:/s],
    ['hi', /^Hello! .*Try:/s],
    ['Hallo! Was kannst du?', /^Hallo! Ich bin .*zitieren/s],
    ['Bonjour, que peux-tu faire ?', /^Bonjour ! Je suis /],
    ['¿Qué puedes hacer?', /^Soy el modelo integrado/],
    ['Vielen Dank!', /^Gern geschehen/],
    ['What is the capital of France?', /^I know only your documents/],
  ])('small talk: %s', async (message, told) => {
    expect((await model.generate(ask(message))).content).toMatch(told);
  });

  test('tells what the platform found when asked what it can do', async () => {
    const tools = [{ name: 'list_abilities', description: '', inputSchema: {} }];
    const call = await model.generate(ask('Hello! What can you do?', { tools }));
    expect(call.toolCalls).toMatchObject([{ name: 'list_abilities', arguments: '{}' }]);
    const told = await model.generate(
      ask(
        [
          { role: 'user', content: 'Hello! What can you do?' },
          { role: 'assistant', content: '', toolCalls: call.toolCalls },
          { role: 'tool', toolCallId: 'call_1', name: 'list_abilities', content: 'Agents: Athena' },
        ],
        { tools },
      ),
    );
    expect(told.content).toMatch(/^Hello! I am the built-in model.*Agents: Athena/s);
  });

  test('confirms what the memory keeps of a statement, and answers no other question with it', async () => {
    const noted = ['works at Acme'];
    expect(
      (await model.generate(ask('I work at Acme.', { grounding: { ...grounding, passages: null, noted } })))
        .content,
    ).toBe('Noted: works at Acme');
    const memories = ['The user: prefers tables over prose (told by the user, 2026-11-29)'];
    const asked = (message: string) =>
      model.generate(ask(message, { grounding: { question: null, passages: null, memories } }));
    expect((await asked('How long do I boil an egg?')).content).not.toContain('tables');
    expect((await asked('What do I prefer?')).content).toContain('tables over prose');
  });

  test('a follow-up is read with the message before it', async () => {
    const result = await model.generate(
      ask(
        [
          { role: 'user', content: 'Who built the tower?' },
          { role: 'assistant', content: 'Elsa Brandt [1]' },
          { role: 'user', content: 'How high is it?' },
        ],
        { grounding },
      ),
    );
    expect(result.content).toContain('41 metres');
  });

  test('streams the same answer in groups of words', async () => {
    const request = ask('How high is the tower?', { grounding });
    const parts: string[] = [];
    const streamed = await model.stream(request, (part) => parts.push(part));
    expect(parts.length).toBeGreaterThan(3);
    expect(parts.join('')).toBe(streamed.content);
    expect(streamed).toEqual(await model.generate(request));
  });

  test('a cancelled stream keeps what came', async () => {
    const abort = new AbortController();
    let text = '';
    const run = model.stream(ask('How high is the tower?', { grounding, signal: abort.signal }), (part) => {
      text += part;
      abort.abort();
    });
    await expect(run).rejects.toMatchObject({
      name: 'NoAnswer',
      kind: 'aborted',
      partial: { usage: { estimated: true } },
    });
    await run.catch((error: { partial: { content: string } }) => expect(error.partial.content).toBe(text));
    expect(text.length).toBeGreaterThan(0);
    await expect(model.generate(ask('x', { signal: abort.signal }))).rejects.toMatchObject({
      kind: 'aborted',
    });
  });

  test('refuses structured output', async () => {
    const responseSchema = { name: 'vote', schema: {} };
    await expect(model.generate(ask('vote', { responseSchema }))).rejects.toMatchObject({
      name: 'NoAnswer',
      kind: 'refused',
    });
  });

  test('keeps to the output cap', async () => {
    const result = await model.generate(ask('How high is the tower?', { grounding, maxOutputTokens: 5 }));
    expect(result.finishReason).toBe('length');
    expect(result.usage.outputTokens).toBeLessThanOrEqual(5);
    expect(result.content.length).toBeGreaterThan(0);
  });

  test('calls a tool that the person names, and shows what it said', async () => {
    const tools = [{ name: 'files.list', description: '', inputSchema: {} }];
    const call = await model.generate(ask('Please use the tool files.list with {"path":"/"}', { tools }));
    expect(call).toMatchObject({
      finishReason: 'tool_calls',
      content: '',
      toolCalls: [{ name: 'files.list', arguments: '{"path":"/"}' }],
    });
    const unknown = await model.generate(ask('use other.tool', { tools }));
    expect(unknown.toolCalls).toEqual([]);
    const shown = await model.generate(
      ask(
        [
          { role: 'user', content: 'use files.list' },
          { role: 'assistant', content: '', toolCalls: call.toolCalls },
          { role: 'tool', toolCallId: 'call_1', name: 'files.list', content: 'a.txt\nb.txt' },
        ],
        { tools },
      ),
    );
    expect(shown.content).toBe('The tool files.list answered:\n\na.txt\nb.txt');
  });

  test('long hostile messages cost no time', async () => {
    const tools = [{ name: 'x', description: '', inputSchema: {} }];
    const startMs = performance.now();
    for (const part of [' ', '1+', 'how much does ', 'word ', '漢字', '} ', '.', '?']) {
      for (const head of ['use x ', 'what is 1+1', 'use x {']) {
        await model.generate(ask(`${head}${part.repeat(32_000 / part.length)}y`, { tools, grounding }));
      }
    }
    expect(performance.now() - startMs).toBeLessThan(5_000);
  });
});
