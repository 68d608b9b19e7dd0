import type { MeteredEmbedder } from '../../kernel/embedder.ts';
import { modelErrorOf } from '../models/index.ts';
import type { OpenAiDoorOptions } from './options.ts';

/** Embeddings that a program asks for: always on the ledger, at no cost where the model is local. */
export const embedFor =
  (embedder: MeteredEmbedder): OpenAiDoorOptions['embed'] =>
  async ({ tenantId, userId }, texts, requestId) => {
    try {
      return await embedder.embed({ tenantId, userId, requestId }, texts, {
        urgent: texts.length === 1,
        always: true,
      });
    } catch (error) {
      throw modelErrorOf(error);
    }
  };
