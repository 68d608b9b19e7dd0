import { apiErrorFrom, ConnectionFailedError, ProtocolError, TimedOutError } from './errors.ts';
import type { ChatResponse, Proposal, ToolCall } from './generated/models.ts';
import { type Answer, type Call, type CallOptions, type Http, keyOf } from './http.ts';
import { waitMs } from './retry.ts';
import { createSseParser, type SseEvent } from './sse.ts';

/** The events of an answer as it is written, over any number of broken connections. */

interface EventData {
  'run.started': { run_id: string; conversation_id: string; message_id: string };
  'agent.selected': { agent_id: string; reason: string; confidence: number | null; candidates: unknown[] };
  'message.delta': { agent_id: string; content: string };
  'tool.started': ToolCall;
  'tool.completed': ToolCall;
  'proposal.created': Proposal;
  'proposal.decided': Proposal;
  'message.completed': ChatResponse;
}

export type ChatEvent = {
  [Name in keyof EventData]: { readonly id: string; readonly event: Name; readonly data: EventData[Name] };
}[keyof EventData];

/**
 * Iterate over it once. An `error` event of the server is thrown as the ApiError that it holds. Leaving the loop closes
 * the connection; the run itself goes on at the server (`chat.cancelRun` ends it).
 */
export interface ChatStream extends AsyncIterable<ChatEvent> {
  /** Reads to the end and gives the whole answer. */
  final(): Promise<ChatResponse>;
  /** The pieces of text only. */
  text(): AsyncIterable<string>;
}

/** A server sends a comment every 15 s; a connection silent for longer than this is dead. */
const SILENCE_MS = 60_000;

/** `<run_id>:<n>` (contract, section 5). */
const splitId = (id: string): { runId: string; n: number } | null => {
  const [, runId = '', n = ''] = /^(.+):(\d+)$/.exec(id) ?? [];
  return runId === '' ? null : { runId, n: Number(n) };
};

const parseData = (event: SseEvent): unknown => {
  try {
    return JSON.parse(event.data);
  } catch {
    throw new ProtocolError(`event ${event.id}: the data is no JSON`);
  }
};

const readEvents = async function* (answer: Answer): AsyncGenerator<SseEvent> {
  const parser = createSseParser();
  const reader = answer.response.body?.getReader();
  if (reader === undefined) return;
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      answer.touch();
      yield* parser.push(value);
    }
  } catch (error) {
    throw answer.failure(error);
  } finally {
    answer.done();
    // Also when the caller leaves the loop: the connection is given up.
    await reader.cancel().catch(() => {});
  }
};

const broken = (error: unknown): boolean =>
  error instanceof ConnectionFailedError || error instanceof TimedOutError;

const events = async function* (http: Http, first: Call, options: CallOptions): AsyncGenerator<ChatEvent> {
  const key = keyOf(first, options);
  const { timeoutMs = SILENCE_MS } = options;
  const waiting = options.signal ?? new AbortController().signal;
  const retries = options.maxRetries ?? http.maxRetries;
  let last: { id: string; runId: string; n: number } | null = null;
  let failures = 0;
  for (;;) {
    // Before the first event the request itself is repeated: its key names the run, so no second one starts.
    const call: Call =
      last === null
        ? first
        : {
            method: 'GET',
            path: `/api/v1/chat/runs/${encodeURIComponent(last.runId)}/stream`,
            headers: { 'last-event-id': last.id },
          };
    let ended: unknown = null;
    try {
      const answer = await http.send(
        { ...call, accept: 'text/event-stream' },
        { ...options, ...(key === null ? {} : { idempotencyKey: key }), timeoutMs },
      );
      for await (const event of readEvents(answer)) {
        const at = splitId(event.id);
        // What was seen already may come again.
        if (at !== null && last !== null && at.runId === last.runId && at.n <= last.n) continue;
        if (at !== null) last = { id: event.id, ...at };
        failures = 0;
        const data = parseData(event);
        if (event.event === 'error') {
          throw apiErrorFrom(data, 0, null, null) ?? new ProtocolError('an error event without an error');
        }
        // Names and data are those of the contract; one of a later server passes through.
        yield { id: event.id, event: event.event, data } as ChatEvent;
        if (event.event === 'message.completed') return;
      }
    } catch (error) {
      if (!broken(error)) throw error;
      ended = error;
    }
    failures += 1;
    // Without a key nothing names the run before its first event: a second request would be a second run.
    if (failures > retries || (key === null && last === null)) {
      throw ended ?? new ConnectionFailedError('the stream ended before its last event');
    }
    await http.sleep(waitMs(failures - 1, null, http.random()), waiting);
  }
};

export const openStream = (http: Http, call: Call, options: CallOptions = {}): ChatStream => {
  const iterate = (): AsyncGenerator<ChatEvent> => events(http, call, options);
  return {
    [Symbol.asyncIterator]: iterate,
    async final() {
      for await (const event of iterate()) if (event.event === 'message.completed') return event.data;
      throw new ProtocolError('the stream ended without an answer');
    },
    async *text() {
      for await (const event of iterate()) if (event.event === 'message.delta') yield event.data.content;
    },
  };
};
