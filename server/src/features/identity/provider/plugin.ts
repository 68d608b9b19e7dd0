import type { FastifyInstance, FastifyRequest, HTTPMethods } from 'fastify';
import { bearerToken } from '../../../http/context.ts';
import type { Caller } from '../../../kernel/caller.ts';
import { OIDC_PATHS } from '../../../kernel/oidc.ts';
import { createDelegate } from './delegate.ts';
import { mountForgottenPage } from './forgotten-page.ts';
import { mountGuards } from './guards.ts';
import { mountInteraction } from './interaction.ts';
import { mountLinkPages } from './link-pages.ts';
import { mountMachineKeys } from './machine-key-routes.ts';
import { OAuthError } from './oauth-error.ts';
import { only } from './other-methods.ts';
import type { ProviderPluginOptions } from './plugin-options.ts';
import { mountTokenEndpoint } from './token-endpoint.ts';
import { mountTokenState } from './token-state-routes.ts';

/** The identity provider's own surface: `/oauth/v2`, `/oidc/v1`, `/management/v1` and the discovery documents. */

const bearer = (request: FastifyRequest): string => {
  const token = bearerToken(request);
  if (token === null) {
    throw new OAuthError('invalid_token', 'this needs a token: send Authorization: Bearer <token>', {
      'www-authenticate': 'Bearer',
    });
  }
  return token;
};

/** What a token says of its owner (OpenID Connect Core, 5.3). */
const claimsOf = (caller: Caller) => ({
  sub: caller.userId,
  email: caller.email,
  preferred_username: caller.email,
  name: caller.name,
  roles: caller.roles,
  groups: caller.roles,
  org_id: caller.tenantId,
  permissions: [...caller.permissions].sort(),
});

export const providerPlugin =
  (options: ProviderPluginOptions) =>
  (scope: FastifyInstance): void => {
    const delegate = createDelegate(options);
    mountGuards(scope, options);

    const native = (path: string, methods: HTTPMethods[]): void => {
      scope.route({
        method: methods,
        url: path,
        handler: (request, reply) => delegate(request, reply),
      });
      only(scope, path, methods);
    };

    native(OIDC_PATHS.authorization, ['GET']);
    native(`${OIDC_PATHS.authorization}/:uid`, ['GET']);
    native(OIDC_PATHS.device, ['GET', 'POST']);
    native(`${OIDC_PATHS.device}/:uid`, ['GET']);
    native(OIDC_PATHS.deviceAuthorization, ['POST', 'OPTIONS']);
    native(OIDC_PATHS.pushedAuthorization, ['POST', 'OPTIONS']);
    native(OIDC_PATHS.jwks, ['GET', 'OPTIONS']);
    native('/.well-known/openid-configuration', ['GET', 'OPTIONS']);
    native('/.well-known/oauth-authorization-server', ['GET', 'OPTIONS']);
    native(OIDC_PATHS.endSession, ['GET']);
    native(`${OIDC_PATHS.endSession}/confirm`, ['POST']);
    native(`${OIDC_PATHS.endSession}/success`, ['GET']);

    mountTokenEndpoint(scope, options, delegate);
    mountTokenState(scope, options);

    const userinfo = async (request: FastifyRequest) => claimsOf(await options.authenticate(bearer(request)));
    scope.route({ method: ['GET', 'POST'], url: OIDC_PATHS.userinfo, handler: userinfo });
    only(scope, OIDC_PATHS.userinfo, ['GET', 'POST']);

    // In a scope of its own, which answers faults with pages.
    scope.register(async (pages) =>
      mountInteraction(pages, { ...options.interaction, engine: options.engine }),
    );
    mountLinkPages(scope, {
      ...options.linkPages,
      engine: options.engine,
      csrf: options.interaction.csrf,
      issuer: options.issuer,
    });
    if (options.interaction.mailsLinks) mountForgottenPage(scope, options.linkPages);
    mountMachineKeys(scope, options.machineKeys, async (request) => options.authenticate(bearer(request)));
  };
