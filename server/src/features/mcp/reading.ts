import type { Caller } from '../../kernel/caller.ts';
import { invalid, notFound } from '../../kernel/errors.ts';
import { type McpCallOptions, McpFault, type McpSession } from '../../kernel/mcp.ts';
import type { Calls } from './calls.ts';
import { mcpErrorOf } from './faults.ts';
import { capEntries, capPrompt } from './results.ts';

/** JSON-RPC: the parameters are wrong, which servers say of names that they do not know too. */
const INVALID_PARAMS = -32_602;
/** What servers of older revisions say of a resource that they do not have. */
const RESOURCE_NOT_FOUND = -32_002;

/** A fault of the question, which the asker should hear as such; the server answered as it should. */
const isAskersFault = (error: unknown): error is McpFault =>
  error instanceof McpFault && (error.code === INVALID_PARAMS || error.code === RESOURCE_NOT_FOUND);

/** Resources and prompts of servers: read only, handed on as the server gives them up to the size of a result. */
export const createReading = (calls: Calls) => {
  const plainAsk = async <T>(
    caller: Caller,
    server: string,
    signal: AbortSignal,
    work: (session: McpSession, call: McpCallOptions) => Promise<T>,
  ): Promise<T> => {
    const { runtime, definition } = calls.findServer(caller, server);
    return runtime.ask({ signal, timeoutMs: definition.timeoutMs }, work);
  };

  const ask: typeof plainAsk = async (caller, server, signal, work) => {
    try {
      return await plainAsk(caller, server, signal, work);
    } catch (error) {
      throw mcpErrorOf(error, server);
    }
  };

  /** Throws NOT_FOUND (server, prompt) and VALIDATION_ERROR (its arguments). */
  const prompt = async (
    caller: Caller,
    server: string,
    name: string,
    args: Record<string, string>,
    signal: AbortSignal,
  ): Promise<Record<string, unknown>> => {
    try {
      return capPrompt(
        await plainAsk(caller, server, signal, (session, call) => session.getPrompt(name, args, call)),
      );
    } catch (error) {
      if (!isAskersFault(error)) throw mcpErrorOf(error, server);
      const known = await ask(caller, server, signal, (session, call) => session.listPrompts(call));
      if (!known.some((one) => one.name === name)) throw notFound('prompt');
      throw invalid({ field: '/arguments', reason: `is refused by the server: ${error.message}` });
    }
  };

  return {
    resources: async (caller: Caller, server: string, signal: AbortSignal) =>
      capEntries(await ask(caller, server, signal, (session, call) => session.listResources(call))),
    /** Throws NOT_FOUND (server, resource). */
    async resource(caller: Caller, server: string, uri: string, signal: AbortSignal) {
      try {
        return capEntries(
          await plainAsk(caller, server, signal, (session, call) => session.readResource(uri, call)),
        );
      } catch (error) {
        throw isAskersFault(error) ? notFound('resource') : mcpErrorOf(error, server);
      }
    },
    prompts: async (caller: Caller, server: string, signal: AbortSignal) =>
      capEntries(await ask(caller, server, signal, (session, call) => session.listPrompts(call))),
    prompt,
  };
};

export type McpReading = ReturnType<typeof createReading>;
