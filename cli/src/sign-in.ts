import { createClient, refreshing, type TokenContext, type TokenSource } from 'pentarch-sdk';
import { CLIENT_ID, type Credentials, type Profile, type ProfileStore, replaceProfile } from './profiles.ts';

/** Tokens of a stored sign-in, renewed before they expire and kept for the next command. */

const SPARE_MS = 60_000;

type Session = Extract<Credentials, { kind: 'oauth' | 'session' }>;

export const sessionOf = (
  kind: 'oauth' | 'session',
  tokens: { access_token: string; refresh_token?: string; expires_in: number },
  nowMs: number,
  provider: { authUrl: string | null; clientId: string } = { authUrl: null, clientId: CLIENT_ID },
): Credentials =>
  tokens.refresh_token === undefined
    ? { kind: 'token', token: tokens.access_token }
    : {
        kind,
        accessToken: tokens.access_token,
        refreshToken: tokens.refresh_token,
        expiresInS: tokens.expires_in,
        obtainedAtMs: nowMs,
        authUrl: provider.authUrl,
        clientId: provider.clientId,
      };

const isSession = (credentials: Credentials | undefined): credentials is Session =>
  credentials?.kind === 'oauth' || credentials?.kind === 'session';

const fresh = (session: Session, nowMs: number): boolean => {
  const lifeMs = session.expiresInS * 1000;
  return nowMs < session.obtainedAtMs + lifeMs - Math.min(SPARE_MS, lifeMs / 10);
};

const renew = async (session: Session, context: TokenContext): Promise<Credentials> => {
  if (session.kind === 'session') {
    const api = createClient({ baseUrl: context.baseUrl, fetch: context.fetch });
    const tokens = await api.auth.refresh(
      { refresh_token: session.refreshToken },
      { signal: context.signal, maxRetries: 0 },
    );
    return sessionOf('session', tokens, context.now());
  }
  let renewed: Credentials = session;
  const source = refreshing({
    refreshToken: session.refreshToken,
    clientId: session.clientId,
    ...(session.authUrl === null ? {} : { authUrl: session.authUrl }),
    onTokens: (tokens) => {
      renewed = sessionOf('oauth', tokens, context.now(), session);
    },
  });
  await source.token(context);
  return renewed;
};

/** @throws OAuthError or UnauthorizedError when the session has ended. */
export const storedTokens = (store: ProfileStore, name: string): TokenSource => {
  const profile = (): Profile | undefined => store.read().profiles[name];
  let refused: string | null = null;
  const usable = (credentials: Credentials | undefined, nowMs: number): string | null => {
    if (credentials === undefined || credentials.kind === 'none') return null;
    if (credentials.kind === 'token') return credentials.token;
    return credentials.accessToken !== refused && fresh(credentials, nowMs) ? credentials.accessToken : null;
  };
  return {
    async token(context) {
      const known = profile()?.credentials;
      const ready = usable(known, context.now());
      if (ready !== null || !isSession(known)) return ready;
      return store.alone(async (write) => {
        // Another command may have renewed it while this one waited.
        const now = profile();
        const again = usable(now?.credentials, context.now());
        if (again !== null || now === undefined || !isSession(now.credentials)) return again;
        const credentials = await renew(now.credentials, context);
        write(replaceProfile(store.read(), name, { ...now, credentials }));
        return usable(credentials, context.now());
      });
    },
    refused(token) {
      refused = token;
      return isSession(profile()?.credentials);
    },
  };
};
