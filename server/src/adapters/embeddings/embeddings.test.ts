import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { chooseThread, createBuiltinEmbedder } from './builtin.ts';
import { createTextQueue } from './queue.ts';
import { createRemoteEmbedder } from './remote.ts';

const dot = (a: Float32Array | undefined, b: Float32Array | undefined): number =>
  [...(a ?? [])].reduce((sum, value, i) => sum + value * (b?.[i] ?? Number.NaN), 0);

describe('the order of texts', () => {
  test('urgent first, then one text of each request in turn', () => {
    const queue = createTextQueue();
    queue.add({ id: 1, texts: ['a', 'b', 'c'], urgent: false, owner: '' });
    queue.add({ id: 2, texts: ['x'], urgent: false, owner: '' });
    const order = [queue.take()?.text, queue.take()?.text];
    queue.add({ id: 3, texts: ['query'], urgent: true, owner: '' });
    order.push(queue.take()?.text, queue.take()?.text);
    queue.cancel(1);
    expect([...order, queue.take()]).toEqual(['a', 'x', 'query', 'b', null]);
  });
});

test('owners take turns, however many requests each has', () => {
  const queue = createTextQueue();
  for (let id = 1; id <= 3; id++) queue.add({ id, texts: [`a${id}`, `A${id}`], urgent: false, owner: 'one' });
  queue.add({ id: 9, texts: ['b', 'B'], urgent: false, owner: 'two' });
  queue.cancel(2);
  const order = Array.from({ length: 7 }, () => queue.take()?.text ?? null);
  expect(order).toEqual(['a1', 'b', 'a3', 'B', 'A1', 'A3', null]);
});

test('a question never waits behind passages: while people ask, the second thread takes what nobody waits for', () => {
  const state = { urgent: false, chatting: false, first: 96, helper: 96 };
  expect(chooseThread({ ...state, urgent: true, first: 500, helper: 0 })).toBe('first');
  expect(chooseThread({ ...state, chatting: true, first: 0 })).toBe('helper');
  expect(chooseThread({ ...state, first: 0 })).toBe('first');
  expect(chooseThread({ ...state, helper: 32 })).toBe('helper');
  // A few texts are not worth the start of a thread, whoever asks.
  expect(chooseThread({ ...state, chatting: true, first: 2, helper: null })).toBe('first');
  expect(chooseThread({ ...state, helper: null })).toBe('helper');
});

test('a second thread helps with what nobody waits for, and gives the same vectors', async () => {
  const embedder = createBuiltinEmbedder({ cores: 2 });
  try {
    const texts = Array.from({ length: 32 }, (_, n) => `gauge ${n} at the pier`);
    const single = await embedder.embed(texts);
    const many = await Promise.all(Array.from({ length: 6 }, () => embedder.embed(texts)));
    for (const { vectors } of many) {
      expect(vectors).toHaveLength(32);
      vectors.forEach((vector, n) => {
        expect(dot(vector, single.vectors[n])).toBeCloseTo(1, 4);
      });
    }
  } finally {
    await embedder.close();
  }
});

