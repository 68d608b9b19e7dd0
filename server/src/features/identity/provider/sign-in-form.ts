import type { FastifyInstance } from 'fastify';
import { AppError } from '../../../kernel/errors.ts';
import { OIDC_PATHS } from '../../../kernel/oidc.ts';
import { originOf } from '../origin.ts';
import {
  type InteractionAccess,
  type InteractionOptions,
  OTHER_ORGANISATION,
  type WithUid,
} from './interaction-access.ts';
import type { InteractionPages } from './interaction-pages.ts';
import { OAuthError } from './oauth-error.ts';

/** What the form of the sign-in page sends. */
export const mountSignIn = (
  scope: FastifyInstance,
  { engine, checkPassword }: Pick<InteractionOptions, 'engine' | 'checkPassword'>,
  { submitted, mayUse }: InteractionAccess,
  { showSignIn }: InteractionPages,
): void => {
  scope.post<WithUid>(`${OIDC_PATHS.interaction}/:uid/login`, async (request, reply) => {
    const { form, interaction } = await submitted(request, reply);
    const email = form.get('email') ?? '';
    const again = (status: number, fault: string) => showSignIn(reply, interaction, status, { email, fault });
    if (interaction.prompt !== 'login')
      throw new OAuthError('invalid_request', 'nothing is to be signed in here');
    const password = form.get('password') ?? '';
    if (email === '' || email.length > 320 || password === '' || password.length > 1024) {
      return again(400, 'Give your e-mail and your password.');
    }
    try {
      const principal = await checkPassword(email, password, originOf(request, request.id));
      if (principal === null) return again(401, 'The e-mail or the password is wrong.');
      if (!(await mayUse(interaction, principal))) return again(403, OTHER_ORGANISATION);
      return reply.redirect(await engine.finishLogin(request.raw, reply.raw, principal.userId), 303);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (error.code === 'RATE_LIMITED') {
        reply.header('retry-after', String(error.retryAfterS ?? 60));
        return again(429, 'Too many failed sign-ins. Try again later.');
      }
      return again(error.status, 'This account cannot sign in now. Ask your administrator.');
    }
  });
};
