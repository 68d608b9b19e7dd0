import {
  type Configuration,
  errors,
  type Grant,
  interactionPolicy,
  type KoaContextWithOIDC,
  type Provider,
} from 'oidc-provider';
import {
  isLoopbackAddress,
  knownScopes,
  OIDC_CLIENTS,
  OIDC_PATHS,
  OIDC_SCOPES,
  type OidcOrigin,
  type OidcPorts,
} from '../../kernel/oidc.ts';
import { deviceFlow } from './device-flow.ts';
import { adapterOf } from './records.ts';

const INTERACTION_LIFE_S = 3600;
const CODE_LIFE_S = 60;
const DEVICE_CODE_LIFE_S = 600;
export const SESSION_LIFE_S = 14 * 86_400;
/** A grant lives as long as its newest refresh token; the session row says when that ends. */
const GRANT_LIFE_S = 10 * 365 * 86_400;
const CLOCK_SKEW_S = 30;

export const originOf = (ctx: KoaContextWithOIDC | undefined): OidcOrigin => ({
  address: ctx?.ip ?? null,
  userAgent: ctx?.get('user-agent').slice(0, 256) || null,
  requestId: ctx?.get('x-request-id') || null,
});

/**
 * RFC 8252, 8.6: whichever program of the machine listens there would get the code, so the person says yes each time; so
 * they do for another device (RFC 8628, 5.4), and for a client that has a document's address as its id: nobody here has
 * vouched for it. The console's page at the issuer's own address alone is the service itself.
 */
const asksEachTime = ({ oidc }: KoaContextWithOIDC): boolean => {
  const { client, params } = oidc;
  if (oidc.deviceCode !== undefined || client?.clientId === OIDC_CLIENTS.cli) return true;
  if (client?.clientId.startsWith('https:')) return true;
  const target = typeof params?.redirect_uri === 'string' ? params.redirect_uri : null;
  if (client?.clientId === OIDC_CLIENTS.console) {
    return target === null || URL.parse(target)?.origin !== new URL(oidc.provider.issuer).origin;
  }
  return client?.clientAuthMethod === 'none' && target !== null && isLoopbackAddress(target);
};

const policy = () => {
  const base = interactionPolicy.base();
  const consent = base.get('consent')?.checks;
  // It asks for every native client, which the console is too; ours below leaves that out.
  consent?.remove('native_client_prompt');
  consent?.add(
    new interactionPolicy.Check(
      'loopback_prompt',
      'the person has to allow what goes to a program of their machine',
      'interaction_required',
      (ctx) => asksEachTime(ctx) && !ctx.oidc.result?.consent,
    ),
  );
  // A browser can be signed in to an account that may not act any more; the library would go on to a grant of nobody.
  base
    .get('login')
    ?.checks.add(
      new interactionPolicy.Check(
        'account_gone',
        'End-User authentication is required',
        'login_required',
        ({ oidc }) => oidc.session?.accountId !== undefined && oidc.account === undefined,
      ),
    );
  return base;
};

const covers = (grant: Grant | undefined, scope: string): boolean => {
  const granted = new Set(grant?.getOIDCScope().split(' ') ?? []);
  return grant !== undefined && scope.split(' ').every((part) => granted.has(part));
};

/**
 * A family of its own for each authorization, so that a replayed token of one device does not end the others. No consent
 * is asked for the console, nor for what the person has granted a client before in this browser session.
 */
const loadExistingGrant =
  (ports: OidcPorts) =>
  async (ctx: KoaContextWithOIDC): Promise<Grant | undefined> => {
    const { client, session, result, account, params, prompts } = ctx.oidc;
    const provider: Provider = ctx.oidc.provider;
    if (!client || !session || !account) return undefined;
    const consented = result?.consent?.grantId;
    if (consented) return provider.Grant.find(consented);
    if ((prompts.has('login') && !result?.login) || prompts.has('consent')) return undefined;
    if (asksEachTime(ctx)) return undefined;
    const scope = knownScopes(params?.scope).join(' ');
    if (client.clientId !== OIDC_CLIENTS.console) {
      const before = session.grantIdFor(client.clientId);
      if (!before || !covers(await provider.Grant.find(before), scope)) return undefined;
    }
    const id = await ports.openGrant({
      accountId: account.accountId,
      clientId: client.clientId,
      scope,
      origin: originOf(ctx),
    });
    return provider.Grant.find(id);
  };

