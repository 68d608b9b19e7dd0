import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCompatibleReranker } from './compatible.ts';

let server: Server;
let answer: { status: number; body: string };
let asked: { path: string | undefined; authorization: string | undefined; body: unknown };
let baseUrl: string;

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    asked = {
      path: request.url,
      authorization: request.headers.authorization,
      body: JSON.parse(Buffer.concat(parts).toString()),
    };
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
});

const ask = async (status: number, body: unknown) => {
  answer = { status, body: typeof body === 'string' ? body : JSON.stringify(body) };
  const reranker = createCompatibleReranker({ id: 'compatible/judge', baseUrl, apiKey: 'k', model: 'judge' });
  try {
    return await reranker.rerank('q', ['a', 'b']);
  } finally {
    await reranker.close();
  }
};

const results = (...scores: number[]) =>
  scores.map((relevance_score, index) => ({ index, relevance_score })).reverse();

test('sends query and texts, and gives the scores in the order of the texts', async () => {
  expect(await ask(200, { results: results(0.2, 0.9), usage: { total_tokens: 7 } })).toEqual({
    scores: [0.2, 0.9],
    tokens: 7,
  });
  expect(asked).toEqual({
    path: '/v1/rerank',
    authorization: 'Bearer k',
    body: { model: 'judge', query: 'q', documents: ['a', 'b'], top_n: 2 },
  });
});

test('brings raw numbers into 0 to 1 without changing their order', async () => {
  const { scores, tokens } = await ask(200, { results: results(-3, 4) });
  expect(scores.every((score) => score > 0 && score < 1)).toBe(true);
  expect(scores[1]).toBeGreaterThan(scores[0] ?? 1);
  expect(tokens).toBeNull();
});

test.each([
  ['an error', 500, '{}'],
  ['no JSON', 200, 'x'],
  ['too few results', 200, { results: results(0.1) }],
  ['one place twice', 200, { results: [...results(0.1).slice(0, 1), ...results(0.2)] }],
  ['no numbers', 200, { results: [{ index: 0 }, { index: 1 }] }],
])('rejects %s', async (_what, status, body) => {
  await expect(ask(status, body)).rejects.toMatchObject({ kind: 'unavailable', provider: 'compatible' });
});
