import type { SignedInInput } from '../../http/route.ts';
import type { OpenAiDoorOptions } from './options.ts';
import { refusal } from './refusal.rules.ts';
import { EMBEDDING_MODEL, readInputs, unknownModel } from './request.rules.ts';
import { type EmbeddingRequest, MAX_INPUTS } from './schema.ts';

const base64 = (vector: Float32Array): string => {
  const bytes = Buffer.alloc(vector.length * 4);
  vector.forEach((value, i) => {
    bytes.writeFloatLE(value, i * 4);
  });
  return bytes.toString('base64');
};

export type EmbedderOptions = Pick<OpenAiDoorOptions, 'embed' | 'embedder'>;

/** `POST /v1/embeddings`. */
export const createEmbeddings =
  (options: EmbedderOptions) => async (input: SignedInInput<EmbeddingRequest, unknown, unknown>) => {
    const { body, caller } = input;
    if (body.model !== EMBEDDING_MODEL && body.model !== options.embedder.id) throw unknownModel(body.model);
    const texts = readInputs(body.input, MAX_INPUTS);
    const { dimensions } = options.embedder;
    if ((body.dimensions ?? dimensions) !== dimensions) {
      throw refusal('dimensions', `this model has ${dimensions} dimensions and no others`, 'invalid_value');
    }
    const { vectors, tokens } = await options.embed(caller, texts, input.requestId);
    return {
      object: 'list',
      data: vectors.map((vector, index) => ({
        object: 'embedding',
        index,
        embedding: body.encoding_format === 'base64' ? base64(vector) : [...vector],
      })),
      model: body.model,
      usage: { prompt_tokens: tokens, total_tokens: tokens },
    };
  };
