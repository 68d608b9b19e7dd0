import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../../kernel/errors.ts';
import {
  isLoopbackAddress,
  OIDC_PATHS,
  type OidcEngine,
  type OidcInteraction,
} from '../../../kernel/oidc.ts';
import { originOf } from '../origin.ts';
import type { Principal } from '../principal.ts';
import type { Families, Origin } from '../sessions/families.ts';
import { parseForm } from './form.ts';
import { OAuthError } from './oauth-error.ts';
import { consentPage, contentSecurityPolicy, policySource, signInPage, startAgainPage } from './pages.ts';

/** Sign-in and consent. The interaction is bound to the browser by its cookie, each form to it by a token. */

export interface InteractionOptions {
  engine: OidcEngine<IncomingMessage, ServerResponse>;
  csrf: { tokenOf(subject: string): string; check(subject: string, given: string | undefined): void };
  families: Families;
  /** Null for a wrong password. Throws RATE_LIMITED and FORBIDDEN. */
  checkPassword(email: string, password: string, origin: Origin): Promise<Principal | null>;
  findPrincipal(userId: string): Promise<Principal | undefined>;
  /** The tenant whose people may use the client; null for everybody. */
  tenantOfClient(clientId: string): Promise<string | null>;
}

const UID = '/:uid';
const OTHER_ORGANISATION = 'This application belongs to another organisation than your account.';

/** Where the browser goes at the end; nowhere when another device waits for the answer. */
const targetsOf = ({ redirectUri }: OidcInteraction): string[] =>
  redirectUri === null ? [] : [policySource(redirectUri)];

export const mountInteraction = (scope: FastifyInstance, options: InteractionOptions): void => {
  const { engine, csrf } = options;
  const base = OIDC_PATHS.interaction;

  /** The interaction of this path, of this browser. */
  const load = async (request: FastifyRequest<{ Params: { uid: string } }>, reply: FastifyReply) => {
    const interaction = await engine.interaction(request.raw, reply.raw);
    if (interaction === null || interaction.uid !== request.params.uid) {
      throw new OAuthError(
        'invalid_request',
        'this sign-in has expired; go back to the application and start again',
      );
    }
    return interaction;
  };

  /** A client that one tenant has registered cannot ask people of another for their rights. */
  const mayUse = async (interaction: OidcInteraction, principal: Principal): Promise<boolean> => {
    const tenantId = await options.tenantOfClient(interaction.client.id);
    return tenantId === null || tenantId === principal.tenantId;
  };

  /** Whoever is here looks at a page: faults are pages too, whatever the request's `Accept`. */
  scope.setErrorHandler<Error, { Params: { uid: string } }>(async (error, request, reply) => {
    if (!(error instanceof OAuthError) || error.status >= 429) throw error;
    // The interaction's own page while it lasts (a form that is out of date), else the service's.
    const live = await engine.interaction(request.raw, reply.raw).catch(() => null);
    const href = live !== null && live.uid === request.params.uid ? `${base}/${live.uid}` : '/';
    return reply
      .code(error.status)
      .headers(error.headers)
      .header('cache-control', 'no-store')
      .header('content-security-policy', contentSecurityPolicy([]))
      .header('referrer-policy', 'no-referrer')
      .type('text/html; charset=utf-8')
      .send(startAgainPage({ description: error.message, href }));
  });

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

  scope.get<{ Params: { uid: string } }>(`${base}${UID}`, async (request, reply) => {
    const interaction = await load(request, reply);
    if (interaction.prompt === 'login') {
      return showSignIn(reply, interaction, 200, { email: interaction.loginHint, fault: null });
    }
    return send(
      reply,
      interaction,
      200,
      consentPage({
        action: `${base}/${interaction.uid}`,
        csrf: csrf.tokenOf(interaction.uid),
        client: interaction.client.name,
        scopes: interaction.scope.split(' ').filter((part) => part !== ''),
        target: targetsOf(interaction)[0] ?? null,
        local: interaction.redirectUri !== null && isLoopbackAddress(interaction.redirectUri),
      }),
    );
  });

  /** Every form: its interaction, its fields, and proof that our page sent it. */
  const submitted = async (request: FastifyRequest<{ Params: { uid: string } }>, reply: FastifyReply) => {
    const form = parseForm(request.body);
    const interaction = await load(request, reply);
    csrf.check(interaction.uid, form.get('csrf'));
    return { form, interaction };
  };

  scope.post<{ Params: { uid: string } }>(`${base}${UID}/login`, async (request, reply) => {
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
      const principal = await options.checkPassword(email, password, originOf(request, request.id));
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

  scope.post<{ Params: { uid: string } }>(`${base}${UID}/consent`, async (request, reply) => {
    const { interaction } = await submitted(request, reply);
    const { accountId } = interaction;
    const principal = accountId === null ? undefined : await options.findPrincipal(accountId);
    if (interaction.prompt !== 'consent' || principal === undefined) {
      throw new OAuthError('invalid_request', 'nothing is to be allowed here');
    }
    if (!(await mayUse(interaction, principal))) throw new OAuthError('access_denied', OTHER_ORGANISATION);
    const grantId = await options.families.grant(
      principal,
      interaction.client.id,
      interaction.scope,
      originOf(request, request.id),
    );
    return reply.redirect(await engine.finishConsent(request.raw, reply.raw, grantId), 303);
  });

  scope.post<{ Params: { uid: string } }>(`${base}${UID}/abort`, async (request, reply) => {
    await submitted(request, reply);
    return reply.redirect(await engine.abort(request.raw, reply.raw), 303);
  });
};
