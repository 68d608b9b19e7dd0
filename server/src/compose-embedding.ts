import type { Db } from './db/db.ts';
import type { Costs } from './features/costs/index.ts';
import type { ChargeEmbedding } from './features/knowledge/index.ts';
import { type Models, toAppError } from './features/models/index.ts';
import type { OpenAiDoorOptions } from './features/openai/index.ts';
import type { Embedder } from './kernel/embedder.ts';
import { estimateTokens } from './kernel/tokens.ts';

/** Embedding calls on the ledger, reserved before and settled after. */
export const chargeEmbedding =
  (db: Db, models: Models, costs: Costs): ChargeEmbedding =>
  async (call, work) => {
    const ref = models.resolve(call.model, '/EMBEDDING_MODEL');
    const usageOf = (tokens: number, estimated: boolean) => ({
      inputTokens: tokens,
      outputTokens: 0,
      cachedInputTokens: 0,
      cacheWriteTokens: 0,
      reasoningTokens: 0,
      estimated,
    });
    const hold = await db.write((tx) =>
      costs.hold(tx, {
        tenantId: call.tenantId,
        userId: call.userId,
        agentId: null,
        conversationId: null,
        runId: null,
        requestId: null,
        kind: 'embedding',
        worstNano: models.cost(ref, usageOf(call.estimatedTokens, true)).costNanoUsd,
        runUsedNano: 0,
      }),
    );
    try {
      const { result, tokens } = await work();
      const usage = usageOf(tokens, false);
      const { costNanoUsd, estimated } = models.cost(ref, usage);
      await db.write((tx) =>
        costs.settle(tx, hold, [
          { kind: 'embedding', model: ref.id, tool: null, usage, costNanoUsd, estimated },
        ]),
      );
      return result;
    } catch (error) {
      await db.write((tx) => costs.release(tx, hold));
      throw error;
    }
  };

/** Embeddings that a program asks for: always on the ledger, at no cost where the model is local. */
export const embedFor =
  (charge: ChargeEmbedding, embedder: Embedder): OpenAiDoorOptions['embed'] =>
  async (caller, texts) => {
    const estimatedTokens = texts.reduce((sum, text) => sum + estimateTokens(text), 0);
    const owner = { tenantId: caller.tenantId, userId: caller.userId };
    try {
      return await charge({ ...owner, model: embedder.id, estimatedTokens }, async () => {
        const result = await embedder.embed(texts, undefined, { urgent: texts.length === 1 });
        return { result, tokens: result.tokens };
      });
    } catch (error) {
      throw toAppError(error);
    }
  };
