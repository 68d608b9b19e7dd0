import { base64Bytes } from './base64.ts';
import { apiErrorFrom, isRecord, OAuthError, PentarchError } from './errors.ts';
import { pemBytes, signRs256 } from './jwt.ts';

/** Where bearer tokens come from. A source keeps its token in a closure: printing a client shows none. */

export interface TokenContext {
  readonly baseUrl: string;
  readonly fetch: typeof fetch;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

export interface TokenSource {
  /** A token that is good for the next while; null for calls without one. */
  token(context: TokenContext): Promise<string | null>;
  /** Tells that the API refused this token. True when a new one can be had. */
  refused(token: string): boolean;
}

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token?: string;
  readonly expires_in: number;
}

/** Throws for what cannot stand in a header; the error does not show it. */
export const checkedToken = (token: string): string => {
  if (/^[!-~]+$/.test(token)) return token;
  throw new PentarchError(
    'the token is empty or holds white space, a line break or other characters no token has',
  );
};

/**
 * A token as it is: an access token, a personal access token or an API key. White space around it, such as the line end of
 * the file that it was read from, is left out.
 */
export const staticToken = (token: string): TokenSource => {
  const clean = checkedToken(token.trim());
  return { token: () => Promise.resolve(clean), refused: () => false };
};

export const noToken: TokenSource = { token: () => Promise.resolve(null), refused: () => false };

const REFRESH_BEFORE_MS = 60_000;

/** Keeps tokens until shortly before they expire; many callers at once cause one request. */
const renewed = (
  obtain: (context: TokenContext, last: Tokens | null) => Promise<Tokens>,
  first: { tokens: Tokens; obtainedAtMs: number } | null = null,
): TokenSource => {
  let held = first;
  let pending: Promise<string> | null = null;
  let refusedToken: string | null = null;
  const fresh = (nowMs: number): string | null => {
    if (held === null || held.tokens.access_token === refusedToken) return null;
    const lifeMs = held.tokens.expires_in * 1000;
    // A short-lived token is renewed when a tenth of its life is left.
    const spareMs = Math.min(REFRESH_BEFORE_MS, lifeMs / 10);
    return nowMs < held.obtainedAtMs + lifeMs - spareMs ? held.tokens.access_token : null;
  };
  return {
    token(context) {
      const known = fresh(context.now());
      if (known !== null) return Promise.resolve(known);
      pending ??= obtain(context, held?.tokens ?? null)
        .then((tokens) => {
          held = { tokens, obtainedAtMs: context.now() };
          return tokens.access_token;
        })
        .finally(() => {
          pending = null;
        });
      return pending;
    },
    refused(token) {
      refusedToken = token;
      return true;
    },
  };
};

const readTokens = async (answer: Response): Promise<Tokens> => {
  const text = await answer.text();
  let body: unknown = null;
  try {
    body = JSON.parse(text);
  } catch {
    // Told below by the status.
  }
  if (!isRecord(body)) throw new OAuthError('invalid_response', 'the token answer is no JSON', answer.status);
  if (!answer.ok) {
    const known = apiErrorFrom(body, answer.status, null, null);
    if (known !== null) throw new OAuthError(known.code, known.message, answer.status);
    throw new OAuthError(String(body.error ?? 'error'), String(body.error_description ?? ''), answer.status);
  }
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: expiresIn } = body;
  if (typeof accessToken !== 'string') {
    throw new OAuthError('invalid_response', 'the answer has no access_token', answer.status);
  }
  return {
    access_token: accessToken,
    ...(typeof refreshToken === 'string' ? { refresh_token: refreshToken } : {}),
    expires_in: typeof expiresIn === 'number' ? expiresIn : 3600,
  };
};

const postForm = async (
  url: string,
  form: Record<string, string>,
  context: TokenContext,
): Promise<Tokens> => {
  const answer = await context.fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: new URLSearchParams(form).toString(),
    signal: context.signal,
  });
  return readTokens(answer);
};

const postJson = async (url: string, body: unknown, context: TokenContext): Promise<Tokens> => {
  const answer = await context.fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(body),
    signal: context.signal,
  });
  return readTokens(answer);
};

const trimmed = (url: string): string => url.replace(/(?<!\/)\/+$/, '');

