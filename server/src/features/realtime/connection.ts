import type { Caller } from '../../kernel/caller.ts';
import { iso, isoOrNull } from '../../kernel/clock.ts';
import { AppError } from '../../kernel/errors.ts';
import type { PlatformEvent } from '../../kernel/events.ts';
import { newId } from '../../kernel/ids.ts';
import { createChatMessages } from './chat-message.ts';
import type { EventLog } from './event-log.ts';
import { createMessageRate, MAX_MESSAGES_PER_S } from './message-rate.ts';
import { type ClientMessage, errorMessage, eventMessage, message, parseClientMessage } from './messages.ts';
import type { ChatSend } from './ports.ts';
import { createReplay } from './replay.ts';
import { CLOSE } from './rules.ts';
import { createSocketWriter, type Socket } from './socket-writer.ts';
import { createSubscription } from './subscription.ts';

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
const AUTH_LIMIT_MS = 10_000;

/** The connection ends with the code of the refusal. */
const closeCodeOf = (error: AppError): number => {
  if (error.code === 'FORBIDDEN') return CLOSE.forbidden;
  return error.code === 'RATE_LIMITED' ? CLOSE.policy : CLOSE.unauthorized;
};

/**
 * One client. Its states:
 *
 *   anonymous → open → closed      (auth within 10 s, or 4401)
 *   open: live, or catching up from a position of the log (after a reconnect, and while a chat.send starts)
 */
export const createConnection = (options: ConnectionOptions) => {
  const { log } = options;
  let caller: Caller | null = null;
  let authenticating: Promise<void> | null = null;
  let alive = true;
  const tooMany = createMessageRate(options.now);
  const subscription = createSubscription();
  const writer = createSocketWriter(options.socket, () => {
    clearTimeout(authTimer);
    chat.unfollow();
  });
  const replay = createReplay({
    log,
    writer,
    now: options.now,
    deliver(event) {
      const form = subscription.formFor(caller, event);
      if (form !== null) writer.send(eventMessage(form.type, event));
    },
  });
  const chat = createChatMessages({
    writer,
    replay,
    subscription,
    chat: options.chat,
    admit: options.admit,
  });
  const authTimer = setTimeout(
    () => writer.end(CLOSE.unauthorized, 'no auth message within 10 s'),
    AUTH_LIMIT_MS,
  );
  authTimer.unref();

  const refuse = (error: AppError): void =>
    writer.end(closeCodeOf(error), error.code === 'FORBIDDEN' ? 'forbidden' : error.message);

  const ready = (who: Caller, lastEventId: string | null): void => {
    const from = lastEventId === null ? null : log.after(lastEventId);
    writer.send(
      message('ready', {
        user_id: who.userId,
        tenant_id: who.tenantId,
        topics: subscription.topics,
        expires_at: isoOrNull(who.expiresAt),
        server_time: iso(options.now()),
        last_event_id: log.at(log.end() - 1)?.id ?? null,
        ...(from === null ? {} : { replay: { complete: from.complete } }),
      }),
    );
    if (from !== null) replay.from(from.position);
    replay.feed();
  };

  const accept = (who: Caller, token: string, lastEventId: string | null): void => {
    if (caller !== null && (caller.userId !== who.userId || caller.tenantId !== who.tenantId)) {
      return writer.end(CLOSE.forbidden, 'the new token belongs to another account');
    }
    options.onCaller(who, token);
    caller = who;
    clearTimeout(authTimer);
    ready(who, lastEventId);
  };

  const authenticate = async (token: string, lastEventId: string | null): Promise<void> => {
    try {
      const who = await options.authenticate(token);
      if (!writer.closed) accept(who, token, lastEventId);
    } catch (error) {
      if (error instanceof AppError) {
        options.refused?.(caller, error);
        return refuse(error);
      }
      options.onError(error, 'a socket could not be authenticated');
      writer.end(1011, 'internal error');
    }
  };

  const sendError = (error: AppError, id: string | null): void =>
    writer.send(errorMessage(error, newId(), id));

  const asAppError = (error: unknown): AppError => {
    if (error instanceof AppError) return error;
    options.onError(error, 'a message of a socket failed');
    return new AppError('INTERNAL_ERROR', 'something went wrong inside', { cause: error });
  };

  const act = async (who: Caller, parsed: Exclude<ClientMessage, { type: 'auth' }>): Promise<void> => {
    switch (parsed.type) {
      case 'ping':
        return writer.send(message('pong', parsed.payload));
      case 'subscribe':
        if (parsed.topics !== null) subscription.replace(parsed.topics);
        return ready(who, parsed.lastEventId);
      case 'unsubscribe':
        subscription.remove(parsed.topics);
        return ready(who, null);
      case 'chat.send':
        return await chat.start(who, parsed.id, parsed.request);
    }
  };

  const handle = async (bytes: Uint8Array): Promise<void> => {
    let id: string | null = null;
    try {
      const parsed = parseClientMessage(bytes);
      if (parsed.type === 'auth') return await authenticate(parsed.token, parsed.lastEventId);
      if (caller === null) return writer.end(CLOSE.unauthorized, 'the first message must be auth');
      if (parsed.type === 'chat.send') id = parsed.id;
      await act(caller, parsed);
    } catch (error) {
      if (caller === null) return writer.end(CLOSE.unauthorized, 'the first message must be auth');
      const fault = asAppError(error);
      if (REFUSALS.has(fault.code)) options.refused?.(caller, fault);
      sendError(fault, id);
    }
  };

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
      if (writer.closed) return;
      alive = true;
      if (isBinary) return writer.end(CLOSE.unsupportedData, 'send JSON as text');
      if (tooMany()) {
        const reason = `at most ${MAX_MESSAGES_PER_S} messages a second`;
        return sendError(new AppError('RATE_LIMITED', reason, { retryAfterS: 1 }), null);
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
      if (writer.closed || !replay.live || subscription.formFor(caller, event) === null) return;
      writer.send(text());
    },
    pong(): void {
      alive = true;
    },
    /** Once a heartbeat: cuts a peer that has said nothing since the last one. */
    heartbeat(): void {
      if (writer.closed) return;
      if (!alive) return writer.cut();
      alive = false;
      writer.ping();
    },
    /** The caller as the token now has it; null as before. */
    refresh(who: Caller): void {
      caller = who;
    },
    expired: (now: number): boolean =>
      caller !== null && caller.expiresAt !== null && caller.expiresAt <= now,
    refuse,
    end: writer.end,
    gone: writer.gone,
  };
};

export type Connection = ReturnType<typeof createConnection>;
