import type { Caller } from '../../kernel/caller.ts';
import { iso, isoOrNull } from '../../kernel/clock.ts';
import { AppError, forbidden } from '../../kernel/errors.ts';
import type { PlatformEvent } from '../../kernel/events.ts';
import { newId } from '../../kernel/ids.ts';
import { mayReceive } from '../../kernel/may-receive.ts';
import type { EventLog } from './event-log.ts';
import { errorMessage, eventMessage, message, parseClientMessage } from './messages.ts';
import type { ChatSend, LaunchedRun } from './ports.ts';
import { CLOSE, socketFormOf, TOPICS, type Topic } from './rules.ts';

/** What a connection needs of its socket. */
export interface Socket {
  readonly bufferedAmount: number;
  /** Always as text: without the option bytes would go out as a binary message. */
  send(data: string | Buffer, options: { binary: false }): void;
  close(code: number, reason: string): void;
  terminate(): void;
  ping(): void;
}

export interface ConnectionOptions {
  socket: Socket;
  log: EventLog;
  now(): number;
  /** The caller behind a token. Throws as `Authenticate` does. */
  authenticate(token: string): Caller | Promise<Caller>;
  /** Told whenever the connection has a new caller, so that the hub files it under tenant and token. */
  onCaller(caller: Caller, token: string): void;
  chat: ChatSend;
  /** Counts a message as a request of the caller; an error when too many. */
  admit(caller: Caller): AppError | null | Promise<AppError | null>;
  /** A token or a message was turned away for want of proof, right or room. */
  refused?(caller: Caller | null, error: AppError): void;
  onError(error: unknown, message: string): void;
}

/** As over HTTP: what the audit trail is told of. */
const REFUSALS: ReadonlySet<string> = new Set(['UNAUTHORIZED', 'FORBIDDEN', 'COST_EXCEEDED', 'RATE_LIMITED']);

export const MAX_WAITING_BYTES = 1024 * 1024;
/** A catching-up connection is fed only while less than this waits, so that a long replay is no back-pressure fault. */
const FEED_BELOW_BYTES = 256 * 1024;
const FEED_AGAIN_MS = 10;
const CATCH_UP_LIMIT_MS = 60_000;
const AUTH_LIMIT_MS = 10_000;
/** A close frame waits behind what is buffered; after this the socket is cut. */
const CLOSE_LIMIT_MS = 10_000;
/** Messages of one second beyond which the rest is refused. */
const MAX_MESSAGES_PER_S = 50;
const MAX_OWN_RUNS = 100;

/**
 * One client. Its states:
 *
 *   anonymous → open → closed      (auth within 10 s, or 4401)
 *   open: live, or catching up from a position of the log (after a reconnect, and while a chat.send starts)
 */
