import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../../kernel/errors.ts';
import type { OidcEngine } from '../../../kernel/oidc.ts';
import { type Accounts, MIN_PASSWORD_LENGTH, PASSWORD_FIELD } from '../accounts/service.ts';
import { originOf } from '../origin.ts';
import { parseForm } from './form.ts';
import { sendPage } from './page.ts';
import { messagePage, passwordPage, passwordSetPage } from './pages.ts';

/** Where links of invitations and password resets lead. The link's secret is the proof of who may choose the password. */

export interface LinkPagesOptions {
  accounts: Accounts;
  engine: Pick<OidcEngine<IncomingMessage, ServerResponse>, 'signIn'>;
  csrf: { tokenOf(subject: string): string };
  /** The service's own address. */
  issuer(): string;
}

const PATH = '/oauth/v2/links/:secret';

const COOKIE = 'pentarch_link';

export const mountLinkPages = (scope: FastifyInstance, options: LinkPagesOptions): void => {
  const { accounts, engine, csrf, issuer } = options;

  /** What a browser has that was shown the page of this link. */
  const markOf = (secret: string): string => `${COOKIE}=${csrf.tokenOf(`link ${secret}`)}`;

  /** Not sent with a form of another site: that would sign its visitors in as whoever has made the link. */
  const markShown = (reply: FastifyReply, secret: string): void => {
    const secure = issuer().startsWith('https:') ? '; Secure' : '';
    reply.header(
      'set-cookie',
      `${markOf(secret)}; Path=/oauth/v2/links; Max-Age=3600; HttpOnly; SameSite=Strict${secure}`,
    );
  };

  const wasShown = (request: FastifyRequest, secret: string): boolean =>
    (request.headers.cookie ?? '').split(/; */).includes(markOf(secret));

  const show = async (reply: FastifyReply, secret: string, status: number, fault: string | null) => {
    try {
      const { user, purpose, expiresAt } = await accounts.readLink(secret);
      const title = purpose === 'invitation' ? 'Welcome to Pentarch' : 'Choose a new password';
      const action = PATH.replace(':secret', encodeURIComponent(secret));
      markShown(reply, secret);
      return sendPage(
        reply,
        status,
        passwordPage({ action, title, email: user.email, minLength: MIN_PASSWORD_LENGTH, expiresAt, fault }),
      );
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const title = error.code === 'FORBIDDEN' ? 'Not now' : 'This link is void';
      return sendPage(reply, error.status, messagePage(title, error.message));
    }
  };

  // Looking does not use the link up: mail scanners look at every link.
  scope.get<{ Params: { secret: string } }>(PATH, (request, reply) =>
    show(reply, request.params.secret, 200, null),
  );

  scope.post<{ Params: { secret: string } }>(PATH, async (request, reply) => {
    const password = parseForm(request.body).get('password') ?? '';
    let userId: string;
    try {
      userId = await accounts.useLink(request.params.secret, password, originOf(request, request.id));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return show(
        reply,
        request.params.secret,
        error.status,
        `${error.message.replace(PASSWORD_FIELD, 'The password')}.`,
      );
    }
    // Whoever has the link and the new password needs no page to type them again.
    if (wasShown(request, request.params.secret) && (await engine.signIn(request.raw, reply.raw, userId)))
      return reply.redirect('/', 303);
    return sendPage(reply, 200, passwordSetPage());
  });
};
