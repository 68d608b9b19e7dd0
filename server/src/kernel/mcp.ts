/**
 * The port of MCP servers that the platform uses: one session with one server. `adapters/mcp` speaks the protocol;
 * `features/mcp` decides when to connect, who may call, and what comes out.
 */

export interface McpToolInfo {
  name: string;
  title: string | null;
  description: string;
  /** JSON Schema of the arguments. */
  inputSchema: Record<string, unknown>;
  /** JSON Schema of `structured`, where the tool declares one. */
  outputSchema: Record<string, unknown> | null;
  /** As declared: readOnlyHint, destructiveHint, idempotentHint, openWorldHint. A claim of the server, not a fact. */
  annotations: Record<string, unknown> | null;
  /** The listing had another tool of this name. */
  doubled?: boolean | undefined;
}

/** One block of the protocol: text, image, audio, resource, resource_link. */
export type McpContent = { type: string } & Record<string, unknown>;

export interface McpCallResult {
  content: McpContent[];
  /** Undefined where the tool gave none. */
  structured: unknown;
  isError: boolean;
}

export interface McpProgress {
  progress: number;
  total?: number | undefined;
  message?: string | undefined;
}

export interface McpStdioEndpoint {
  transport: 'stdio';
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  cwd?: string | undefined;
}

export interface McpHttpEndpoint {
  transport: 'http';
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Named by the operator of the machine (a file): may be on a private network. */
  trusted: boolean;
  /** Sign in by OAuth when the server asks for it. */
  oauth?: McpOAuthSettings | undefined;
}

export interface McpOAuthSettings {
  /** `authorization_code`: a person signs in once in a browser; `client_credentials`: the platform by itself. */
  grant: 'authorization_code' | 'client_credentials';
  /** Left out: the platform registers itself where the authorization server lets it. */
  clientId?: string | undefined;
  clientSecret?: string | undefined;
  scope?: string | undefined;
}

/** Where the OAuth state of one server is kept (tokens, client, a sign-in under way): opaque text, secret. */
export interface McpOAuthStore {
  load(): Promise<string | null>;
  save(text: string): Promise<void>;
  /** Puts `text` in place of what `load` gave; false where that is not what stands there any more. */
  replace(before: string, text: string): Promise<boolean>;
}

export type McpEndpoint = McpStdioEndpoint | McpHttpEndpoint;

export interface McpSessionEvents {
  onToolsChanged(): void;
  /** The session is over and was not closed by `close()`. Called once. */
  onClosed(reason: string): void;
  /** A line of the server's stderr, or a notice about the connection. */
  onLog(source: 'stderr' | 'client', text: string): void;
}

export interface McpCallOptions {
  signal: AbortSignal;
  timeoutMs: number;
  onProgress?: ((progress: McpProgress) => void) | undefined;
}

export interface McpSession {
  readonly serverInfo: { name: string; version: string; title: string | null } | null;
  readonly protocolVersion: string | null;
  /** The server says when its tools change. */
  readonly tellsOfChanges: boolean;
  /** Process id of a stdio server. */
  readonly pid: number | null;
  /** All pages. */
  listTools(options: McpCallOptions): Promise<McpToolInfo[]>;
  callTool(name: string, args: Record<string, unknown>, options: McpCallOptions): Promise<McpCallResult>;
  listResources(options: McpCallOptions): Promise<Record<string, unknown>[]>;
  readResource(uri: string, options: McpCallOptions): Promise<Record<string, unknown>[]>;
  listPrompts(options: McpCallOptions): Promise<Record<string, unknown>[]>;
  getPrompt(
    name: string,
    args: Record<string, string>,
    options: McpCallOptions,
  ): Promise<Record<string, unknown>>;
  /** Throws when the server does not answer in time. */
  ping(timeoutMs: number): Promise<void>;
  /** Ends the session and every process that belongs to it. Never throws. */
  close(): Promise<void>;
}

export interface McpConnector {
  /** Throws `McpFault`. After a failure nothing of the attempt is left running. */
  connect(
    endpoint: McpEndpoint,
    options: {
      timeoutMs: number;
      signal: AbortSignal;
      events: McpSessionEvents;
      oauth?: McpOAuthStore | undefined;
    },
  ): Promise<McpSession>;
  /** Begins a sign-in: the address for the person's browser, or null when none is needed. Throws `McpFault`. */
  authorize(endpoint: McpHttpEndpoint, store: McpOAuthStore, state: string): Promise<string | null>;
  /** Ends a sign-in with what the browser brought back; throws `McpFault` when it does not belong to the one begun. */
  finishAuthorization(
    endpoint: McpHttpEndpoint,
    store: McpOAuthStore,
    answer: { code: string; state: string; iss: string | null },
  ): Promise<void>;
}

export type McpFaultKind =
  /** No answer within the time; the call was cancelled at the server. */
  | 'timeout'
  | 'cancelled'
  /** The session broke off during the call. */
  | 'closed'
  /** The server no longer knows the session: nothing was executed, a new session may try again. */
  | 'expired'
  | 'unreachable'
  /** It wants other credentials. */
  | 'unauthorized'
  /** It answered, but not as the protocol says, or with a protocol error. */
  | 'protocol';

export class McpFault extends Error {
  readonly kind: McpFaultKind;
  /** Of the JSON-RPC error that the server answered with; null for any other fault. */
  readonly code: number | null;
  constructor(kind: McpFaultKind, message: string, cause?: unknown, code: number | null = null) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'McpFault';
    this.kind = kind;
    this.code = code;
  }
}
