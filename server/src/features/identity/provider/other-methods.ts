import type { FastifyInstance, HTTPMethods } from 'fastify';
import { OAuthError } from './oauth-error.ts';

const METHODS: HTTPMethods[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Other methods of a known path: 405 with `Allow`. */
export const only = (scope: FastifyInstance, path: string, allowed: HTTPMethods[]): void => {
  const others = METHODS.filter((method) => !allowed.includes(method));
  scope.route({
    method: others,
    url: path,
    handler: () => {
      throw new OAuthError('method_not_allowed', `this path takes ${allowed.join(', ')}`, {
        allow: allowed.join(', '),
      });
    },
  });
};
