import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { req } from '../../../test/requirements.ts';
import type { Client } from '../../../test/support/client.ts';
import { startServer, type TestServer } from '../../../test/support/server.ts';

/** An embedding provider other than OpenAI's wire, from the setting to the ledger: Cohere's, played by a double. */

interface Ask {
  texts: string[];
  input_type: string;
}

describe('embeddings of a provider by its setting', () => {
  let double: Server;
  let server: TestServer;
  let client: Client;
  let asked: Ask[] = [];
  let statuses: number[] = [];
  let length = 8;

  beforeAll(async () => {
    double = createServer(async (request, response) => {
      const ask = JSON.parse((await request.toArray()).join('')) as Ask;
      asked.push(ask);
      const status = request.headers.authorization === 'Bearer co-key' ? (statuses.shift() ?? 200) : 401;
      response.writeHead(status, { 'content-type': 'application/json' });
      // One place for each of these words: near in meaning is what shares them.
      const words = ['lamp', 'light', 'tide', 'sea', 'keeper', 'fog', 'stone'];
      const float = ask.texts.map((text) => [
        ...words.map((word) => (text.toLowerCase().includes(word) ? 1 : 0)),
        ...new Array<number>(length - words.length).fill(0.1),
      ]);
      response.end(
        status === 200
          ? JSON.stringify({
              id: 'e',
              embeddings: { float },
              meta: { billed_units: { input_tokens: 3 * ask.texts.length } },
            })
          : JSON.stringify({ message: 'no co-key for you' }),
      );
    });
    await new Promise<void>((resolve) => double.listen(0, '127.0.0.1', resolve));
    server = await startServer({
      files: { PRICES_FILE: { 'cohere/embed-v4.0': { input: 50, output: 0 } } },
      env: {
        EMBEDDING_MODEL: 'cohere/embed-v4.0',
        EMBEDDING_DIMENSIONS: '8',
        COHERE_API_KEY: 'co-key',
        COHERE_BASE_URL: `http://127.0.0.1:${(double.address() as AddressInfo).port}/v2`,
      },
    });
    client = await server.signIn();
  });
  afterAll(async () => {
    await server.close();
    double.close();
  });
  beforeEach(() => {
    asked = [];
    statuses = [];
    length = 8;
  });

  const upload = (content: string) => client.post('/api/v1/knowledge/documents', { title: 'Notes', content });

  it('tells documents from questions, and pays for both', async () => {
    const used = async (): Promise<number> =>
      (await client.get('/v2/costs/usage?period=day&scope=tenant')).json<{ total_usd: number }>().total_usd;
    const before = await used();
    const made = await upload('The keeper trims the lamp.');
    expect(made.status).toBe(201);
    expect(asked.map((one) => one.input_type)).toEqual(['search_document']);
    const found = await client.post('/api/v1/knowledge/search', { query: 'which lamp' });
    expect(asked.map((one) => one.input_type)).toEqual(['search_document', 'search_query']);
    expect(found.json<{ results: { document_id: string }[] }>().results[0]?.document_id).toBe(
      made.json<{ id: string }>().id,
    );
    // 6 tokens at 50 dollars a million.
    await expect.poll(used, { timeout: 20_000 }).toBeCloseTo(before + 0.0003, 9);
  });

  it('tries again where the provider is full, and says when it stays away', async () => {
    statuses = [429, 503];
    expect((await upload('The tide comes at six.')).status).toBe(201);
    expect(asked).toHaveLength(3);
    statuses = [500, 500, 500, 500];
    const failed = await upload('The fog comes at seven.');
    expect([failed.status, failed.json<{ error: { code: string; details: unknown } }>().error]).toMatchObject(
      [502, { code: 'UPSTREAM_ERROR', details: { provider: 'cohere' } }],
    );
    expect(failed.text).not.toContain('co-key');
    statuses = [429, 429, 429, 429];
    const throttled = await upload('The fog comes at seven.');
    expect([throttled.status, throttled.json<{ error: object }>().error]).toMatchObject([
      429,
      { code: 'RATE_LIMITED', details: { provider: 'cohere', status: 429 } },
    ]);
    expect(Number(throttled.headers.get('retry-after'))).toBeGreaterThan(0);
    statuses = [];
    // Nothing of it was kept: the same comes in once the provider is back.
    expect((await upload('The fog comes at seven.')).status).toBe(201);
  });

  it(req(
    'COST-12',
    'takes no vectors of another length, books what they cost, and does not ask with each chat',
  ), async () => {
    const used = async (): Promise<number> =>
      (await client.get('/v2/costs/usage?period=day&scope=tenant')).json<{ total_usd: number }>().total_usd;
    const before = await used();
    length = 9;
    const failed = await upload('The stone by the sea.');
    expect([failed.status, failed.json<{ error: { code: string } }>().error.code]).toEqual([
      502,
      'UPSTREAM_ERROR',
    ]);
    // 3 tokens at 50 dollars a million.
    await expect.poll(used, { timeout: 20_000 }).toBeCloseTo(before + 0.00015, 9);
    for (let i = 0; i < 2; i++)
      expect((await client.post('/v2/chat', { message: `Which lamp was number ${i}?` })).status).toBe(200);
    expect((await upload('The stone by the sea.')).status).toBe(502);
    expect(asked).toHaveLength(1);
    expect(await used()).toBeCloseTo(before + 0.00015, 9);
    length = 8;
    await server.end('SIGTERM');
    await server.start();
    client = await server.signIn();
    expect((await upload('The stone by the sea.')).status).toBe(201);
  }, 120_000);

  it('finds by words while the provider is away', async () => {
    statuses = [500, 500];
    const found = await client.post('/api/v1/knowledge/search', { query: 'who trims it, the keeper' });
    expect(found.status).toBe(200);
    expect(found.json<{ results: unknown[] }>().results.length).toBeGreaterThan(0);
  });

  it('a key that is missing ends the start with the setting’s name', async () => {
    await server.end('SIGTERM');
    await expect(server.start({ COHERE_API_KEY: '', EMBEDDING_MODEL: 'voyage/voyage-3.5' })).rejects.toThrow(
      /EMBEDDING_MODEL="voyage\/voyage-3.5" is wrong/,
    );
    await server.start({ COHERE_API_KEY: 'co-key', EMBEDDING_MODEL: 'cohere/embed-v4.0' });
  }, 120_000);
});
