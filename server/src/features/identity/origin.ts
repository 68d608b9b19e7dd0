import type { FastifyRequest } from 'fastify';
import type { Origin } from './sessions/types.ts';

const MAX_USER_AGENT = 256;

export const originOf = (request: FastifyRequest, requestId: string): Origin => ({
  address: request.ip,
  userAgent: request.headers['user-agent']?.slice(0, MAX_USER_AGENT) ?? null,
  requestId,
});
