import type { FastifyRequest } from 'fastify';

/** `Location` of a resource under the prefix by which the client came. */
export const locationOf = (request: FastifyRequest, path: string): string => {
  const match = /^\/(?:api\/v[12]|v2)(?=\/|$)/.exec(request.originalUrl);
  return `${match?.[0] ?? '/api/v1'}${path}`;
};
