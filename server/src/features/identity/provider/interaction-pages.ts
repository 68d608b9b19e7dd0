import type { FastifyReply } from 'fastify';
import { isLoopbackAddress, knownScopes, OIDC_PATHS, type OidcInteraction } from '../../../kernel/oidc.ts';
import type { InteractionOptions } from './interaction-access.ts';
import { consentPage, contentSecurityPolicy, policySource, signInPage } from './pages.ts';

/** Where the browser goes at the end; nowhere when another device waits for the answer. */
const targetsOf = ({ redirectUri }: OidcInteraction): string[] =>
  redirectUri === null ? [] : [policySource(redirectUri)];

/** The pages of an interaction. */
export const createInteractionPages = (csrf: Pick<InteractionOptions['csrf'], 'tokenOf'>) => {
  const base = OIDC_PATHS.interaction;

  const send = (
    reply: FastifyReply,
    interaction: OidcInteraction,
    status: number,
    html: string,
  ): FastifyReply =>
    reply
      .code(status)
      .header('content-security-policy', contentSecurityPolicy(targetsOf(interaction)))
      .header('referrer-policy', 'no-referrer')
      .type('text/html; charset=utf-8')
      .send(html);

  const showSignIn = (
    reply: FastifyReply,
    interaction: OidcInteraction,
    status: number,
    view: { email: string; fault: string | null },
  ): FastifyReply =>
    send(
      reply,
      interaction,
      status,
      signInPage({
        action: `${base}/${interaction.uid}`,
        csrf: csrf.tokenOf(interaction.uid),
        client: interaction.client.name,
        ...view,
      }),
    );

  const showConsent = (reply: FastifyReply, interaction: OidcInteraction): FastifyReply =>
    send(
      reply,
      interaction,
      200,
      consentPage({
        action: `${base}/${interaction.uid}`,
        csrf: csrf.tokenOf(interaction.uid),
        client: interaction.client.name,
        scopes: knownScopes(interaction.scope),
        target: targetsOf(interaction)[0] ?? null,
        local: interaction.redirectUri !== null && isLoopbackAddress(interaction.redirectUri),
      }),
    );

  return { showSignIn, showConsent };
};

export type InteractionPages = ReturnType<typeof createInteractionPages>;
