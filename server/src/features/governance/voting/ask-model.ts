import { AppError } from '../../../kernel/errors.ts';
import type { MeteredGenerate, Models } from '../../models/index.ts';
import type { Ask } from '../ports.ts';

/** Output cap of one vote in tokens: a JSON object with two sentences, and room for reasoning. */
const MAX_VOTE_TOKENS = 1_024;

/** Asks a model for a vote. It is no step of the run that waits for it: day and month limit its cost. */
export const createVoteAsk =
  (options: { models: Pick<Models, 'defaultModel' | 'resolve'>; generate: MeteredGenerate }): Ask =>
  async ({ proposal, seat, model, messages, schema, signal }) => {
    const { models, generate } = options;
    const ref = model === null ? models.defaultModel : models.resolve(model);
    const subject = {
      tenantId: proposal.tenantId,
      userId: proposal.requestedBy,
      agentId: seat,
      conversationId: proposal.conversationId,
      runId: null,
      requestId: proposal.requestId,
    };
    const answer = await generate(subject, ref, {
      messages,
      responseSchema: schema,
      temperature: 0,
      signal,
      maxOutputTokens: MAX_VOTE_TOKENS,
    });
    if (answer.finishReason === 'length') {
      throw new AppError('UPSTREAM_ERROR', 'the vote did not end within its output cap');
    }
    return { text: answer.content, model: answer.ref.id };
  };
