import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startTestProvider, type TestProvider } from './provider.ts';

let provider: TestProvider;
beforeEach(async () => {
  provider = await startTestProvider();
});
afterEach(() => provider.close());

const post = (body: Record<string, unknown>, signal?: AbortSignal): Promise<Response> =>
  fetch(`${provider.url}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'test-model', messages: [{ role: 'user', content: 'hi' }], ...body }),
    signal: signal ?? null,
  });

test('without a script each call gets fifty tokens, as JSON and as a stream, and is metered', async () => {
  const json = (await (await post({})).json()) as { usage: { completion_tokens: number } };
  expect(json.usage.completion_tokens).toBe(50);
  const text = await (await post({ stream: true })).text();
  expect(text.match(/"content":/g)).toHaveLength(50);
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
  await Promise.all(provider.requests.map((request) => request.ended));
  expect(provider.meter.map((entry) => [entry.inputTokens, entry.outputTokens, entry.outcome])).toEqual([
    [20, 50, 'complete'],
    [20, 50, 'complete'],
  ]);
});

test('scripted replies go out in order, by queue first and then by function', async () => {
  provider.script({ text: 'one' }, { error: { status: 429, headers: { 'retry-after': '2' } } });
  provider.always((request) => ({ text: `call ${request.index}` }));
  expect(await (await post({})).json()).toMatchObject({ choices: [{ message: { content: 'one' } }] });
  const refused = await post({});
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '2']);
  expect(await (await post({})).json()).toMatchObject({ choices: [{ message: { content: 'call 2' } }] });
});

test('bytes come split on demand and still spell the same text', async () => {
  provider.script({ chunks: ['Grüße ', '東京 🏯'], splitBytes: 1 });
  const text = await (await post({ stream: true })).text();
  expect(text).toContain('東京 🏯');
});

test('a reset, an error chunk and a client that leaves end as the meter says', async () => {
  provider.script(
    { chunks: ['a', 'b'], resetAfter: 1 },
    { chunks: ['a', 'b'], errorChunkAfter: 2 },
    { chunks: ['a'], hangAfter: 1 },
  );
  const cut = await post({ stream: true });
  await expect(cut.text()).rejects.toThrow();
  expect(await (await post({ stream: true })).text()).toContain('"error"');
  const leave = new AbortController();
  const hanging = await post({ stream: true }, leave.signal);
  expect(hanging.status).toBe(200);
  leave.abort();
  const outcomes = await Promise.all(provider.requests.map((request) => request.ended));
  expect(outcomes).toEqual(['cut', 'error', 'left']);
  expect(provider.meter.map((entry) => entry.outputTokens)).toEqual([1, 2, 1]);
});

test('embeddings are deterministic unit vectors, models and tags list names', async () => {
  const call = async () =>
    (await (
      await fetch(`${provider.url}/embeddings`, {
        method: 'POST',
        body: JSON.stringify({ model: 'e', input: ['a', 'b'] }),
      })
    ).json()) as { data: { embedding: number[] }[] };
  const [first, second] = [await call(), await call()];
  expect(first).toEqual(second);
  expect(first.data[0]?.embedding).not.toEqual(first.data[1]?.embedding);
  expect(Math.hypot(...(first.data[0]?.embedding ?? []))).toBeCloseTo(1);
  expect(await (await fetch(`${provider.url}/models`)).json()).toMatchObject({
    data: [{ id: 'test-model' }],
  });
});

test('runs as a process of its own and ends on SIGTERM', async () => {
  const script = new URL('./provider-main.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [script, '--tokens', '3'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const { url } = JSON.parse(line) as { url: string };
  const response = await fetch(`${url}/chat/completions`, { method: 'POST', body: '{"stream":true}' });
  expect((await response.text()).match(/"content":/g)).toHaveLength(3);
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
});