describe('the built-in embedder', () => {
  const embedder = createBuiltinEmbedder();
  afterAll(() => embedder.close());

  test('gives normalised vectors in order, near for near meanings', async () => {
    const texts = [
      'A cat sits on the mat',
      'The kitten is on the rug',
      'Quarterly revenue grew by ten percent',
    ];
    const { vectors, tokens } = await embedder.embed(texts);
    expect(vectors.map((v) => v.length)).toEqual([384, 384, 384]);
    expect(tokens).toBe(24);
    expect(dot(vectors[0], vectors[0])).toBeCloseTo(1, 5);
    expect(dot(vectors[0], vectors[1])).toBeGreaterThan(0.5);
    expect(dot(vectors[0], vectors[2])).toBeLessThan(0.2);
  });

  test('reads at most 256 tokens, and an unbroken run costs no seconds', async () => {
    const startMs = performance.now();
    const { tokens } = await embedder.embed(['漢'.repeat(80_000)]);
    expect(tokens).toBe(256);
    expect(performance.now() - startMs).toBeLessThan(5_000);
  });

  test('takes odd texts: empty, lone surrogates, NUL', async () => {
    const { vectors } = await embedder.embed(['', '\ud800', 'a\u0000b', '😀'.repeat(900)]);
    for (const vector of vectors) expect(dot(vector, vector)).toBeCloseTo(1, 4);
  });

  test('a query overtakes an indexing run, which the signal ends', async () => {
    const ended: string[] = [];
    const abort = new AbortController();
    const run = embedder.embed(new Array(2_000).fill('some text of a long book'), abort.signal).then(
      () => ended.push('run'),
      (error: unknown) => ended.push(error instanceof Error ? error.name : 'not an error'),
    );
    await embedder.embed(['a query'], undefined, { urgent: true });
    ended.push('query');
    abort.abort();
    await run;
    expect(ended).toEqual(['query', 'AbortError']);
  });

  test('closing in the middle of a run ends the run, not the process', async () => {
    const other = createBuiltinEmbedder();
    const run = other.embed(new Array(500).fill('some text of a long book '.repeat(30)));
    const ended = expect(run).rejects.toThrow('closed');
    await other.embed(['a query'], undefined, { urgent: true });
    await other.close();
    await ended;
  });

  test('says so when the model cannot be read, and after closing', async () => {
    const broken = createBuiltinEmbedder({ modelDir: '/nowhere' });
    await expect(broken.warm()).rejects.toThrow(/nowhere/);
    await expect(broken.embed(['x'])).rejects.toThrow();
    await broken.close();
    await expect(broken.embed(['x'])).rejects.toThrow('closed');
  });
});

describe('an OpenAI-compatible embedder', () => {
  let server: Server | undefined;
  afterEach(() => server?.close());

  async function against(answer: (input: string[]) => { status?: number; body: unknown }) {
    const seen: { path: string | undefined; authorization: string | undefined; body: string }[] = [];
    server = createServer(async (request, response) => {
      const body = (await request.toArray()).join('');
      seen.push({ path: request.url, authorization: request.headers.authorization, body });
      const { status = 200, body: out } = answer(JSON.parse(body).input);
      response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '2' });
      response.end(typeof out === 'string' ? out : JSON.stringify(out));
    });
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const embedder = createRemoteEmbedder({
      id: 'compatible/small',
      baseUrl: `http://127.0.0.1:${port}/v1/`,
      apiKey: 'key',
      model: 'small',
      dimensions: 2,
      batchSize: 2,
    });
    return { embedder, seen };
  }

  test('sends batches, normalises, keeps the order of the index', async () => {
    const { embedder, seen } = await against((input) => ({
      body: {
        data: input.map((text, index) => ({ index, embedding: [text.length, 0] })).reverse(),
        usage: { prompt_tokens: 3 },
      },
    }));
    const { vectors, tokens } = await embedder.embed(['a', 'bb', 'ccc']);
    await embedder.close();
    expect(vectors.map((v) => [...v])).toEqual([
      [1, 0],
      [1, 0],
      [1, 0],
    ]);
    expect(tokens).toBe(6);
    expect(seen.map((s) => s.path)).toEqual(['/v1/embeddings', '/v1/embeddings']);
    expect(seen[0]?.authorization).toBe('Bearer key');
    expect(JSON.parse(seen[0]?.body ?? '')).toMatchObject({ model: 'small', input: ['a', 'bb'] });
  });

  test.each([
    [429, { error: 'slow down' }, { kind: 'unavailable', status: 429, retryAfterMs: 2000 }],
    [401, { error: 'key' }, { kind: 'refused', status: 401 }],
    [200, 'not json', { kind: 'unavailable' }],
    [200, { data: [] }, { kind: 'unavailable' }],
    [200, { data: [{ embedding: [1, 2, 3] }] }, { kind: 'refused' }],
    [200, { data: [{ embedding: [0, 0] }] }, { kind: 'unavailable' }],
  ])('answer %s %o is a ModelError', async (status, body, expected) => {
    const { embedder } = await against(() => ({ status, body }));
    await expect(embedder.embed(['a'])).rejects.toMatchObject({ name: 'ModelError', ...expected });
    await embedder.close();
  });

  test('an unreachable one is unavailable, an aborted call is aborted', async () => {
    const embedder = createRemoteEmbedder({
      id: 'compatible/x',
      baseUrl: 'http://127.0.0.1:1',
      apiKey: null,
      model: 'x',
      dimensions: 2,
    });
    await expect(embedder.embed(['a'])).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(embedder.embed(['a'], AbortSignal.abort())).rejects.toMatchObject({ kind: 'aborted' });
    await embedder.close();
  });
});
