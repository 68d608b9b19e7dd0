import { checkedToken, noToken, staticToken, type TokenContext, type TokenSource } from './auth.ts';
import {
  CancelledError,
  ConnectionFailedError,
  errorOfAnswer,
  OAuthError,
  PentarchError,
  ProtocolError,
  TimedOutError,
} from './errors.ts';
import { mayRetry, retryAfterOf, waitMs } from './retry.ts';
import { hasXhr, xhrFetch } from './upload-transport.ts';

/** One call of the API: address, token, time limit, retries, errors. Everything else builds on `send`. */

export interface LogEntry {
  readonly method: string;
  /** Without the query, which may hold what people wrote. */
  readonly path: string;
  /** 1 for the first try. */
  readonly attempt: number;
  /** null when no answer came. */
  readonly status: number | null;
  readonly requestId: string | null;
  readonly durationMs: number;
}

export interface ClientOptions {
  /** Root of the service, e.g. `https://agents.example.com`. */
  baseUrl: string;
  /** A bearer token or API key, or a source of tokens. */
  auth?: string | TokenSource;
  /** `v1` (default) calls /api/v1, `v2` calls /v2 wherever an operation stands under both. */
  surface?: 'v1' | 'v2';
  fetch?: typeof fetch;
  /** Limit of one try, until its whole answer is read. Default 60 s; 600 s for chat, uploads and tools. */
  timeoutMs?: number;
  /** Tries after the first one. Default 3. */
  maxRetries?: number;
  headers?: Readonly<Record<string, string>>;
  /** Told after each try; never holds a token. */
  log?: (entry: LogEntry) => void;
  /** For tests. */
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  random?: () => number;
  now?: () => number;
}

export interface CallOptions {
  signal?: AbortSignal;
  timeoutMs?: number;
  maxRetries?: number;
  /** Default: a new one for every POST but a temporary chat (`store: false`), the same on all its tries. */
  idempotencyKey?: string;
  requestId?: string;
  headers?: Readonly<Record<string, string>>;
}

/** Of a temporary chat the server keeps no answer to repeat, and takes no key. */
const isTemporary = ({ json }: Call): boolean =>
  typeof json === 'object' && json !== null && 'store' in json && json.store === false;

/** The Idempotency-Key of a POST; null where it has none. */
export const keyOf = (call: Call, { idempotencyKey }: CallOptions): string | null =>
  idempotencyKey ?? (isTemporary(call) ? null : crypto.randomUUID());

export type QueryValue = string | number | boolean | null | undefined;

export type RawBody = Blob | string | ReadableStream<Uint8Array>;

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, QueryValue | readonly QueryValue[]>>;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as it is; a function, since a stream can be read once only. */
  readonly raw?: {
    contentType: string;
    body: () => RawBody;
    /** Told as bytes of a Blob leave, where the platform tells it. */
    onSent?: (sentBytes: number) => void;
  };
  readonly accept?: string;
  readonly slow?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer with its time limit still running: call `done` when the body has been read. */
export interface Answer {
  readonly response: Response;
  readonly signal: AbortSignal;
  /** Starts the time limit anew, for streams. */
  touch(): void;
  done(): void;
  /** The error to throw for one that reading the body gave. */
  failure(error: unknown): PentarchError;
}

export interface Http {
  readonly baseUrl: string;
  readonly now: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly random: () => number;
  readonly maxRetries: number;
  send(call: Call, options?: CallOptions): Promise<Answer>;
  json<T>(call: Call, options?: CallOptions): Promise<T>;
  none(call: Call, options?: CallOptions): Promise<void>;
  text(call: Call, options?: CallOptions): Promise<string>;
  blob(call: Call, options?: CallOptions): Promise<Blob>;
  /** The present token, for the WebSocket. */
  token(signal: AbortSignal): Promise<string | null>;
  /** Tells the source that this token was refused. True when a new one can be had. */
  refused(token: string): boolean;
}

const TIMEOUT_MS = 60_000;
const SLOW_TIMEOUT_MS = 600_000;
const MAX_RETRIES = 3;
const HIDDEN = '[redacted]';

/** Waits; rejects with CancelledError when the signal fires. */
export const sleepMs = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const cancelled = (): void => {
      clearTimeout(timer);
      reject(new CancelledError('the call was cancelled'));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', cancelled);
      resolve();
    }, ms);
    if (signal.aborted) cancelled();
    else signal.addEventListener('abort', cancelled, { once: true });
  });

