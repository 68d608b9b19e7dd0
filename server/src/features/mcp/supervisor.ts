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
import { redactFault } from './endpoint.ts';
import { redactErrorResult } from './results.ts';
import { backOffMs } from './rules.ts';
import type { RuntimeState, ServerRuntime } from './runtime.ts';
import type { LogLine, ServerStatus } from './types.ts';

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

const MAX_LOG_LINES = 500;
/** A session that held so long starts a new count of failures. */
const STABLE_MS = 30_000;
/** A call waits so long for a connection that is being made. */
const CONNECT_WAIT_MS = 10_000;
const SILENT_PINGS = 2;
/** Between listings of a server that says again and again that its tools have changed. */
const RELIST_MS = 100;

/** The same name twice in one listing: the first counts, and says that there was another. */
const withoutDoubles = (tools: readonly McpToolInfo[]): McpToolInfo[] => {
  const first = new Map<string, McpToolInfo>();
  for (const tool of tools) {
    const known = first.get(tool.name);
    if (known === undefined) first.set(tool.name, tool);
    else if (known.doubled !== true) first.set(tool.name, { ...known, doubled: true });
  }
  return [...first.values()];
};

export const createSupervisor = (options: SupervisorOptions): ServerRuntime => {
  const { connector, endpoint, clock, name } = options;
  const startTimeoutMs = options.startTimeoutMs ?? 30_000;
  const pingTimeoutMs = options.pingTimeoutMs ?? 5_000;
  const log: LogLine[] = [];
  let status: ServerStatus = 'disabled';
  let session: McpSession | null = null;
  let tools: readonly McpToolInfo[] = [];
  let lastError: string | null = null;
  let connectedAt: number | null = null;
  let failures = 0;
  let silent = 0;
  let inFlight = 0;
  let retryTimer: NodeJS.Timeout | undefined;
  let pingTimer: NodeJS.Timeout | undefined;
  /** Resolved with the first connection since `start`, or when the time for it is over. */
  let first = Promise.withResolvers<void>();
  let firstTimer: NodeJS.Timeout | undefined;
  /** Aborted by stop(); each start has its own, so that what an earlier one left behind changes nothing. */
  let life = new AbortController();
  let attempt: Promise<void> | null = null;
  /** Those of the current connection. */
  let listings: { anew(): Promise<void> } | null = null;
  const closing = new Set<Promise<void>>();
  const gone = new WeakSet<McpSession>();

  const note = (source: LogLine['source'], text: string): void => {
    log.push({ at: clock.now(), source, text: options.redact(text) });
    if (log.length > MAX_LOG_LINES) log.splice(0, log.length - MAX_LOG_LINES);
  };

  const letGo = (old: McpSession | null): void => {
    if (old === null) return;
    gone.add(old);
    const done = old.close().finally(() => closing.delete(done));
    closing.add(done);
  };

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

  const list = async (from: McpSession, mine: AbortController): Promise<void> => {
    const listed = await from.listTools({ signal: mine.signal, timeoutMs: startTimeoutMs });
    if (mine.signal.aborted) return;
    tools = withoutDoubles(listed);
    if (tools.length < listed.length) note('client', 'the server lists a tool name twice; the first counts');
    options.onTools(tools);
  };

  /** One listing at a time, so that an older one never replaces a newer; what changed meanwhile is listed again. */
  const createListings = (from: () => McpSession | null, mine: AbortController) => {
    let running: Promise<void> | null = null;
    let stale = false;
    const refresh = (): Promise<void> => {
      if (running !== null) {
        stale = true;
        return running;
      }
      const target = from();
      if (target === null || gone.has(target)) return Promise.resolve();
      running = list(target, mine).finally(() => {
        running = null;
        if (!stale || mine.signal.aborted) return;
        stale = false;
        setTimeout(refreshLater, RELIST_MS).unref();
      });
      return running;
    };
    const refreshLater = (): void => {
      refresh().catch((error: Error) => note('client', `listing tools: ${error.message}`));
    };
    /** What was under way may have begun before whoever asks has changed something. */
    const anew = async (): Promise<void> => {
      await running?.catch(() => {});
      stale = false;
      await refresh();
    };
    return { refresh, refreshLater, anew };
  };

  const tryToConnect = async (mine: AbortController): Promise<void> => {
    let opened: McpSession | null = null;
    let brokeOff: string | null = null;
    const own = createListings(() => opened, mine);
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
            if (opened === null || opened !== session) return;
            letGo(session);
            session = null;
            fail(reason);
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
      silent = 0;
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

  /** The server takes the credentials no more. */
  const shutOut = (old: McpSession, reason: string): void => {
    if (session !== old) return;
    session = null;
    letGo(old);
    fail(reason);
  };

  /** A refused call may be about that tool alone; one that a ping shares is about the whole sign-in. */
  const confirmShutOut = async (asked: McpSession): Promise<void> => {
    if (session !== asked) return;
    try {
      await asked.ping(pingTimeoutMs);
    } catch (error) {
      if (error instanceof McpFault && error.kind === 'unauthorized') shutOut(asked, error.message);
    }
  };

  const ping = async (): Promise<void> => {
    const asked = session;
    // A server that works on a call may be too busy to answer, and the call has its own limit.
    if (asked === null || inFlight > 0) return;
    try {
      await asked.ping(pingTimeoutMs);
      silent = 0;
    } catch (error) {
      if (asked !== session) return;
      // An answer that says the question is unknown is a sign of life.
      if (error instanceof McpFault && error.kind === 'protocol') return;
      if (error instanceof McpFault && error.kind === 'expired') return void renew(asked);
      if (error instanceof McpFault && error.kind === 'unauthorized') return shutOut(asked, error.message);
      silent++;
      if (silent < SILENT_PINGS) return;
      session = null;
      letGo(asked);
      fail('the server does not answer');
    }
  };

  /** A new session in place of `old`, once for all calls that found it forgotten. */
  const renew = (old: McpSession): Promise<void> => {
    if (session !== old) return attempt ?? Promise.resolve();
    note('client', 'the server forgot the session; a new one is made');
    session = null;
    letGo(old);
    return connect();
  };

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

  const ask = async <T, O extends { signal: AbortSignal; timeoutMs: number }>(
    call: O,
    work: (target: McpSession, call: O) => Promise<T>,
  ): Promise<T> => {
    const started = performance.now();
    const left = (): number => Math.max(1, Math.floor(call.timeoutMs - (performance.now() - started)));
    for (let tries = 0; ; tries++) {
      if (session === null) await settled(Math.min(left(), CONNECT_WAIT_MS), call.signal);
      const target = session;
      if (target === null) throw unavailable();
      inFlight++;
      try {
        return await work(target, { ...call, timeoutMs: left() });
      } catch (error) {
        if (error instanceof McpFault && error.kind === 'unauthorized') await confirmShutOut(target);
        // Nothing ran at the server: it did not know whom it was talking to.
        if (!(error instanceof McpFault) || error.kind !== 'expired' || tries > 0)
          throw redactFault(error, options.redact);
        await renew(target);
      } finally {
        inFlight--;
      }
    }
  };

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
      firstTimer = setTimeout(first.resolve, startTimeoutMs);
      firstTimer.unref();
      pingTimer = setInterval(() => void ping(), options.pingEveryMs ?? 30_000);
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
      session = null;
      status = 'disabled';
      connectedAt = null;
      await running;
      await Promise.all(closing);
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
    logs: () => log,
  };
};
