import type { McpCallResult, McpProgress, McpSession, McpToolInfo } from '../../kernel/mcp.ts';
import type { ToolContext } from '../../kernel/tools.ts';
import type { LogLine, ServerStatus } from './types.ts';

/** A server as the gateway runs it: a supervised session, or code of the platform's own. */
export interface ServerRuntime {
  state(): RuntimeState;
  start(): void;
  stop(): Promise<void>;
  /** Tries again at once where it waits for its next try. */
  retry(): void;
  /** Resolves when it is connected, the first try has failed, or the time is over. */
  settled(maxMs: number, signal: AbortSignal): Promise<void>;
  /** Resolves when it is connected, or has had its time for that since it was started. */
  firstConnection(signal: AbortSignal): Promise<void>;
  /**
   * Throws `McpFault`, and SERVICE_UNAVAILABLE when the server is not connected. `context` is for the platform's own
   * servers alone: nothing of the caller is passed on to others.
   */
  callTool(name: string, args: Record<string, unknown>, options: RuntimeCall): Promise<McpCallResult>;
  /** Other questions to the server (resources, prompts); the same errors. */
  ask<T>(options: RuntimeAsk, work: (session: McpSession, options: RuntimeAsk) => Promise<T>): Promise<T>;
  /** Lists the tools anew, after any listing that is under way. The same errors. */
  relist(options: RuntimeAsk): Promise<void>;
  logs(): readonly LogLine[];
}

export interface RuntimeAsk {
  signal: AbortSignal;
  timeoutMs: number;
}

export interface RuntimeCall extends RuntimeAsk {
  context: ToolContext;
  onProgress?: ((progress: McpProgress) => void) | undefined;
}

export interface RuntimeState {
  status: ServerStatus;
  /** Of the last listing; kept while the server is away. */
  tools: readonly McpToolInfo[];
  lastError: string | null;
  connectedAt: number | null;
  serverInfo: { name: string; version: string; title: string | null } | null;
  protocolVersion: string | null;
}
