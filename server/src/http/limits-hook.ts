import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../kernel/caller.ts';
import type { Clock } from '../kernel/clock.ts';
import { AppError } from '../kernel/errors.ts';
import { decideRate, type RateTable } from './rate-limit.rules.ts';
import type { RateLog } from './rate-limit.ts';

export interface RateTables {
  reference: RateTable;
  overview: RateTable;
}

export interface LimitOptions {
  log: RateLog;
  tables: RateTables;
  enforce: boolean;
  clock: Clock;
}

/**
 * Counts the request for its caller (or address) and sets the rate headers. With `counts` false the headers show the
 * state and nothing is added. Returns the refusal, or null: a refusal with precedence (401, 404) is sent all the same.
 */
export const applyRateLimit = (
  request: FastifyRequest,
  reply: FastifyReply,
  options: LimitOptions,
  counts: boolean,
): AppError | null => {
  const { caller, table } = request.context;
  const now = options.clock.now();
  const key = caller ? `u:${caller.userId}` : `a:${request.ip}`;
  const numbers = options.tables[table ?? 'reference'][caller?.tier ?? 'free'];
  const entry = options.log.at(key, now);
  const decision = decideRate(entry.window, numbers, now, { counts, enforce: options.enforce });
  if (counts && decision.allowed) entry.add();
  reply.header('x-ratelimit-limit', decision.limit);
  reply.header('x-ratelimit-remaining', decision.remaining);
  reply.header('x-ratelimit-reset', decision.reset);
  if (decision.allowed) return null;
  return new AppError('RATE_LIMITED', `too many requests; try again in ${decision.retryAfterS} s`, {
    details: { limit: decision.limit, reset: decision.reset },
    retryAfterS: decision.retryAfterS,
  });
};

/** The same count for work that comes by no request of its own (messages of a WebSocket). */
export const countForCaller = (caller: Caller, options: LimitOptions): AppError | null => {
  const now = options.clock.now();
  const entry = options.log.at(`u:${caller.userId}`, now);
  const numbers = options.tables.overview[caller.tier];
  const decision = decideRate(entry.window, numbers, now, { counts: true, enforce: options.enforce });
  if (decision.allowed) {
    entry.add();
    return null;
  }
  return new AppError('RATE_LIMITED', `too many requests; try again in ${decision.retryAfterS} s`, {
    details: { limit: decision.limit, reset: decision.reset },
    retryAfterS: decision.retryAfterS,
  });
};
