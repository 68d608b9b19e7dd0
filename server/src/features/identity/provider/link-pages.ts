import type { FastifyInstance, FastifyReply } from 'fastify';
import { AppError } from '../../../kernel/errors.ts';
import { type Accounts, MIN_PASSWORD_LENGTH } from '../accounts/service.ts';
import { originOf } from '../origin.ts';
import { parseForm } from './form.ts';
import { contentSecurityPolicy, messagePage, passwordPage, passwordSetPage } from './pages.ts';

/** Where links of invitations and password resets lead. The link's secret is the proof; there is no session to ride on. */

export interface LinkPagesOptions {
  accounts: Accounts;
}

const PATH = '/oauth/v2/links/:secret';

export const mountLinkPages = (scope: FastifyInstance, options: LinkPagesOptions): void => {
  const { accounts } = options;

  const send = (reply: FastifyReply, status: number, html: string): FastifyReply =>
    reply
      .code(status)
      .header('content-security-policy', contentSecurityPolicy([]))
      .header('referrer-policy', 'no-referrer')
      .type('text/html; charset=utf-8')
      .send(html);

  const show = async (reply: FastifyReply, secret: string, status: number, fault: string | null) => {
    try {
      const { user, purpose, expiresAt } = await accounts.readLink(secret);
      const title = purpose === 'invitation' ? 'Welcome to Pentarch' : 'Choose a new password';
      const action = PATH.replace(':secret', encodeURIComponent(secret));
      return send(
        reply,
        status,
        passwordPage({ action, title, email: user.email, minLength: MIN_PASSWORD_LENGTH, expiresAt, fault }),
      );
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const title = error.code === 'FORBIDDEN' ? 'Not now' : 'This link is void';
      return send(reply, error.status, messagePage(title, error.message));
    }
  };

  // Looking does not use the link up: mail scanners look at every link.
  scope.get<{ Params: { secret: string } }>(PATH, (request, reply) =>
    show(reply, request.params.secret, 200, null),
  );

  scope.post<{ Params: { secret: string } }>(PATH, async (request, reply) => {
    const password = parseForm(request.body).get('password') ?? '';
    try {
      await accounts.useLink(request.params.secret, password.slice(0, 1024), originOf(request, request.id));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return show(
        reply,
        request.params.secret,
        error.status,
        `The password must have at least ${MIN_PASSWORD_LENGTH} characters.`,
      );
    }
    return send(reply, 200, passwordSetPage());
  });
};
