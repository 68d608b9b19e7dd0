import type { FastifyInstance } from 'fastify';
import { OIDC_PATHS } from '../../../kernel/oidc.ts';
import { mountConsent } from './consent-form.ts';
import { createInteractionAccess, type InteractionOptions, type WithUid } from './interaction-access.ts';
import { createInteractionPages } from './interaction-pages.ts';
import { OAuthError } from './oauth-error.ts';
import { sendPage } from './page.ts';
import { startAgainPage } from './pages.ts';
import { mountSignIn } from './sign-in-form.ts';

/** Sign-in and consent. The interaction is bound to the browser by its cookie, each form to it by a token. */

export const mountInteraction = (scope: FastifyInstance, options: InteractionOptions): void => {
  const { engine } = options;
  const base = OIDC_PATHS.interaction;
  const access = createInteractionAccess(options);
  const pages = createInteractionPages(options);

  /** Whoever is here looks at a page: faults are pages too, whatever the request's `Accept`. */
  scope.setErrorHandler<Error, WithUid>(async (error, request, reply) => {
    if (!(error instanceof OAuthError) || error.status >= 429) throw error;
    // The interaction's own page while it lasts (a form that is out of date), else the service's.
    const live = await engine.interaction(request.raw, reply.raw).catch(() => null);
    const href = live !== null && live.uid === request.params.uid ? `${base}/${live.uid}` : '/';
    reply.headers(error.headers).header('cache-control', 'no-store');
    return sendPage(reply, error.status, startAgainPage({ description: error.message, href }));
  });

  scope.get<WithUid>(`${base}/:uid`, async (request, reply) => {
    const interaction = await access.load(request, reply);
    if (interaction.prompt !== 'login') return pages.showConsent(reply, interaction);
    return pages.showSignIn(reply, interaction, 200, { email: interaction.loginHint, fault: null });
  });

  mountSignIn(scope, options, access, pages);
  mountConsent(scope, options, access);
};
