/** What is measured: the rows of each part and how their load looks. */
import type { LoadJob } from './load.ts';
import type { Server, ServerName } from './servers.ts';

/** Server CPU figures are per second of the server process's CPU time, all threads. */
export type Metric = 'requests' | 'tokens' | 'latency' | 'first-token';

export interface Request {
  method: 'GET' | 'POST';
  path: string;
  body?: string;
  expect: string;
}

export interface Part {
  name: string;
  metric: Metric;
  connections: number;
  /** Pause of the provider between two tokens. */
  intervalMs: number;
  /** What each server is asked; a server without one takes no part. `provider` is asked directly. */
  requests: Partial<Record<ServerName | 'provider', Request>>;
  /** The server that the others are compared with. */
  baseline: ServerName | 'provider';
}

export const TOKENS = 50;
/** First and last token of the provider's fixed answer. */
const FIRST_TOKEN = 'Token';
const LAST_TOKEN = ` t${TOKENS - 1}`;
/** 20 tokens a second: a paced answer takes `TOKENS * PACE_MS`. */
const PACE_MS = 50;
/** Slow enough that the first token leaves the provider alone, fast enough for hundreds of answers. */
const FIRST_TOKEN_PACE_MS = 1;

const get = (path: string, expect: string): Request => ({ method: 'GET', path, expect });

/** An answer that was cut short lacks the last token. The message must hold neither token. */
const chat = (path: string, body: unknown): Request => ({
  method: 'POST',
  path,
  body: JSON.stringify(body),
  expect: LAST_TOKEN,
});

const message = 'Say the fixed answer.';
const toBaseline = (path: string): Request => chat(path, { message });
const toPentarch = (path: string): Request => chat(path, { message, context: { agent_id: 'zeus' } });
const toProvider = (stream: boolean): Request =>
  chat('/chat/completions', { model: 'test', stream, messages: [{ role: 'user', content: message }] });

const bare = get('/', 'world');
const whole = {
  t: toBaseline('/chat'),
  s: toBaseline('/chat'),
  pentarch: toPentarch('/api/v1/chat'),
};
const streamed = {
  t: toBaseline('/chat/stream'),
  s: toBaseline('/chat/stream'),
  pentarch: toPentarch('/api/v1/chat/stream'),
};
const common = { metric: 'requests', connections: 16, intervalMs: 0 } as const;

/** In the order in which they run: the list comes before the chats that would lengthen it. */
export const PARTS: readonly Part[] = [
  {
    ...common,
    name: 'simple',
    requests: { bare, pentarch: get('/health', 'ok') },
    baseline: 'bare',
  },
  {
    ...common,
    name: 'list',
    requests: { bare, pentarch: get('/api/v1/conversations', '"items"') },
    baseline: 'bare',
  },
  { ...common, name: 'chat', requests: whole, baseline: 't' },
  { ...common, name: 'stream', requests: streamed, baseline: 't' },
  {
    ...common,
    name: 'routed',
    requests: { t: whole.t, pentarch: chat('/api/v1/chat', { message: `${message} This is call %n.` }) },
    baseline: 't',
  },
  {
    name: 'latency',
    metric: 'latency',
    connections: 1,
    intervalMs: 0,
    requests: { provider: toProvider(false), ...whole },
    baseline: 'provider',
  },
  {
    name: 'first-token',
    metric: 'first-token',
    connections: 1,
    intervalMs: FIRST_TOKEN_PACE_MS,
    requests: { provider: toProvider(true), ...streamed },
    baseline: 'provider',
  },
  {
    name: 'tokens',
    metric: 'tokens',
    connections: 100,
    intervalMs: PACE_MS,
    requests: streamed,
    baseline: 't',
  },
];

export interface Timing {
  warmMs: number;
  windowMs: number;
}

export const jobOf = (part: Part, request: Request, server: Server, timing: Timing): LoadJob => ({
  url: server.url + request.path,
  method: request.method,
  headers: server.headers,
  ...(request.body === undefined ? {} : { body: request.body }),
  connections: part.connections,
  // Streams start one after the other over the length of one, so that as many end in any second as in any other.
  spreadMs: part.metric === 'tokens' ? TOKENS * part.intervalMs : 0,
  warmMs: timing.warmMs,
  windowMs: timing.windowMs,
  maxRequests: 500_000,
  pid: server.pid,
  expect: request.expect,
  ...(part.metric === 'first-token' ? { mark: FIRST_TOKEN } : {}),
});