const findAccount = (ports: OidcPorts) => async (_ctx: KoaContextWithOIDC, id: string) => {
  const account = await ports.findAccount(id);
  if (account === null) return undefined;
  return {
    accountId: account.id,
    claims: () => ({
      sub: account.id,
      email: account.email,
      name: account.name,
      preferred_username: account.email,
      roles: [...account.roles],
      groups: [...account.roles],
      org_id: account.orgId,
    }),
  };
};

/** Header members by which an assertion would bring or fetch its own key (RFC 8725, 3.10). */
const KEY_MEMBERS = ['jku', 'jwk', 'x5u', 'x5c', 'crit'];

type JwtClaims = NonNullable<NonNullable<NonNullable<Configuration['formats']>['customizers']>['jwt']>;

/** Served by us, since the library knows nothing of JWT access tokens once they are signed. */
const discovery = (ports: OidcPorts): Configuration['discovery'] => ({
  userinfo_endpoint: `${ports.issuer()}${OIDC_PATHS.userinfo}`,
  introspection_endpoint: `${ports.issuer()}${OIDC_PATHS.introspection}`,
  revocation_endpoint: `${ports.issuer()}${OIDC_PATHS.revocation}`,
  introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
  revocation_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
  ...(ports.clientDocuments ? { client_id_metadata_document_supported: true } : {}),
});

const features = (ports: OidcPorts): Configuration['features'] => ({
  devInteractions: { enabled: false },
  userinfo: { enabled: false },
  introspection: { enabled: false },
  revocation: { enabled: false },
  clientCredentials: { enabled: true },
  deviceFlow: deviceFlow(ports),
  dPoP: { enabled: false },
  // No client has to: those that send their request first (RFC 9126) may.
  pushedAuthorizationRequests: { enabled: true },
  resourceIndicators: {
    enabled: true,
    defaultResource: () => ports.resource,
    useGrantedResource: () => true,
    getResourceServerInfo: (_ctx, identifier) => {
      if (identifier !== ports.resource) throw new errors.InvalidTarget();
      return {
        scope: OIDC_SCOPES.join(' '),
        audience: ports.audience,
        accessTokenTTL: ports.accessLifeS,
        accessTokenFormat: 'jwt',
        jwt: { sign: { alg: 'RS256' } },
      };
    },
  },
  rpInitiatedLogout: {
    enabled: true,
    logoutSource: (ctx, form) => {
      ctx.set('content-security-policy', ports.pages.contentSecurityPolicy([]));
      ctx.body = ports.pages.signOut(form, ctx.host);
    },
    postLogoutSuccessSource: (ctx) => {
      ctx.set('content-security-policy', ports.pages.contentSecurityPolicy([]));
      ctx.type = 'html';
      ctx.body = ports.pages.signedOut();
    },
  },
});

/** An access token names the session that it belongs to; without one it is not issued. */
const accessTokenClaims =
  (ports: OidcPorts): JwtClaims =>
  async (ctx, token, parts) => {
    const { payload } = parts;
    const jti = String(payload.jti);
    const grantId = 'grantId' in token && typeof token.grantId === 'string' ? token.grantId : null;
    const accountId = 'accountId' in token && typeof token.accountId === 'string' ? token.accountId : null;
    const clientId = String(payload.client_id);
    const claims = await ports.issue({
      jti,
      accountId,
      grantId,
      clientId,
      expiresAt: Number(payload.exp) * 1000,
      origin: originOf(ctx),
    });
    if (claims === null) throw new errors.InvalidGrant('the sign-in has ended');
    parts.payload = {
      iss: payload.iss,
      aud: payload.aud,
      exp: payload.exp,
      iat: payload.iat,
      jti,
      client_id: clientId,
      scope: payload.scope ?? '',
      ...claims,
    };
  };

