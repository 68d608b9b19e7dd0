import type { EmbedOptions } from '../../kernel/embedder.ts';

/**
 * How providers of embeddings are asked over HTTP and what they answer. OpenAI's form is what most servers speak; the
 * others differ in names. Their packages for the AI SDK say no more than this, and those of Cohere and Voyage bring older
 * copies of its core along.
 */
export interface EmbeddingWire {
  /** After the base address. */
  path: string;
  /** Texts in one call. */
  batchSize: number;
  /** Whether the model gives vectors of the length that it is asked for. */
  shortens(model: string): boolean;
  /** `dimensions` is null where the length is the model's own. */
  body(ask: {
    model: string;
    texts: readonly string[];
    dimensions: number | null;
    purpose: EmbedOptions['purpose'];
  }): Record<string, unknown>;
  /** The list of vectors, with their places where the provider says them, and the tokens read (0: not said). */
  read(answer: Record<string, unknown>): { rows: unknown; tokens: number };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const numberOf = (value: unknown, ...path: string[]): number => {
  let at = value;
  for (const name of path) at = isRecord(at) ? at[name] : undefined;
  return typeof at === 'number' && Number.isFinite(at) ? at : 0;
};

/** OpenAI, and every server that speaks like it. */
export const OPENAI_WIRE: EmbeddingWire = {
  path: '/embeddings',
  // OpenAI takes 2,048, small servers less.
  batchSize: 64,
  shortens: (model) => model.startsWith('text-embedding-3'),
  body: ({ model, texts, dimensions }) => ({
    model,
    input: texts,
    encoding_format: 'float',
    ...(dimensions === null ? {} : { dimensions }),
  }),
  read: (answer) => ({ rows: answer.data, tokens: numberOf(answer, 'usage', 'prompt_tokens') }),
};

/** https://docs.mistral.ai/api/endpoint/embeddings */
export const MISTRAL_WIRE: EmbeddingWire = {
  ...OPENAI_WIRE,
  batchSize: 32,
  shortens: (model) => model.startsWith('codestral-embed'),
  body: ({ model, texts, dimensions }) => ({
    model,
    input: texts,
    encoding_format: 'float',
    ...(dimensions === null ? {} : { output_dimension: dimensions }),
  }),
};

/** https://docs.voyageai.com/reference/embeddings-api */
export const VOYAGE_WIRE: EmbeddingWire = {
  path: '/embeddings',
  batchSize: 64,
  shortens: (model) => /^voyage-(?:3-large|3\.5|4|code-3|context-3)/.test(model),
  body: ({ model, texts, dimensions, purpose }) => ({
    model,
    input: texts,
    ...(purpose === undefined ? {} : { input_type: purpose }),
    ...(dimensions === null ? {} : { output_dimension: dimensions }),
  }),
  read: (answer) => ({ rows: answer.data, tokens: numberOf(answer, 'usage', 'total_tokens') }),
};

/** https://docs.cohere.com/reference/embed (version 2); it wants a purpose always. */
export const COHERE_WIRE: EmbeddingWire = {
  path: '/embed',
  batchSize: 64,
  shortens: (model) => model.startsWith('embed-v4'),
  body: ({ model, texts, dimensions, purpose }) => ({
    model,
    texts,
    input_type: purpose === 'query' ? 'search_query' : 'search_document',
    embedding_types: ['float'],
    ...(dimensions === null ? {} : { output_dimension: dimensions }),
  }),
  read: (answer) => {
    const vectors = isRecord(answer.embeddings) ? answer.embeddings.float : undefined;
    return {
      rows: Array.isArray(vectors) ? vectors.map((embedding: unknown) => ({ embedding })) : undefined,
      tokens: numberOf(answer, 'meta', 'billed_units', 'input_tokens'),
    };
  },
};
