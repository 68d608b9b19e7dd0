import type { AppError } from '../../kernel/errors.ts';
import { MAX_MESSAGE_CHARACTERS } from '../../kernel/message-limits.ts';
import type { ModelMessage, Sampling } from '../../kernel/model.ts';
import { isNewPicture, type NewPicture } from '../../kernel/picture.ts';
import type { AnswerForm, ClientTools, HistoryTurn } from '../chat/index.ts';
import { IMAGE_ALONE, imageOfPart } from './pictures.rules.ts';
import { refusal } from './refusal.rules.ts';
import { createExchange, given, readClientTools } from './tools.rules.ts';

/** Reading of requests of the OpenAI-compatible door: what they mean for a run, and what is refused with which words. */

export const MODEL_FAMILY = 'pentarch';
export const EMBEDDING_MODEL = 'pentarch/embedding';

interface Part {
  type: string;
  text?: string | undefined;
  image_url?: unknown;
}

interface Message {
  role: string;
  tool_calls?: unknown;
  tool_call_id?: unknown;
  content?: string | readonly Part[] | null | undefined;
}

export interface CompletionInput {
  messages: readonly Message[];
  n?: number | null | undefined;
  logprobs?: boolean | null | undefined;
  top_logprobs?: number | null | undefined;
  modalities?: readonly string[] | null | undefined;
  tools?: unknown;
  tool_choice?: unknown;
  parallel_tool_calls?: boolean | null | undefined;
  functions?: unknown;
  function_call?: unknown;
  audio?: unknown;
  prediction?: unknown;
  web_search_options?: unknown;
  metadata?: Record<string, string> | null | undefined;
  user?: string | null | undefined;
}

export interface ReadCompletion {
  /** What the person says now. */
  message: string;
  /** Shown with it. */
  pictures: readonly NewPicture[];
  history: HistoryTurn[];
  /** Tools that the client runs itself; null without any. */
  client: ClientTools | null;
  /** Calls of such tools with their results since the message. */
  exchange: readonly ModelMessage[];
  /** System and developer messages, joined; null without any. */
  instructions: string | null;
  conversationId: string | null;
  /** Of a structured answer. */
  form: AnswerForm | null;
  /** For a new conversation. */
  metadata: Record<string, unknown>;
}

const MAX_INSTRUCTIONS_CHARACTERS = 65_536;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

interface SamplingFields {
  temperature?: number | null | undefined;
  top_p?: number | null | undefined;
  seed?: number | null | undefined;
  stop?: string | readonly string[] | null | undefined;
  reasoning_effort?: NonNullable<Sampling['reasoningEffort']> | null | undefined;
}

/** What the client asks of the model's way of writing; null is as absent. */
export const samplingIn = (body: SamplingFields): Sampling => {
  const stop = [body.stop ?? []].flat();
  return {
    ...(typeof body.temperature === 'number' ? { temperature: body.temperature } : {}),
    ...(typeof body.top_p === 'number' ? { topP: body.top_p } : {}),
    ...(typeof body.seed === 'number' ? { seed: body.seed } : {}),
    ...(stop.length === 0 ? {} : { stop }),
    ...(typeof body.reasoning_effort === 'string' ? { reasoningEffort: body.reasoning_effort } : {}),
  };
};

const refuseUnsupported = (input: CompletionInput): void => {
  if ((input.n ?? 1) !== 1) throw refusal('n', 'n must be 1: an agent gives one answer', 'invalid_value');
  // With the choice "none" they are not to be called: nothing is promised by taking them.
  if (given(input.functions) && input.function_call !== 'none')
    throw refusal('functions', 'functions are not supported: send tools');
  if (given(input.function_call) && input.function_call !== 'none' && input.function_call !== 'auto')
    throw refusal('function_call', 'function_call is not supported: send tools and tool_choice');
  for (const name of ['audio', 'prediction', 'web_search_options'] as const) {
    if (given(input[name])) throw refusal(name, `${name} is not supported`);
  }
  if (input.logprobs === true || (input.top_logprobs ?? 0) > 0)
    throw refusal('logprobs', 'logprobs are not supported');
  if (input.modalities?.some((modality) => modality !== 'text'))
    throw refusal('modalities', 'only the modality text is supported');
};

/** Text and images of a message; images come from people, and other parts are refused by name. */
const contentOf = (
  message: Message,
  index: number,
  shown: readonly NewPicture[] = [],
): { text: string; pictures: NewPicture[] } => {
  const { content, role } = message;
  const pictures = [...shown];
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
  const texts = parts.map((part: Part, i) => {
    const at = `messages.${index}.content.${i}`;
    if (part.type === 'text' && typeof part.text === 'string') return part.text;
    if (part.type === 'refusal') return '';
    if (part.type === 'image_url' && role === 'user') {
      pictures.push(imageOfPart(part, at));
      return '';
    }
    const what = part.type === 'image_url' ? `images of the role ${role}` : `content of type ${part.type}`;
    throw refusal(at, `${what} cannot be read by the agents; send text`, 'unsupported_content');
  });
  const text = texts.filter((one) => one !== '').join('\n');
  return { text: text.trim() === '' && pictures.length > 0 ? IMAGE_ALONE : text, pictures };
};

