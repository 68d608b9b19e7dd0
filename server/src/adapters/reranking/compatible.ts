import { Agent, request } from 'undici';
import { textWithin } from '../../kernel/bounded-body.ts';
import { ModelError } from '../../kernel/model.ts';
import type { Reranker } from '../../kernel/reranker.ts';

const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Some servers give chances, others raw numbers of the model on either side of 0. */
const toUnit = (scores: readonly number[]): number[] =>
  scores.every((score) => score >= 0 && score <= 1)
    ? [...scores]
    : scores.map((score) => 1 / (1 + Math.exp(-score)));

const readAnswer = (provider: string, body: string, count: number) => {
  const wrong = (what: string) => new ModelError('unavailable', provider, `rerank answer: ${what}`);
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    throw wrong('no JSON');
  }
  const results = isRecord(parsed) ? parsed.results : undefined;
  if (!Array.isArray(results) || results.length !== count) throw wrong(`not ${count} results`);
  const scores = new Map<number, number>();
  for (const row of results) {
    const index = isRecord(row) ? row.index : undefined;
    const score = isRecord(row) ? row.relevance_score : undefined;
    if (typeof index !== 'number' || typeof score !== 'number' || !Number.isFinite(score)) {
      throw wrong('a result without index or relevance_score');
    }
    scores.set(index, score);
  }
  const inOrder = Array.from({ length: count }, (_, i) => scores.get(i));
  if (!inOrder.every((score) => score !== undefined)) throw wrong('bad index');
  const usage = isRecord(parsed) && isRecord(parsed.usage) ? parsed.usage : {};
  return {
    scores: toUnit(inOrder),
    tokens: typeof usage.total_tokens === 'number' ? usage.total_tokens : null,
  };
};

/**
 * Any server with the rerank wire that Jina and Cohere began and vLLM, llama.cpp, LiteLLM and others speak
 * (`POST {base}/rerank`).
 */
export const createCompatibleReranker = (options: {
  id: string;
  /** Up to and without `/rerank`. */
  baseUrl: string;
  apiKey: string | null;
  model: string;
  timeoutMs?: number;
}): Reranker => {
  const { id, model, timeoutMs = 10_000 } = options;
  const provider = id.split('/')[0] ?? id;
  const url = `${options.baseUrl.replace(/(?<!\/)\/+$/, '')}/rerank`;
  const dispatcher = new Agent({ connections: 4, headersTimeout: timeoutMs, bodyTimeout: timeoutMs });
  const away = (cause: unknown): ModelError =>
    new ModelError('unavailable', provider, 'the rerank provider cannot be reached', { cause });

  return {
    id,
    async rerank(query, texts) {
      const response = await request(url, {
        method: 'POST',
        dispatcher,
        headers: {
          'content-type': 'application/json',
          ...(options.apiKey ? { authorization: `Bearer ${options.apiKey}` } : {}),
        },
        body: JSON.stringify({ model, query, documents: texts, top_n: texts.length }),
      }).catch((cause: unknown) => {
        throw away(cause);
      });
      const body = await textWithin(response.body, MAX_ANSWER_BYTES).catch((cause: unknown) => {
        throw away(cause);
      });
      if (response.statusCode !== 200) {
        throw new ModelError('unavailable', provider, `the rerank provider answered ${response.statusCode}`, {
          status: response.statusCode,
        });
      }
      return readAnswer(provider, body, texts.length);
    },
    close: () => dispatcher.destroy(),
  };
};