const checkAssertion =
  (ports: OidcPorts): Configuration['assertJwtClientAuthClaimsAndHeader'] =>
  (_ctx, claims, header) => {
    if (KEY_MEMBERS.some((member) => Object.hasOwn(header, member))) {
      throw new errors.InvalidClientAuth('the assertion brings a key of its own');
    }
    if (typeof claims.iat === 'number' && claims.iat > ports.now() / 1000 + CLOCK_SKEW_S) {
      throw new errors.InvalidClientAuth('the assertion comes from the future');
    }
  };

const shortCookie = (ports: Pick<OidcPorts, 'issuer'>) =>
  ({ httpOnly: true, sameSite: 'lax', secure: ports.issuer().startsWith('https:'), signed: true }) as const;

/** Of the browser's session, wherever it is set. */
export const sessionCookie = (ports: Pick<OidcPorts, 'issuer'>) => ({ ...shortCookie(ports), path: '/' });

export const configuration = (ports: OidcPorts): Configuration => {
  return {
    adapter: adapterOf(ports),
    jwks: { keys: [...ports.keys().jwks] },
    cookies: {
      keys: [ports.cookieKey],
      long: sessionCookie(ports),
      short: shortCookie(ports),
      names: { session: 'pentarch_session', interaction: 'pentarch_interaction', resume: 'pentarch_resume' },
    },
    routes: {
      authorization: OIDC_PATHS.authorization,
      token: OIDC_PATHS.token,
      pushed_authorization_request: OIDC_PATHS.pushedAuthorization,
      jwks: OIDC_PATHS.jwks,
      end_session: OIDC_PATHS.endSession,
      device_authorization: OIDC_PATHS.deviceAuthorization,
      code_verification: OIDC_PATHS.device,
    },
    discovery: discovery(ports),
    scopes: [...OIDC_SCOPES],
    claims: {
      openid: ['sub'],
      email: ['email'],
      profile: ['name', 'preferred_username', 'roles', 'groups', 'org_id'],
    },
    responseTypes: ['code'],
    subjectTypes: ['public'],
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'],
    enabledJWA: {
      idTokenSigningAlgValues: ['RS256'],
      clientAuthSigningAlgValues: ['RS256', 'ES256', 'EdDSA'],
    },
    clockTolerance: CLOCK_SKEW_S,
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    // Of an address that is left out nobody can say that it is the client's.
    allowOmittingSingleRegisteredRedirectUri: false,
    rotateRefreshToken: true,
    // The console stands on the provider's own origin, which the library asks about all the same.
    clientBasedCORS: (ctx, origin, client) =>
      origin === ctx.origin ||
      (client.clientAuthMethod === 'none' &&
        (client.redirectUris ?? []).some((uri) => URL.parse(uri)?.origin === origin)),
    expiresWithSession: () => false,
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    revokeGrantPolicy: () => true,
    findAccount: findAccount(ports),
    loadExistingGrant: loadExistingGrant(ports),
    interactions: {
      policy: policy(),
      url: (_ctx, interaction) => `${OIDC_PATHS.interaction}/${interaction.uid}`,
    },
    ttl: {
      AccessToken: ports.accessLifeS,
      ClientCredentials: ports.accessLifeS,
      RefreshToken: ports.refreshLifeS,
      IdToken: ports.accessLifeS,
      AuthorizationCode: CODE_LIFE_S,
      DeviceCode: DEVICE_CODE_LIFE_S,
      Interaction: INTERACTION_LIFE_S,
      Session: SESSION_LIFE_S,
      Grant: GRANT_LIFE_S,
    },
    features: features(ports),
    formats: { customizers: { jwt: accessTokenClaims(ports) } },
    assertJwtClientAuthClaimsAndHeader: checkAssertion(ports),
    renderError: (ctx, out) => {
      ctx.set('content-security-policy', ports.pages.contentSecurityPolicy([]));
      ctx.type = 'html';
      ctx.body = ports.pages.error({
        error: out.error,
        description: typeof out.error_description === 'string' ? out.error_description : '',
      });
    },
  };
};
