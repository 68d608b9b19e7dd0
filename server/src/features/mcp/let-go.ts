import type { McpSession } from '../../kernel/mcp.ts';

/** Closes sessions, and knows which have been closed. */
export const createLetGo = () => {
  const closing = new Set<Promise<void>>();
  const gone = new WeakSet<McpSession>();

  return {
    letGo(old: McpSession | null): void {
      if (old === null) return;
      gone.add(old);
      const done = old.close().finally(() => closing.delete(done));
      closing.add(done);
    },
    isGone: (session: McpSession): boolean => gone.has(session),
    /** Resolves when all are closed that have been let go. */
    async closed(): Promise<void> {
      await Promise.all(closing);
    },
  };
};
