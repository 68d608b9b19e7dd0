import { iso } from '../../../../kernel/clock.ts';
import type { ModelMessage } from '../../../../kernel/model.ts';
import { withoutBytes } from '../../../../kernel/picture.ts';
import { joinTaint, type Taint } from '../../../../kernel/taint.ts';
import { taintOfDescriptions, taintOfPassages } from '../../../../kernel/tools.ts';
import type { Models } from '../../../models/index.ts';
import { taintOfConversation } from '../../asked.rules.ts';
import { taintOfAttached } from '../../attachments.ts';
import { offeredSpecs } from '../../client-tools.rules.ts';
import { formInstruction, providerSchema } from '../../form.ts';
import { offeredTools } from '../../offer.ts';
import { buildPrompt } from '../../prompt.rules.ts';
import { bringsContext } from '../../request.ts';
import type { Asking, Prompt, StartDeps } from '../run.ts';
import type { fitHistory, History } from './load-history.ts';
import type { retrieve } from './retrieve.ts';

type Retrieved = Awaited<ReturnType<typeof retrieve>>;

/** What the prompt takes of the agent and of what was found for it; the rest is the message's. */
const partsOf = ({ agent, passages, memories, preferences }: Retrieved, nowMs: number) => ({
  agentName: agent.definition.name,
  charter: agent.definition.charter,
  instructions: agent.instructions,
  preferences: preferences.texts,
  memories: memories.texts,
  now: iso(nowMs),
  history: [],
  passages,
});

const taintOfFound = ({ passages, memories, preferences }: Retrieved): Taint =>
  joinTaint(taintOfPassages(passages ?? []), memories.foreign || preferences.foreign ? ['memory'] : []);

/** Fifth step: all that goes to the model but the history, and where untrusted content in it came from. */
export const promptFor = (
  { maxToolTokens }: Pick<StartDeps, 'maxToolTokens'>,
  asking: Asking,
  { continued, attached }: History,
  found: Retrieved,
): Prompt => {
  const { message, given, conversation, now } = asking;
  const { agent, model, passages, tools, noted } = found;
  const parts: Prompt['parts'] = {
    ...partsOf(found, now),
    clientInstructions: given.instructions ?? null,
    form: given.form === undefined ? null : formInstruction(given.form),
    data: message.context.data,
    attached: { own: message.attached, earlier: attached },
    message: message.request.message,
    ...(message.pictures === undefined ? {} : { pictures: message.pictures.own.map(withoutBytes) }),
  };
  const taint = joinTaint(
    taintOfConversation(conversation),
    given.taint,
    bringsContext(message.context, given) ? ['context'] : [],
    (given.history ?? []).length > 0 ? ['history'] : [],
    continued?.state.taint,
    taintOfFound(found),
    taintOfAttached([...message.attached, ...attached]),
    // Whatever they show may be somebody else's words, as a document's are.
    message.pictures === undefined ? [] : ['documents'],
    taintOfDescriptions(tools),
  );
  const offer = { agent, model, tools, maxTokens: maxToolTokens };
  const specs = offeredSpecs(offeredTools(offer, continued?.state.messages ?? []), given.client);
  return { agent, model, passages, tools, specs, parts, taint, noted };
};

/** The same for a part of a task that another agent has handed on: it has no history and no program of a client. */
export const promptForTask = (
  found: Retrieved,
  task: string,
  nowMs: number,
): { messages: ModelMessage[]; taint: Taint } => ({
  messages: buildPrompt({ ...partsOf(found, nowMs), data: {}, message: task }),
  taint: taintOfFound(found),
});

/** With its history. A run that goes on with another's question has its prompt, with the results behind it. */
export const messagesOf = (
  { given }: Asking,
  { continued }: History,
  { parts }: Prompt,
  { turns, summary }: Pick<Awaited<ReturnType<typeof fitHistory>>, 'turns' | 'summary'>,
): ModelMessage[] =>
  continued === null
    ? [...buildPrompt({ ...parts, history: turns, summary }), ...(given.exchange ?? [])]
    : continued.state.messages;

/** How many tokens the call has at the most. */
export const boundOf = (
  models: Models,
  { message, given }: Asking,
  messages: ModelMessage[],
  { specs, model }: Pick<Prompt, 'specs' | 'model'>,
): number =>
  models.promptBound(
    {
      messages,
      ...(specs.length === 0 ? {} : { tools: specs }),
      ...providerSchema(given.form),
      signal: message.signal,
    },
    model,
  );