const shownWith = (...turns: readonly Pick<HistoryTurn, 'pictures'>[]): Pick<HistoryTurn, 'pictures'> => {
  const pictures = turns.flatMap((turn) => turn.pictures ?? []);
  return pictures.length === 0 ? {} : { pictures };
};

/** Consecutive messages of one side are one turn: models want the sides to alternate. */
const joinTurns = (turns: ReadCompletion['history']): ReadCompletion['history'] => {
  const joined: ReadCompletion['history'] = [];
  for (const turn of turns) {
    const last = joined.at(-1);
    if (last?.role === turn.role && turn.before === undefined) {
      last.content += `\n\n${turn.content}`;
      Object.assign(last, shownWith(last, turn));
    } else joined.push({ ...turn });
  }
  return joined;
};

/** `shown`: images that another door has read of a message already. Throws VALIDATION_ERROR, which leaves as 400. */
export const readCompletion = (
  input: CompletionInput,
  form: AnswerForm | null,
  shown: ReadonlyMap<object, readonly NewPicture[]> = new Map(),
): ReadCompletion => {
  refuseUnsupported(input);
  const instructions: string[] = [];
  const turns: ReadCompletion['history'] = [];
  const calls = createExchange();
  for (const [i, message] of input.messages.entries()) {
    const { role } = message;
    if (role === 'function')
      throw refusal(
        `messages.${i}.role`,
        'messages of the role function are not supported: send messages of the role tool',
        'unsupported_value',
      );
    const { text, pictures } = contentOf(message, i, shown.get(message));
    if (role === 'tool') {
      calls.result(message, text, i);
      continue;
    }
    calls.mustBeAnswered(i);
    if (role === 'assistant' && given(message.tool_calls)) {
      calls.ask(message, text, i);
      continue;
    }
    if (text.trim() === '') continue;
    if (role === 'system' || role === 'developer') instructions.push(text);
    else if (role === 'assistant') turns.push({ role, content: text, ...calls.take() });
    else {
      const before = calls.take();
      if (before.before !== undefined) turns.push({ role: 'assistant', content: '', ...before });
      turns.push({ role: 'user', content: text, ...shownWith({ pictures }) });
    }
  }
  calls.mustBeAnswered(input.messages.length - 1);
  const exchange = calls.take().before ?? [];
  const last = turns.pop();
  const at = `messages.${input.messages.length - 1}`;
  if (last?.role !== 'user')
    throw refusal(
      at,
      'the last message must be of the role user and hold text, or be the result of a tool',
      'invalid_value',
    );
  if ([...last.content].length > MAX_MESSAGE_CHARACTERS) {
    throw refusal(
      `${at}.content`,
      `the last message must have at most ${MAX_MESSAGE_CHARACTERS} characters`,
      'string_above_max_length',
    );
  }
  const system = instructions.join('\n\n');
  if (system.length > MAX_INSTRUCTIONS_CHARACTERS) {
    throw refusal(
      'messages',
      `system and developer messages must have at most ${MAX_INSTRUCTIONS_CHARACTERS} characters together`,
      'string_above_max_length',
    );
  }
  const { conversation_id: conversationId, ...metadata } = input.metadata ?? {};
  if (conversationId !== undefined && !UUID.test(conversationId))
    throw refusal('metadata.conversation_id', 'metadata.conversation_id must be a UUID', 'invalid_value');
  return {
    message: last.content,
    pictures: (last.pictures ?? []).filter(isNewPicture),
    history: joinTurns(turns),
    client: readClientTools(input),
    exchange,
    instructions: system === '' ? null : system,
    conversationId: conversationId ?? null,
    form,
    metadata: {
      source: 'openai',
      ...(input.user ? { end_user: input.user } : {}),
      ...(Object.keys(metadata).length === 0 ? {} : { client: metadata }),
    },
  };
};

/** The agent that a model's name addresses; null: whichever fits. Undefined: no such form. */
export const agentOfModel = (model: string): string | null | undefined => {
  if (model === MODEL_FAMILY) return null;
  return model.startsWith(`${MODEL_FAMILY}/`) ? model.slice(MODEL_FAMILY.length + 1) : undefined;
};

export const unknownModel = (model: string): AppError =>
  refusal(
    'model',
    `the model ${JSON.stringify(model.slice(0, 200))} does not exist or is switched off; GET /v1/models lists those that are there`,
    'model_not_found',
    'NOT_FOUND',
  );

const MAX_INPUT_CHARACTERS = 32_768;

/** The texts of an embedding request. Throws VALIDATION_ERROR. */
export const readInputs = (input: string | readonly unknown[], maxInputs: number): string[] => {
  const list = typeof input === 'string' ? [input] : input;
  if (list.length > maxInputs)
    throw refusal('input', `input must have at most ${maxInputs} texts`, 'array_above_max_length');
  return list.map((text, i) => {
    const param = typeof input === 'string' ? 'input' : `input.${i}`;
    if (typeof text !== 'string')
      throw refusal(
        param,
        'input must be text: token numbers belong to another tokenizer',
        'unsupported_value',
      );
    if (text === '') throw refusal(param, 'input must not be empty', 'invalid_value');
    if (text.length > MAX_INPUT_CHARACTERS)
      throw refusal(
        param,
        `a text must have at most ${MAX_INPUT_CHARACTERS} characters`,
        'string_above_max_length',
      );
    return text;
  });
};
