import type { FastifyInstance } from 'fastify';
import { OIDC_PATHS } from '../../../kernel/oidc.ts';
import type { Accounts } from '../accounts/service.ts';
import { parseForm } from './form.ts';
import { sendPage } from './page.ts';
import { forgottenPage, forgottenSentPage } from './pages.ts';

const PATH = OIDC_PATHS.forgottenPassword;

/** Where people who cannot sign in ask for a link to a new password; only where mail can be sent. */
export const mountForgottenPage = (
  scope: FastifyInstance,
  { accounts }: { accounts: Pick<Accounts, 'forgotPassword'> },
): void => {
  scope.get(PATH, (_request, reply) => sendPage(reply, 200, forgottenPage({ action: PATH, fault: null })));

  scope.post(PATH, (request, reply) => {
    const email = (parseForm(request.body).get('email') ?? '').trim();
    if (email === '' || email.length > 320)
      return sendPage(reply, 400, forgottenPage({ action: PATH, fault: 'Give your e-mail address.' }));
    // Not waited for: neither the page nor its time tells whether there is such an account.
    accounts
      .forgotPassword(email)
      .catch((error: unknown) => request.log.error({ err: error }, 'a reset link could not be made'));
    return sendPage(reply, 200, forgottenSentPage());
  });
};
