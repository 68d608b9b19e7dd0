import { McpFault, type McpSession } from '../../kernel/mcp.ts';

const SILENT_PINGS = 2;

export interface HeartbeatOptions {
  timeoutMs: number;
  current(): McpSession | null;
  /** While it works on a call. */
  isBusy(): boolean;
  /** It has answered. */
  alive(): void;
  renew(old: McpSession): Promise<void>;
  /** Lets a session go that is of no use any more, unless another has taken its place. */
  drop(old: McpSession, reason: string): void;
}

/** Asks a server now and then whether it is still there, and still takes the credentials. */
export const createHeartbeat = (options: HeartbeatOptions) => {
  const { timeoutMs, current, drop } = options;
  let silent = 0;

  return {
    /** A new session, of which nothing is known yet. */
    begin(): void {
      silent = 0;
    },

    /** A refused call may be about that tool alone; one that a ping shares is about the whole sign-in. */
    async confirmShutOut(asked: McpSession): Promise<void> {
      if (current() !== asked) return;
      try {
        await asked.ping(timeoutMs);
      } catch (error) {
        if (error instanceof McpFault && error.kind === 'unauthorized') drop(asked, error.message);
      }
    },

    async ping(): Promise<void> {
      const asked = current();
      // A server that works on a call may be too busy to answer, and the call has its own limit.
      if (asked === null || options.isBusy()) return;
      try {
        await asked.ping(timeoutMs);
        silent = 0;
        options.alive();
      } catch (error) {
        if (asked !== current()) return;
        // An answer that says the question is unknown is a sign of life.
        if (error instanceof McpFault && error.kind === 'protocol') return options.alive();
        if (error instanceof McpFault && error.kind === 'expired') return void options.renew(asked);
        if (error instanceof McpFault && error.kind === 'unauthorized') return drop(asked, error.message);
        silent++;
        if (silent >= SILENT_PINGS) drop(asked, 'the server does not answer');
      }
    },
  };
};
