import type { FastifyInstance } from 'fastify';
import { OIDC_PATHS } from '../../../kernel/oidc.ts';
import { originOf } from '../origin.ts';
import { authenticateClient, parseForm } from './form.ts';
import { OAuthError } from './oauth-error.ts';
import { only } from './other-methods.ts';
import type { ProviderPluginOptions } from './plugin-options.ts';

/** What clients ask and say of tokens that they have (RFC 7662, RFC 7009). */
export const mountTokenState = (
  scope: FastifyInstance,
  { clients, tokenState }: Pick<ProviderPluginOptions, 'clients' | 'tokenState'>,
): void => {
  const tokenField = (form: Map<string, string>): string => {
    const token = form.get('token');
    if (token === undefined || token === '') throw new OAuthError('invalid_request', 'token is missing');
    return token;
  };

  scope.post(OIDC_PATHS.introspection, async (request) => {
    const form = parseForm(request.body);
    const client = await authenticateClient(clients, request.headers.authorization, form);
    return tokenState.introspect(client, tokenField(form));
  });
  only(scope, OIDC_PATHS.introspection, ['POST']);

  scope.post(OIDC_PATHS.revocation, async (request, reply) => {
    const form = parseForm(request.body);
    const client = await authenticateClient(clients, request.headers.authorization, form);
    await tokenState.revoke(client, tokenField(form), originOf(request, request.id));
    return reply.code(200).send();
  });
  only(scope, OIDC_PATHS.revocation, ['POST']);
};
