import type { KoaContextWithOIDC } from 'oidc-provider';
import type { OidcPorts } from '../../kernel/oidc.ts';
import { showGivenCode } from './device-flow.ts';
import { createPolls, pacedAnswer } from './device-polls.ts';

/** What the library's own answers lack. Runs around its routes. */

const isFault = (body: unknown): body is Record<string, unknown> =>
  typeof body === 'object' && body !== null && 'error' in body && !('request_id' in body);

/**
 * Whether the question "sign out?" is of no use: nobody is signed in. The library would answer with a page whose script
 * sends a form; without scripts the person had to press a button without a word beside it.
 */
const isSignedOutAlready = (ctx: KoaContextWithOIDC): boolean =>
  ctx.oidc?.route === 'end_session' && ctx.status === 200 && ctx.oidc.session?.accountId === undefined;

const afterSignOut = (ctx: KoaContextWithOIDC): string => {
  const { post_logout_redirect_uri: uri, state } = ctx.oidc.params ?? {};
  if (typeof uri !== 'string') return ctx.oidc.urlFor('end_session_success');
  const target = new URL(uri);
  if (typeof state === 'string') target.searchParams.set('state', state);
  return target.href;
};

/** The person chose to stay, and no application waits for them: the library would say that they are signed out. */
const hasStayed = (ctx: KoaContextWithOIDC): boolean =>
  ctx.oidc?.route === 'end_session_confirm' &&
  ctx.status === 303 &&
  !ctx.oidc.params?.logout &&
  ctx.response.get('location').startsWith(ctx.oidc.urlFor('end_session_success'));

/** `verification_uri_complete` of the device flow. */
const isGivenCode = (ctx: KoaContextWithOIDC): boolean =>
  ctx.oidc?.route === 'code_verification' &&
  ctx.method === 'GET' &&
  ctx.status === 200 &&
  ctx.oidc.params?.user_code !== undefined;

/** A form of a device from a browser that has lost its session: the library stumbles over that, and the page begins anew. */
const lacksSession = (ctx: KoaContextWithOIDC): boolean =>
  (ctx.oidc?.route === 'code_verification' || ctx.oidc?.route === 'device_resume') &&
  ctx.oidc.session?.exp === undefined;

export const finishAnswers = (ports: OidcPorts) => {
  const polls = createPolls(() => performance.now());
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    try {
      await next();
    } catch (error) {
      if (!(error instanceof TypeError) || !lacksSession(ctx)) throw error;
      ctx.status = 303;
      ctx.redirect(ctx.oidc.urlFor('code_verification'));
      return;
    }
    const paced = pacedAnswer(ctx, polls);
    if (paced !== null) ctx.body = paced;
    if (isGivenCode(ctx)) {
      showGivenCode(ports, ctx);
    } else if (isSignedOutAlready(ctx)) {
      ctx.status = 303;
      ctx.redirect(afterSignOut(ctx));
    } else if (hasStayed(ctx)) {
      ctx.status = 200;
      ctx.remove('location');
      ctx.set('content-security-policy', ports.pages.contentSecurityPolicy([]));
      ctx.type = 'html';
      ctx.body = ports.pages.stayedSignedIn();
    } else if (isFault(ctx.body)) {
      ctx.body = { ...ctx.body, request_id: ctx.get('x-request-id') };
    }
  };
};
