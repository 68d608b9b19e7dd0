/**
 * Between the identity feature and the OpenID engine (an adapter over a certified library). The engine speaks the protocol;
 * the feature owns accounts, clients, sessions and keys.
 */

/** The platform's own public clients. */
export const OIDC_CLIENTS = { console: 'pentarch-console', cli: 'pentarch-cli' } as const;

/** RFC 8628. */
export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);

export const isLoopbackHost = (hostname: string): boolean => LOOPBACK_HOSTS.has(hostname);

/** Any program of the machine can listen at such an address (RFC 8252, 8.6). */
export const isLoopbackAddress = (uri: string): boolean => {
  const url = URL.parse(uri);
  return url !== null && url.protocol === 'http:' && isLoopbackHost(url.hostname);
};

export interface OidcClient {
  id: string;
  name: string;
  type: 'public' | 'confidential';
  redirectUris: readonly string[];
  /** Where a person may go after a sign-out. */
  postLogoutRedirectUris: readonly string[];
  /** SHA-256 of the secret, base64url. */
  secretHash: string | null;
  /** Public keys of a client that signs assertions instead of showing a secret. */
  jwks: readonly Record<string, unknown>[] | null;
  /** Of the platform itself (`OIDC_CLIENTS`): its redirect addresses follow from rules, and none is registered. */
  firstParty: boolean;
  /** What it may get tokens by. */
  grants: readonly ('authorization_code' | 'refresh_token' | 'client_credentials' | typeof DEVICE_GRANT)[];
}

export interface OidcAccount {
  id: string;
  email: string;
  name: string;
  roles: readonly string[];
  orgId: string;
}

export interface OidcRecord {
  payload: Record<string, unknown>;
  /** Epoch ms. */
  consumedAt: number | null;
}

/** Where a request came from. */
export interface OidcOrigin {
  address: string | null;
  userAgent: string | null;
  requestId: string | null;
}

export interface OidcPorts {
  issuer(): string;
  /** Private JWKs, the signing one first. `version` changes with them. */
  keys(): { version: number; jwks: readonly Record<string, unknown>[] };
  /** Signs the cookies of browser sessions. */
  cookieKey: string;
  audience: string;
  /** Identifier of the API as a resource (RFC 8707). */
  resource: string;
  accessLifeS: number;
  refreshLifeS: number;
  /** Seconds since the epoch are read from here alone. */
  now(): number;
  /** Whether an id may be the address of a document about its client. */
  clientDocuments: boolean;

  findClient(id: string): Promise<OidcClient | null>;
  /** Null for an account that may not sign in. */
  findAccount(id: string): Promise<OidcAccount | null>;

  findRecord(model: string, id: string): Promise<OidcRecord | null>;
  findRecordByUid(model: string, uid: string): Promise<OidcRecord | null>;
  /** The device code that a person has typed the user code of. Its `jti` is good for these ports alone. */
  findDeviceRecord(userCode: string): Promise<OidcRecord | null>;
  saveRecord(record: {
    model: string;
    id: string;
    payload: Record<string, unknown>;
    expiresAt: number | null;
  }): Promise<void>;
  /** False when it is there already. */
  saveRecordOnce(record: {
    model: string;
    id: string;
    payload: Record<string, unknown>;
    expiresAt: number | null;
  }): Promise<boolean>;
  /** True for exactly one of any number of uses at the same time. */
  consumeRecord(model: string, id: string): Promise<boolean>;
  destroyRecord(model: string, id: string): Promise<void>;

  /** Opens a token family and its grant; returns the grant's id. */
  openGrant(grant: {
    accountId: string;
    clientId: string;
    scope: string;
    origin: OidcOrigin;
  }): Promise<string>;
  /** Ends the family: no token of it is good any more. */
  closeGrant(grantId: string, reason: string): Promise<void>;
  /**
   * Notes an access token that is about to be signed and gives its claims (`sub` and what says who that is). Null when
   * its family has ended or its owner may not act.
   */
  issue(token: {
    jti: string;
    accountId: string | null;
    grantId: string | null;
    clientId: string;
    /** Epoch ms. */
    expiresAt: number;
    origin: OidcOrigin;
  }): Promise<Record<string, unknown> | null>;

  /** Pages that the engine shows by itself. */
  pages: {
    error(fault: { error: string; description: string }): string;
    /** `form` is the hidden form `op.logoutForm`. */
    signOut(form: string, host: string): string;
    signedOut(): string;
    /** For a person who was asked and did not sign out. */
    stayedSignedIn(): string;
    /** Where the code of another device is typed. */
    deviceCode(view: DeviceForm & { fault: string | null }): string;
    deviceConfirm(view: DeviceForm & { client: string; address: string; program: string }): string;
    deviceDone(client: string): string;
    contentSecurityPolicy(formTargets: readonly string[]): string;
  };
  log: {
    error(fields: Record<string, unknown>, message: string): void;
    warn(fields: Record<string, unknown>, message: string): void;
  };
}

/** The form by which a person lets another device in (RFC 8628, 3.3). */
export interface DeviceForm {
  action: string;
  xsrf: string;
  userCode: string;
}

/** A person in the middle of an authorization: what to ask of them. */
export interface OidcInteraction {
  uid: string;
  prompt: 'login' | 'consent';
  client: OidcClient;
  /** Null where another device gets the answer (RFC 8628). */
  redirectUri: string | null;
  /** Scopes that were asked for. */
  scope: string;
  accountId: string | null;
  loginHint: string;
}

export interface OidcEngine<Request, Response> {
  /** Answers any path of the protocol that the library knows. */
  handle(request: Request, response: Response): Promise<void>;
  /** The interaction that the request's cookie names; null when it is gone or another's. */
  interaction(request: Request, response: Response): Promise<OidcInteraction | null>;
  /** These three return the address at which the authorization goes on. */
  finishLogin(request: Request, response: Response, accountId: string): Promise<string>;
  finishConsent(request: Request, response: Response, grantId: string): Promise<string>;
  abort(request: Request, response: Response): Promise<string>;
  /** Signs a browser in that has proved who its person is. False, and nothing done, where somebody else is signed in. */
  signIn(request: Request, response: Response, accountId: string): Promise<boolean>;
}

/** Paths of the specification. */
export const OIDC_PATHS = {
  authorization: '/oauth/v2/authorize',
  token: '/oauth/v2/token',
  /** RFC 9126. */
  pushedAuthorization: '/oauth/v2/par',
  introspection: '/oauth/v2/introspect',
  revocation: '/oauth/v2/revoke',
  jwks: '/oauth/v2/keys',
  userinfo: '/oidc/v1/userinfo',
  endSession: '/oidc/v1/end_session',
  interaction: '/oauth/v2/interaction',
  forgottenPassword: '/oauth/v2/forgotten-password',
  deviceAuthorization: '/oauth/v2/device_authorization',
  device: '/oauth/v2/device',
} as const;

export const OIDC_SCOPES = ['openid', 'profile', 'email', 'offline_access'] as const;
export type OidcScope = (typeof OIDC_SCOPES)[number];

/** Scopes of a request that mean something here. */
export const knownScopes = (scope: unknown): OidcScope[] => {
  const asked = new Set(typeof scope === 'string' ? scope.split(' ') : []);
  return OIDC_SCOPES.filter((known) => asked.has(known));
};
