import { createContext, useContext, useSyncExternalStore } from 'react';
import { isUnanswered } from './errors.ts';

/**
 * Whether the server answers. A browser that calls itself online may have lost the server, and one that calls itself
 * offline may reach a server of its own machine: so the server is asked whenever something hints at a change, and again
 * and again while it does not answer.
 */
export type ConnectionState = 'answers' | 'offline' | 'silent';

export interface Connection {
  state(): ConnectionState;
  subscribe(listener: () => void): () => void;
  /** Something hints at a change: asks the server, once for many hints. */
  check(): void;
  /** The same, where the error may mean that no answer came. */
  hint(error: unknown): void;
  /** Listens to the browser, until the returned function is called. */
  start(): () => void;
}

const AGAIN_MS = 2_000;
/** A server that stays away is asked less and less often. */
const LONGEST_AGAIN_MS = 10_000;

export const createConnection = (ask: () => Promise<unknown>): Connection => {
  const listeners = new Set<() => void>();
  let state: ConnectionState = 'answers';
  let asking = false;
  let unanswered = 0;
  let again: ReturnType<typeof setTimeout> | undefined;
  let isStopped = false;

  const set = (next: ConnectionState): void => {
    if (next === state) return;
    state = next;
    for (const listener of listeners) listener();
  };
  const check = (): void => {
    if (asking || isStopped) return;
    asking = true;
    clearTimeout(again);
    ask()
      .then(
        () => true,
        // A refusal is an answer, too.
        (error: unknown) => !isUnanswered(error),
      )
      .then((answered) => {
        asking = false;
        set(answered ? 'answers' : navigator.onLine ? 'silent' : 'offline');
        unanswered = answered ? 0 : unanswered + 1;
        if (!answered && !isStopped)
          again = setTimeout(check, Math.min(AGAIN_MS * 1.5 ** (unanswered - 1), LONGEST_AGAIN_MS));
      });
  };
  return {
    state: () => state,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    check,
    hint: (error) => {
      if (isUnanswered(error)) check();
    },
    start: () => {
      isStopped = false;
      addEventListener('online', check);
      addEventListener('offline', check);
      if (!navigator.onLine) check();
      return () => {
        isStopped = true;
        clearTimeout(again);
        removeEventListener('online', check);
        removeEventListener('offline', check);
      };
    },
  };
};

const ConnectionContext = createContext<Connection | null>(null);
export const ConnectionProvider = ConnectionContext.Provider;

export const useConnection = (): Connection => {
  const connection = useContext(ConnectionContext);
  if (connection === null) throw new Error('useConnection outside of the signed-in part');
  return connection;
};

export const useConnectionState = (): ConnectionState => {
  const { subscribe, state } = useConnection();
  return useSyncExternalStore(subscribe, state);
};
