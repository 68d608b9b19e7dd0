import type { Clock } from '../../kernel/clock.ts';
import { AppError } from '../../kernel/errors.ts';
import {
  type McpCallOptions,
  type McpConnector,
  type McpEndpoint,
  McpFault,
  type McpOAuthStore,
  type McpSession,
  type McpToolInfo,
} from '../../kernel/mcp.ts';
import { atMost } from '../../kernel/races.ts';
import { createAsking } from './ask-session.ts';
import { createHeartbeat } from './heartbeat.ts';
import { createLetGo } from './let-go.ts';
import { createListings, type ListingOptions } from './listings.ts';
import { redactErrorResult } from './results.ts';
import { backOffMs } from './rules.ts';
import type { RuntimeState, ServerRuntime } from './runtime.ts';
import { createServerLog } from './server-log.ts';
import type { ServerStatus } from './types.ts';

/**
 * Keeps one server connected.
 *
 * | state      | on                                   | becomes                                        |
 * |------------|--------------------------------------|------------------------------------------------|
 * | connecting | handshake and list of tools came     | connected                                      |
 * | connecting | fault, or the time is over           | error; next try after the back-off             |
 * | connected  | session broke off, two silent pings  | error; next try after the back-off             |
 * | connected  | a call and a ping were unauthorized  | error; next try after the back-off             |
 * | connected  | the server forgot the session        | connecting at once; the call is repeated once  |
 * | error      | the back-off is over                 | connecting; called error until it is connected |
 * | any        | stop()                               | disabled; no process left                      |
 */
export interface SupervisorOptions {
  name: string;
  endpoint: McpEndpoint;
  connector: McpConnector;
  oauth: McpOAuthStore | undefined;
  clock: Clock;
  random(): number;
  /** After each listing that worked. */
  onTools(tools: readonly McpToolInfo[]): void;
  /** Takes secrets out of text that is shown. */
  redact(text: string): string;
  /** Throws when the endpoint may no longer be used; asked before each start. */
  assertAllowed(): Promise<void>;
  startTimeoutMs?: number;
  pingEveryMs?: number;
  pingTimeoutMs?: number;
}

/** A session that held so long starts a new count of failures. */
const STABLE_MS = 30_000;

