import type { Caller } from '../../kernel/caller.ts';
import { AppError, invalid } from '../../kernel/errors.ts';
import type { ModelRef } from '../../kernel/model.ts';
import { estimatePromptTokens, estimateTokens } from '../../kernel/tokens.ts';
import type { Models } from '../models/index.ts';
import { messageRoom } from './history.rules.ts';
import { buildPrompt } from './prompt.rules.ts';
import type { Prompt, RunMessage, StartDeps } from './run/run.ts';

/** Messages that no model here could be sent whole are refused before anything is spent for them. */

type LengthDeps = Pick<StartDeps, 'agents' | 'models' | 'maxMessageCharacters' | 'maxOutputTokens'>;

/** What is shorter fits into every window that can be set, beside instructions that fit. */
const SHORT = 1_000;

const tooLong = (models: Pick<Models, 'contextTokens'>, model: ModelRef, tokens: number, room: number) => {
  const reason = `is about ${tokens} tokens, and ${model.id} has room for ${room}: attach it as a document (attachments), shorten it, or choose a model with a larger window`;
  return new AppError('VALIDATION_ERROR', `/message ${reason}`, {
    details: {
      fields: [{ field: '/message', reason }],
      model: model.id,
      message_tokens: tokens,
      room_tokens: room,
      window_tokens: models.contextTokens(model),
    },
  });
};

/** The model with the largest window of those that may answer; null where none is known yet. */
const widest = async (
  { agents, models }: LengthDeps,
  caller: Caller,
  { agentId, model }: RunMessage['context'],
): Promise<ModelRef | null> => {
  if (model !== null) return models.pick(model);
  const all = await agents.effective(caller.tenantId);
  const known = [...all.values()].filter((agent) =>
    agentId === null ? agent.enabled : agent.definition.id === agentId,
  );
  const refs = [...new Set(known.map((agent) => agent.model))].flatMap((id) => {
    try {
      return [models.resolve(id)];
    } catch {
      // A model that is not set up any more is told of when its agent is chosen.
      return [];
    }
  });
  return refs.sort((a, b) => models.contextTokens(b) - models.contextTokens(a))[0] ?? null;
};

/** By the setting and by the windows of the models that may answer, before anything is read for it. Throws VALIDATION_ERROR. */
export const refuseTooLong = async (
  deps: LengthDeps,
  caller: Caller,
  message: string,
  context: RunMessage['context'],
): Promise<void> => {
  if (message.length <= SHORT) return;
  const { models, maxMessageCharacters: most } = deps;
  if (message.length > most && [...message].length > most)
    throw invalid({ field: '/message', reason: `must have at most ${most} characters` });
  const model = await widest(deps, caller, context);
  if (model === null) return;
  const tokens = estimateTokens(message);
  const window = { windowTokens: models.contextTokens(model), outputTokens: deps.maxOutputTokens };
  const room = messageRoom({ ...window, fixedTokens: 0 });
  if (tokens > room) throw tooLong(models, model, tokens, room);
};

/** The same beside all that goes along with it, once that is known. Throws VALIDATION_ERROR. */
export const mustFit = (
  models: Pick<Models, 'contextTokens'>,
  prompt: Prompt,
  outputTokens: number,
): Prompt => {
  const { parts, specs, model } = prompt;
  if (parts.message.length <= SHORT) return prompt;
  const tokens = estimateTokens(parts.message);
  const whole = estimatePromptTokens({
    messages: buildPrompt(parts),
    ...(specs.length === 0 ? {} : { tools: specs }),
  });
  const window = { windowTokens: models.contextTokens(model), outputTokens };
  const room = messageRoom({ ...window, fixedTokens: whole - tokens });
  if (tokens > room) throw tooLong(models, model, tokens, room);
  return prompt;
};
