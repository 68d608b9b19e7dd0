/**
 * Puts the parts of one answer together: text, tool calls by index, finish reason, usage. The same code reads a
 * stream's deltas and a whole message, so both forms of one answer give one result.
 */
import type { ModelFinishReason, ModelToolCall, ModelUsage } from '../../../kernel/model.ts';
import type { NanoUsd } from '../../../kernel/money.ts';
import { own } from '../../../kernel/own.ts';
import { parseCost, parseUsage } from './usage.ts';

export interface Answer {
  content: string;
  toolCalls: ModelToolCall[];
  /** Undefined while the provider has not said that it is done. */
  finishReason: ModelFinishReason | undefined;
  usage: ModelUsage | undefined;
  /** Text or calls came after the usage: it was told under way, and is not what the call came to. */
  interim: true | undefined;
  /** The provider's own figure. */
  reportedNanoUsd: NanoUsd | undefined;
  model: string | undefined;
}

/** `failed`: the provider reports an error inside of an answer with status 200. */
export type ReadOutcome = 'ok' | 'failed';

export interface Accumulator {
  readonly answer: Answer;
  /** One parsed chunk of a stream or one whole body. */
  read(value: unknown): ReadOutcome;
}

type Fields = Record<string, unknown>;
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Text of a `content`: a string, or parts as Mistral's reasoning models send them (thinking is left out). */
const textOf = (content: unknown): string => {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  let text = '';
  for (const part of content)
    if (isFields(part) && part.type === 'text' && typeof part.text === 'string') text += part.text;
  return text;
};

const FINISH: Record<string, ModelFinishReason> = {
  stop: 'stop',
  eos: 'stop',
  end_turn: 'stop',
  length: 'length',
  max_tokens: 'length',
  model_length: 'length',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
  content_filter: 'content_filter',
};

const sizeOf = ({ content, toolCalls }: Pick<Answer, 'content' | 'toolCalls'>): number =>
  toolCalls.reduce((sum, call) => sum + call.name.length + call.arguments.length, content.length);

/** `newId` names calls that came without an id. */
export const createAccumulator = (newId: () => string): Accumulator => {
  const answer: Answer = {
    content: '',
    toolCalls: [],
    finishReason: undefined,
    usage: undefined,
    interim: undefined,
    reportedNanoUsd: undefined,
    model: undefined,
  };
  /** The call that deltas of an index go to now, and the id that the wire gave it (ours may differ). */
  const open = new Map<number, { call: ModelToolCall; wireId: string }>();
  /** Every call by its index (empty where the wire has none) and the wire's id: pieces of two on one index may alternate. */
  const begun = new Map<string, { call: ModelToolCall; wireId: string }>();

  const readToolCall = (delta: unknown): void => {
    if (!isFields(delta)) return;
    const fn = isFields(delta.function) ? delta.function : {};
    const id = typeof delta.id === 'string' ? delta.id : '';
    const name = typeof fn.name === 'string' ? fn.name : '';
    const last = answer.toolCalls.length - 1;
    const known = typeof delta.index === 'number';
    // Gemini's and Mistral's compatible wires leave the index out: a name begins a call, the rest belongs to the last.
    const index = known ? Number(delta.index) : name !== '' ? -1 - answer.toolCalls.length : last;
    const wireKey = `${known ? index : ''}:${id}`;
    const same = id !== '' && (known || name === '') ? begun.get(wireKey) : undefined;
    let entry = same ?? (known || name !== '' ? open.get(index) : [...open.values()].at(-1));
    // Some put every call on index 0 with ids of their own; others repeat the id, or send a new one without a name.
    if (entry === undefined || (id !== '' && name !== '' && entry.wireId !== '' && id !== entry.wireId)) {
      const taken = id === '' || answer.toolCalls.some((call) => call.id === id);
      const call: ModelToolCall = { id: taken ? newId() : id, name: '', arguments: '' };
      entry = { call, wireId: id };
      open.delete(index);
      open.set(index, entry);
      if (id !== '') begun.set(wireKey, entry);
      answer.toolCalls.push(call);
    }
    if (entry.call.name === '') entry.call.name = name;
    if (typeof fn.arguments === 'string') entry.call.arguments += fn.arguments;
    else if (isFields(fn.arguments)) entry.call.arguments += JSON.stringify(fn.arguments);
  };

  const readMessage = (message: Fields): void => {
    answer.content += textOf(message.content);
    if (typeof message.refusal === 'string' && message.refusal !== '') {
      answer.content += message.refusal;
      answer.finishReason = 'content_filter';
    }
    if (Array.isArray(message.tool_calls)) for (const call of message.tool_calls) readToolCall(call);
  };

  const read = (value: unknown): ReadOutcome => {
    if (!isFields(value)) return 'failed';
    if ((value.error !== undefined && value.error !== null) || value.object === 'error') return 'failed';
    if (answer.model === undefined && typeof value.model === 'string' && value.model !== '')
      answer.model = value.model;
    const told = value.usage ?? (isFields(value.x_groq) ? value.x_groq.usage : undefined);
    const usage = parseUsage(told);
    const before = answer.usage === undefined ? 0 : sizeOf(answer);
    if (usage !== undefined) {
      answer.usage = usage;
      answer.interim = undefined;
    }
    const cost = parseCost(told, value.cost);
    if (cost !== undefined) answer.reportedNanoUsd = cost;
    const choice: unknown = Array.isArray(value.choices) ? value.choices[0] : undefined;
    if (!isFields(choice)) return 'ok';
    // `n` is never asked for; a second choice would mix two answers.
    if (typeof choice.index === 'number' && choice.index !== 0) return 'ok';
    const message = choice.delta ?? choice.message;
    if (isFields(message)) readMessage(message);
    // Told together with a piece, the usage counts it.
    if (usage === undefined && answer.usage !== undefined && sizeOf(answer) > before) answer.interim = true;
    const reason = choice.finish_reason;
    if (reason === 'error') return 'failed';
    if (typeof reason === 'string' && reason !== '') answer.finishReason ??= own(FINISH, reason) ?? 'stop';
    return 'ok';
  };
  return { answer, read };
};

/** Ollama and Gemini end an answer with tool calls as `stop`. */
export const finishOf = (answer: Answer): ModelFinishReason => {
  const reason = answer.finishReason ?? 'stop';
  if (answer.toolCalls.length > 0) return reason === 'stop' ? 'tool_calls' : reason;
  return reason === 'tool_calls' ? 'stop' : reason;
};
