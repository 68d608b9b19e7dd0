import { exchange, type Tokens } from './auth.ts';
import { base64Url } from './base64.ts';

/** Sign-in of a person by authorization code with PKCE (RFC 7636, S256). */

export interface Pkce {
  /** Keep it until the code comes back; it must not travel. */
  readonly verifier: string;
  readonly challenge: string;
  /** Compare it with the `state` that comes back. */
  readonly state: string;
}

const randomText = (bytes: number): string => base64Url(crypto.getRandomValues(new Uint8Array(bytes)));

/** The S256 challenge of a verifier (RFC 7636, section 4.2). */
export const challengeOf = async (verifier: string): Promise<string> => {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  return base64Url(new Uint8Array(digest));
};

export const createPkce = async (): Promise<Pkce> => {
  const verifier = randomText(32);
  return { verifier, challenge: await challengeOf(verifier), state: randomText(16) };
};

export interface AuthorizeOptions {
  readonly authUrl: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly pkce: Pkce;
  /** `offline_access` asks for a refresh token. */
  readonly scope?: string;
}

/** Where to send the browser. */
export const authorizeUrl = (options: AuthorizeOptions): string => {
  const { authUrl, clientId, redirectUri, pkce, scope = 'openid profile email offline_access' } = options;
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope,
    state: pkce.state,
    code_challenge: pkce.challenge,
    code_challenge_method: 'S256',
  });
  return `${authUrl.replace(/(?<!\/)\/+$/, '')}/oauth/v2/authorize?${query}`;
};

export interface ExchangeOptions {
  readonly authUrl: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly code: string;
  readonly verifier: string;
  readonly fetch?: typeof fetch;
  readonly signal?: AbortSignal;
}

/** Changes the code that came back into tokens; hand them to `refreshing`. */
export const exchangeCode = (options: ExchangeOptions): Promise<Tokens> => {
  const { authUrl, clientId, redirectUri, code, verifier, signal } = options;
  return exchange(
    `${authUrl.replace(/(?<!\/)\/+$/, '')}/oauth/v2/token`,
    {
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      client_id: clientId,
      code_verifier: verifier,
    },
    {
      baseUrl: authUrl,
      // Browsers refuse a `fetch` that is called as a method of something else.
      fetch: options.fetch ?? ((input, init) => fetch(input, init)),
      now: Date.now,
      signal: signal ?? new AbortController().signal,
    },
  );
};