const describe = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? error.cause.message : '';
  return cause === '' ? error.message : `${error.message}: ${cause}`;
};

/** `path` below the base with its query; arrays repeat their name, null and undefined are left out. */
export const urlOf = (baseUrl: string, path: string, query: Call['query'] = {}): string => {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null) pairs.append(name, String(one));
    }
  }
  const text = pairs.toString();
  return `${baseUrl.replace(/(?<!\/)\/+$/, '')}${path}${text === '' ? '' : `?${text}`}`;
};

/** An address of its own, or in a browser a path of the page's. Errors do not show what was given. */
const checkedBaseUrl = (baseUrl: string): string => {
  if (/^(\/(?!\/)|$)/.test(baseUrl) && 'location' in globalThis) return baseUrl;
  if (!/^https?:\/\/[^/?#]/i.test(baseUrl) || !URL.canParse(baseUrl)) {
    throw new PentarchError('baseUrl must start with http:// or https:// and name a host');
  }
  const { username, password, search, hash } = new URL(baseUrl);
  if (`${username}${password}${search}${hash}` !== '') {
    throw new PentarchError('baseUrl must hold no user name, password, query or fragment');
  }
  return baseUrl;
};

/** Signal and timer of one try, and what ended it. */
const createLimit = (outer: AbortSignal | undefined, timeoutMs: number) => {
  const controller = new AbortController();
  let timedOut = false;
  const expire = (): void => {
    timedOut = true;
    controller.abort();
  };
  const cancel = (): void => controller.abort();
  let timer = setTimeout(expire, timeoutMs);
  if (outer?.aborted === true) cancel();
  else outer?.addEventListener('abort', cancel, { once: true });
  return {
    signal: controller.signal,
    touch: (): void => {
      clearTimeout(timer);
      timer = setTimeout(expire, timeoutMs);
    },
    done: (): void => {
      clearTimeout(timer);
      outer?.removeEventListener('abort', cancel);
    },
    failure: (error: unknown, token: string | null): PentarchError => {
      if (error instanceof PentarchError) return error;
      if (outer?.aborted === true) return new CancelledError('the call was cancelled');
      if (timedOut) return new TimedOutError(`no whole answer within ${timeoutMs} ms`);
      const text = describe(error);
      return new ConnectionFailedError(token === null ? text : text.replaceAll(token, HIDDEN));
    },
  };
};

export const createHttp = (settings: ClientOptions): Http => {
  const { surface = 'v1', log } = settings;
  const baseUrl = checkedBaseUrl(settings.baseUrl);
  const { fetch: fetchOf = fetch, sleep = sleepMs, random = Math.random, now = Date.now } = settings;
  const maxRetries = settings.maxRetries ?? MAX_RETRIES;
  const source = typeof settings.auth === 'string' ? staticToken(settings.auth) : (settings.auth ?? noToken);
  // Called without a receiver: browsers refuse `fetch` with a foreign `this`.
  const plainFetch: typeof fetch = (input, init) => fetchOf(input, init);
  const context = (signal: AbortSignal): TokenContext => ({ baseUrl, fetch: plainFetch, now, signal });

  const headersOf = (call: Call, options: CallOptions, token: string | null, key: string | null): Headers => {
    const headers = new Headers({
      accept: call.accept ?? 'application/json',
      ...settings.headers,
      ...call.headers,
      ...options.headers,
    });
    if (token !== null) headers.set('authorization', `Bearer ${checkedToken(token)}`);
    if (key !== null) headers.set('idempotency-key', key);
    if (options.requestId !== undefined) headers.set('x-request-id', options.requestId);
    if (call.json !== undefined) headers.set('content-type', 'application/json');
    else if (call.raw !== undefined) headers.set('content-type', call.raw.contentType);
    return headers;
  };

  const bodyOf = (call: Call): RequestInit => {
    if (call.json !== undefined) return { body: JSON.stringify(call.json) };
    if (call.raw === undefined) return {};
    const body = call.raw.body();
    // A streamed body needs `duplex` (WHATWG fetch), which the type of RequestInit does not know everywhere.
    return body instanceof ReadableStream ? Object.assign({ body }, { duplex: 'half' as const }) : { body };
  };

  const send = async (call: Call, options: CallOptions = {}): Promise<Answer> => {
    const { method } = call;
    const path = surface === 'v2' ? call.path.replace(/^\/api\/v1\//, '/v2/') : call.path;
    if (/\/\.{1,2}(\/|$)/.test(path)) {
      // Addresses are normalised on their way: it would be another operation's path.
      throw new PentarchError('. and .. are no names in a path');
    }
    const url = urlOf(baseUrl, path, call.query);
    const timeoutMs =
      options.timeoutMs ?? settings.timeoutMs ?? (call.slow === true ? SLOW_TIMEOUT_MS : TIMEOUT_MS);
    const retries = options.maxRetries ?? maxRetries;
    const key = method === 'POST' ? keyOf(call, options) : null;
    const waiting = options.signal ?? new AbortController().signal;
    let afterLostAnswer = false;
    let renewedToken = false;
    for (let attempt = 0; ; attempt += 1) {
      const limit = createLimit(options.signal, timeoutMs);
      const startedAtMs = now();
      let token: string | null = null;
      const tell = (status: number | null, requestId: string | null): void =>
        log?.({ method, path, attempt: attempt + 1, status, requestId, durationMs: now() - startedAtMs });
      let response: Response;
      try {
        token = await source.token(context(limit.signal));
        const headers = headersOf(call, options, token, key);
        const init = bodyOf(call);
        const { onSent } = call.raw ?? {};
        // A `fetch` of the caller's own is what they want their calls to go through.
        response =
          onSent !== undefined && init.body instanceof Blob && settings.fetch === undefined && hasXhr()
            ? await xhrFetch(url, { method, headers, body: init.body, signal: limit.signal, onSent })
            : await plainFetch(url, { method, headers, signal: limit.signal, ...init });
      } catch (error) {
        limit.done();
        const failure = limit.failure(error, token);
        tell(null, null);
        const lost = failure instanceof ConnectionFailedError || failure instanceof TimedOutError;
        const refusal = { method, status: null, ours: false, afterLostAnswer, retryAfterS: null };
        // Without a key a second try could do the work twice.
        const unsafe = method === 'POST' && key === null;
        if (!lost || unsafe || attempt >= retries || !mayRetry(refusal)) throw failure;
        afterLostAnswer = true;
        await sleep(waitMs(attempt, null, random()), waiting);
        continue;
      }
      const { status } = response;
      const requestId = response.headers.get('x-request-id');
      tell(status, requestId);
      if (response.ok) {
        return {
          response,
          signal: limit.signal,
          touch: limit.touch,
          done: limit.done,
          failure: (error) => limit.failure(error, token),
        };
      }
      const text = await response.text().catch(() => '');
      limit.done();
      const retryAfterS = retryAfterOf(response.headers.get('retry-after'), now());
      const shown = token === null ? text : text.replaceAll(token, HIDDEN);
      const error = errorOfAnswer(status, shown, requestId, retryAfterS);
      if (status === 401 && token !== null && !renewedToken && source.refused(token)) {
        // Not counted as a retry: the token was void, the call was never tried.
        renewedToken = true;
        attempt -= 1;
        continue;
      }
      const ours = response.headers.has('x-api-version');
      const refusal = { method, status, ours, afterLostAnswer, retryAfterS };
      if (attempt >= retries || !mayRetry(refusal)) throw error;
      await sleep(waitMs(attempt, retryAfterS, random()), waiting);
    }
  };

  const read = async <T>(
    call: Call,
    options: CallOptions | undefined,
    body: (response: Response) => Promise<T>,
  ) => {
    const answer = await send(call, options);
    try {
      return await body(answer.response);
    } catch (error) {
      throw answer.failure(error);
    } finally {
      answer.done();
    }
  };

  return {
    baseUrl,
    now,
    sleep,
    random,
    maxRetries,
    send,
    json: <T>(call: Call, options?: CallOptions) =>
      read(call, options, async (response) => {
        const text = await response.text();
        try {
          // The types are those of the document; the server checks its answers against it.
          return JSON.parse(text) as T;
        } catch {
          throw new ProtocolError(`${call.method} ${call.path}: the answer is no JSON`);
        }
      }),
    none: (call, options) => read(call, options, async (response) => void (await response.arrayBuffer())),
    text: (call, options) => read({ accept: '*/*', ...call }, options, (response) => response.text()),
    blob: (call, options) => read({ accept: '*/*', ...call }, options, (response) => response.blob()),
    refused: (token) => source.refused(token),
    token: async (signal) => {
      try {
        return await source.token(context(signal));
      } catch (error) {
        if (error instanceof OAuthError || error instanceof PentarchError) throw error;
        throw new ConnectionFailedError(describe(error));
      }
    },
  };
};
