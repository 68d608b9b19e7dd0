import type { FastifyInstance } from 'fastify';
import { OIDC_PATHS } from '../../../kernel/oidc.ts';
import { originOf } from '../origin.ts';
import type { Delegate } from './delegate.ts';
import { parseForm } from './form.ts';
import { OAuthError } from './oauth-error.ts';
import { only } from './other-methods.ts';
import { assertClientAssertion, assertDeviceCode } from './parameters.ts';
import type { ProviderPluginOptions } from './plugin-options.ts';

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** Where clients get tokens (RFC 6749, 3.2). */
export const mountTokenEndpoint = (
  scope: FastifyInstance,
  { assertions }: Pick<ProviderPluginOptions, 'assertions'>,
  delegate: Delegate,
): void => {
  // The preflight of browser clients; their origins are those of their redirect addresses.
  scope.options(OIDC_PATHS.token, (request, reply) => delegate(request, reply));
  scope.post(OIDC_PATHS.token, async (request, reply) => {
    const grantTypes = new URLSearchParams(typeof request.body === 'string' ? request.body : '').getAll(
      'grant_type',
    );
    if (!grantTypes.includes(JWT_BEARER)) {
      assertClientAssertion(request.body);
      assertDeviceCode(request.body);
      return delegate(request, reply);
    }
    const form = parseForm(request.body);
    const assertion = form.get('assertion');
    if (assertion === undefined) throw new OAuthError('invalid_request', 'assertion is missing');
    const answer = await assertions.exchange(
      assertion,
      form.get('scope') ?? '',
      originOf(request, request.id),
    );
    return reply.header('cache-control', 'no-store').send(answer);
  });
  only(scope, OIDC_PATHS.token, ['POST', 'OPTIONS']);
};
