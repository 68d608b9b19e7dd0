import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { Embedder } from '../../kernel/embedder.ts';
import { ModelError } from '../../kernel/model.ts';
import { createGoogleEmbedder } from './google.ts';
import { createRemoteEmbedder } from './remote.ts';
import { retryingEmbedder } from './retrying.ts';
import { COHERE_WIRE, type EmbeddingWire, MISTRAL_WIRE, OPENAI_WIRE, VOYAGE_WIRE } from './wires.ts';

/** Requests and answers as the providers document them; vectors are cut to two numbers. */

interface Seen {
  path: string | undefined;
  key: string | undefined;
  body: Record<string, unknown>;
}

let server: Server | undefined;
let embedder: Embedder | undefined;
afterEach(async () => {
  await embedder?.close();
  server?.close();
});

const answering = async (
  ...answers: { status?: number; body: unknown }[]
): Promise<{ url: string; seen: Seen[] }> => {
  const seen: Seen[] = [];
  server = createServer(async (request, response) => {
    const body: unknown = JSON.parse((await request.toArray()).join(''));
    const { authorization, 'x-goog-api-key': googleKey } = request.headers;
    seen.push({
      path: request.url,
      key: authorization ?? String(googleKey),
      body: body as Record<string, unknown>,
    });
    const { status = 200, body: out } = answers[Math.min(seen.length, answers.length) - 1] ?? { body: '' };
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(out));
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/base`, seen };
};

const remote = (id: string, wire: EmbeddingWire, baseUrl: string): Embedder => {
  embedder = createRemoteEmbedder({
    id,
    model: id.slice(id.indexOf('/') + 1),
    baseUrl,
    apiKey: 'key',
    dimensions: 2,
    wire,
  });
  return embedder;
};

const rounded = (vectors: readonly Float32Array[]): number[][] =>
  vectors.map((vector) => [...vector].map((x) => Math.round(x * 1000) / 1000));

describe('wires of embedding providers', () => {
  test('OpenAI: a model that shortens is asked for the length', async () => {
    const { url, seen } = await answering({
      body: {
        object: 'list',
        data: [
          { object: 'embedding', index: 1, embedding: [0, 2] },
          { object: 'embedding', index: 0, embedding: [3, 4] },
        ],
        model: 'text-embedding-3-small',
        usage: { prompt_tokens: 8, total_tokens: 8 },
      },
    });
    const { vectors, tokens } = await remote('openai/text-embedding-3-small', OPENAI_WIRE, url).embed([
      'a',
      'b',
    ]);
    expect(rounded(vectors)).toEqual([
      [0.6, 0.8],
      [0, 1],
    ]);
    expect(tokens).toBe(8);
    expect(seen).toEqual([
      {
        path: '/base/embeddings',
        key: 'Bearer key',
        body: { model: 'text-embedding-3-small', input: ['a', 'b'], encoding_format: 'float', dimensions: 2 },
      },
    ]);
  });

  test('Mistral: OpenAI’s form; the length goes to the model that takes one', async () => {
    const body = {
      id: 'embd-1',
      object: 'list',
      data: [{ object: 'embedding', embedding: [3, 4], index: 0 }],
      model: 'mistral-embed',
      usage: { prompt_tokens: 3, total_tokens: 3, completion_tokens: 0 },
    };
    const { url, seen } = await answering({ body });
    expect(await remote('mistral/mistral-embed', MISTRAL_WIRE, url).embed(['a'])).toMatchObject({
      tokens: 3,
    });
    await embedder?.close();
    await remote('mistral/codestral-embed', MISTRAL_WIRE, url).embed(['a']);
    expect(seen.map((one) => one.body)).toEqual([
      { model: 'mistral-embed', input: ['a'], encoding_format: 'float' },
      { model: 'codestral-embed', input: ['a'], encoding_format: 'float', output_dimension: 2 },
    ]);
  });

  test('Voyage: questions and documents apart, tokens as total', async () => {
    const body = {
      object: 'list',
      data: [{ object: 'embedding', embedding: [3, 4], index: 0 }],
      model: 'voyage-3.5',
      usage: { total_tokens: 5 },
    };
    const { url, seen } = await answering({ body });
    const voyage = remote('voyage/voyage-3.5', VOYAGE_WIRE, url);
    expect(await voyage.embed(['a'], undefined, { purpose: 'query' })).toMatchObject({ tokens: 5 });
    await voyage.embed(['a'], undefined, { purpose: 'document' });
    await voyage.embed(['a']);
    expect(seen.map((one) => one.body)).toEqual([
      { model: 'voyage-3.5', input: ['a'], input_type: 'query', output_dimension: 2 },
      { model: 'voyage-3.5', input: ['a'], input_type: 'document', output_dimension: 2 },
      { model: 'voyage-3.5', input: ['a'], output_dimension: 2 },
    ]);
  });

  test('Cohere: its own form, a purpose always, billed tokens', async () => {
    const body = {
      id: 'x',
      embeddings: { float: [[3, 4]] },
      texts: ['a'],
      meta: { api_version: { version: '2' }, billed_units: { input_tokens: 7 } },
      response_type: 'embeddings_by_type',
    };
    const { url, seen } = await answering({ body });
    const cohere = remote('cohere/embed-v4.0', COHERE_WIRE, url);
    const { vectors, tokens } = await cohere.embed(['a'], undefined, { purpose: 'query' });
    expect([rounded(vectors), tokens]).toEqual([[[0.6, 0.8]], 7]);
    await cohere.embed(['a']);
    expect(seen[0]).toEqual({
      path: '/base/embed',
      key: 'Bearer key',
      body: {
        model: 'embed-v4.0',
        texts: ['a'],
        input_type: 'search_query',
        embedding_types: ['float'],
        output_dimension: 2,
      },
    });
    expect(seen[1]?.body.input_type).toBe('search_document');
  });

  const google = (baseUrl: string, timeoutMs?: number): Embedder => {
    embedder = createGoogleEmbedder({
      id: 'google/gemini-embedding-001',
      model: 'gemini-embedding-001',
      apiKey: 'key',
      baseUrl,
      dimensions: 2,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    });
    return embedder;
  };

  test('Google: one call for a batch, its tasks, normalised', async () => {
    const { url, seen } = await answering({ body: { embeddings: [{ values: [3, 4] }, { values: [0, 5] }] } });
    const { vectors } = await google(url).embed(['a', 'b'], undefined, { purpose: 'document' });
    expect(rounded(vectors)).toEqual([
      [0.6, 0.8],
      [0, 1],
    ]);
    expect(seen[0]).toMatchObject({
      path: '/base/models/gemini-embedding-001:batchEmbedContents',
      key: 'key',
    });
    expect(seen[0]?.body.requests).toMatchObject([
      {
        content: { parts: [{ text: 'a' }] },
        outputDimensionality: 2,
        taskType: 'RETRIEVAL_DOCUMENT',
      },
      { content: { parts: [{ text: 'b' }] } },
    ]);
  });

  test.each([
    [{ status: 429, body: { error: { message: 'key sk-secret' } } }, 'unavailable'],
    [{ status: 400, body: { error: { message: 'key sk-secret', status: 'INVALID_ARGUMENT' } } }, 'refused'],
    [{ body: { embedding: { values: [1, 2, 3] } } }, 'refused'],
    [{ body: { embedding: { values: [0, 0] } } }, 'unavailable'],
    [{ body: 'no such thing' }, 'unavailable'],
  ])('Google: %o is a ModelError that says nothing of the body', async (answer, kind) => {
    const { url } = await answering(answer);
    const failed = await google(url)
      .embed(['a'])
      .catch((error: unknown) => error);
    expect(failed).toMatchObject({ name: 'ModelError', kind, provider: 'google' });
    expect(String(failed)).not.toContain('sk-secret');
  });

  test('Google: away, late or aborted', async () => {
    await expect(google('http://127.0.0.1:1').embed(['a'])).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(google('http://127.0.0.1:1').embed(['a'], AbortSignal.abort())).rejects.toMatchObject({
      kind: 'aborted',
    });
    server = createServer(() => {});
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    const silent = google(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 50);
    await expect(silent.embed(['a'])).rejects.toMatchObject({ kind: 'timeout' });
    server.closeAllConnections();
  });
});

describe('another try', () => {
  const failing = (failures: readonly ModelError[]) => {
    const slept: number[] = [];
    let calls = 0;
    const inner: Embedder = {
      id: 'x/y',
      dimensions: 1,
      local: false,
      embed() {
        const failure = failures[calls++];
        return failure === undefined
          ? Promise.resolve({ vectors: [Float32Array.of(1)], tokens: 1 })
          : Promise.reject(failure);
      },
      close: () => Promise.resolve(),
    };
    const sleep = (ms: number): Promise<void> => {
      slept.push(ms);
      return Promise.resolve();
    };
    return { slept, calls: () => calls, embedder: retryingEmbedder(inner, { sleep, random: () => 0.5 }) };
  };
  const down = (retryAfterMs?: number): ModelError =>
    new ModelError('unavailable', 'x', 'full', retryAfterMs === undefined ? {} : { retryAfterMs });

  test('later each time and not before the provider says', async () => {
    const { embedder: again, slept } = failing([down(), down(4_000), down()]);
    expect(await again.embed(['a'])).toMatchObject({ tokens: 1 });
    expect(slept).toEqual([500, 4_000, 2_000]);
  });

  test('ends after four, at once where the provider refuses or asks for minutes', async () => {
    const four = failing([down(), down(), down(), down()]);
    await expect(four.embedder.embed(['a'])).rejects.toMatchObject({ kind: 'unavailable' });
    expect(four.calls()).toBe(4);
    for (const failure of [new ModelError('refused', 'x', 'key'), down(120_000)]) {
      const once = failing([failure]);
      await expect(once.embedder.embed(['a'])).rejects.toBe(failure);
      expect(once.calls()).toBe(1);
    }
  });

  test('a search waits for one more, briefly', async () => {
    const { embedder: again, slept, calls } = failing([down(), down()]);
    await expect(again.embed(['a'], undefined, { urgent: true })).rejects.toBeInstanceOf(ModelError);
    expect([calls(), slept]).toEqual([2, [100]]);
  });
});
