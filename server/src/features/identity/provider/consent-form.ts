import type { FastifyInstance } from 'fastify';
import { OIDC_PATHS } from '../../../kernel/oidc.ts';
import { originOf } from '../origin.ts';
import {
  type InteractionAccess,
  type InteractionOptions,
  OTHER_ORGANISATION,
  type WithUid,
} from './interaction-access.ts';
import { OAuthError } from './oauth-error.ts';

/** What the form of the consent page sends. */
export const mountConsent = (
  scope: FastifyInstance,
  { engine, families, findPrincipal }: Pick<InteractionOptions, 'engine' | 'families' | 'findPrincipal'>,
  { submitted, mayUse }: InteractionAccess,
): void => {
  scope.post<WithUid>(`${OIDC_PATHS.interaction}/:uid/consent`, async (request, reply) => {
    const { interaction } = await submitted(request, reply);
    const { accountId } = interaction;
    const principal = accountId === null ? undefined : await findPrincipal(accountId);
    if (interaction.prompt !== 'consent' || principal === undefined) {
      throw new OAuthError('invalid_request', 'nothing is to be allowed here');
    }
    if (!(await mayUse(interaction, principal))) throw new OAuthError('access_denied', OTHER_ORGANISATION);
    const grantId = await families.grant(
      principal,
      interaction.client.id,
      interaction.scope,
      originOf(request, request.id),
    );
    return reply.redirect(await engine.finishConsent(request.raw, reply.raw, grantId), 303);
  });

  scope.post<WithUid>(`${OIDC_PATHS.interaction}/:uid/abort`, async (request, reply) => {
    await submitted(request, reply);
    return reply.redirect(await engine.abort(request.raw, reply.raw), 303);
  });
};
