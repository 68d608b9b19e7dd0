import type { Embedder } from '../../kernel/embedder.ts';
import { ModelError } from '../../kernel/model.ts';
import { paidTokens } from './vectors.ts';

const TRIES = 4;
const FIRST_DELAY_MS = 500;
/** What somebody waits for is tried once more, soon: words alone answer a search where its query cannot be embedded. */
const URGENT_TRIES = 2;
const URGENT_DELAY_MS = 100;
/** A provider that asks for more is away for this call. */
const MAX_DELAY_MS = 20_000;

const withWasted = (error: ModelError, wasted: { answers: number; tokens: number }): ModelError =>
  wasted.answers === 0
    ? error
    : new ModelError(error.kind, error.provider, error.message, {
        ...(error.status === undefined ? {} : { status: error.status }),
        ...(error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs }),
        partial: paidTokens(wasted.tokens),
        cause: error.cause,
      });

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
    /** Answers of no use that were paid for, and how many tokens they say. */
    const wasted = { answers: 0, tokens: 0 };
    for (let tries = 1; ; tries++) {
      try {
        const answer = await embedder.embed(texts, signal, options);
        return wasted.answers === 0 ? answer : { ...answer, tokens: answer.tokens + wasted.tokens };
      } catch (error) {
        if (!(error instanceof ModelError) || signal?.aborted) throw error;
        if (error.partial !== undefined) {
          wasted.answers += 1;
          wasted.tokens += error.partial.usage.inputTokens;
        }
        const told = withWasted(error, wasted);
        const later = error.kind === 'unavailable' || (error.kind === 'timeout' && !urgent);
        const first = urgent ? URGENT_DELAY_MS : FIRST_DELAY_MS;
        const waitMs = Math.max(error.retryAfterMs ?? 0, first * 2 ** (tries - 1) * (0.5 + parts.random()));
        const longest = urgent ? 2 * URGENT_DELAY_MS : MAX_DELAY_MS;
        if (!later || tries >= (urgent ? URGENT_TRIES : TRIES) || waitMs > longest) throw told;
        await parts.sleep(waitMs);
      }
    }
  },
});
