import { randomUUID } from 'node:crypto';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import type { Server } from '@modelcontextprotocol/server';
import type { Caller } from '../../../kernel/caller.ts';

/** Sessions of clients that speak the protocol with sessions (up to 2025-11-25); newer ones need none. */
export interface DoorSession {
  caller: Caller;
  server: Server;
  transport: NodeStreamableHTTPServerTransport;
  lastUsedAt: number;
}

export interface DoorSessions {
  open(caller: Caller, serverFor: (caller: () => Caller) => Server): Promise<DoorSession>;
  /** Null for an unknown session and for one of another user, which must look the same. */
  find(id: string, caller: Caller): DoorSession | null;
  close(): Promise<void>;
}

const IDLE_MS = 30 * 60_000;
const SWEEP_MS = 60_000;
const MAX_PER_USER = 50;
const MAX_SESSIONS = 10_000;

export const createDoorSessions = (now: () => number): DoorSessions => {
  const sessions = new Map<string, DoorSession>();
  const end = async (id: string, session: DoorSession): Promise<void> => {
    sessions.delete(id);
    await session.transport.close().catch(() => {});
  };
  const sweep = setInterval(() => {
    for (const [id, session] of sessions) if (now() - session.lastUsedAt > IDLE_MS) void end(id, session);
  }, SWEEP_MS);
  sweep.unref();

  /** The longest unused one makes room. */
  const makeRoom = async (userId: string): Promise<void> => {
    const oldestFirst = [...sessions].sort(([, a], [, b]) => a.lastUsedAt - b.lastUsedAt);
    const own = oldestFirst.filter(([, session]) => session.caller.userId === userId);
    const victim =
      own.length >= MAX_PER_USER ? own[0] : sessions.size >= MAX_SESSIONS ? oldestFirst[0] : undefined;
    if (victim !== undefined) await end(...victim);
  };

  return {
    async open(caller, serverFor) {
      await makeRoom(caller.userId);
      const transport = new NodeStreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        onsessioninitialized: (id) => {
          sessions.set(id, session);
        },
        onsessionclosed: (id) => {
          sessions.delete(id);
        },
      });
      const server = serverFor(() => session.caller);
      const session: DoorSession = { caller, server, transport, lastUsedAt: now() };
      await server.connect(transport);
      return session;
    },
    find(id, caller) {
      const session = sessions.get(id);
      if (session === undefined || session.caller.userId !== caller.userId) return null;
      // Permissions as they are now, not as they were when the session began.
      session.caller = caller;
      session.lastUsedAt = now();
      return session;
    },
    async close() {
      clearInterval(sweep);
      await Promise.all([...sessions].map(([id, session]) => end(id, session)));
    },
  };
};