/**
 * Signs in with e-mail and password (POST /v2/auth/login) at the first call; later by the refresh token, and with the
 * password again where that is refused.
 */
export const passwordLogin = (email: string, password: string): TokenSource =>
  renewed(async (context, last) => {
    const base = trimmed(context.baseUrl);
    if (last?.refresh_token !== undefined) {
      try {
        return await postJson(`${base}/v2/auth/refresh`, { refresh_token: last.refresh_token }, context);
      } catch (error) {
        if (!(error instanceof OAuthError)) throw error;
      }
    }
    return postJson(`${base}/v2/auth/login`, { email, password }, context);
  });

export interface RefreshOptions {
  readonly refreshToken: string;
  readonly clientId: string;
  /** What is left of the last sign-in, so that the first call need not refresh. */
  readonly tokens?: Tokens;
  readonly obtainedAtMs?: number;
  /** The identity provider; default: the API's own address. */
  readonly authUrl?: string;
  /** Called with each new pair. Keep the refresh token: the old one is void, and using it again ends the session. */
  readonly onTokens?: (tokens: Tokens) => void;
}

/** Goes on from a sign-in by authorization code (see pkce.ts). */
export const refreshing = (options: RefreshOptions): TokenSource => {
  const { refreshToken, clientId, tokens, obtainedAtMs = Date.now(), authUrl, onTokens } = options;
  const first = tokens === undefined ? null : { tokens, obtainedAtMs };
  let current = refreshToken;
  return renewed(async (context) => {
    const next = await postForm(
      `${trimmed(authUrl ?? context.baseUrl)}/oauth/v2/token`,
      { grant_type: 'refresh_token', refresh_token: current, client_id: clientId },
      context,
    );
    current = next.refresh_token ?? current;
    onTokens?.({ ...next, refresh_token: current });
    return next;
  }, first);
};

/** A machine key as the platform hands it out: its `keyDetails`, decoded. */
export interface MachineKey {
  readonly type: 'serviceaccount';
  readonly keyId: string;
  readonly key: string;
  readonly userId: string;
}

const isMachineKey = (value: unknown): value is MachineKey =>
  isRecord(value) &&
  ['keyId', 'key', 'userId'].every((name) => typeof value[name] === 'string' && value[name] !== '');

/** Reads a machine-key file: the decoded key, or the whole answer with base64 `keyDetails`. */
export const parseMachineKey = (text: string): MachineKey => {
  let value: unknown;
  try {
    value = JSON.parse(text);
    if (isRecord(value) && typeof value.keyDetails === 'string') {
      value = JSON.parse(new TextDecoder().decode(base64Bytes(value.keyDetails)));
    }
  } catch {
    // The text itself is secret: it never goes into a message.
    throw new PentarchError('the machine key is no JSON');
  }
  if (!isMachineKey(value)) throw new PentarchError('the machine key needs keyId, key and userId');
  return value;
};

const ASSERTION_LIFE_S = 3600;
const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

export interface ServiceAccountOptions {
  readonly key: MachineKey | string;
  /** The identity provider, which is also the audience; default: the API's own address. */
  readonly authUrl?: string;
  readonly scope?: string;
}

/** Signs an assertion with the machine key for each new token (RFC 7523). */
export const serviceAccount = (options: ServiceAccountOptions): TokenSource => {
  const key = typeof options.key === 'string' ? parseMachineKey(options.key) : options.key;
  const der = pemBytes(key.key);
  const { authUrl, scope = 'openid profile' } = options;
  return renewed(async (context) => {
    const issuer = trimmed(authUrl ?? context.baseUrl);
    const issuedAtS = Math.floor(context.now() / 1000);
    const claims = {
      iss: key.userId,
      sub: key.userId,
      aud: issuer,
      iat: issuedAtS,
      exp: issuedAtS + ASSERTION_LIFE_S,
      jti: crypto.randomUUID(),
    };
    const assertion = await signRs256({ alg: 'RS256', kid: key.keyId }, claims, der);
    return postForm(`${issuer}/oauth/v2/token`, { grant_type: JWT_BEARER, assertion, scope }, context);
  });
};

/** For pkce.ts. */
export const exchange = postForm;
