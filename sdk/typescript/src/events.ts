import { ConnectionFailedError, isRecord, PentarchError, UnauthorizedError } from './errors.ts';
import type { Http } from './http.ts';
import { waitMs } from './retry.ts';

/** Live events over the WebSocket at /v2/ws (contract, section 12); connects again by itself. */

export interface LiveEvent {
  /** null for what is no event of a record, such as `ready`. */
  readonly id: string | null;
  readonly type: string;
  readonly payload: unknown;
}

export interface LiveOptions {
  /** Narrows what is sent: conversations, runs, proposals, tasks, documents, agents, costs, notifications. */
  topics?: readonly string[];
  signal?: AbortSignal;
  /** Told each time a connection has ended or could not be made, before the next try. */
  onLost?: () => void;
  /** For runtimes without a global WebSocket (Node 20). */
  webSocket?: typeof WebSocket;
}

const UNAUTHORIZED = 4401;
const FORBIDDEN = 4403;

type Item = { event: LiveEvent } | { closed: number };

/** One connection: its events and its end, in order. */
const connect = (url: string, token: string | null, lastEventId: string | null, options: LiveOptions) => {
  const Socket = options.webSocket ?? globalThis.WebSocket;
  if (Socket === undefined) throw new PentarchError('this runtime has no WebSocket: pass one as `webSocket`');
  const socket = new Socket(url);
  const missed = lastEventId === null ? {} : { last_event_id: lastEventId };
  let narrowed = options.topics === undefined;
  const waiting: Item[] = [];
  let wake: () => void = () => {};
  const put = (item: Item): void => {
    waiting.push(item);
    wake();
  };
  socket.addEventListener('open', () => {
    // As first message: an address would end up in logs.
    const more = options.topics === undefined ? missed : {};
    if (token !== null) socket.send(JSON.stringify({ type: 'auth', payload: { token, ...more } }));
  });
  socket.addEventListener('message', ({ data }) => {
    let message: unknown = null;
    try {
      message = JSON.parse(String(data));
    } catch {
      return;
    }
    if (!isRecord(message) || typeof message.type !== 'string') return;
    const { id, type, payload } = message;
    if (type === 'ready' && !narrowed) {
      // Answered with a `ready` of its own, which is the one that the caller sees.
      narrowed = true;
      socket.send(JSON.stringify({ type: 'subscribe', payload: { topics: options.topics, ...missed } }));
      return;
    }
    if (narrowed) put({ event: { id: typeof id === 'string' ? id : null, type, payload } });
  });
  socket.addEventListener('error', () => {});
  socket.addEventListener('close', ({ code }) => put({ closed: code }));
  return {
    close: () => socket.close(),
    async next(): Promise<Item> {
      for (;;) {
        const item = waiting.shift();
        if (item !== undefined) return item;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
};

/**
 * Events until the signal fires or the loop is left. What was missed between two connections is replayed; where the
 * server cannot (`ready` then has `replay.complete` false), read the records anew.
 * @throws UnauthorizedError when the token is refused and no fresh one helps, ConnectionFailedError when no connection succeeds.
 */
export const liveEvents = async function* (http: Http, options: LiveOptions = {}): AsyncGenerator<LiveEvent> {
  const signal = options.signal ?? new AbortController().signal;
  const url = `${http.baseUrl.replace(/^http/, 'ws').replace(/(?<!\/)\/+$/, '')}/v2/ws`;
  let failures = 0;
  /** Tokens that were refused since a connection last worked. */
  let refusals = 0;
  let lastEventId: string | null = null;
  while (!signal.aborted) {
    const token = await http.token(signal);
    const connection = connect(url, token, lastEventId, options);
    const stop = (): void => connection.close();
    signal.addEventListener('abort', stop, { once: true });
    let code = 0;
    try {
      for (;;) {
        const item = await connection.next();
        if ('closed' in item) {
          code = item.closed;
          break;
        }
        const { id, type, payload } = item.event;
        if (type === 'ready') {
          failures = 0;
          refusals = 0;
          if (isRecord(payload) && typeof payload.last_event_id === 'string')
            lastEventId ??= payload.last_event_id;
        }
        lastEventId = id ?? lastEventId;
        yield item.event;
      }
    } finally {
      signal.removeEventListener('abort', stop);
      connection.close();
    }
    if (signal.aborted) return;
    options.onLost?.();
    failures += 1;
    const refused = code === UNAUTHORIZED || code === FORBIDDEN;
    if (refused) refusals += 1;
    // Only a fresh token can help, and only against 4401.
    const renewed = code === UNAUTHORIZED && token !== null && http.refused(token);
    if (refused && !(renewed && refusals === 1)) {
      throw new UnauthorizedError({
        status: code === FORBIDDEN ? 403 : 401,
        code: code === FORBIDDEN ? 'FORBIDDEN' : 'UNAUTHORIZED',
        reason: null,
        message: `the event connection was refused (${code})`,
        details: {},
        requestId: null,
        retryAfterS: null,
      });
    }
    if (failures > http.maxRetries) throw new ConnectionFailedError(`no event connection (${code})`);
    await http.sleep(waitMs(failures - 1, null, http.random()), signal);
  }
};