export const createConnection = (options: ConnectionOptions) => {
  const { socket, log } = options;
  const topics = new Set<Topic>(TOPICS);
  /** Runs that this connection asked for: their events come whatever it has subscribed to. */
  const ownRuns = new Set<string>();
  const unfollow = new Set<() => void>();
  let caller: Caller | null = null;
  let closed = false;
  let authenticating: Promise<void> | null = null;
  /** Position from which to read on; null = live. */
  let position: number | null = null;
  let catchUpSince = 0;
  let holds = 0;
  let alive = true;
  let windowStart = 0;
  let windowCount = 0;
  let cutTimer: NodeJS.Timeout | undefined;
  let authTimer: NodeJS.Timeout | undefined;

  const end = (code: number, reason: string): void => {
    if (closed) return;
    closed = true;
    clearTimeout(authTimer);
    for (const stop of unfollow) stop();
    unfollow.clear();
    socket.close(code, reason);
    cutTimer = setTimeout(() => socket.terminate(), CLOSE_LIMIT_MS);
    cutTimer.unref();
  };

  const send = (data: string | Buffer): void => {
    if (closed) return;
    if (socket.bufferedAmount > MAX_WAITING_BYTES) return end(CLOSE.tooSlow, 'reading too slowly');
    socket.send(data, { binary: false });
  };

  const refuse = (error: AppError): void =>
    error.code === 'FORBIDDEN'
      ? end(CLOSE.forbidden, 'forbidden')
      : end(error.code === 'RATE_LIMITED' ? CLOSE.policy : CLOSE.unauthorized, error.message);

  const wants = (event: PlatformEvent): boolean => {
    const form = socketFormOf(event.type);
    if (form === null || caller === null || !mayReceive(caller, event)) return false;
    if (topics.has(form.topic)) return true;
    const { run_id: runId } = event.data;
    return typeof runId === 'string' && ownRuns.has(runId);
  };

  /** Feeds the log from `position` to its end, then goes live. */
  const feed = (): void => {
    while (position !== null && !closed && holds === 0) {
      if (position >= log.end()) {
        position = null;
        return;
      }
      if (socket.bufferedAmount > FEED_BELOW_BYTES) {
        if (options.now() - catchUpSince > CATCH_UP_LIMIT_MS) return end(CLOSE.tooSlow, 'reading too slowly');
        setTimeout(feed, FEED_AGAIN_MS).unref();
        return;
      }
      const event = log.at(position);
      position += 1;
      const form = event === undefined ? null : socketFormOf(event.type);
      if (event !== undefined && form !== null && wants(event)) send(eventMessage(form.type, event));
    }
  };

  const catchUpFrom = (start: number): void => {
    position = start;
    catchUpSince = options.now();
  };

  const ready = (who: Caller, lastEventId: string | null): void => {
    const from = lastEventId === null ? null : log.after(lastEventId);
    send(
      message('ready', {
        user_id: who.userId,
        tenant_id: who.tenantId,
        topics: [...topics],
        expires_at: isoOrNull(who.expiresAt),
        server_time: iso(options.now()),
        last_event_id: log.at(log.end() - 1)?.id ?? null,
        ...(from === null ? {} : { replay: { complete: from.complete } }),
      }),
    );
    if (from !== null) catchUpFrom(from.position);
    feed();
  };

  const accept = (who: Caller, token: string, lastEventId: string | null): void => {
    if (caller !== null && (caller.userId !== who.userId || caller.tenantId !== who.tenantId)) {
      return end(CLOSE.forbidden, 'the new token belongs to another account');
    }
    options.onCaller(who, token);
    caller = who;
    clearTimeout(authTimer);
    ready(who, lastEventId);
  };

  const authenticate = async (token: string, lastEventId: string | null): Promise<void> => {
    try {
      const who = await options.authenticate(token);
      if (!closed) accept(who, token, lastEventId);
    } catch (error) {
      if (error instanceof AppError) {
        options.refused?.(caller, error);
        return refuse(error);
      }
      options.onError(error, 'a socket could not be authenticated');
      end(1011, 'internal error');
    }
  };

  const sendError = (error: AppError, id: string | null): void => send(errorMessage(error, newId(), id));

  const asAppError = (error: unknown): AppError => {
    if (error instanceof AppError) return error;
    options.onError(error, 'a message of a socket failed');
    return new AppError('INTERNAL_ERROR', 'something went wrong inside', { cause: error });
  };

  const adopt = (runId: string): void => {
    ownRuns.add(runId);
    const oldest = ownRuns.values().next().value;
    if (ownRuns.size > MAX_OWN_RUNS && oldest !== undefined) ownRuns.delete(oldest);
  };

  const follow = (run: LaunchedRun): void => {
    const base = { run_id: run.runId, conversation_id: run.conversationId, message_id: run.messageId };
    let stop: (() => void) | null = null;
    const ended = (): void => {
      if (stop !== null) unfollow.delete(stop);
    };
    stop = run.onDelta(
      (delta) => send(message('message.delta', { ...base, agent_id: delta.agentId, content: delta.content })),
      ended,
    );
    unfollow.add(stop);
    run.done.catch(() => {
      // It is told as run.failed; the one who stores the run handles it.
    });
  };

  const chatSend = async (
    who: Caller,
    id: string | null,
    request: Record<string, unknown>,
  ): Promise<void> => {
    if (!who.permissions.has('chat:write')) throw forbidden('chat:write');
    const refusal = await options.admit(who);
    if (refusal !== null) throw refusal;
    // What the run publishes must come after chat.accepted: events wait in the log meanwhile.
    if (position === null) catchUpFrom(log.end());
    holds += 1;
    try {
      const run = await options.chat(who, request);
      send(
        message('chat.accepted', {
          ...(id === null ? {} : { id }),
          run_id: run.runId,
          conversation_id: run.conversationId,
          message_id: run.messageId,
        }),
      );
      holds -= 1;
      adopt(run.runId);
      feed();
      if (!closed) follow(run);
    } catch (error) {
      holds -= 1;
      feed();
      throw error;
    }
  };

  const handle = async (bytes: Uint8Array): Promise<void> => {
    let id: string | null = null;
    try {
      const parsed = parseClientMessage(bytes);
      if (parsed.type === 'auth') return await authenticate(parsed.token, parsed.lastEventId);
      if (caller === null) return end(CLOSE.unauthorized, 'the first message must be auth');
      switch (parsed.type) {
        case 'ping':
          return send(message('pong', parsed.payload));
        case 'subscribe':
          if (parsed.topics !== null) {
            topics.clear();
            for (const topic of parsed.topics) topics.add(topic);
          }
          return ready(caller, parsed.lastEventId);
        case 'unsubscribe':
          for (const topic of parsed.topics) topics.delete(topic);
          return ready(caller, null);
        case 'chat.send':
          id = parsed.id;
          return await chatSend(caller, id, parsed.request);
      }
    } catch (error) {
      if (caller === null) return end(CLOSE.unauthorized, 'the first message must be auth');
      const fault = asAppError(error);
      if (REFUSALS.has(fault.code)) options.refused?.(caller, fault);
      sendError(fault, id);
    }
  };

  const tooMany = (): boolean => {
    const now = options.now();
    if (now - windowStart >= 1_000) {
      windowStart = now;
      windowCount = 0;
    }
    windowCount += 1;
    return windowCount > MAX_MESSAGES_PER_S;
  };

  authTimer = setTimeout(() => end(CLOSE.unauthorized, 'no auth message within 10 s'), AUTH_LIMIT_MS);
  authTimer.unref();

  return {
    /** A caller that the upgrade request has proved already. */
    open(who: Caller, token: string, lastEventId: string | null): void {
      try {
        accept(who, token, lastEventId);
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        options.refused?.(who, error);
        refuse(error);
      }
    },
    async receive(bytes: Uint8Array, isBinary: boolean): Promise<void> {
      if (closed) return;
      alive = true;
      if (isBinary) return end(CLOSE.unsupportedData, 'send JSON as text');
      if (tooMany()) {
        return sendError(
          new AppError('RATE_LIMITED', `at most ${MAX_MESSAGES_PER_S} messages a second`, { retryAfterS: 1 }),
          null,
        );
      }
      // Messages are handled in order of arrival as far as authentication goes: what follows an auth waits for it.
      if (authenticating !== null) await authenticating;
      const work = handle(bytes);
      if (caller === null) {
        authenticating = work.finally(() => {
          authenticating = null;
        });
      }
      await work;
    },
    /** `text` is the event's message, made once for all connections. */
    deliver(event: PlatformEvent, text: () => Buffer): void {
      if (closed || position !== null || !wants(event)) return;
      send(text());
    },
    pong(): void {
      alive = true;
    },
    /** Once a heartbeat: cuts a peer that has said nothing since the last one. */
    heartbeat(): void {
      if (closed) return;
      if (!alive) {
        closed = true;
        socket.terminate();
        return;
      }
      alive = false;
      socket.ping();
    },
    /** The caller as the token now has it; null as before. */
    refresh(who: Caller): void {
      caller = who;
    },
    expired: (now: number): boolean =>
      caller !== null && caller.expiresAt !== null && caller.expiresAt <= now,
    refuse,
    end,
    /** After the socket has gone. */
    gone(): void {
      closed = true;
      clearTimeout(authTimer);
      clearTimeout(cutTimer);
      for (const stop of unfollow) stop();
      unfollow.clear();
    },
  };
};

export type Connection = ReturnType<typeof createConnection>;
