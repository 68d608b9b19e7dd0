import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { atMost } from '../../kernel/races.ts';
import type { GroupStdioTransport } from './stdio-transport.ts';

/**
 * One process for two clients, one after the other. A client asks first which protocol is spoken (`server/discover`) and after
 * some seconds of silence takes the server for an older one (`initialize`). A newer one that was only slow to start answers the
 * question late and refuses `initialize`: the next client gets that answer, from the process that is already there.
 */
export interface SharedProcess {
  /** The transport of the next client; the one before it is cut off. */
  next(): GroupStdioTransport;
  /** Whether the question was answered after the client had given it up; waits for that at most so long. */
  lateAnswer(waitMs: number): Promise<boolean>;
  /** From now on, closing the transport ends the process. */
  keep(): void;
}

/** After a late answer: how long `initialize` may stay without one. */
const UNANSWERED_MS = 1_000;

const idOf = (message: JSONRPCMessage): string | number | undefined =>
  'id' in message ? (message.id ?? undefined) : undefined;
const methodOf = (message: JSONRPCMessage): string | undefined =>
  'method' in message ? message.method : undefined;

export const shareProcess = (inner: GroupStdioTransport): SharedProcess => {
  let current: GroupStdioTransport | null = null;
  let started: Promise<void> | null = null;
  let questionId: string | number | undefined;
  let answer: JSONRPCMessage | null = null;
  let initializeId: string | number | undefined;
  let gaveUp = false;
  let isKept = false;
  const settled = Promise.withResolvers<void>();

  /** A newer server may pass over `initialize` without a word: its client need not wait for that. */
  const cutOff = (): void => {
    if (initializeId !== undefined && !isKept) current?.onclose?.();
  };

  inner.onmessage = (message) => {
    if (questionId !== undefined && idOf(message) === questionId && methodOf(message) === undefined) {
      answer = message;
      settled.resolve();
      if (gaveUp && 'result' in message) setTimeout(cutOff, UNANSWERED_MS).unref();
    }
    if (initializeId !== undefined && idOf(message) === initializeId) initializeId = undefined;
    current?.onmessage?.(message);
  };
  inner.onerror = (error) => current?.onerror?.(error);
  inner.onclose = () => {
    settled.resolve();
    current?.onclose?.();
  };

  const next = (): GroupStdioTransport => {
    const given = answer;
    const transport: GroupStdioTransport = {
      stderr: null,
      get pid() {
        return inner.pid;
      },
      exitReason: inner.exitReason,
      start: () => (started ??= inner.start()),
      async send(message) {
        const id = idOf(message);
        if (methodOf(message) === 'server/discover') {
          if (given !== null && id !== undefined) {
            queueMicrotask(() => transport.onmessage?.({ ...given, id } as JSONRPCMessage));
            return;
          }
          questionId = id;
        }
        if (methodOf(message) === 'initialize') {
          gaveUp = answer === null;
          initializeId = id;
        }
        await inner.send(message);
      },
      async close() {
        if (isKept) return inner.close();
        if (current === transport) current = null;
        transport.onclose?.();
      },
    };
    current = transport;
    return transport;
  };

  return {
    next,
    async lateAnswer(waitMs) {
      if (!gaveUp) return false;
      await atMost(settled.promise, waitMs);
      return answer !== null && inner.exitReason() === null;
    },
    keep() {
      isKept = true;
    },
  };
};
