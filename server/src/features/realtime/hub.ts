import { addressGroup } from '../../kernel/address.ts';
import type { Caller } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { AppError } from '../../kernel/errors.ts';
import type { PlatformEvent } from '../../kernel/events.ts';
import { createOpenCount } from '../../kernel/open-count.ts';
import type { EventBus } from './bus.ts';
import { type Connection, createConnection } from './connection.ts';
import { eventMessage } from './messages.ts';
import type { ChatSend } from './ports.ts';
import { CLOSE, socketFormOf } from './rules.ts';
import type { Socket } from './socket-writer.ts';

export interface HubOptions {
  bus: EventBus;
  clock: Clock;
  authenticate(token: string): Caller | Promise<Caller>;
  chat: ChatSend;
  admit(caller: Caller): AppError | null | Promise<AppError | null>;
  /** `address` is the peer's. */
  refused?(caller: Caller | null, address: string, error: AppError): void;
  onError(error: unknown, message: string): void;
  /** Open sockets of an account, and of an address over all accounts; default: no limit. */
  limits?: { perCaller: number | null; perAddress: number | null };
  /** Default 30,000: a dead peer is cut within two of these. */
  heartbeatMs?: number;
  /** How often tokens are looked at again; default 1,000. */
  checkMs?: number;
}

/** Connections by tenant (who gets an event) and by token (who must leave when it ends). */
export interface Admission {
  /** A token has said whose it is. */
  proved(): void;
  ended(): void;
}

export interface Hub {
  /**
   * Counts a socket of an address (and of its caller, where the handshake has proved one) before it is open. Throws
   * RATE_LIMITED when there are as many as there may be.
   */
  admit(address: string, caller: Caller | null): Admission;
  connect(socket: Socket, address: string, admission: Admission): Connection;
  disconnect(connection: Connection): void;
  /** Says good-bye to all (1001); nothing is accepted afterwards. */
  close(): void;
  readonly size: number;
}

/** Sockets of one address that have not said who they are; each has 10 s for it. */
const MAX_UNPROVED = 50;

interface Place {
  tenantId: string;
  /** Ends the count of the account. */
  release(): void;
  token: string;
}

const addTo = <K>(map: Map<K, Set<Connection>>, key: K, connection: Connection): void => {
  const set = map.get(key);
  if (set === undefined) map.set(key, new Set([connection]));
  else set.add(connection);
};

const removeFrom = <K>(map: Map<K, Set<Connection>>, key: K, connection: Connection): void => {
  const set = map.get(key);
  set?.delete(connection);
  if (set?.size === 0) map.delete(key);
};

export const createHub = (options: HubOptions): Hub => {
  const { bus, clock } = options;
  const heartbeatMs = options.heartbeatMs ?? 30_000;
  const all = new Set<Connection>();
  const ofCallers = createOpenCount(options.limits?.perCaller ?? null, 'WebSockets of one account');
  const ofAddresses = createOpenCount(options.limits?.perAddress ?? null, 'WebSockets of one address');
  const unproved = createOpenCount(
    options.limits?.perAddress == null ? null : Math.min(options.limits.perAddress, MAX_UNPROVED),
    'WebSockets of one address without a token',
  );
  const places = new Map<Connection, Place>();
  const byTenant = new Map<string, Set<Connection>>();
  const byToken = new Map<string, Set<Connection>>();
  let closing = false;

  const leave = (connection: Connection): void => {
    const place = places.get(connection);
    if (place === undefined) return;
    places.delete(connection);
    place.release();
    removeFrom(byTenant, place.tenantId, connection);
    removeFrom(byToken, place.token, connection);
  };

  const place = (connection: Connection, caller: Caller, token: string): void => {
    const before = places.get(connection);
    // Throws where the account has too many: the connection refuses the token then.
    const release = before === undefined ? ofCallers.enter(caller.userId) : before.release;
    if (before !== undefined) before.release = () => {};
    leave(connection);
    places.set(connection, { tenantId: caller.tenantId, token, release });
    addTo(byTenant, caller.tenantId, connection);
    addTo(byToken, token, connection);
  };

  const onEvent = (event: PlatformEvent): void => {
    const form = socketFormOf(event.type);
    const connections = form === null ? undefined : byTenant.get(event.tenantId);
    if (form === null || connections === undefined) return;
    let bytes: Buffer | null = null;
    const text = (): Buffer => {
      bytes ??= Buffer.from(eventMessage(form.type, event));
      return bytes;
    };
    for (const connection of connections) connection.deliver(event, text);
  };
  const unsubscribe = bus.onEvent(onEvent);

  /** Whoever lost the right to be here leaves: token ended, revoked, account deactivated, tenant suspended. */
  const check = async (token: string): Promise<void> => {
    try {
      const answer = options.authenticate(token);
      const caller = answer instanceof Promise ? await answer : answer;
      for (const connection of byToken.get(token) ?? []) connection.refresh(caller);
    } catch (error) {
      if (!(error instanceof AppError) || (error.code !== 'UNAUTHORIZED' && error.code !== 'FORBIDDEN')) {
        // The store does not answer: nobody is thrown out for that.
        options.onError(error, 'a token of a socket could not be checked');
        return;
      }
      for (const connection of [...(byToken.get(token) ?? [])]) connection.refuse(error);
    }
  };

  const sweep = (): void => {
    const now = clock.now();
    for (const connection of places.keys()) {
      if (connection.expired(now)) connection.end(CLOSE.unauthorized, 'the token has expired');
    }
    for (const token of byToken.keys()) void check(token);
  };
  const sweeper = setInterval(sweep, options.checkMs ?? 1_000);
  sweeper.unref();
  const heart = setInterval(() => {
    for (const connection of all) connection.heartbeat();
  }, heartbeatMs);
  heart.unref();

  return {
    admit(address, caller) {
      const group = addressGroup(address);
      const leaveAddress = ofAddresses.enter(group);
      try {
        // Looked at only: the connection itself counts for its account.
        if (caller !== null) ofCallers.enter(caller.userId)();
        const proved = caller === null ? unproved.enter(group) : () => {};
        const ended = (): void => {
          leaveAddress();
          proved();
        };
        return { proved, ended };
      } catch (error) {
        leaveAddress();
        throw error;
      }
    },
    connect(socket, address, admission) {
      const connection: Connection = createConnection({
        socket,
        log: bus.log,
        now: clock.now,
        authenticate: options.authenticate,
        onCaller: (caller, token) => {
          place(connection, caller, token);
          admission.proved();
        },
        chat: options.chat,
        admit: options.admit,
        refused: (caller, error) => options.refused?.(caller, address, error),
        onError: options.onError,
      });
      all.add(connection);
      if (closing) connection.end(CLOSE.goingAway, 'the server is shutting down');
      return connection;
    },
    disconnect(connection) {
      connection.gone();
      leave(connection);
      all.delete(connection);
    },
    close() {
      closing = true;
      clearInterval(sweeper);
      clearInterval(heart);
      unsubscribe();
      for (const connection of all) connection.end(CLOSE.goingAway, 'the server is shutting down');
    },
    get size() {
      return all.size;
    },
  };
};
