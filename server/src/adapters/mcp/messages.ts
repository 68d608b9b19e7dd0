/**
 * What servers send, before the SDK reads it: its own schemas fail on such messages without telling the call that waits
 * for the answer. An answer that is none becomes an error of the protocol for that call.
 */

/** Deeper than any honest message, and far from what recursive readers can take. */
const MAX_DEPTH = 200;
const NO_ANSWER = -32_600;

/** Without recursion. */
const isTooDeep = (value: unknown): boolean => {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= MAX_DEPTH; depth++) {
    const next: unknown[] = [];
    for (const one of level) {
      if (typeof one !== 'object' || one === null) continue;
      for (const inner of Object.values(one))
        if (typeof inner === 'object' && inner !== null) next.push(inner);
    }
    if (next.length === 0) return false;
    level = next;
  }
  return true;
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const answerFault = (message: Record<string, unknown>): string | null => {
  if (message.jsonrpc !== '2.0') return 'its answer is not JSON-RPC 2.0';
  if (message.error !== undefined && message.error !== null) {
    const { error } = message;
    const isError = isObject(error) && Number.isInteger(error.code) && typeof error.message === 'string';
    return isError ? null : 'its error has no code or no message';
  }
  return isObject(message.result) ? null : 'its result is not an object';
};

/**
 * The message, or what to take for it; null where it is to be passed over. Messages that are no answers are left to the
 * SDK, unless they are too deep to be looked at.
 */
export const readableMessage = (message: unknown): unknown => {
  if (Array.isArray(message)) return message.map(readableMessage).filter((one) => one !== null);
  if (!isObject(message)) return message;
  const isAnswer =
    message.method === undefined && (typeof message.id === 'number' || typeof message.id === 'string');
  const fault = isTooDeep(message)
    ? 'its answer is nested too deeply'
    : isAnswer
      ? answerFault(message)
      : null;
  if (fault === null) {
    // Common beside a result, and no part of the protocol.
    if (!isAnswer || message.error !== null) return message;
    return { jsonrpc: '2.0', id: message.id, result: message.result };
  }
  return isAnswer ? { jsonrpc: '2.0', id: message.id, error: { code: NO_ANSWER, message: fault } } : null;
};

/** As text; what is no JSON stays, for the SDK to say so. */
const readableText = (text: string): string => {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return text;
  }
  const readable = readableMessage(message);
  return readable === message ? text : readable === null ? '' : JSON.stringify(readable);
};

/** Events of a stream, each as soon as it is whole. */
const readableEvents = (): TransformStream<string, string> => {
  let rest = '';
  const event = (text: string): string => {
    const lines = text.split(/\r\n|\n|\r/);
    const data = lines
      .filter((line) => line.startsWith('data:'))
      .map((line) => line.slice(5).replace(/^ /, ''));
    if (data.length === 0) return text;
    const before = data.join('\n');
    const after = readableText(before);
    if (after === before) return text;
    const others = lines.filter((line) => !line.startsWith('data:'));
    return [...others, ...(after === '' ? [': left out'] : [`data: ${after}`])].join('\n');
  };
  return new TransformStream({
    transform(chunk, controller) {
      rest += chunk;
      // The end of an event is looked for only where a line has just ended.
      if (!/[\r\n]/.test(chunk)) return;
      const parts = rest.split(/(\r\n\r\n|\r\n\n|\n\r\n|\n\n|\r\r)/);
      rest = parts.pop() ?? '';
      for (let i = 0; i + 1 < parts.length; i += 2) {
        controller.enqueue(`${event(parts[i] ?? '')}${parts[i + 1] ?? ''}`);
      }
    },
    flush(controller) {
      if (rest !== '') controller.enqueue(rest);
    },
  });
};

/** The response with messages that the SDK can read. */
export const readableResponse = async (response: Response): Promise<Response> => {
  if (!response.ok || response.body === null) return response;
  const type = (response.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
  const init = { status: response.status, statusText: response.statusText, headers: response.headers };
  if (type === 'application/json') return new Response(readableText(await response.text()), init);
  if (type !== 'text/event-stream') return response;
  const body = response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(readableEvents())
    .pipeThrough(new TextEncoderStream());
  return new Response(body, init);
};
