import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import type { Server } from '@modelcontextprotocol/server';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../../../kernel/caller.ts';
import type { NodeMessages } from '../../../kernel/cluster.ts';

/** Sessions of clients that speak the protocol with sessions (up to 2025-11-25); newer ones need none. */
export interface DoorSession {
  caller: Caller;
  server: Server;
  transport: NodeStreamableHTTPServerTransport;
  lastUsedAt: number;
}

export interface DoorSessions {
  open(caller: Caller, serverFor: (caller: () => Caller) => Server): Promise<DoorSession>;
  /**
   * Null for an unknown session and for one of another user, which must look the same. A session that another node has
   * opened is served from here request by request: `serverFor` makes the server of one.
   */
  find(
    id: string,
    caller: Caller,
    serverFor: (caller: () => Caller) => Server,
  ): Promise<Pick<DoorSession, 'transport' | 'server'> | null>;
  /** The client ends it, at whichever node: no node serves it any more. */
  ended(id: string): void;
  close(): Promise<void>;
}

const IDLE_MS = 30 * 60_000;
const SWEEP_MS = 60_000;
const MAX_PER_USER = 50;
const MAX_SESSIONS = 10_000;

/** What several nodes need to know each other's sessions: the id proves itself by a key that all nodes have. */
export interface SharedSessions {
  key: string;
  messages: NodeMessages;
}

export const createDoorSessions = (now: () => number, shared: SharedSessions | null = null): DoorSessions => {
  const sessions = new Map<string, DoorSession>();
  /** Sessions that other nodes have ended. */
  const ended = new LRUCache<string, true>({ max: MAX_SESSIONS });
  const leave = shared?.messages.receive('mcp.session.ended', (id) => {
    if (typeof id !== 'string') return;
    ended.set(id, true);
    const session = sessions.get(id);
    if (session !== undefined) void end(id, session);
  });

  const proofOf = (id: string, userId: string, key: string): string =>
    createHmac('sha256', key).update(`mcp-session ${id} ${userId}`).digest('base64url');

  const newSessionId = (caller: Caller): string => {
    const id = randomUUID();
    return shared === null ? id : `${id}.${proofOf(id, caller.userId, shared.key)}`;
  };

  const isOfAnotherNode = (sessionId: string, caller: Caller): boolean => {
    if (shared === null || ended.has(sessionId)) return false;
    const [id = '', proof = ''] = sessionId.split('.');
    const right = Buffer.from(proofOf(id, caller.userId, shared.key));
    const given = Buffer.from(proof);
    return given.length === right.length && timingSafeEqual(given, right);
  };
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
        sessionIdGenerator: () => newSessionId(caller),
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
    async find(id, caller, serverFor) {
      const session = sessions.get(id);
      if (session === undefined) {
        if (!isOfAnotherNode(id, caller)) return null;
        const transport = new NodeStreamableHTTPServerTransport({ sessionIdGenerator: undefined });
        const server = serverFor(() => caller);
        await server.connect(transport);
        return { transport, server };
      }
      if (session.caller.userId !== caller.userId) return null;
      // Permissions as they are now, not as they were when the session began.
      session.caller = caller;
      session.lastUsedAt = now();
      return session;
    },
    ended(id) {
      ended.set(id, true);
      shared?.messages.send('mcp.session.ended', id);
    },
    async close() {
      clearInterval(sweep);
      leave?.();
      await Promise.all([...sessions].map(([id, session]) => end(id, session)));
    },
  };
};
