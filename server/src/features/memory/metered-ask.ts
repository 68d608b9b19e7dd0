import type { Db } from '../../db/db.ts';
import type { ModelMessage } from '../../kernel/model.ts';
import { outermostBraces } from '../../kernel/text.ts';
import type { Costs, LedgerEntry } from '../costs/index.ts';
import { ModelCallError, type Models } from '../models/index.ts';
import type { Ask } from './ask.ts';

/** Output cap of one reading in tokens: 20 facts, and room for reasoning. */
const MAX_FACT_TOKENS = 1_024;
const TIMEOUT_MS = 30_000;

export interface MeteredAskOptions {
  db: Db;
  models: Pick<Models, 'resolve' | 'promptBound' | 'worstCase' | 'generate'>;
  costs: Pick<Costs, 'hold' | 'settle'>;
  /** Id of a configured model. */
  model: string;
}

/** The outermost JSON object of an answer: some models wrap it in prose or a fence. Undefined where there is none. */
const jsonOf = (text: string): unknown => {
  const found = outermostBraces(text);
  if (found === null) return undefined;
  try {
    return JSON.parse(found) as unknown;
  } catch {
    return undefined;
  }
};

/**
 * Asks a model for the facts of a message, reserved before and settled after as every other call: it counts for the
 * person who wrote the message, on the days and months of their limits. Throws COST_EXCEEDED before the model is called.
 */
export const createMeteredAsk =
  ({ db, models, costs, model }: MeteredAskOptions): Ask =>
  async ({ caller, conversationId, name, instructions, input, schema }) => {
    const ref = models.resolve(model, '/MEMORY_MODEL');
    const messages: ModelMessage[] = [
      { role: 'system', content: instructions },
      { role: 'user', content: `<message>\n${input}\n</message>` },
    ];
    const call = {
      messages,
      responseSchema: { name, schema },
      temperature: 0,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    };
    const hold = await db.write((tx) =>
      costs.hold(tx, {
        tenantId: caller.tenantId,
        userId: caller.userId,
        agentId: 'memorix',
        conversationId,
        // The run that it follows has ended.
        runId: null,
        requestId: null,
        kind: 'model',
        worstNano: models.worstCase(ref, models.promptBound(call), MAX_FACT_TOKENS),
        runUsedNano: 0,
      }),
    );
    let entries: LedgerEntry[] = [];
    try {
      const answer = await models.generate(ref, { ...call, maxOutputTokens: MAX_FACT_TOKENS });
      const { costNanoUsd, estimated, usage } = answer;
      entries = [{ kind: 'model', model: answer.ref.id, tool: null, usage, costNanoUsd, estimated }];
      return jsonOf(answer.content);
    } catch (error) {
      if (error instanceof ModelCallError && error.partial !== undefined) {
        const { usage } = error.partial;
        const { costNanoUsd, ref: used } = error;
        entries = [{ kind: 'model', model: used.id, tool: null, usage, costNanoUsd, estimated: true }];
      }
      throw error;
    } finally {
      await db.write((tx) => costs.settle(tx, hold, entries));
    }
  };
