import { useQueryClient } from '@tanstack/react-query';
import type { LiveEvent } from 'pentarch-sdk';
import { useEffect, useRef } from 'react';
import { useApi } from './api.ts';
import { useConnection } from './connection.ts';
import { readAnew } from './query.ts';

/** Events of the platform as they happen (docs/events.md), over one WebSocket per tab that all pages share. */

type Listener = (event: LiveEvent) => void;
interface Channel {
  add(listener: Listener): () => void;
}

const RETRY_MS = 5_000;
const channels = new WeakMap<object, Channel>();

const createChannel = (
  events: (options: { signal: AbortSignal; onLost: () => void }) => AsyncGenerator<LiveEvent>,
  onLost: () => void,
  onMissed: () => void,
): Channel => {
  const listeners = new Set<Listener>();
  let stop: AbortController | null = null;
  const run = async (signal: AbortSignal): Promise<void> => {
    /** The client gave up once: what came meanwhile is not replayed to the next connection. */
    let gap = false;
    while (!signal.aborted) {
      try {
        for await (const event of events({ signal, onLost })) {
          if (event.type === 'ready' && gap) {
            gap = false;
            onMissed();
          }
          for (const listener of listeners) listener(event);
        }
      } catch {
        // The client has tried several times; the banner says so. What was missed is read when the server answers again.
      }
      if (signal.aborted) return;
      gap = true;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
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

/**
 * Calls `listener` with each event of these types (`proposal.updated`, or `task.` for all that begin so). Events missed
 * while the connection was down are replayed; where the server cannot, everything that is shown is read anew.
 */
export const useLiveEvents = (types: readonly string[], listener: Listener): void => {
  const api = useApi();
  const queryClient = useQueryClient();
  const connection = useConnection();
  const latest = useRef(listener);
  useEffect(() => {
    latest.current = listener;
  });
  const key = types.join(' ');
  useEffect(() => {
    const wanted = key.split(' ');
    const channel =
      channels.get(api) ??
      createChannel(api.events, connection.check, () => void queryClient.invalidateQueries());
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
  }, [api, connection, key, queryClient]);
};

/** The usual use: read queries anew when something of theirs happened. */
export const useLiveRefresh = (types: readonly string[], queryKey: readonly unknown[]): void => {
  const queryClient = useQueryClient();
  useLiveEvents(types, () => readAnew(queryClient, queryKey));
};
