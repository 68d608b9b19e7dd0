import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { errors, type InteractionResults, Provider } from 'oidc-provider';
import {
  isLoopbackAddress,
  knownScopes,
  OIDC_CLIENTS,
  type OidcClient,
  type OidcEngine,
  type OidcInteraction,
  type OidcPorts,
} from '../../kernel/oidc.ts';
import { finishAnswers } from './answers.ts';
import { configuration, SESSION_LIFE_S, sessionCookie } from './configuration.ts';
import { isConsolePage, isOtherName } from './console-pages.ts';

/** The embedded OpenID provider on oidc-provider. Built when the first request comes, since the issuer has a port. */

const CALLBACK = '/callback';
const SIGNED_OUT = '/signed-out';

/** RFC 8252, 7.3: any port; MCP clients that come as the command line also have paths of their own. */
const isLoopbackRedirect = (uri: string): boolean => {
  const url = URL.parse(uri);
  return (
    url !== null && isLoopbackAddress(uri) && url.username === '' && url.password === '' && !uri.includes('#')
  );
};

const sameText = (left: string, right: string): boolean => {
  const a = Buffer.from(left);
  const b = Buffer.from(right);
  return a.length === b.length && timingSafeEqual(a, b);
};

const build = (ports: OidcPorts): Provider => {
  const issuer = ports.issuer();
  const provider = new Provider(issuer, configuration(ports));
  // Only what `handle` below writes into the forwarding headers ever arrives here.
  provider.proxy = true;
  const { Client } = provider;
  const own = new URL(issuer);
  const registered = Client.prototype.redirectUriAllowed;
  Client.prototype.redirectUriAllowed = function redirectUriAllowed(
    this: InstanceType<typeof Client>,
    uri: string,
  ) {
    const { clientId } = this;
    if (clientId === OIDC_CLIENTS.console) return isConsolePage(uri, own, CALLBACK);
    return clientId === OIDC_CLIENTS.cli ? isLoopbackRedirect(uri) : registered.call(this, uri);
  };
  // Where the console shows that its person is signed out.
  const registeredAfter = Client.prototype.postLogoutRedirectUriAllowed;
  Client.prototype.postLogoutRedirectUriAllowed = function postLogoutRedirectUriAllowed(
    this: InstanceType<typeof Client>,
    uri: string,
  ) {
    const { clientId } = this;
    if (clientId === OIDC_CLIENTS.console) return isConsolePage(uri, own, SIGNED_OUT);
    return clientId === OIDC_CLIENTS.cli ? isLoopbackRedirect(uri) : registeredAfter.call(this, uri);
  };
  // What the store has is the hash of the secret.
  Client.prototype.compareClientSecret = function compareClientSecret(
    this: InstanceType<typeof Client>,
    secret: string,
  ) {
    return sameText(hash('sha256', secret, 'base64url'), this.clientSecret ?? '');
  };
  // Signing out ends what this browser signed in to; the library would leave families that hold a refresh token.
  const { Session } = provider;
  const destroy = Session.prototype.destroy;
  Session.prototype.destroy = async function destroyWithGrants(this: InstanceType<typeof Session>) {
    for (const { grantId } of Object.values(this.authorizations ?? {})) {
      if (grantId) await ports.closeGrant(grantId, 'signed out');
    }
    await destroy.call(this);
  };
  provider.use(finishAnswers(ports));
  // Answered before it comes here (the assertion is the client's only proof of itself); registered for the discovery.
  provider.registerGrantType('urn:ietf:params:oauth:grant-type:jwt-bearer', () => {
    throw new errors.UnsupportedGrantType();
  });
  provider.on('server_error', (_ctx, error) => {
    ports.log.error({ err: error }, 'the identity provider failed');
  });
  return provider;
};

export const createOidcEngine = (ports: OidcPorts): OidcEngine<IncomingMessage, ServerResponse> => {
  let current: { provider: Provider; issuer: string; version: number } | null = null;

  const provider = (): Provider => {
    const issuer = ports.issuer();
    const { version } = ports.keys();
    if (current === null || current.issuer !== issuer || current.version !== version) {
      current = { provider: build(ports), issuer, version };
    }
    return current.provider;
  };

  /**
   * The address that clients know, whatever the request's own headers say. On a loopback issuer the browser may use
   * another name of the same machine, whose cookies it must get back; documents that say where things are know one.
   */
  const addressed = (request: IncomingMessage): IncomingMessage => {
    const issuer = new URL(ports.issuer());
    const asked = URL.parse(`${issuer.protocol}//${request.headers.host ?? ''}`);
    const alias = !request.url?.startsWith('/.well-known/') && asked !== null && isOtherName(asked, issuer);
    const host = alias ? asked.host : issuer.host;
    request.headers.host = host;
    request.headers['x-forwarded-host'] = host;
    request.headers['x-forwarded-proto'] = issuer.protocol.slice(0, -1);
    return request;
  };

  const finish = (request: IncomingMessage, response: ServerResponse, result: InteractionResults) =>
    provider().interactionResult(addressed(request), response, result);

  return {
    handle: async (request, response) => {
      await provider().callback()(addressed(request), response);
    },

    async interaction(request, response): Promise<OidcInteraction | null> {
      try {
        const details = await provider().interactionDetails(addressed(request), response);
        const { params, prompt, session, uid } = details;
        const client: OidcClient | null = await ports.findClient(String(params.client_id));
        if (client === null || (prompt.name !== 'login' && prompt.name !== 'consent')) return null;
        return {
          uid,
          prompt: prompt.name,
          client,
          redirectUri: details.deviceCode === undefined ? String(params.redirect_uri) : null,
          scope: knownScopes(params.scope).join(' '),
          accountId: session?.accountId ?? null,
          loginHint: typeof params.login_hint === 'string' ? params.login_hint : '',
        };
      } catch (error) {
        if (error instanceof errors.SessionNotFound) return null;
        throw error;
      }
    },

    finishLogin: (request, response, accountId) =>
      finish(request, response, { login: { accountId, amr: ['pwd'] } }),
    finishConsent: (request, response, grantId) => finish(request, response, { consent: { grantId } }),
    abort: (request, response) =>
      finish(request, response, { error: 'access_denied', error_description: 'the person said no' }),

    async signIn(request, response, accountId) {
      const { Session } = provider();
      const context = provider().createContext(addressed(request), response);
      const before = await Session.get(context);
      if (before.accountId !== undefined && before.accountId !== accountId) return false;
      // A session of its own: the id of one from before may be known to somebody else.
      const session = new Session();
      session.loginAccount({ accountId, amr: ['pwd'] });
      await session.save(SESSION_LIFE_S);
      context.cookies.set(provider().cookieName('session'), session.jti, {
        ...sessionCookie(ports),
        maxAge: SESSION_LIFE_S * 1000,
      });
      return true;
    },
  };
};
