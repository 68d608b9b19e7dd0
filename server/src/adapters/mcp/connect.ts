import {
  Client,
  type JsonSchemaValidatorResult,
  type jsonSchemaValidator,
  SdkError,
  SdkErrorCode,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import {
  type McpConnector,
  type McpEndpoint,
  McpFault,
  type McpHttpEndpoint,
  type McpOAuthStore,
  type McpSession,
  type McpSessionEvents,
} from '../../kernel/mcp.ts';
import type { OutgoingHttp } from '../../kernel/outgoing.ts';
import { atMost } from '../../kernel/races.ts';
import { withTrace } from '../../kernel/tracing.ts';
import { httpStatusOf, toFault, toSignInFault } from './faults.ts';
import { readableResponse } from './messages.ts';
import { createOAuth } from './oauth.ts';
import { createSession } from './session.ts';
import { shareProcess } from './shared-process.ts';
import { createStdioTransport, type GroupStdioTransport } from './stdio-transport.ts';

export interface ConnectorOptions {
  clientInfo: { name: string; version: string };
  /** For addresses that users registered. */
  guarded: OutgoingHttp;
  /** For addresses of the operator's file. */
  open: OutgoingHttp;
  /** Where authorization servers send browsers back to; asked late, since the port may be free. */
  oauthRedirectUrl(): string;
}

/** How long a server may think about a method that older ones do not know before it is taken for an older one. */
const PROBE_MS = 3_000;
/** After a fault on the wire with calls waiting: how long the server may take to show that it lives. */
const LIFE_SIGN_MS = 1_500;
/** After a refused `initialize`: for the answer to the question before it. */
const LATE_ANSWER_MS = 2_000;
const GOODBYE_MS = 1_000;

interface Attempt {
  endpoint: McpEndpoint;
  timeoutMs: number;
  signal: AbortSignal;
  events: McpSessionEvents;
  oauth?: McpOAuthStore | undefined;
}

/** A check that finds nothing: the gateway holds results against their schemas itself, in bounded time. */
const noCheck: jsonSchemaValidator = {
  getValidator<T>() {
    return (input: unknown): JsonSchemaValidatorResult<T> => ({
      valid: true,
      data: input as T,
      errorMessage: undefined,
    });
  },
};

const newClient = (options: ConnectorOptions, attempt: Attempt, mode: 'auto' | 'legacy'): Client =>
  // No sampling, elicitation or roots: a server that asks for them is told that this client has none.
  new Client(options.clientInfo, {
    capabilities: {},
    jsonSchemaValidator: noCheck,
    versionNegotiation: {
      mode,
      // Over HTTP every server answers an unknown method; silence there is an answer too.
      probe: {
        timeoutMs:
          attempt.endpoint.transport === 'http'
            ? attempt.timeoutMs
            : Math.max(200, Math.min(PROBE_MS, Math.floor(attempt.timeoutMs / 3))),
      },
    },
    listChanged: {
      tools: { autoRefresh: false, debounceMs: 100, onChanged: () => attempt.events.onToolsChanged() },
    },
  });

/**
 * Connects within the time of the attempt; whatever happens, a failed transport is closed before this rejects, so that
 * no process is left behind.
 */
const handshake = async (client: Client, transport: Transport, attempt: Attempt): Promise<void> => {
  const deadline = AbortSignal.timeout(Math.ceil(attempt.timeoutMs));
  const signal = AbortSignal.any([attempt.signal, deadline]);
  const stopped = new Promise<never>((_resolve, reject) => {
    signal.addEventListener(
      'abort',
      () => reject(new McpFault('timeout', 'the server did not answer in time')),
      {
        once: true,
      },
    );
  });
  try {
    if (attempt.signal.aborted) throw new McpFault('cancelled', 'the connection is no longer wanted');
    await Promise.race([client.connect(transport, { timeout: attempt.timeoutMs, signal }), stopped]);
  } catch (error) {
    await transport.close().catch(() => {});
    throw attempt.signal.aborted ? new McpFault('cancelled', 'the connection is no longer wanted') : error;
  }
};

/** Watches a connected client and makes a session of it. */
const watch = (
  client: Client,
  attempt: Attempt,
  pid: number | null,
  parts: { reason(): string; goodbye(): Promise<void> },
): McpSession => {
  let over = false;
  let checking = false;
  const session = createSession({
    client,
    pid,
    notice: (text) => attempt.events.onLog('client', text),
    end: async () => {
      over = true;
      await atMost(parts.goodbye(), GOODBYE_MS).catch(() => {});
      await client.close().catch(() => {});
    },
  });
  client.onclose = () => {
    if (over) return;
    over = true;
    attempt.events.onClosed(parts.reason());
  };
  client.onerror = (error) => {
    if (over) return;
    attempt.events.onLog('client', toFault(error).message);
    // A broken stream does not fail the calls that wait for it: ask for a sign of life, and end the session without one.
    if (checking || attempt.endpoint.transport === 'stdio') return;
    checking = true;
    session
      .ping(LIFE_SIGN_MS)
      .catch((fault: McpFault) => {
        if (fault.kind === 'closed' || fault.kind === 'timeout' || fault.kind === 'unreachable')
          return client.close();
      })
      .finally(() => {
        checking = false;
      });
  };
  return session;
};

/** A client that has shaken hands with the process; the process goes on running where it fails. */
const meet = async (
  options: ConnectorOptions,
  attempt: Attempt,
  mode: 'auto' | 'legacy',
  transport: GroupStdioTransport,
): Promise<Client> => {
  const startedAt = performance.now();
  const shared = shareProcess(transport);
  const once = async (timeoutMs: number): Promise<Client> => {
    const client = newClient(options, attempt, mode);
    client.onerror = (error) => attempt.events.onLog('client', toFault(error).message);
    await handshake(client, shared.next(), { ...attempt, timeoutMs });
    shared.keep();
    return client;
  };
  try {
    return await once(attempt.timeoutMs);
  } catch (error) {
    const leftMs = attempt.timeoutMs - (performance.now() - startedAt);
    if (attempt.signal.aborted || leftMs <= 0) throw error;
    // It has refused `initialize`, so it runs and has read what came before that.
    if (!(await shared.lateAnswer(Math.min(leftMs, LATE_ANSWER_MS)))) throw error;
    return await once(attempt.timeoutMs - (performance.now() - startedAt));
  }
};

const connectStdio = async (options: ConnectorOptions, attempt: Attempt): Promise<McpSession> => {
  const { endpoint } = attempt;
  if (endpoint.transport !== 'stdio') throw new TypeError('not a stdio endpoint');
  const startedAt = performance.now();
  const once = async (mode: 'auto' | 'legacy', timeoutMs: number): Promise<McpSession> => {
    const transport = createStdioTransport(endpoint, (line) => attempt.events.onLog('stderr', line));
    let client: Client;
    try {
      client = await meet(options, { ...attempt, timeoutMs }, mode, transport);
    } catch (error) {
      const ended = transport.exitReason();
      await transport.close();
      // Servers on old SDKs leave at any request before `initialize`: start again without the question.
      const leftAtProbe =
        mode === 'auto' && error instanceof SdkError && error.code === SdkErrorCode.EraNegotiationFailed;
      const left = timeoutMs - (performance.now() - startedAt);
      if (leftAtProbe && left > 100 && !attempt.signal.aborted) return once('legacy', left);
      const fault = toFault(error, attempt.signal);
      throw ended === null || fault.kind === 'timeout' || fault.kind === 'cancelled'
        ? fault
        : new McpFault('unreachable', `the process ${ended}`, error);
    }
    return watch(client, attempt, transport.pid, {
      reason: () => `the process ${transport.exitReason() ?? 'closed its output'}`,
      goodbye: async () => {},
    });
  };
  return once('auto', attempt.timeoutMs);
};

/** The SDK would follow a redirect within one origin, secret headers and all. */
const unredirected = async (response: Response): Promise<Response> => {
  const { status } = response;
  if (status < 300 || status >= 400 || status === 304) return response;
  await response.body?.cancel();
  throw new McpFault('protocol', `the server answered ${status}: redirects are not followed`);
};

const connectHttp = async (options: ConnectorOptions, attempt: Attempt): Promise<McpSession> => {
  if (attempt.endpoint.transport !== 'http') throw new TypeError('not an http endpoint');
  const endpoint: McpHttpEndpoint = attempt.endpoint;
  const outgoing = endpoint.trusted ? options.open : options.guarded;
  const refused = outgoing.check(endpoint.url);
  if (refused !== null) throw new McpFault('unreachable', `the address ${refused}`);
  const url = new URL(endpoint.url);
  const oauth =
    endpoint.oauth === undefined || attempt.oauth === undefined
      ? null
      : createOAuth(endpoint, attempt.oauth, outgoing, options.oauthRedirectUrl());
  const shared = {
    ...(oauth === null ? {} : { authProvider: oauth.authProvider }),
    requestInit: { headers: { ...endpoint.headers } },
    fetch: async (target: string | URL, init?: RequestInit) =>
      readableResponse(await unredirected(await (oauth ?? outgoing).fetch(target, withTrace(init)))),
  };

  const streamable = new StreamableHTTPClientTransport(url, shared);
  const client = newClient(options, attempt, 'auto');
  try {
    await handshake(client, streamable, attempt);
    return watch(client, attempt, null, {
      reason: () => 'the server closed the connection',
      goodbye: () => streamable.terminateSession(),
    });
  } catch (error) {
    const status = httpStatusOf(error);
    // The older HTTP+SSE transport knows no POST to this address (protocol, "Backwards Compatibility").
    if (status === null || ![400, 404, 405].includes(status)) throw toFault(error, attempt.signal);
  }
  const older = newClient(options, attempt, 'legacy');
  try {
    await handshake(older, new SSEClientTransport(url, shared), attempt);
  } catch (error) {
    const fault = toFault(error, attempt.signal);
    throw fault.kind === 'expired' || fault.kind === 'closed'
      ? new McpFault('unreachable', `there is no MCP server at this address: ${fault.message}`, error)
      : fault;
  }
  return watch(older, attempt, null, {
    reason: () => 'the server closed the connection',
    goodbye: async () => {},
  });
};

/** Sessions over stdio and HTTP by the official SDK, which speaks to servers of all protocol versions. */
export const createMcpConnector = (options: ConnectorOptions): McpConnector => ({
  async connect(endpoint, { timeoutMs, signal, events, oauth }) {
    const attempt: Attempt = { endpoint, timeoutMs, signal, events, oauth };
    try {
      return endpoint.transport === 'stdio'
        ? await connectStdio(options, attempt)
        : await connectHttp(options, attempt);
    } catch (error) {
      const fault = toFault(error, signal);
      // There was no session yet that could have broken off.
      throw fault.kind === 'closed' ? new McpFault('unreachable', fault.message, error) : fault;
    }
  },
  async authorize(endpoint, store, state) {
    const outgoing = endpoint.trusted ? options.open : options.guarded;
    try {
      return await createOAuth(endpoint, store, outgoing, options.oauthRedirectUrl()).begin(state);
    } catch (error) {
      throw toSignInFault(error);
    }
  },
  async finishAuthorization(endpoint, store, answer) {
    const outgoing = endpoint.trusted ? options.open : options.guarded;
    try {
      await createOAuth(endpoint, store, outgoing, options.oauthRedirectUrl()).finish(answer);
    } catch (error) {
      throw toSignInFault(error);
    }
  },
});