export const createSupervisor = (options: SupervisorOptions): ServerRuntime => {
  const { connector, endpoint, clock, name } = options;
  const startTimeoutMs = options.startTimeoutMs ?? 30_000;
  const pingTimeoutMs = options.pingTimeoutMs ?? 5_000;
  const { note, lines } = createServerLog(options);
  let status: ServerStatus = 'disabled';
  let session: McpSession | null = null;
  let tools: readonly McpToolInfo[] = [];
  let lastError: string | null = null;
  let connectedAt: number | null = null;
  let failures = 0;
  let retryTimer: NodeJS.Timeout | undefined;
  let pingTimer: NodeJS.Timeout | undefined;
  /** Resolved with the first connection since `start`, or when the time for it is over. */
  let first = Promise.withResolvers<void>();
  let firstTimer: NodeJS.Timeout | undefined;
  /** Aborted by stop(); each start has its own, so that what an earlier one left behind changes nothing. */
  let life = new AbortController();
  let attempt: Promise<void> | null = null;
  /** Those of the current connection. */
  let listings: Pick<ReturnType<typeof createListings>, 'anew' | 'byAge'> | null = null;
  const { letGo, isGone, closed } = createLetGo();

  const fail = (reason: string): void => {
    const held = connectedAt === null ? 0 : clock.now() - connectedAt;
    failures = held > STABLE_MS ? 1 : failures + 1;
    status = 'error';
    lastError = options.redact(reason).slice(0, 300);
    connectedAt = null;
    note('client', reason);
    clearTimeout(retryTimer);
    retryTimer = setTimeout(() => void connect(), backOffMs(failures, options.random()));
    retryTimer.unref();
  };

  const listingOptions: ListingOptions = {
    timeoutMs: startTimeoutMs,
    now: clock.now,
    isGone,
    onTools(listed) {
      tools = listed;
      options.onTools(listed);
    },
    note: (text) => note('client', text),
  };

  const tryToConnect = async (mine: AbortController): Promise<void> => {
    let opened: McpSession | null = null;
    let brokeOff: string | null = null;
    const own = createListings(listingOptions, () => opened, mine);
    try {
      await options.assertAllowed();
      opened = await connector.connect(endpoint, {
        timeoutMs: startTimeoutMs,
        signal: mine.signal,
        oauth: options.oauth,
        events: {
          onToolsChanged: own.refreshLater,
          onClosed: (reason) => {
            brokeOff = reason;
            if (opened !== null) drop(opened, reason);
          },
          onLog: note,
        },
      });
      await own.refresh();
      if (mine.signal.aborted) return letGo(opened);
      if (brokeOff !== null) throw new McpFault('closed', brokeOff);
      session = opened;
      listings = own;
      status = 'connected';
      lastError = null;
      connectedAt = clock.now();
      heartbeat.begin();
      first.resolve();
    } catch (error) {
      letGo(opened);
      if (mine.signal.aborted) return;
      fail(brokeOff ?? (error instanceof Error ? error.message : String(error)));
    }
  };

  const connect = (): Promise<void> => {
    if (life.signal.aborted) return Promise.resolve();
    if (attempt !== null) return attempt;
    clearTimeout(retryTimer);
    status = 'connecting';
    const mine = life;
    const running = tryToConnect(mine).finally(() => {
      if (attempt === running) attempt = null;
    });
    attempt = running;
    return running;
  };

  /** Unless another has taken its place. */
  const drop = (old: McpSession, reason: string): void => {
    if (session !== old) return;
    session = null;
    letGo(old);
    fail(reason);
  };

  /** A new session in place of `old`, once for all calls that found it forgotten. */
  const renew = (old: McpSession): Promise<void> => {
    if (session !== old) return attempt ?? Promise.resolve();
    note('client', 'the server forgot the session; a new one is made');
    session = null;
    letGo(old);
    return connect();
  };

  const heartbeat = createHeartbeat({
    timeoutMs: pingTimeoutMs,
    current: () => session,
    isBusy: () => asking.isBusy(),
    alive: () => listings?.byAge(),
    renew,
    drop,
  });

  const unavailable = (): AppError =>
    new AppError('SERVICE_UNAVAILABLE', `the MCP server ${name} is not connected`, {
      details: { server: name, status, reason: lastError },
      retryAfterS: 5,
    });

  const settled = async (maxMs: number, signal: AbortSignal): Promise<void> => {
    const running = attempt;
    if (running === null || maxMs <= 0 || signal.aborted) return;
    await atMost(running, maxMs, signal);
  };

  const asking = createAsking({
    current: () => session,
    settled,
    unavailable,
    confirmShutOut: heartbeat.confirmShutOut,
    renew,
    redact: options.redact,
  });
  const { ask } = asking;

  return {
    state: (): RuntimeState => ({
      // A server that failed and is tried again has not recovered yet.
      status: status === 'connecting' && lastError !== null ? 'error' : status,
      tools,
      lastError,
      connectedAt,
      serverInfo: session?.serverInfo ?? null,
      protocolVersion: session?.protocolVersion ?? null,
    }),
    start() {
      if (status !== 'disabled') return;
      life = new AbortController();
      failures = 0;
      lastError = null;
      first = Promise.withResolvers<void>();
      firstTimer = setTimeout(first.resolve, startTimeoutMs).unref();
      pingTimer = setInterval(() => void heartbeat.ping(), options.pingEveryMs ?? 30_000);
      pingTimer.unref();
      void connect();
    },
    async stop() {
      life.abort();
      clearTimeout(retryTimer);
      clearInterval(pingTimer);
      clearTimeout(firstTimer);
      first.resolve();
      const running = attempt;
      attempt = null;
      letGo(session);
      session = connectedAt = null;
      status = 'disabled';
      await running;
      await closed();
    },
    retry() {
      if (status !== 'error') return;
      failures = 0;
      lastError = null;
      void connect();
    },
    settled,
    async firstConnection(signal) {
      if (status === 'disabled') return;
      await atMost(first.promise, startTimeoutMs, signal);
      if (session === null) await settled(startTimeoutMs, signal);
    },
    callTool: (tool, args, call) =>
      ask(call, async (target, { signal, timeoutMs, onProgress }) => {
        const limits: McpCallOptions = { signal, timeoutMs, onProgress };
        return redactErrorResult(await target.callTool(tool, args, limits), options.redact);
      }),
    ask,
    relist: (call) => ask(call, async () => listings?.anew()),
    logs: lines,
  };
};
