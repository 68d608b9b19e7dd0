import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';

/** Requests whose answer has not gone out whole, so that a process that stops can let them end. Sockets do not count. */
export interface OpenRequests {
  /** The first hook of every request. */
  onRequest(request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void;
  /** Resolves when no more than `others()` are open (streams, that end by themselves or not), or after `limitMs`. */
  ended(limitMs: number, others: () => number): Promise<void>;
}

const LOOK_MS = 20;

export const createOpenRequests = (): OpenRequests => {
  let open = 0;
  return {
    onRequest(request, reply, done) {
      if (request.headers.upgrade === undefined) {
        open += 1;
        reply.raw.once('close', () => {
          open -= 1;
        });
      }
      done();
    },
    async ended(limitMs, others) {
      const until = performance.now() + limitMs;
      while (open > others() && performance.now() < until) await delay(LOOK_MS);
    },
  };
};
