import type { ModelMessage, ModelToolCall, ToolSpec } from '../../kernel/model.ts';
import type { ClientTools } from '../chat/index.ts';
import { refusal } from './refusal.rules.ts';

/** Tools of the client, its calls and their results, read from a request. */
export const given = (value: unknown): boolean =>
  value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const MAX_TOOLS = 128;
const MAX_DESCRIPTION_CHARACTERS = 16_384;
/** Of all definitions together: they go with every call of the model, and are paid for each time. */
const MAX_DEFINITIONS_CHARACTERS = 131_072;
const MAX_CALLS = 128;
const MAX_ID_CHARACTERS = 256;

const readTool = (value: unknown, i: number): ToolSpec => {
  const at = `tools.${i}`;
  if (!isRecord(value) || value.type !== 'function' || !isRecord(value.function)) {
    throw refusal(at, 'a tool must be {"type": "function", "function": {…}}', 'invalid_value');
  }
  const { name, description = '', parameters = { type: 'object', properties: {} } } = value.function;
  if (typeof name !== 'string' || !NAME.test(name))
    throw refusal(
      `${at}.function.name`,
      'a name has 1 to 64 of the characters a–z A–Z 0–9 _ -',
      'invalid_value',
    );
  if (typeof description !== 'string' || description.length > MAX_DESCRIPTION_CHARACTERS) {
    const words = `a description is text of at most ${MAX_DESCRIPTION_CHARACTERS} characters`;
    throw refusal(`${at}.function.description`, words, 'invalid_value');
  }
  if (!isRecord(parameters))
    throw refusal(`${at}.function.parameters`, 'parameters must be a JSON Schema', 'invalid_value');
  return { name, description, inputSchema: parameters };
};

/** Null where none may be called. Throws VALIDATION_ERROR. */
export const readClientTools = (input: {
  tools?: unknown;
  tool_choice?: unknown;
  parallel_tool_calls?: boolean | null | undefined;
}): ClientTools | null => {
  const { tools, tool_choice: choice } = input;
  if (given(tools) && !Array.isArray(tools)) throw refusal('tools', 'tools must be a list', 'invalid_value');
  const list = Array.isArray(tools) ? tools : [];
  if (list.length > MAX_TOOLS) throw refusal('tools', `at most ${MAX_TOOLS} tools`, 'array_above_max_length');
  const specs = list.map(readTool);
  if (new Set(specs.map(({ name }) => name)).size !== specs.length)
    throw refusal('tools', 'two tools have the same name', 'invalid_value');
  if (JSON.stringify(specs).length > MAX_DEFINITIONS_CHARACTERS) {
    const words = `the tools must have at most ${MAX_DEFINITIONS_CHARACTERS} characters together`;
    throw refusal('tools', words, 'string_above_max_length');
  }
  if (choice === 'none') return null;
  const single = input.parallel_tool_calls === false ? { single: true as const } : {};
  const forced = given(choice) && choice !== 'auto';
  if (forced && specs.length === 0)
    throw refusal('tool_choice', 'tool_choice is only allowed with tools', 'invalid_value');
  if (specs.length === 0) return null;
  if (!forced) return { tools: specs, ...single };
  if (choice === 'required') return { tools: specs, choice, ...single };
  const name =
    isRecord(choice) && choice.type === 'function' && isRecord(choice.function) && choice.function.name;
  if (typeof name !== 'string') {
    const words =
      'tool_choice must be "none", "auto", "required" or {"type": "function", "function": {"name": …}}';
    throw refusal('tool_choice', words, 'invalid_value');
  }
  if (!specs.some((spec) => spec.name === name))
    throw refusal('tool_choice', `there is no tool ${JSON.stringify(name)}`, 'invalid_value');
  return { tools: specs, choice: { name }, ...single };
};

const readCall = (value: unknown, at: string): ModelToolCall => {
  const call =
    isRecord(value) && value.type === 'function' && isRecord(value.function) ? value.function : null;
  const id = isRecord(value) ? value.id : null;
  if (
    call === null ||
    typeof id !== 'string' ||
    id === '' ||
    id.length > MAX_ID_CHARACTERS ||
    typeof call.name !== 'string' ||
    !NAME.test(call.name) ||
    typeof call.arguments !== 'string'
  ) {
    const words = 'a call must be {"id", "type": "function", "function": {"name", "arguments": text}}';
    throw refusal(at, words, 'invalid_value');
  }
  return { id, name: call.name, arguments: call.arguments };
};

interface AskingMessage {
  tool_calls?: unknown;
}

interface ResultMessage {
  tool_call_id?: unknown;
}

/** Calls and results of a history in their order: every call is answered before anything else is said. */
export const createExchange = () => {
  let messages: ModelMessage[] = [];
  const open = new Map<string, string>();
  return {
    ask(message: AskingMessage, text: string, index: number): void {
      const at = `messages.${index}.tool_calls`;
      const { tool_calls: calls } = message;
      if (!Array.isArray(calls) || calls.length > MAX_CALLS)
        throw refusal(at, `tool_calls must be a list of at most ${MAX_CALLS} calls`, 'invalid_value');
      const toolCalls = calls.map((call, i) => readCall(call, `${at}.${i}`));
      for (const { id, name } of toolCalls) {
        if (open.has(id)) throw refusal(at, 'two calls have the same id', 'invalid_value');
        open.set(id, name);
      }
      messages.push({ role: 'assistant', content: text, toolCalls });
    },

    result(message: ResultMessage, text: string, index: number): void {
      const at = `messages.${index}.tool_call_id`;
      const { tool_call_id: id } = message;
      const name = typeof id === 'string' ? open.get(id) : undefined;
      if (typeof id !== 'string' || name === undefined) {
        const words =
          'a message of the role tool must answer a call of the assistant message before it, once';
        throw refusal(at, words, 'invalid_value');
      }
      open.delete(id);
      messages.push({ role: 'tool', toolCallId: id, name, content: text });
    },

    mustBeAnswered(index: number): void {
      if (open.size === 0) return;
      const words = `an assistant message with tool_calls must be followed by messages of the role tool for each of them; missing: ${[...open.keys()].join(', ').slice(0, 500)}`;
      throw refusal(`messages.${index}.role`, words, 'invalid_value');
    },

    /** What has been gathered since it was last taken. */
    take(): { before?: readonly ModelMessage[] } {
      const before = messages;
      messages = [];
      return before.length === 0 ? {} : { before };
    },
  };
};

/** The calls that the last results answer, with these. */
export const lastResults = (exchange: readonly ModelMessage[]): Record<string, string> => {
  const from = exchange.findLastIndex((message) => message.role === 'assistant');
  return Object.fromEntries(
    exchange.slice(from + 1).flatMap((m) => (m.role === 'tool' ? [[m.toolCallId, m.content] as const] : [])),
  );
};

/** Results as they are stored with the conversation. */
export const resultsText = (exchange: readonly ModelMessage[]): string => {
  const from = exchange.findLastIndex((message) => message.role === 'assistant');
  return JSON.stringify(
    exchange
      .slice(from + 1)
      .flatMap((m) =>
        m.role === 'tool' ? [{ tool_call_id: m.toolCallId, name: m.name, content: m.content }] : [],
      ),
  );
};
