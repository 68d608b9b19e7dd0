import { useQueryClient } from '@tanstack/react-query';
import type { CallOptions, ChatRequest, ChatStream } from 'pentarch-sdk';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useApi } from '../../lib/api.ts';
import { useConnection } from '../../lib/connection.ts';
import { isCancelled, isUnanswered } from '../../lib/errors.ts';
import { readAnew } from '../../lib/query.ts';
import { useSignedIn } from '../../lib/signed-in.ts';
import { applyEvent, emptyTurn, type Turn } from './thread.ts';

/**
 * The run that is being answered. After a broken connection it is taken up again for as long as the page stands: the run
 * goes on at the server meanwhile, and its events have numbers, so that none is missed and none counts twice.
 */

/** How long until the next try, longer each time in a row. */
const AGAIN_MS = 1_500;
const LONGEST_AGAIN_MS = 20_000;

/** What a run is begun with. */
interface Asked {
  /** The question as it is shown until it is stored; null where it stands in the conversation already. */
  readonly question: string | null;
  /** The message that it follows in its branch, null for a first one; absent: the last one that is shown. */
  readonly after?: string | null;
  /** It has no key that names its run, so that what may have begun one is not sent a second time. */
  readonly once?: true;
}

export interface Running extends Asked {
  readonly turn: Turn;
  readonly state: 'running' | 'reconnecting' | 'done' | 'failed';
  readonly error: unknown;
}

const online = (signal: AbortSignal, failures: number): Promise<void> =>
  new Promise((resolve) => {
    const go = (): void => {
      clearTimeout(timer);
      removeEventListener('online', go);
      resolve();
    };
    const timer = setTimeout(go, Math.min(AGAIN_MS * 1.5 ** failures, LONGEST_AGAIN_MS));
    addEventListener('online', go);
    signal.addEventListener('abort', go, { once: true });
  });

/** One try: the page tells at once that the connection is lost, and tries again by itself. */
const once = (signal: AbortSignal) => ({ signal, maxRetries: 0 });

export const useTurn = (onBegun: (turn: Turn, asked: Asked) => void) => {
  const api = useApi();
  const queryClient = useQueryClient();
  const connection = useConnection();
  const signedIn = useSignedIn();
  const [running, setRunning] = useState<Running | null>(null);
  const reading = useRef<AbortController | null>(null);
  const told = useRef(onBegun);
  useEffect(() => {
    told.current = onBegun;
  });
  useEffect(() => () => reading.current?.abort(), []);

  const read = useCallback(
    async (asked: Asked, open: (options: CallOptions) => ChatStream) => {
      reading.current?.abort();
      const own = new AbortController();
      const { signal } = own;
      reading.current = own;
      let turn = emptyTurn;
      let frame = 0;
      let failures = 0;
      const show = (state: Running['state'], error: unknown = null): void => {
        cancelAnimationFrame(frame);
        frame = 0;
        if (reading.current === own) setRunning({ ...asked, turn, state, error });
      };
      show('running');
      for (;;) {
        try {
          const { runId } = turn;
          const events = runId === '' ? open(once(signal)) : api.chat.followRun(runId, once(signal));
          for await (const event of events) {
            turn = applyEvent(turn, event);
            failures = 0;
            if (event.event === 'run.started') told.current(turn, asked);
            // One drawing for each frame, however many pieces come.
            if (frame === 0) frame = requestAnimationFrame(() => show('running'));
          }
          break;
        } catch (error) {
          if (isCancelled(error) || signal.aborted) return;
          if (!isUnanswered(error) || (asked.once === true && turn.runId === '')) {
            signedIn.end(error);
            show('failed', error);
            readAnew(queryClient, ['chat']);
            return;
          }
          show('reconnecting');
          connection.hint(error);
          await online(signal, failures);
          failures += 1;
          if (signal.aborted) return;
        }
      }
      show('done');
      readAnew(queryClient, ['chat']);
    },
    [api, connection, signedIn, queryClient],
  );

  return {
    running,
    /** Asks. The key stays over all tries, so that no second run begins. */
    ask: useCallback(
      (request: ChatRequest, idempotencyKey: string) =>
        read({ question: request.message }, (options) =>
          api.chat.stream(request, { ...options, idempotencyKey }),
        ),
      [api, read],
    ),
    /** Asks in a temporary chat. */
    askOnce: useCallback(
      (request: ChatRequest) =>
        read({ question: request.message, once: true }, (options) =>
          api.chat.stream({ ...request, store: false }, options),
        ),
      [api, read],
    ),
    /** Asks for a version: of a question in other words, or of the answer to one. */
    again: useCallback(
      (asked: Asked & { after: string | null }, open: (options: CallOptions) => ChatStream) => {
        const idempotencyKey = crypto.randomUUID();
        return read(asked, (options) => open({ ...options, idempotencyKey }));
      },
      [read],
    ),
    /** Follows a run that was begun elsewhere: before a reload, in another tab. */
    follow: useCallback(
      (runId: string, after?: string) =>
        read({ question: null, ...(after === undefined ? {} : { after }) }, (options) =>
          api.chat.followRun(runId, options),
        ),
      [api, read],
    ),
    /** Another conversation is shown; the run goes on at the server. */
    leave: useCallback(() => {
      reading.current?.abort();
      reading.current = null;
      setRunning(null);
    }, []),
  };
};
