import type { FastifyReply, FastifyRequest } from 'fastify';
import { addressGroup } from '../kernel/address.ts';
import type { Caller } from '../kernel/caller.ts';
import { AppError, forbidden, unauthorized } from '../kernel/errors.ts';
import { createOpenCount } from '../kernel/open-count.ts';
import { type CallerFor, credentialOf } from '../kernel/stored-credential.ts';
import { bearerToken } from './context.ts';
import type { Access, Authenticate } from './route.ts';

/**
 * Open event streams, and whether their readers may still read them: a change of roles, a deactivation, a sign-out and a
 * suspended tenant end a stream within 5 s (docs/security.md). Sockets are looked at in the same way by their own hub.
 *
 * A token that only runs out does not end what began in time, as long as its owner could begin it anew.
 */
export interface StreamWatch {
  /**
   * Counts the stream that the request asks for until its answer has ended: before anything is begun for it. Throws
   * RATE_LIMITED when its account or address has as many as it may.
   */
  admit(request: FastifyRequest, reply: FastifyReply, caller?: Caller | null): void;
  /** Calls `lost` once, when the request's caller has lost what its route asks for. Returns the end of the watch. */
  add(request: FastifyRequest, lost: (fault: AppError) => void): () => void;
  /** How many are open. */
  open(): number;
  close(): void;
}

/** Open connections of an account, and of an address over all accounts; null for no limit. */
export interface OpenLimits {
  perCaller: number | null;
  perAddress: number | null;
}

export interface StreamWatchOptions {
  limits?: OpenLimits;
  authenticate: Authenticate;
  callerFor: CallerFor;
  onError(error: unknown, message: string): void;
  /** Default 2,000: with what a shared store needs to show a change this stays below the promise. */
  everyMs?: number;
}

interface Watched {
  caller: Caller;
  access: Access | undefined;
  lost(fault: AppError): void;
}

const EVERY_MS = 2_000;

const isRefusal = (error: unknown): error is AppError =>
  error instanceof AppError && (error.code === 'UNAUTHORIZED' || error.code === 'FORBIDDEN');

export const createStreamWatch = (options: StreamWatchOptions): StreamWatch => {
  /** By token: many streams of one token are one look at it. */
  const streams = new Map<string, Set<Watched>>();

  const callerNow = async (token: string, before: Caller): Promise<Caller> => {
    try {
      return await options.authenticate(token);
    } catch (error) {
      if (!isRefusal(error) || error.details.reason !== 'TOKEN_EXPIRED') throw error;
      const account = await options.callerFor(before.tenantId, before.userId, credentialOf(before));
      if (account === null) throw unauthorized('TOKEN_REVOKED', 'the account is not active');
      return account;
    }
  };

  const look = async (token: string, watched: ReadonlySet<Watched>): Promise<void> => {
    const [first] = watched;
    if (first === undefined) return;
    try {
      const caller = await callerNow(token, first.caller);
      for (const { access, lost } of [...watched]) {
        if (access === undefined || access === 'public' || access === 'signed-in') continue;
        if (!caller.permissions.has(access)) lost(forbidden(access));
      }
    } catch (error) {
      if (isRefusal(error)) for (const { lost } of [...watched]) lost(error);
      // The store does not answer: nobody is thrown out for that.
      else options.onError(error, 'the token of a stream could not be checked');
    }
  };

  const timer = setInterval(() => {
    for (const [token, watched] of streams) void look(token, watched);
  }, options.everyMs ?? EVERY_MS);
  timer.unref();

  const ofCallers = createOpenCount(options.limits?.perCaller ?? null, 'event streams of one account');
  const ofAddresses = createOpenCount(options.limits?.perAddress ?? null, 'event streams of one address');

  return {
    admit(request, reply, caller = request.context.caller) {
      // Gone already: nobody would ever say that it has ended.
      if (reply.raw.closed || reply.raw.destroyed) return;
      const leaveAddress = ofAddresses.enter(addressGroup(request.ip));
      try {
        const leaveCaller = caller === null ? null : ofCallers.enter(caller.userId);
        reply.raw.once('close', () => {
          leaveAddress();
          leaveCaller?.();
        });
      } catch (error) {
        leaveAddress();
        throw error;
      }
    },
    add(request, lost) {
      const token = bearerToken(request);
      const { caller } = request.context;
      if (token === null || caller === null) return () => {};
      const watched = streams.get(token) ?? new Set<Watched>();
      streams.set(token, watched);
      const stop = (): void => {
        watched.delete(entry);
        if (watched.size === 0 && streams.get(token) === watched) streams.delete(token);
      };
      const entry: Watched = {
        caller,
        access: request.routeOptions.config.access,
        lost: (fault) => {
          if (!watched.has(entry)) return;
          stop();
          lost(fault);
        },
      };
      watched.add(entry);
      return stop;
    },
    open() {
      let open = 0;
      for (const watched of streams.values()) open += watched.size;
      return open;
    },
    close: () => clearInterval(timer),
  };
};
