import type { TestChatBody } from './provider-wire.ts';

/**
 * What the strictest providers refuse of the messages of a request, each by its own words: Anthropic (texts, alternation,
 * pairs, calls without tools), Mistral (order of roles, ids, counts of calls) and Gemini (place of calls, counts).
 */
type Message = NonNullable<TestChatBody['messages']>[number];

interface Call {
  id?: unknown;
  function?: { name?: unknown; arguments?: unknown };
}

const textOf = (message: Message): string => (typeof message.content === 'string' ? message.content : '');
const callsOf = (message: Message): Call[] =>
  ((message as { tool_calls?: Call[] }).tool_calls ?? []) as Call[];
const hasWord = (text: string): boolean => text.trim() !== '';

const AFTER: Record<string, readonly string[]> = {
  system: ['user'],
  user: ['assistant'],
  assistant: ['user', 'tool'],
  tool: ['tool', 'assistant'],
};

const orderFault = (messages: readonly Message[]): string | null => {
  for (const [i, message] of messages.entries()) {
    const before = messages[i - 1];
    const first = before === undefined ? ['system', 'user'] : (AFTER[before.role ?? ''] ?? []);
    if (!first.includes(message.role ?? ''))
      return `Unexpected role '${message.role}' after role '${before?.role ?? 'none'}'`;
    if (before?.role === 'assistant' && (message.role === 'tool') !== callsOf(before).length > 0)
      return 'messages: `tool_use` ids were found without `tool_result` blocks immediately after';
  }
  const last = messages.at(-1)?.role;
  return last === 'user' || last === 'tool'
    ? null
    : `Expected last role User or Tool for serving but got ${last}`;
};

const textFault = (messages: readonly Message[]): string | null => {
  for (const message of messages) {
    if (hasWord(textOf(message))) continue;
    if (message.role !== 'assistant' || callsOf(message).length === 0)
      return 'messages: text content blocks must contain non-whitespace text';
    if (textOf(message) !== '') return 'messages: text content blocks must contain non-whitespace text';
  }
  return null;
};

const pairFault = (messages: readonly Message[], declared: boolean): string | null => {
  const all = messages.flatMap(callsOf).map((call) => String(call.id));
  if (all.length > 0 && !declared)
    return 'Requests which include `tool_use` or `tool_result` blocks must define tools';
  if (new Set(all).size !== all.length) return 'messages: `tool_use` ids must be unique';
  const odd = all.find((id) => !/^[a-zA-Z0-9]{9}$/.test(id));
  if (odd !== undefined) return `Tool call id was ${odd} but must be a-z, A-Z, 0-9, with a length of 9.`;
  for (const [i, message] of messages.entries()) {
    const calls = callsOf(message);
    if (calls.length === 0) continue;
    const results: string[] = [];
    for (let k = i + 1; messages[k]?.role === 'tool'; k++) results.push(String(messages[k]?.tool_call_id));
    if (results.length !== calls.length) return 'Not the same number of function calls and responses';
    if (calls.some((call) => !results.includes(String(call.id))))
      return 'messages: unexpected `tool_use_id` found in `tool_result` blocks';
    const name = calls.find((call) => !/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/.test(String(call.function?.name)));
    if (name !== undefined) return `Function name was ${String(name.function?.name)}`;
  }
  return null;
};

/** The words of the refusal, or null where the strictest would take the request. */
export const strictFault = (body: TestChatBody): string | null => {
  const messages = body.messages ?? [];
  return (
    textFault(messages) ??
    orderFault(messages) ??
    pairFault(messages, ((body.tools as unknown[]) ?? []).length > 0)
  );
};
