import { useQueryClient } from '@tanstack/react-query';
import type { LiveEvent } from 'pentarch-sdk';
import { useEffect, useRef } from 'react';
import { useApi } from './api.ts';
import { type Connection, useConnection } from './connection.ts';
import { readAnew } from './query.ts';
import { type SignedIn, useSignedIn } from './signed-in.ts';

/** Events of the platform as they happen (docs/events.md), over one WebSocket per tab that all pages share. */

type Listener = (event: LiveEvent) => void;
interface Channel {
  add(listener: Listener): () => void;
}

/** How long until the next try, doubled each time in a row. */
const RETRY_MS = 5_000;
const LONGEST_RETRY_MS = 60_000;
const channels = new WeakMap<object, Channel>();

const createChannel = (
  events: (options: { signal: AbortSignal; onLost: () => void }) => AsyncGenerator<LiveEvent>,
  onLost: () => void,
  onMissed: () => void,
  /** Resolves when it may be tried again: after the time, or at once where the server answers again. */
  again: (ms: number, signal: AbortSignal) => Promise<void>,
  onFault: (error: unknown) => void,
): Channel => {
  const listeners = new Set<Listener>();
  let stop: AbortController | null = null;
  const run = async (signal: AbortSignal): Promise<void> => {
    /** The client gave up once: what came meanwhile is not replayed to the next connection. */
    let gap = false;
    let failures = 0;
    while (!signal.aborted) {
      try {
        for await (const event of events({ signal, onLost })) {
          if (event.type === 'ready') failures = 0;
          if (event.type === 'ready' && gap) {
            gap = false;
            onMissed();
          }
          for (const listener of listeners) listener(event);
        }
      } catch (error) {
        onFault(error);
        // The client has tried several times; the banner says so. What was missed is read when the server answers again.
      }
      if (signal.aborted) return;
      gap = true;
      await again(Math.min(RETRY_MS * 2 ** failures, LONGEST_RETRY_MS), signal);
      failures += 1;
    }
  };
  return {
    add(listener) {
      listeners.add(listener);
      if (stop === null) {
        stop = new AbortController();
        void run(stop.signal);
      }
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        stop?.abort();
        stop = null;
      };
    },
  };
};

/** Where the sign-in has ended there is no next try before it is renewed. */
const againOf =
  (connection: Connection, signedIn: SignedIn) =>
  (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const look = (isTime: boolean): void => {
        if (!signal.aborted && signedIn.ended()) return;
        if (!signal.aborted && !isTime) return;
        clearTimeout(timer);
        for (const leave of leaves) leave();
        resolve();
      };
      const timer = setTimeout(() => look(true), ms);
      const onAbort = (): void => look(true);
      signal.addEventListener('abort', onAbort);
      const leaves = [
        connection.subscribe(() => look(connection.state() === 'answers')),
        signedIn.subscribe(() => look(true)),
        () => signal.removeEventListener('abort', onAbort),
      ];
    });

/**
 * Calls `listener` with each event of these types (`proposal.updated`, or `task.` for all that begin so). Events missed
 * while the connection was down are replayed; where the server cannot, everything that is shown is read anew.
 */
export const useLiveEvents = (types: readonly string[], listener: Listener): void => {
  const api = useApi();
  const queryClient = useQueryClient();
  const connection = useConnection();
  const signedIn = useSignedIn();
  const latest = useRef(listener);
  useEffect(() => {
    latest.current = listener;
  });
  const key = types.join(' ');
  useEffect(() => {
    const wanted = key.split(' ');
    const channel =
      channels.get(api) ??
      createChannel(
        api.events,
        connection.check,
        () => void queryClient.invalidateQueries(),
        againOf(connection, signedIn),
        signedIn.end,
      );
    channels.set(api, channel);
    return channel.add((event) => {
      const { payload } = event;
      if (event.type === 'ready') {
        const replay =
          typeof payload === 'object' && payload !== null && 'replay' in payload ? payload.replay : null;
        if (typeof replay === 'object' && replay !== null && 'complete' in replay && !replay.complete) {
          void queryClient.invalidateQueries();
        }
        return;
      }
      if (wanted.some((type) => event.type === type || (type.endsWith('.') && event.type.startsWith(type)))) {
        latest.current(event);
      }
    });
  }, [api, connection, signedIn, key, queryClient]);
};

/** The usual use: read queries anew when something of theirs happened. */
export const useLiveRefresh = (types: readonly string[], queryKey: readonly unknown[]): void => {
  const queryClient = useQueryClient();
  useLiveEvents(types, () => readAnew(queryClient, queryKey));
};
