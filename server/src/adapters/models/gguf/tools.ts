import type { ModelMessage, ToolSpec } from '../../../kernel/model.ts';
import type { ChatItem, FunctionCallItem, Functions } from './runtime.ts';

/** Tools as llama.cpp's chat wrappers take them: functions whose arguments a grammar holds to their schema. */

/** Of the window; the rest is for instructions, passages and the answer. */
const TOOLS_SHARE = 4;
const MAX_DEPTH = 6;
const SIMPLE = new Set(['string', 'number', 'integer', 'boolean', 'null']);

type Json = Record<string, unknown>;

const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isPlain = (value: unknown): boolean =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value);

const described = (schema: Json): Json =>
  typeof schema.description === 'string' ? { description: schema.description } : {};

const objectOf = (schema: Json, depth: number): Json => {
  const properties = isRecord(schema.properties) ? schema.properties : {};
  const names = Object.keys(properties);
  const required = (Array.isArray(schema.required) ? schema.required : []).filter((name) =>
    names.includes(String(name)),
  );
  return {
    type: 'object',
    properties: Object.fromEntries(
      names.map((name) => [name, grammarSchema(properties[name], depth + 1)] as const),
    ),
    required,
    additionalProperties: names.length === 0,
    ...described(schema),
  };
};

/**
 * The part of JSON Schema that a grammar can hold. What it cannot (patterns, references) is left out: the platform checks each call
 * against the whole schema before it runs.
 */
export const grammarSchema = (value: unknown, depth = 0): Json => {
  const text = { type: 'string' };
  if (!isRecord(value) || depth > MAX_DEPTH) return text;
  if (isPlain(value.const) && value.const !== undefined) return { const: value.const, ...described(value) };
  if (Array.isArray(value.enum) && value.enum.length > 0 && value.enum.every(isPlain))
    return { enum: value.enum, ...described(value) };
  const several = [value.oneOf, value.anyOf].find(Array.isArray);
  if (several !== undefined && several.length > 0)
    return { oneOf: several.map((one) => grammarSchema(one, depth + 1)), ...described(value) };
  if (value.type === 'object' || isRecord(value.properties)) return objectOf(value, depth);
  if (value.type === 'array')
    return { type: 'array', items: grammarSchema(value.items, depth + 1), ...described(value) };
  const types = (Array.isArray(value.type) ? value.type : [value.type]).filter((one) =>
    SIMPLE.has(String(one)),
  );
  const [only] = types;
  if (only === undefined) return { ...text, ...described(value) };
  return { type: types.length === 1 ? only : types, ...described(value) };
};

/** In the order of the request, as many as a quarter of the window holds. */
export const functionsOf = (
  tools: readonly ToolSpec[],
  contextTokens: number,
  tokensOf: (text: string) => number,
): Functions => {
  let left = Math.floor(contextTokens / TOOLS_SHARE);
  const functions: Functions = {};
  for (const { name, description, inputSchema } of tools) {
    const params = grammarSchema({ ...inputSchema, type: 'object' });
    const tokens = tokensOf(`${name} ${description} ${JSON.stringify(params)}`);
    if (tokens > left) continue;
    left -= tokens;
    functions[name] = { description, params };
  }
  return functions;
};

/** Whether the model was made to call tools: its own template has a place for them. */
export const knowsTools = (template: unknown): boolean =>
  typeof template === 'string' && /\btools\b/.test(template);

const paramsOf = (text: string): unknown => {
  try {
    return JSON.parse(text === '' ? '{}' : text);
  } catch {
    // A broken call of an earlier turn is shown as it was written.
    return text;
  }
};

const callsOf = (
  message: Extract<ModelMessage, { role: 'assistant' }>,
  results: ReadonlyMap<string, string>,
): FunctionCallItem[] =>
  (message.toolCalls ?? []).map((call) => ({
    type: 'functionCall',
    name: call.name,
    params: paramsOf(call.arguments),
    result: results.get(call.id) ?? null,
  }));

/**
 * llama.cpp's own form of a conversation. With functions a call stands with its result in the turn that it belongs to; without, a
 * result is told as text of the person. The answer is written into the last turn, which is the model's.
 */
export const itemsOf = (messages: readonly ModelMessage[], withFunctions = false): ChatItem[] => {
  const results = new Map<string, string>();
  const called = new Set<string>();
  for (const message of messages) {
    if (message.role === 'tool') results.set(message.toolCallId, message.content);
    if (message.role === 'assistant') for (const { id } of message.toolCalls ?? []) called.add(id);
  }
  const items: ChatItem[] = [];
  const say = (response: Extract<ChatItem, { type: 'model' }>['response']): void => {
    const last = items.at(-1);
    if (withFunctions && last?.type === 'model') last.response.push(...response);
    else items.push({ type: 'model', response });
  };
  for (const message of messages) {
    if (message.role === 'system') items.push({ type: 'system', text: message.content });
    else if (message.role === 'user') items.push({ type: 'user', text: message.content });
    else if (message.role === 'assistant') {
      const calls = withFunctions ? callsOf(message, results) : [];
      say([...(message.content === '' && calls.length > 0 ? [] : [message.content]), ...calls]);
    } else if (!withFunctions || !called.has(message.toolCallId))
      items.push({ type: 'user', text: `Result of ${message.name}:\n${message.content}` });
  }
  if (withFunctions && messages.at(-1)?.role === 'tool') say([]);
  else items.push({ type: 'model', response: [] });
  return items;
};

/** What small models write where they forget the marks of a call. */
const MAY_BE_A_CALL = /^\s*(?:<tool_call>|```(?:json)?|\{)/;
const MARKS = /^(?:<tool_call>|```(?:json)?)|(?:<\/tool_call>|```)$/g;

/** Whether a text that begins so is held back until its end says what it is. */
export const mayBeACall = (text: string): boolean => text.trim() === '' || MAY_BE_A_CALL.test(text);

/** A call that was written as plain JSON with the name of a tool that was offered; null for every other text. */
export const writtenCall = (text: string, functions: Functions): { name: string; params: unknown } | null => {
  let value: unknown;
  try {
    value = JSON.parse(text.trim().replaceAll(MARKS, ''));
  } catch {
    return null;
  }
  if (!isRecord(value) || typeof value.name !== 'string' || !Object.hasOwn(functions, value.name))
    return null;
  const params = value.arguments ?? value.parameters ?? {};
  return isRecord(params) ? { name: value.name, params } : null;
};
