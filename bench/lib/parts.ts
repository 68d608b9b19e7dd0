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

export type Subject = ServerName | 'provider';

/** One row of the result: what one server is asked. `provider` is asked directly. */
export interface Entry {
  row: string;
  server: Subject;
  request: Request;
}

export interface Part {
  metric: Metric;
  connections: number;
  /** Pause of the provider between two tokens. */
  intervalMs: number;
  /** Load before the first window, long enough that the compilers of the runtime have done their work. */
  warmMs: number;
  /** Connections of that load, where it must be more than the measured one to get there. */
  warmConnections?: number;
  /** Measured in alternation; the first one is the baseline that the others are compared with. */
  entries: readonly [Entry, ...Entry[]];
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

const entry = (row: string, server: Subject, request: Request): Entry => ({ row, server, request });

const atFullSpeed = { metric: 'requests', connections: 16, intervalMs: 0, warmMs: 12_000 } as const;
const alone = { connections: 1 } as const;

/** In the order in which they run: the list comes before the chats that would lengthen it. */
export const PARTS: readonly Part[] = [
  {
    ...atFullSpeed,
    warmMs: 4_000,
    entries: [
      entry('hello', 'bare', get('/', 'world')),
      entry('health', 'pentarch', get('/health', '"ok"')),
      entry('list', 'pentarch', get('/api/v1/conversations', '"items"')),
      // Only the first page is kept: this one is read anew each time.
      entry('list-2', 'pentarch', get('/api/v1/conversations?page=2', '"items"')),
    ],
  },
  {
    ...atFullSpeed,
    entries: [
      entry('chat', 't', toBaseline('/chat')),
      entry('chat', 's', toBaseline('/chat')),
      entry('chat', 'pentarch', toPentarch('/api/v1/chat')),
      entry('routed', 'pentarch', chat('/api/v1/chat', { message: `${message} This is call %n.` })),
    ],
  },
  {
    ...atFullSpeed,
    entries: [
      entry('stream', 't', toBaseline('/chat/stream')),
      entry('stream', 's', toBaseline('/chat/stream')),
      entry('stream', 'pentarch', toPentarch('/api/v1/chat/stream')),
    ],
  },
  {
    ...alone,
    metric: 'latency',
    intervalMs: 0,
    warmMs: 1_500,
    warmConnections: 16,
    entries: [
      entry('latency', 'provider', toProvider(false)),
      entry('latency', 't', toBaseline('/chat')),
      entry('latency', 'pentarch', toPentarch('/api/v1/chat')),
    ],
  },
  {
    ...alone,
    metric: 'first-token',
    intervalMs: FIRST_TOKEN_PACE_MS,
    warmMs: 3_000,
    warmConnections: 16,
    entries: [
      entry('first-token', 'provider', toProvider(true)),
      entry('first-token', 't', toBaseline('/chat/stream')),
      entry('first-token', 'pentarch', toPentarch('/api/v1/chat/stream')),
    ],
  },
  {
    metric: 'tokens',
    connections: 100,
    intervalMs: PACE_MS,
    warmMs: 3_000,
    entries: [
      entry('tokens', 't', toBaseline('/chat/stream')),
      entry('tokens', 's', toBaseline('/chat/stream')),
      entry('tokens', 'pentarch', toPentarch('/api/v1/chat/stream')),
    ],
  },
];

/** The rows of a part that are asked for, with their baseline; undefined where none is. */
export const choose = (part: Part, servers: readonly string[], rows: readonly string[]): Part | undefined => {
  const [baseline, ...others] = part.entries;
  const wanted = (one: Entry): boolean =>
    (one.server === 'provider' || servers.includes(one.server)) && rows.includes(one.row);
  const chosen = others.filter(wanted);
  return wanted(baseline) || chosen.length > 0 ? { ...part, entries: [baseline, ...chosen] } : undefined;
};

/** The load of one entry; how long, the caller says. */
export const jobOf = (
  part: Part,
  request: Request,
  server: Server,
): Omit<LoadJob, 'warmMs' | 'windowMs'> => ({
  url: server.url + request.path,
  method: request.method,
  headers: server.headers,
  ...(request.body === undefined ? {} : { body: request.body }),
  connections: part.connections,
  // Streams start one after the other over the length of one, so that as many end in any second as in any other.
  spreadMs: part.metric === 'tokens' ? TOKENS * part.intervalMs : 0,
  maxRequests: 500_000,
  pid: server.pid,
  expect: request.expect,
  ...(part.metric === 'first-token' ? { mark: FIRST_TOKEN } : {}),
});
