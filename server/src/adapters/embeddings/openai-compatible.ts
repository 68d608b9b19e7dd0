import { Agent, request } from 'undici';
import type { Embedder } from '../../kernel/embedder.ts';
import { ModelError } from '../../kernel/model.ts';

export interface CompatibleEmbedderOptions {
  /** As `provider/name`, stored with each vector. */
  id: string;
  /** Up to and without `/embeddings`, e.g. `https://api.openai.com/v1`. */
  baseUrl: string;
  apiKey: string | null;
  model: string;
  /** Length of the vectors. Sent to the provider only with `sendDimensions` (models that can shorten). */
  dimensions: number;
  sendDimensions?: boolean;
  local?: boolean;
  timeoutMs?: number;
  /** Texts in one call; OpenAI takes 2,048, small servers less. */
  batchSize?: number;
}

/**
 * Any server with the OpenAI embeddings wire (`POST {base}/embeddings`). Throws `ModelError`; other people's vectors
 * are normalised here, and a wrong length is an error, since it would spoil the index.
 */
export function createCompatibleEmbedder(options: CompatibleEmbedderOptions): Embedder {
  const { id, model, dimensions, timeoutMs = 30_000, batchSize = 64 } = options;
  const provider = id.split('/')[0] ?? id;
  const url = `${options.baseUrl.replace(/\/+$/, '')}/embeddings`;
  const dispatcher = new Agent({ connections: 4, headersTimeout: timeoutMs, bodyTimeout: timeoutMs });

  async function call(texts: readonly string[], signal?: AbortSignal) {
    const response = await request(url, {
      method: 'POST',
      dispatcher,
      signal,
      headers: {
        'content-type': 'application/json',
        ...(options.apiKey ? { authorization: `Bearer ${options.apiKey}` } : {}),
      },
      body: JSON.stringify({
        model,
        input: texts,
        encoding_format: 'float',
        ...(options.sendDimensions ? { dimensions } : {}),
      }),
    }).catch((cause: unknown) => {
      throw transportError(provider, cause, signal);
    });
    const body = await response.body.text().catch((cause: unknown) => {
      throw transportError(provider, cause, signal);
    });
    if (response.statusCode !== 200) throw statusError(provider, response.statusCode, response.headers);
    return readAnswer(provider, body, texts.length, dimensions);
  }

  return {
    id,
    dimensions,
    local: options.local ?? false,
    async embed(texts, signal) {
      const vectors: Float32Array[] = [];
      let tokens = 0;
      for (let at = 0; at < texts.length; at += batchSize) {
        const answer = await call(texts.slice(at, at + batchSize), signal);
        vectors.push(...answer.vectors);
        tokens += answer.tokens;
      }
      return { vectors, tokens };
    },
    async close() {
      await dispatcher.destroy();
    },
  };
}

function transportError(provider: string, cause: unknown, signal?: AbortSignal): ModelError {
  if (signal?.aborted)
    return new ModelError('aborted', provider, 'the embedding call was aborted', { cause });
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return code.endsWith('_TIMEOUT')
    ? new ModelError('timeout', provider, 'the embedding provider took too long', { cause })
    : new ModelError('unavailable', provider, 'the embedding provider cannot be reached', { cause });
}

function statusError(
  provider: string,
  status: number,
  headers: Record<string, string | string[] | undefined>,
): ModelError {
  const later = status === 429 || status === 408 || status >= 500;
  const retryAfterS = Number(headers['retry-after']);
  return new ModelError(
    later ? 'unavailable' : 'refused',
    provider,
    `the embedding provider answered ${status}`,
    {
      status,
      ...(retryAfterS > 0 ? { retryAfterMs: retryAfterS * 1000 } : {}),
    },
  );
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function readAnswer(provider: string, body: string, count: number, dimensions: number) {
  const wrong = (what: string) => new ModelError('unavailable', provider, `embedding answer: ${what}`);
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    throw wrong('no JSON');
  }
  const data = isRecord(parsed) ? parsed.data : undefined;
  if (!Array.isArray(data) || data.length !== count) throw wrong(`not ${count} vectors`);
  const vectors = new Array<Float32Array>(count);
  data.forEach((row: unknown, position) => {
    const embedding = isRecord(row) ? row.embedding : undefined;
    if (!Array.isArray(embedding) || embedding.length !== dimensions) {
      throw new ModelError('refused', provider, `embedding answer: vectors are not of length ${dimensions}`);
    }
    const index = isRecord(row) && typeof row.index === 'number' ? row.index : position;
    if (!Number.isInteger(index) || index < 0 || index >= count || vectors[index]) throw wrong('bad index');
    const vector = Float32Array.from(embedding, Number);
    const length = Math.hypot(...vector);
    if (!Number.isFinite(length) || length === 0) throw wrong('a vector without length');
    vectors[index] = vector.map((value) => value / length);
  });
  const usage = isRecord(parsed) && isRecord(parsed.usage) ? parsed.usage : {};
  const tokens = typeof usage.prompt_tokens === 'number' ? usage.prompt_tokens : 0;
  return { vectors, tokens };
}
