import { outermostBraces } from 'pentarch-prose';
import type { ModelMessage } from '../../kernel/model.ts';
import type { MeteredGenerate, Models } from '../models/index.ts';
import type { FactAsk } from './ask.ts';

/** Output cap of one reading in tokens: 20 facts, and room for reasoning. */
const MAX_FACT_TOKENS = 1_024;
const TIMEOUT_MS = 30_000;

export interface FactAskOptions {
  models: Pick<Models, 'resolve'>;
  generate: MeteredGenerate;
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
 * Asks a model for the facts of a message: it counts for the person who wrote the message, on the days and months of their
 * limits. Throws COST_EXCEEDED before the model is called.
 */
export const createFactAsk =
  ({ models, generate, model }: FactAskOptions): FactAsk =>
  async ({ caller, conversationId, name, instructions, input, schema }) => {
    const messages: ModelMessage[] = [
      { role: 'system', content: instructions },
      { role: 'user', content: `<message>\n${input}\n</message>` },
    ];
    const subject = {
      tenantId: caller.tenantId,
      userId: caller.userId,
      agentId: 'memorix',
      conversationId,
      // The run that it follows has ended.
      runId: null,
      requestId: null,
    };
    const answer = await generate(subject, models.resolve(model, '/MEMORY_MODEL'), {
      messages,
      responseSchema: { name, schema },
      temperature: 0,
      signal: AbortSignal.timeout(TIMEOUT_MS),
      maxOutputTokens: MAX_FACT_TOKENS,
    });
    return jsonOf(answer.content);
  };
