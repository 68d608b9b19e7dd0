import { Agent, request } from 'undici';
import { textWithin } from '../../kernel/bounded-body.ts';
import type { Embedder, EmbedOptions } from '../../kernel/embedder.ts';
import { ModelError, type PartialModelResult } from '../../kernel/model.ts';
import { paidTokens, unitVector } from './vectors.ts';
import { type EmbeddingWire, OPENAI_WIRE } from './wires.ts';

/** How long an embedder whose vectors do not fit is left alone. */
const UNFIT_MS = 600_000;
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

export interface RemoteEmbedderOptions {
  /** As `provider/name`, stored with each vector. */
  id: string;
  /** Up to and without the wire's path, e.g. `https://api.openai.com/v1`. */
  baseUrl: string;
  apiKey: string | null;
  model: string;
  /** Length of the vectors. */
  dimensions: number;
  /** Default: OpenAI's. */
  wire?: EmbeddingWire;
  local?: boolean;
  timeoutMs?: number;
  /** Texts in one call; default: what the wire takes. */
  batchSize?: number;
}

/**
 * A provider of embeddings over HTTP. Throws `ModelError`; other people's vectors are normalised here, and a wrong
 * length is an error, since it would spoil the index.
 */
export function createRemoteEmbedder(options: RemoteEmbedderOptions): Embedder {
  const { id, model, dimensions, wire = OPENAI_WIRE, timeoutMs = 30_000 } = options;
  const batchSize = options.batchSize ?? wire.batchSize;
  const provider = id.split('/')[0] ?? id;
  const url = `${options.baseUrl.replace(/(?<!\/)\/+$/, '')}${wire.path}`;
  const asked = wire.shortens(model) ? dimensions : null;
  const dispatcher = new Agent({ connections: 4, headersTimeout: timeoutMs, bodyTimeout: timeoutMs });

  async function call(texts: readonly string[], purpose: EmbedOptions['purpose'], signal?: AbortSignal) {
    const response = await request(url, {
      method: 'POST',
      dispatcher,
      signal,
      headers: {
        'content-type': 'application/json',
        ...(options.apiKey ? { authorization: `Bearer ${options.apiKey}` } : {}),
      },
      body: JSON.stringify(wire.body({ model, texts, dimensions: asked, purpose })),
    }).catch((cause: unknown) => {
      throw transportError(provider, cause, signal);
    });
    const body = await textWithin(response.body, MAX_ANSWER_BYTES).catch((cause: unknown) => {
      throw transportError(provider, cause, signal);
    });
    if (response.statusCode !== 200) throw statusError(provider, response.statusCode, response.headers);
    return readAnswer(provider, wire, body, texts.length, dimensions);
  }

  /** Its vectors are of another length than the setting says: asked again, it would only be paid again. */
  let unfit: { error: ModelError; until: number } | null = null;

  return {
    id,
    dimensions,
    local: options.local ?? false,
    async embed(texts, signal, { purpose } = {}) {
      if (unfit !== null && performance.now() < unfit.until) {
        throw new ModelError('refused', provider, unfit.error.message, { cause: unfit.error });
      }
      const vectors: Float32Array[] = [];
      let tokens = 0;
      for (let at = 0; at < texts.length; at += batchSize) {
        const answer = await call(texts.slice(at, at + batchSize), purpose, signal).catch(
          (error: unknown) => {
            if (error instanceof ModelError && error.kind === 'refused' && error.partial !== undefined)
              unfit = { error, until: performance.now() + UNFIT_MS };
            throw withPaid(error, tokens);
          },
        );
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

/** The fault of a later call, with what those before it have used. */
function withPaid(error: unknown, tokens: number): unknown {
  if (!(error instanceof ModelError) || tokens === 0) return error;
  const all = tokens + (error.partial?.usage.inputTokens ?? 0);
  return new ModelError(error.kind, error.provider, error.message, {
    ...(error.status === undefined ? {} : { status: error.status }),
    ...(error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs }),
    partial: paidTokens(all),
    cause: error.cause,
  });
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

function readAnswer(provider: string, wire: EmbeddingWire, body: string, count: number, dimensions: number) {
  let paid: PartialModelResult | undefined;
  const wrong = (what: string) =>
    new ModelError(
      'unavailable',
      provider,
      `embedding answer: ${what}`,
      paid === undefined ? {} : { partial: paid },
    );
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    throw wrong('no JSON');
  }
  const { rows, tokens } = wire.read(isRecord(parsed) ? parsed : {});
  // An answer of no use has been paid for all the same.
  paid = paidTokens(tokens);
  if (!Array.isArray(rows) || rows.length !== count) throw wrong(`not ${count} vectors`);
  const vectors = new Array<Float32Array>(count);
  rows.forEach((row: unknown, position) => {
    const embedding = isRecord(row) ? row.embedding : undefined;
    const vector = unitVector(provider, Array.isArray(embedding) ? embedding : [], dimensions, paid);
    const index = isRecord(row) && typeof row.index === 'number' ? row.index : position;
    if (!Number.isInteger(index) || index < 0 || index >= count || vectors[index]) throw wrong('bad index');
    vectors[index] = vector;
  });
  return { vectors, tokens };
}
