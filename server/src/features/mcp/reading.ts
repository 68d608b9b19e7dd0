import type { Caller } from '../../kernel/caller.ts';
import type { McpCallOptions, McpSession } from '../../kernel/mcp.ts';
import type { Calls } from './calls.ts';
import { toAppError } from './faults.ts';

/** Resources and prompts of servers: read only, handed on as the server gives them. */
export const createReading = (calls: Calls) => {
  const ask = async <T>(
    caller: Caller,
    server: string,
    signal: AbortSignal,
    work: (session: McpSession, call: McpCallOptions) => Promise<T>,
  ): Promise<T> => {
    const { runtime, definition } = calls.findServer(caller, server);
    try {
      return await runtime.ask({ signal, timeoutMs: definition.timeoutMs }, work);
    } catch (error) {
      throw toAppError(error, server);
    }
  };

  return {
    resources: (caller: Caller, server: string, signal: AbortSignal) =>
      ask(caller, server, signal, (session, call) => session.listResources(call)),
    resource: (caller: Caller, server: string, uri: string, signal: AbortSignal) =>
      ask(caller, server, signal, (session, call) => session.readResource(uri, call)),
    prompts: (caller: Caller, server: string, signal: AbortSignal) =>
      ask(caller, server, signal, (session, call) => session.listPrompts(call)),
    prompt: (
      caller: Caller,
      server: string,
      prompt: string,
      args: Record<string, string>,
      signal: AbortSignal,
    ) => ask(caller, server, signal, (session, call) => session.getPrompt(prompt, args, call)),
  };
};

export type McpReading = ReturnType<typeof createReading>;
