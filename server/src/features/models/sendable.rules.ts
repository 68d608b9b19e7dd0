import type { ModelMessage, ModelToolCall, ToolSpec } from '../../kernel/model.ts';
import type { Picture } from '../../kernel/picture.ts';

/**
 * A conversation in the form that the strictest provider takes, whatever has become of its turns: instructions first and in one
 * message, then a person's words, then turns that alternate and end with the person's words or with results; no text
 * without a word (Anthropic); each call with its one result right behind it (Gemini, Anthropic), an answer behind results
 * and ids of nine letters and digits (Mistral); no call where no tools are declared (Anthropic). What is in that form
 * already comes back as it is.
 */
type Spoken = Exclude<ModelMessage, { role: 'system' }>;
type Answer = ModelMessage & { role: 'assistant' };
type Result = ModelMessage & { role: 'tool' };

const OPENING = '[The conversation begins with an answer.]';
const GO_ON = '[Go on.]';
const NO_ANSWER = '[No answer was given to this.]';
const PICTURES_ALONE = '[No words, but what is to be seen.]';
const NO_OUTPUT = '[no output]';
const NOT_KEPT = '[The result of this call was not kept.]';

const isBlank = (text: string): boolean => !/\S/.test(text);

const joined = (...texts: readonly string[]): string => texts.filter((text) => !isBlank(text)).join('\n\n');

const callsOf = (message: ModelMessage): readonly ModelToolCall[] =>
  message.role === 'assistant' ? (message.toolCalls ?? []) : [];

/** Takes the call's result out of those behind its answer. */
const resultOf = (call: ModelToolCall, results: Result[]): Result => {
  const at = results.findIndex((result) => result.toolCallId === call.id);
  const [result] = at < 0 ? [] : results.splice(at, 1);
  if (result === undefined) return { role: 'tool', toolCallId: call.id, name: call.name, content: NOT_KEPT };
  return isBlank(result.content) ? { ...result, content: NO_OUTPUT } : result;
};

/** Each call with one result, in the order of the calls; results that nobody asked for and turns without a word go. */
const paired = (messages: readonly Spoken[]): Spoken[] => {
  const kept: Spoken[] = [];
  for (let i = 0; i < messages.length; ) {
    const message = messages[i];
    i += 1;
    if (message === undefined || message.role === 'tool') continue;
    const results: Result[] = [];
    for (let next = messages[i]; next?.role === 'tool'; next = messages[i]) {
      results.push(next);
      i += 1;
    }
    const calls = callsOf(message);
    const blank = isBlank(message.content);
    if (calls.length === 0) {
      if (!blank) kept.push(message);
      else if (message.role === 'user' && (message.pictures ?? []).length > 0)
        kept.push({ ...message, content: PICTURES_ALONE });
      continue;
    }
    kept.push(blank && message.content !== '' ? { ...message, content: '' } : message);
    for (const call of calls) kept.push(resultOf(call, results));
  }
  return kept;
};

/** For a request that declares no tools: earlier calls and results as words. */
const asWords = (messages: readonly Spoken[]): Spoken[] =>
  messages.map((message): Spoken => {
    if (message.role === 'tool')
      return { role: 'user', content: `[result of ${message.name}]\n${message.content}` };
    const calls = callsOf(message);
    if (calls.length === 0) return message;
    const told = calls.map((call) => `[called ${call.name} with ${call.arguments}]`);
    return { role: 'assistant', content: joined(message.content, ...told) };
  });

const picturesOf = (...messages: readonly Spoken[]): { pictures?: readonly Picture[] } => {
  const pictures = messages.flatMap((one) => (one.role === 'user' ? (one.pictures ?? []) : []));
  return pictures.length === 0 ? {} : { pictures };
};

const alternating = (messages: readonly Spoken[]): Spoken[] => {
  const kept: Spoken[] = [];
  for (const message of messages) {
    const last = kept.at(-1);
    if (last === undefined && message.role !== 'user') kept.push({ role: 'user', content: OPENING });
    if (last?.role === 'user' && message.role === 'user')
      kept[kept.length - 1] = {
        role: 'user',
        content: joined(last.content, message.content),
        ...picturesOf(last, message),
      };
    else if (last?.role === 'assistant' && message.role === 'assistant')
      kept[kept.length - 1] = { ...message, content: joined(last.content, message.content) };
    else {
      if (last?.role === 'tool' && message.role === 'user')
        kept.push({ role: 'assistant', content: NO_ANSWER });
      kept.push(message);
    }
  }
  const last = kept.at(-1)?.role;
  if (last === undefined || last === 'assistant') kept.push({ role: 'user', content: GO_ON });
  return kept;
};

const ID = /^[a-zA-Z0-9]{9}$/;

/** New ids for all calls where one has another form, or stands twice. Every call has its result behind it, in order. */
const numbered = (messages: readonly Spoken[]): readonly Spoken[] => {
  const ids = messages.flatMap(callsOf).map((call) => call.id);
  if (ids.every((id) => ID.test(id)) && new Set(ids).size === ids.length) return messages;
  let count = 0;
  let told = 0;
  const idOf = (n: number): string => `call${String(n).padStart(5, '0')}`;
  return messages.map((message): Spoken => {
    if (message.role === 'tool') {
      told += 1;
      return { ...message, toolCallId: idOf(told) };
    }
    if (callsOf(message).length === 0) return message;
    const toolCalls = callsOf(message).map((call) => {
      count += 1;
      return { ...call, id: idOf(count) };
    });
    return { ...(message as Answer), toolCalls };
  });
};

const NAME = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;

/** Names as providers take them: a model may have asked for a tool that is none. */
const named = (messages: readonly Spoken[], tools: readonly ToolSpec[]): readonly Spoken[] => {
  const isFine = (name: string): boolean => NAME.test(name) || tools.some((tool) => tool.name === name);
  const fine = messages.every((m) =>
    m.role === 'tool' ? isFine(m.name) : callsOf(m).every((c) => isFine(c.name)),
  );
  if (fine) return messages;
  const nameOf = (name: string): string =>
    isFine(name) ? name : `_${name.replaceAll(/[^a-zA-Z0-9_-]/g, '_')}`.slice(0, 64);
  return messages.map((message): Spoken => {
    if (message.role === 'tool') return { ...message, name: nameOf(message.name) };
    if (callsOf(message).length === 0) return message;
    const toolCalls = callsOf(message).map((call) => ({ ...call, name: nameOf(call.name) }));
    return { ...(message as Answer), toolCalls };
  });
};

const isSpoken = (message: ModelMessage): message is Spoken => message.role !== 'system';
const isSystem = (message: ModelMessage): boolean => message.role === 'system';

export const sendable = (messages: ModelMessage[], tools: readonly ToolSpec[] = []): ModelMessage[] => {
  const systems = messages.filter(isSystem);
  const pairs = paired(messages.filter(isSpoken));
  const spoken = numbered(named(alternating(tools.length === 0 ? asWords(pairs) : pairs), tools));
  const [first] = systems;
  const instructions = joined(...systems.map((message) => message.content));
  const system =
    systems.length === 1 && first !== undefined ? first : { role: 'system' as const, content: instructions };
  const all: ModelMessage[] = instructions === '' ? [...spoken] : [system, ...spoken];
  const same = all.length === messages.length && all.every((message, i) => message === messages[i]);
  return same ? messages : all;
};
