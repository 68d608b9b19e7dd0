import type { Embedder, MeteredEmbedder } from '../../src/kernel/embedder.ts';

/** An embedder for features that are built without a ledger. */
export const unmetered = (embedder: Embedder): MeteredEmbedder => ({
  id: embedder.id,
  dimensions: embedder.dimensions,
  local: embedder.local,
  embed: (_payer, texts, options) => embedder.embed(texts, undefined, { urgent: options?.urgent ?? false }),
});
