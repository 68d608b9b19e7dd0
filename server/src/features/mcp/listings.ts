import type { McpSession, McpToolInfo } from '../../kernel/mcp.ts';

/** Between listings of a server that says again and again that its tools have changed. */
const RELIST_MS = 100;
/** A server that tells of no changes is asked so often. */
const OLD_MS = 5 * 60_000;

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

export interface ListingOptions {
  timeoutMs: number;
  now(): number;
  /** Whether a session has been let go. */
  isGone(session: McpSession): boolean;
  onTools(tools: readonly McpToolInfo[]): void;
  note(text: string): void;
}

/** One listing at a time, so that an older one never replaces a newer; what changed meanwhile is listed again. */
export const createListings = (
  options: ListingOptions,
  from: () => McpSession | null,
  mine: AbortController,
) => {
  let running: Promise<void> | null = null;
  let stale = false;
  let askedAt = 0;
  const list = async (target: McpSession): Promise<void> => {
    const listed = await target.listTools({ signal: mine.signal, timeoutMs: options.timeoutMs });
    if (mine.signal.aborted) return;
    const tools = withoutDoubles(listed);
    if (tools.length < listed.length) options.note('the server lists a tool name twice; the first counts');
    options.onTools(tools);
  };
  const refresh = (): Promise<void> => {
    if (running !== null) {
      stale = true;
      return running;
    }
    const target = from();
    if (target === null || options.isGone(target)) return Promise.resolve();
    askedAt = options.now();
    running = list(target).finally(() => {
      running = null;
      if (!stale || mine.signal.aborted) return;
      stale = false;
      setTimeout(refreshLater, RELIST_MS).unref();
    });
    return running;
  };
  const refreshLater = (): void => {
    refresh().catch((error: Error) => options.note(`listing tools: ${error.message}`));
  };
  /** What was under way may have begun before whoever asks has changed something. */
  const anew = async (): Promise<void> => {
    await running?.catch(() => {});
    stale = false;
    await refresh();
  };
  const byAge = (): void => {
    if (from()?.tellsOfChanges === false && options.now() - askedAt >= OLD_MS) refreshLater();
  };
  return { refresh, refreshLater, anew, byAge };
};
