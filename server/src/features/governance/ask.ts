import type { Db } from '../../db/db.ts';
import { AppError } from '../../kernel/errors.ts';
import type { Costs, LedgerEntry } from '../costs/index.ts';
import { ModelCallError, type Models } from '../models/index.ts';
import type { Ask } from './ports.ts';

/** Output cap of one vote in tokens: a JSON object with two sentences, and room for reasoning. */
const MAX_VOTE_TOKENS = 1_024;

/** Asks a model for a vote, reserved and settled as every other call: votes cost too. */
export const createMeteredAsk =
  (options: {
    db: Db;
    models: Pick<Models, 'defaultModel' | 'resolve' | 'promptBound' | 'worstCase' | 'generate'>;
    costs: Pick<Costs, 'hold' | 'settle'>;
  }): Ask =>
  async ({ proposal, seat, model, messages, schema, signal }) => {
    const { db, models, costs } = options;
    const ref = model === null ? models.defaultModel : models.resolve(model);
    const call = { messages, responseSchema: schema, temperature: 0, signal };
    const hold = await db.write((tx) =>
      costs.hold(tx, {
        tenantId: proposal.tenantId,
        userId: proposal.requestedBy,
        agentId: seat,
        conversationId: proposal.conversationId,
        // A vote is no step of the run that waits for it: day and month limit it, the run's limit does not.
        runId: null,
        requestId: proposal.requestId,
        kind: 'model',
        worstNano: models.worstCase(ref, models.promptBound(call), MAX_VOTE_TOKENS),
        runUsedNano: 0,
      }),
    );
    let entries: LedgerEntry[] = [];
    try {
      const answer = await models.generate(ref, { ...call, maxOutputTokens: MAX_VOTE_TOKENS });
      const { costNanoUsd, estimated, usage } = answer;
      entries = [{ kind: 'model', model: answer.ref.id, tool: null, usage, costNanoUsd, estimated }];
      if (answer.finishReason === 'length') {
        throw new AppError('UPSTREAM_ERROR', 'the vote did not end within its output cap');
      }
      return { text: answer.content, model: answer.ref.id };
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
