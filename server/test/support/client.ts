import { connect } from 'node:net';
import { holdToContract } from './contract.ts';

/**
 * A small HTTP client for black-box tests: JSON in and out, Server-Sent Events, and raw bytes on a socket. Every answer of
 * `send` and its kin is held to api/openapi.json.
 */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** The parsed body; undefined where it is no JSON. */
  body: unknown;
  /** The body as the test knows it to be. Throws where it is no JSON. */
  json<T>(): T;
}

export interface CallOptions {
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

export interface SseEvent {
  id: string;
  event: string;
  data: unknown;
}

export interface EventStream {
  status: number;
  headers: Headers;
  /** The next event; null at the end. */
  next(): Promise<SseEvent | null>;
  /** Reads to the end. */
  rest(): Promise<SseEvent[]>;
  /** Reads up to and with the first event of the name. */
  until(event: string): Promise<SseEvent[]>;
  /** Hangs up. */
  close(): void;
}

export interface Client {
  readonly token: string | null;
  get(path: string, options?: CallOptions): Promise<Answer>;
  post(path: string, body?: unknown, options?: CallOptions): Promise<Answer>;
  put(path: string, body?: unknown, options?: CallOptions): Promise<Answer>;
  patch(path: string, body?: unknown, options?: CallOptions): Promise<Answer>;
  delete(path: string, options?: CallOptions): Promise<Answer>;
  /** Any method; `body` is sent as it is. */
  send(method: string, path: string, body?: string | Uint8Array, options?: CallOptions): Promise<Answer>;
  /** POST (with a body) or GET of an event stream. Throws where the answer is none. */
  stream(path: string, body?: unknown, options?: CallOptions): Promise<EventStream>;
}

/** No test waits longer than this for one answer: a hang is a failure. */
const TIMEOUT_MS = 30_000;

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};

const parseFrame = (frame: string): SseEvent | null => {
  const event: SseEvent = { id: '', event: 'message', data: undefined };
  let seen = false;
  for (const line of frame.split('\n')) {
    const at = line.indexOf(':');
    if (at <= 0) continue;
    seen = true;
    const value = line.slice(at + 1).replace(/^ /, '');
    const name = line.slice(0, at);
    if (name === 'id') event.id = value;
    else if (name === 'event') event.event = value;
    else if (name === 'data') event.data = parse(value);
  }
  return seen ? event : null;
};

const readStream = (response: Response, hangUp: AbortController): EventStream => {
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  let buffer = '';
  const next = async (): Promise<SseEvent | null> => {
    for (;;) {
      const at = buffer.indexOf('\n\n');
      if (at >= 0) {
        const event = parseFrame(buffer.slice(0, at));
        buffer = buffer.slice(at + 2);
        if (event !== null) return event;
        continue;
      }
      const part = await reader?.read();
      if (part === undefined || part.done) return null;
      buffer += decoder.decode(part.value, { stream: true });
    }
  };
  const collect = async (enough: (event: SseEvent) => boolean): Promise<SseEvent[]> => {
    const events: SseEvent[] = [];
    for (let event = await next(); event !== null; event = await next()) {
      events.push(event);
      if (enough(event)) break;
    }
    return events;
  };
  return {
    status: response.status,
    headers: response.headers,
    next,
    rest: () => collect(() => false),
    until: (name) => collect((event) => event.event === name),
    close: () => hangUp.abort(),
  };
};

/** `held`: its answers are held to the document of this release. */
export const createClient = (base: () => string, token: string | null, held = true): Client => {
  const headersOf = (given: Record<string, string> = {}, json = false): Record<string, string> => ({
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    ...(json ? { 'content-type': 'application/json' } : {}),
    ...given,
  });

  const send: Client['send'] = async (method, path, body, options = {}) => {
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(base() + path, {
      method,
      headers: headersOf(options.headers),
      redirect: 'manual',
      signal: options.signal === undefined ? timeout : AbortSignal.any([timeout, options.signal]),
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : new Uint8Array(body) }),
    });
    const text = await response.text();
    const seen = { method, path, status: response.status, contentType: response.headers.get('content-type') };
    if (held) holdToContract({ ...seen, text });
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: parse(text),
      json: <T>(): T => JSON.parse(text) as T,
    };
  };
  const withJson =
    (method: string) =>
    (path: string, body?: unknown, options: CallOptions = {}): Promise<Answer> =>
      send(method, path, body === undefined ? undefined : JSON.stringify(body), {
        ...options,
        headers: {
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...options.headers,
        },
      });

  return {
    token,
    send,
    get: (path, options) => send('GET', path, undefined, options),
    delete: (path, options) => send('DELETE', path, undefined, options),
    post: withJson('POST'),
    put: withJson('PUT'),
    patch: withJson('PATCH'),
    async stream(path, body, options = {}) {
      const hangUp = new AbortController();
      const response = await fetch(base() + path, {
        method: body === undefined ? 'GET' : 'POST',
        headers: headersOf({ accept: 'text/event-stream', ...options.headers }, body !== undefined),
        signal: AbortSignal.any([hangUp.signal, AbortSignal.timeout(2 * TIMEOUT_MS)]),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      if (!(response.headers.get('content-type') ?? '').startsWith('text/event-stream')) {
        throw new Error(`no stream but ${response.status} ${await response.text()}`);
      }
      return readStream(response, hangUp);
    },
  };
};

export interface RawAnswer {
  status: number;
  headers: Headers;
  text: string;
  body: unknown;
}

/** Sends bytes on a socket as they are and reads one answer; null where the server closes without one. */
export const sendRaw = (
  base: string,
  bytes: string | Uint8Array,
  timeoutMs = 10_000,
): Promise<RawAnswer | null> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(base);
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    const parts: Buffer[] = [];
    const finish = (): void => {
      const text = Buffer.concat(parts).toString('utf8');
      const end = text.indexOf('\r\n\r\n');
      const match = /^HTTP\/1\.1 (\d{3})/.exec(text);
      if (end < 0 || match === null) return resolve(null);
      const headers = new Headers();
      for (const line of text.slice(0, end).split('\r\n').slice(1)) {
        const at = line.indexOf(':');
        headers.append(line.slice(0, at), line.slice(at + 1).trim());
      }
      const body = text.slice(end + 4);
      resolve({ status: Number(match[1]), headers, text: body, body: parse(body) });
    };
    socket.setTimeout(timeoutMs, () => {
      socket.destroy();
      reject(
        new Error(`no end of the answer within ${timeoutMs} ms: ${Buffer.concat(parts).toString('utf8')}`),
      );
    });
    socket.on('data', (part) => parts.push(part));
    socket.once('error', finish);
    socket.once('close', finish);
  });
