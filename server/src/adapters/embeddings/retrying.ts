import type { Embedder } from '../../kernel/embedder.ts';
import { ModelError } from '../../kernel/model.ts';

const TRIES = 4;
const FIRST_DELAY_MS = 500;
/** What somebody waits for is tried once more, soon: words alone answer a search where its query cannot be embedded. */
const URGENT_TRIES = 2;
const URGENT_DELAY_MS = 100;
/** A provider that asks for more is away for this call. */
const MAX_DELAY_MS = 20_000;

/**
 * Tries again where another try may do (a full or broken provider, a late one), later each time and not before the provider
 * says. What it refuses for good is thrown at once. Give it an embedder that makes one call of the provider at a time, so
 * that what has been paid for is not asked again: the ledger's batches are.
 */
export const retryingEmbedder = (
  embedder: Embedder,
  parts: { sleep(ms: number): Promise<void>; random(): number },
): Embedder => ({
  ...embedder,
  async embed(texts, signal, options = {}) {
    const urgent = options.urgent ?? false;
    for (let tries = 1; ; tries++) {
      try {
        return await embedder.embed(texts, signal, options);
      } catch (error) {
        if (!(error instanceof ModelError) || signal?.aborted) throw error;
        const later = error.kind === 'unavailable' || (error.kind === 'timeout' && !urgent);
        const first = urgent ? URGENT_DELAY_MS : FIRST_DELAY_MS;
        const waitMs = Math.max(error.retryAfterMs ?? 0, first * 2 ** (tries - 1) * (0.5 + parts.random()));
        const longest = urgent ? 2 * URGENT_DELAY_MS : MAX_DELAY_MS;
        if (!later || tries >= (urgent ? URGENT_TRIES : TRIES) || waitMs > longest) throw error;
        await parts.sleep(waitMs);
      }
    }
  },
});
