import type { FastifyReply } from 'fastify';
import { isLoopbackAddress, knownScopes, OIDC_PATHS, type OidcInteraction } from '../../../kernel/oidc.ts';
import type { InteractionOptions } from './interaction-access.ts';
import { policySource, sendPage } from './page.ts';
import { consentPage, signInPage } from './pages.ts';

/** Where the browser goes at the end; nowhere when another device waits for the answer. */
const targetsOf = ({ redirectUri }: OidcInteraction): string[] =>
  redirectUri === null ? [] : [policySource(redirectUri)];

/** The pages of an interaction. */
export const createInteractionPages = ({
  csrf,
  mailsLinks,
}: Pick<InteractionOptions, 'csrf' | 'mailsLinks'>) => {
  const base = OIDC_PATHS.interaction;

  const showSignIn = (
    reply: FastifyReply,
    interaction: OidcInteraction,
    status: number,
    view: { email: string; fault: string | null },
  ): FastifyReply =>
    sendPage(
      reply,
      status,
      signInPage({
        action: `${base}/${interaction.uid}`,
        csrf: csrf.tokenOf(interaction.uid),
        client: interaction.client.name,
        forgotten: mailsLinks ? OIDC_PATHS.forgottenPassword : null,
        ...view,
      }),
      targetsOf(interaction),
    );

  const showConsent = (reply: FastifyReply, interaction: OidcInteraction): FastifyReply =>
    sendPage(
      reply,
      200,
      consentPage({
        action: `${base}/${interaction.uid}`,
        csrf: csrf.tokenOf(interaction.uid),
        client: interaction.client.name,
        scopes: knownScopes(interaction.scope),
        target: targetsOf(interaction)[0] ?? null,
        local: interaction.redirectUri !== null && isLoopbackAddress(interaction.redirectUri),
      }),
      targetsOf(interaction),
    );

  return { showSignIn, showConsent };
};

export type InteractionPages = ReturnType<typeof createInteractionPages>;
