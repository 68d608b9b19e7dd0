import type { Client, RequestOptions, Tool } from '@modelcontextprotocol/client';
import {
  type McpCallOptions,
  type McpContent,
  McpFault,
  type McpSession,
  type McpToolInfo,
} from '../../kernel/mcp.ts';
import { toFault } from './faults.ts';
import { headerParamsFault } from './header-params.ts';
import { readTool, ToolsPage } from './listed-tools.ts';

/** More than any honest server has; the walk ends with an error beyond. */
const MAX_PAGES = 100;
const MAX_ITEMS = 5_000;
/** Each listing, policy and prompt of an agent is as large as its tools are many. */
export const MAX_TOOLS = 2_000;
/** Of all tools of a server as JSON; each is kept, hashed and searched for signs. */
const MAX_LISTING_CHARACTERS = 32 * 1024 * 1024;
/** Tools that are left out are named up to so many. */
const MAX_NOTICES = 20;

interface Page<T> {
  items: T[];
  nextCursor: string | undefined;
}

/** Walks all pages; a cursor that was seen before would walk for ever, so it ends the walk with an error. */
export const walkPages = async <T>(
  fetchPage: (cursor: string | undefined) => Promise<Page<T>>,
  maxItems = MAX_ITEMS,
  what = 'items',
): Promise<T[]> => {
  const all: T[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let pages = 0; ; pages++) {
    if (pages >= MAX_PAGES) throw new McpFault('protocol', 'the list of the server does not end');
    const page = await fetchPage(cursor);
    for (const item of page.items) all.push(item);
    if (all.length > maxItems) {
      throw new McpFault(
        'protocol',
        `the server lists more than ${maxItems.toLocaleString('en')} ${what}, which is the most for one server`,
      );
    }
    cursor = page.nextCursor;
    if (cursor === undefined) return all;
    if (seen.has(cursor)) throw new McpFault('protocol', 'the cursor of the list does not move on');
    seen.add(cursor);
  }
};

export interface SessionParts {
  client: Client;
  pid: number | null;
  /** Ends transport and processes. */
  end(): Promise<void>;
  /** Something about the server that its operator should read. */
  notice(text: string): void;
}

export const createSession = ({ client, pid, end, notice }: SessionParts): McpSession => {
  const options = (call: McpCallOptions): RequestOptions => ({
    signal: call.signal,
    timeout: call.timeoutMs,
    maxTotalTimeout: call.timeoutMs,
    ...(call.onProgress === undefined ? {} : { onprogress: call.onProgress }),
  });
  const guarded = async <T>(call: McpCallOptions, work: () => Promise<T>): Promise<T> => {
    if (call.signal.aborted) throw new McpFault('cancelled', 'the call was cancelled');
    try {
      return await work();
    } catch (error) {
      throw toFault(error, call.signal);
    }
  };
  const has = (capability: 'resources' | 'prompts' | 'tools'): boolean =>
    client.getServerCapabilities()?.[capability] !== undefined;
  const info = client.getServerVersion();
  /** What the SDK has to know of a tool to repeat parameters in headers: it has not seen the listing itself. */
  let definitions: ReadonlyMap<string, Tool> = new Map();
  const hasHeaders = pid === null && client.getProtocolEra() === 'modern';
  const usable = (given: unknown): ReturnType<typeof readTool> => {
    const read = readTool(given);
    if ('fault' in read || !hasHeaders) return read;
    const fault = headerParamsFault(read.tool.inputSchema);
    return fault === null ? read : { fault: `the tool ${read.tool.name.slice(0, 80)} is left out: ${fault}` };
  };

  return {
    serverInfo:
      info === undefined ? null : { name: info.name, version: info.version, title: info.title ?? null },
    protocolVersion: client.getNegotiatedProtocolVersion() ?? null,
    tellsOfChanges: client.getServerCapabilities()?.tools?.listChanged === true,
    pid,
    listTools: (call) =>
      guarded(call, async () => {
        if (!has('tools')) return [];
        let characters = 0;
        const given = await walkPages<unknown>(
          async (cursor) => {
            const page = await client.request(
              { method: 'tools/list', ...(cursor === undefined ? {} : { params: { cursor } }) },
              ToolsPage,
              options(call),
            );
            characters += JSON.stringify(page.tools).length;
            if (characters > MAX_LISTING_CHARACTERS) {
              throw new McpFault('protocol', 'the tools of the server take more than 32 MB');
            }
            return { items: page.tools, nextCursor: page.nextCursor ?? undefined };
          },
          MAX_TOOLS,
          'tools',
        );
        const tools: McpToolInfo[] = [];
        let faults = 0;
        for (const one of given) {
          const read = usable(one);
          if ('tool' in read) tools.push(read.tool);
          else if (++faults <= MAX_NOTICES) notice(read.fault);
        }
        if (faults > MAX_NOTICES) notice(`${faults - MAX_NOTICES} more tools are left out`);
        if (hasHeaders)
          definitions = new Map(
            tools.map(({ name, inputSchema }) => [
              name,
              { name, inputSchema: { ...inputSchema, type: 'object' as const } },
            ]),
          );
        return tools;
      }),
    callTool: (name, args, call) =>
      guarded(call, async () => {
        const toolDefinition = definitions.get(name);
        const result = await client.callTool(
          { name, arguments: args },
          { ...options(call), ...(toolDefinition === undefined ? {} : { toolDefinition }) },
        );
        return {
          content: result.content.map((block): McpContent => ({ ...block })),
          structured: result.structuredContent,
          isError: result.isError === true,
        };
      }),
    listResources: (call) =>
      guarded(call, async () => {
        if (!has('resources')) return [];
        return walkPages<Record<string, unknown>>(async (cursor) => {
          const page = await client.request(
            { method: 'resources/list', ...(cursor === undefined ? {} : { params: { cursor } }) },
            options(call),
          );
          return { items: page.resources.map((r) => ({ ...r })), nextCursor: page.nextCursor };
        });
      }),
    readResource: (uri, call) =>
      guarded(call, async () => {
        const { contents } = await client.readResource({ uri }, { ...options(call), cacheMode: 'bypass' });
        return contents.map((part) => ({ ...part }));
      }),
    listPrompts: (call) =>
      guarded(call, async () => {
        if (!has('prompts')) return [];
        return walkPages<Record<string, unknown>>(async (cursor) => {
          const page = await client.request(
            { method: 'prompts/list', ...(cursor === undefined ? {} : { params: { cursor } }) },
            options(call),
          );
          return { items: page.prompts.map((p) => ({ ...p })), nextCursor: page.nextCursor };
        });
      }),
    getPrompt: (name, args, call) =>
      guarded(call, async () => ({ ...(await client.getPrompt({ name, arguments: args }, options(call))) })),
    async ping(timeoutMs) {
      const limits = { timeout: timeoutMs, maxTotalTimeout: timeoutMs };
      try {
        if (client.getProtocolEra() === 'modern') await client.discover(limits);
        else await client.ping(limits);
      } catch (error) {
        throw toFault(error);
      }
    },
    close: end,
  };
};
