import type { Db } from '../db/db.ts';
import {
  type CostsService,
  createMetered,
  type HoldRequest,
  type LedgerEntry,
} from '../features/costs/index.ts';
import type { ChargeEmbedding } from '../features/knowledge/index.ts';
import { boundUsage, type Models, parseModelId } from '../features/models/index.ts';
import type { Embedder, EmbeddingPayer, MeteredEmbedder } from '../kernel/embedder.ts';
import { ModelError } from '../kernel/model.ts';
import type { NanoUsd } from '../kernel/money.ts';
import { spend } from '../kernel/spending.ts';
import { estimateTokens, textTokensBound } from '../kernel/tokens.ts';
import { defineModule } from './module.ts';

/** Texts in one call of the provider: each call is one row of the ledger. */
const BATCH = 64;

const usageOf = (inputTokens: number, estimated: boolean) => ({
  inputTokens,
  outputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  estimated,
});

const holdOf = (payer: EmbeddingPayer, worstNano: NanoUsd): HoldRequest => ({
  tenantId: payer.tenantId,
  userId: payer.userId,
  agentId: payer.run?.agentId ?? null,
  conversationId: payer.run?.conversationId ?? payer.conversationId ?? null,
  runId: payer.run?.runId ?? null,
  requestId: payer.requestId ?? null,
  kind: 'embedding',
  worstNano,
  runUsedNano: payer.run?.spending.nano ?? 0,
});

/** Providers of embeddings need not be ones of chat: the settings have been looked at when the server started. */
const refOf = (id: string): NonNullable<ReturnType<typeof parseModelId>> => {
  const ref = parseModelId(id);
  if (ref === undefined) throw new Error(`"${id}" is no model`);
  return ref;
};

type EmbeddingCosts = Pick<CostsService, 'hold' | 'settle' | 'besideRuns'>;

/** Reserved before and booked after; a run counts its embeddings into its conversation by itself. */
const pay = async <T>(
  { db, costs }: { db: Db; costs: EmbeddingCosts },
  payer: EmbeddingPayer,
  worstNano: NanoUsd,
  work: (used: (entry: LedgerEntry) => void) => Promise<T>,
): Promise<T> => {
  const { run } = payer;
  if (worstNano > 0) await run?.before?.();
  const metered = createMetered({ db, costs: run === undefined ? costs.besideRuns : costs });
  let spentNano = 0;
  try {
    return await metered(holdOf(payer, worstNano), (used) =>
      work((entry) => {
        spentNano += entry.costNanoUsd;
        used(entry);
      }),
    );
  } finally {
    if (run !== undefined && spentNano > 0) spend(run, spentNano);
  }
};

/** Calls of a reranker on the ledger, reserved and bounded before and settled after. */
const chargeEmbedding =
  (db: Db, models: Pick<Models, 'cost'>, costs: EmbeddingCosts): ChargeEmbedding =>
  async (call, work) => {
    const ref = refOf(call.model);
    const { costNanoUsd: worstNano } = models.cost(ref, usageOf(call.boundTokens, true));
    return pay({ db, costs }, call, worstNano, async (used) => {
      const { result, tokens, estimated } = await work();
      const bound = { inputTokens: call.boundTokens, outputTokens: 0 };
      const usage = boundUsage(usageOf(tokens, estimated), bound);
      used({ kind: 'embedding', model: ref.id, tool: null, usage, ...models.cost(ref, usage) });
      return result;
    });
  };

/**
 * The one way from the features to the embedder: reserved before, bounded and settled after. The whole request is
 * reserved at once, so that it is refused before its first call or not at all.
 */
const meterEmbedder = (parts: {
  db: Db;
  models: Pick<Models, 'cost'>;
  costs: EmbeddingCosts;
  embedder: Embedder;
}): MeteredEmbedder => {
  const { db, models, costs, embedder } = parts;
  const { id, dimensions, local } = embedder;

  /** What the provider says, up to what can be; an estimate where it says nothing. */
  const entryOf = (texts: readonly string[], tokens: number): LedgerEntry => {
    const ref = refOf(id);
    const said =
      tokens === 0
        ? usageOf(
            texts.reduce((sum, text) => sum + estimateTokens(text), 0),
            true,
          )
        : usageOf(tokens, false);
    const usage = boundUsage(said, { inputTokens: textTokensBound(texts), outputTokens: 0 });
    return { kind: 'embedding', model: ref.id, tool: null, usage, ...models.cost(ref, usage) };
  };

  return {
    id,
    dimensions,
    local,
    ...(embedder.atOnce === undefined ? {} : { atOnce: embedder.atOnce }),
    async embed(payer, texts, { always = false, ...options } = {}) {
      if (texts.length === 0) return { vectors: [], tokens: 0 };
      if (local && !always) return embedder.embed(texts, undefined, { owner: payer.tenantId, ...options });
      const batches: (readonly string[])[] = [];
      for (let at = 0; at < texts.length; at += BATCH) batches.push(texts.slice(at, at + BATCH));
      const ref = refOf(id);
      // Batch by batch, as it is booked: amounts that are rounded one by one add up to more than their sum.
      const worstNano = batches.reduce(
        (sum, batch) => sum + models.cost(ref, usageOf(textTokensBound(batch), true)).costNanoUsd,
        0,
      );
      // Where a later batch fails, those before it are booked: they have been paid for.
      return pay({ db, costs }, payer, worstNano, async (used) => {
        const vectors: Float32Array[] = [];
        let tokens = 0;
        for (const batch of batches) {
          const answer = await embedder.embed(batch, undefined, options).catch((error: unknown) => {
            // An answer that is of no use is on the bill all the same.
            if (error instanceof ModelError && error.partial !== undefined)
              used(entryOf(batch, error.partial.usage.inputTokens));
            throw error;
          });
          const entry = entryOf(batch, answer.tokens);
          used(entry);
          tokens += entry.usage?.inputTokens ?? 0;
          vectors.push(...answer.vectors);
        }
        return { vectors, tokens };
      });
    },
  };
};

export interface EmbeddingDeps {
  costs: EmbeddingCosts;
  db: Db;
  models: Pick<Models, 'cost'>;
  providers: {
    embedder: Embedder;
    earlierEmbedder(model: { id: string; dimensions: number }): Embedder | null;
    warm(): Promise<void>;
  };
}

/** All embeddings and rerankings of the features, on the ledger. */
export const embeddingModule = defineModule({
  name: 'embedding',
  needs: ['costs', 'db', 'models', 'providers'],
  build({ costs, db, models, providers }: EmbeddingDeps) {
    const meter = (embedder: Embedder): MeteredEmbedder => meterEmbedder({ db, models, costs, embedder });
    return {
      service: {
        embedder: meter(providers.embedder),
        /** Of a model that documents were indexed with before; null where the settings have no way to it. */
        earlier(model: { id: string; dimensions: number }) {
          const earlier = providers.earlierEmbedder(model);
          return earlier === null ? null : { ...meter(earlier), close: () => earlier.close() };
        },
        charge: chargeEmbedding(db, models, costs),
        warm: () => providers.warm(),
      },
    };
  },
});
