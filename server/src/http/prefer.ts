import type { FastifyRequest } from 'fastify';

/** False for a caller who wants no place behind the message that the conversation is busy with (`Prefer: no-wait`, RFC 7240). */
export const prefersWaiting = (request: FastifyRequest): boolean =>
  !/\bno-wait\b/.test(String(request.headers.prefer ?? ''));
