import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../kernel/caller.ts';
import type { Clock } from '../kernel/clock.ts';
import { AppError } from '../kernel/errors.ts';
import type { RateDecision, RateTable } from './rate-limit.rules.ts';
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

const refusal = (decision: RateDecision): AppError | null =>
  decision.allowed
    ? null
    : new AppError('RATE_LIMITED', `too many requests; try again in ${decision.retryAfterS} s`, {
        details: { limit: decision.limit, reset: decision.reset },
        retryAfterS: decision.retryAfterS,
      });

/**
 * Counts the request for its caller (or address) and sets the rate headers. With `counts` false the headers show the
 * state and nothing is added. Returns the refusal, or null (as a promise where nodes share the log): a refusal with
 * precedence (401, 404) is sent all the same.
 */
export const applyRateLimit = (
  request: FastifyRequest,
  reply: FastifyReply,
  options: LimitOptions,
  counts: boolean,
): AppError | null | Promise<AppError | null> => {
  const { caller, table } = request.context;
  const key = caller ? `u:${caller.userId}` : `a:${request.ip}`;
  const numbers = options.tables[table ?? 'reference'][caller?.tier ?? 'free'];
  const told = (decision: RateDecision): AppError | null => {
    reply.header('x-ratelimit-limit', decision.limit);
    reply.header('x-ratelimit-remaining', decision.remaining);
    reply.header('x-ratelimit-reset', decision.reset);
    return refusal(decision);
  };
  const decision = options.log.decide(key, options.clock.now(), numbers, {
    counts,
    enforce: options.enforce,
  });
  if (!(decision instanceof Promise)) return told(decision);
  // What is not counted (health, pages) answers without the headers when the nodes' log is away.
  return decision.then(told, (error: unknown) => (counts ? asUnavailable(error) : null));
};

const asUnavailable = (error: unknown): AppError => {
  if (error instanceof AppError) return error;
  throw error;
};

/** The same count for work that comes by no request of its own (messages of a WebSocket). */
export const countForCaller = (
  caller: Caller,
  options: LimitOptions,
): AppError | null | Promise<AppError | null> => {
  const numbers = options.tables.overview[caller.tier];
  const decision = options.log.decide(`u:${caller.userId}`, options.clock.now(), numbers, {
    counts: true,
    enforce: options.enforce,
  });
  return decision instanceof Promise ? decision.then(refusal, asUnavailable) : refusal(decision);
};
