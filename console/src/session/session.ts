import {
  authorizeUrl,
  type Client,
  createPkce,
  exchangeCode,
  refreshing,
  type TokenSource,
  type Tokens,
} from 'pentarch-sdk';
import { newClient } from '../lib/api.ts';
import { forgetFilesOfTab } from '../lib/kept-files.ts';
import type { SignedIn } from '../lib/signed-in.ts';
import { isBeside, signInBeside } from './beside.ts';
import { loadConfig, type SignInConfig } from './config.ts';
import { renewable } from './renewable.ts';
import { ownsTab } from './tab.ts';

/**
 * Sign-in by authorization code with PKCE. The access token lives in memory only; the refresh token, good for one use, in
 * this tab's sessionStorage, so that a reload stays signed in and closing the tab forgets it (docs/decisions/0040-console-session.md).
 */
export interface Session {
  readonly client: Client;
  readonly signedIn: SignedIn;
  /** Signs in in a window beside the page, else sends the browser to the provider and comes back to where it was. */
  signInAgain(): Promise<void>;
  /** Ends the sign-in here and at the provider. */
  signOut(): Promise<void>;
}

const REFRESH_KEY = 'pentarch.refresh';
const PENDING_KEY = 'pentarch.sign-in';
const CALLBACK = '/callback';
export const SIGNED_OUT = '/signed-out';
/** This window only signs in for another one. */
export const signsInForAnother = (): boolean => isBeside(CALLBACK);

const redirectUri = (): string => `${location.origin}${CALLBACK}`;

/** Only a path of our own: what stands in storage is no reason to leave the site. */
const ownPath = (path: unknown): string =>
  typeof path === 'string' && /^\/(?![/\\])/.test(path) && !path.startsWith(CALLBACK) ? path : '/';

const currentPath = (): string => `${location.pathname}${location.search}${location.hash}`;

const goToProvider = async (config: SignInConfig, returnTo: string): Promise<void> => {
  const pkce = await createPkce();
  sessionStorage.setItem(
    PENDING_KEY,
    JSON.stringify({ verifier: pkce.verifier, state: pkce.state, returnTo: ownPath(returnTo) }),
  );
  const { authUrl, clientId, scope } = config;
  location.assign(authorizeUrl({ authUrl, clientId, scope, redirectUri: redirectUri(), pkce }));
};

interface Pending {
  verifier: string;
  state: string;
  returnTo: string;
}

const takePending = (): Pending | null => {
  const text = sessionStorage.getItem(PENDING_KEY);
  sessionStorage.removeItem(PENDING_KEY);
  if (text === null) return null;
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || !('verifier' in value) || !('state' in value))
    return null;
  const { verifier, state } = value;
  if (typeof verifier !== 'string' || typeof state !== 'string') return null;
  return { verifier, state, returnTo: ownPath('returnTo' in value ? value.returnTo : '/') };
};

export class SignInFailed extends Error {}

/** At /callback: changes the code into tokens. null where the visit answers no sign-in of this tab. */
const finishSignIn = async (config: SignInConfig): Promise<Tokens | null> => {
  const query = new URLSearchParams(location.search);
  const pending = takePending();
  history.replaceState(null, '', pending?.returnTo ?? '/');
  const fault = query.get('error');
  if (fault !== null) {
    throw new SignInFailed(query.get('error_description') ?? fault);
  }
  const code = query.get('code');
  if (pending === null || code === null || query.get('state') !== pending.state) return null;
  return exchangeCode({
    authUrl: config.authUrl,
    clientId: config.clientId,
    redirectUri: redirectUri(),
    code,
    verifier: pending.verifier,
  });
};

const sourceOf = (config: SignInConfig, refreshToken: string, tokens: Tokens | null): TokenSource =>
  refreshing({
    refreshToken,
    clientId: config.clientId,
    authUrl: config.authUrl,
    ...(tokens === null ? {} : { tokens }),
    onTokens: (next) => {
      if (next.refresh_token !== undefined) sessionStorage.setItem(REFRESH_KEY, next.refresh_token);
    },
  });

const endSessionUrl = (config: SignInConfig): string => {
  const query = new URLSearchParams({
    client_id: config.clientId,
    post_logout_redirect_uri: `${location.origin}${SIGNED_OUT}`,
  });
  return `${config.authUrl.replace(/(?<!\/)\/+$/, '')}/oidc/v1/end_session?${query}`;
};

/**
 * The session of this tab: from the code that just came back, else from the refresh token that a reload left, else by way
 * of the provider (then null: the browser is on its way).
 * @throws SignInFailed when the provider sent an error back
 */
export const openSession = async (): Promise<Session | null> => {
  if (!window.isSecureContext) {
    throw new SignInFailed('Signing in needs HTTPS, or an address of this machine such as 127.0.0.1.');
  }
  const config = await loadConfig();
  if (!(await ownsTab())) sessionStorage.removeItem(REFRESH_KEY);

  const tokens = location.pathname === CALLBACK ? await finishSignIn(config) : null;
  if (tokens?.refresh_token !== undefined) sessionStorage.setItem(REFRESH_KEY, tokens.refresh_token);
  const refreshToken = tokens?.refresh_token ?? sessionStorage.getItem(REFRESH_KEY);
  if (refreshToken === null) {
    await goToProvider(config, currentPath());
    return null;
  }
  const auth = renewable(sourceOf(config, refreshToken, tokens));
  const client = newClient(auth.source);
  return {
    client,
    signedIn: auth.state,
    async signInAgain() {
      const again = await signInBeside(config, redirectUri());
      if (again?.refresh_token !== undefined) {
        sessionStorage.setItem(REFRESH_KEY, again.refresh_token);
        auth.replace(sourceOf(config, again.refresh_token, again));
        return;
      }
      sessionStorage.removeItem(REFRESH_KEY);
      await goToProvider(config, currentPath());
    },
    async signOut() {
      // Told to the API first, since it ends the tokens at once; being offline must not keep anybody signed in here.
      await client.auth.logout({ maxRetries: 0, timeoutMs: 5_000 }).catch(() => {});
      sessionStorage.removeItem(REFRESH_KEY);
      await forgetFilesOfTab();
      location.assign(endSessionUrl(config));
    },
  };
};
