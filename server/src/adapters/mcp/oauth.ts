import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AuthProvider,
  auth,
  extractWWWAuthenticateParams,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { McpFault, type McpHttpEndpoint, type McpOAuthStore } from '../../kernel/mcp.ts';
import type { OutgoingHttp } from '../../kernel/outgoing.ts';

/**
 * Signing in at a server's authorization server, by the SDK's own flow (discovery, registration, PKCE, resource
 * indicators, issuer checks). What is kept goes through `McpOAuthStore`, which encrypts it.
 */

/** What is kept between requests; version 1 of the form. */
interface OAuthState {
  v: 1;
  tokens?: StoredOAuthTokens | undefined;
  /** Epoch ms at which the token ends, where its issuer has said it. */
  tokenEndsAt?: number | undefined;
  /** Until then one process, here or at another node, renews the token. */
  renewingUntil?: number | undefined;
  /** What the server has last asked for. */
  challenge?: { metadataUrl?: string | undefined; scope?: string | undefined } | undefined;
  client?: StoredOAuthClientInformation | undefined;
  discovery?: OAuthDiscoveryState | undefined;
  /** Of a sign-in under way. */
  codeVerifier?: string | undefined;
  state?: string | undefined;
}

/** Longest time that a token is renewed ahead of its end, and its part of a short life. */
const AHEAD_MS = 60_000;
const AHEAD_PART = 5;
/** A process that ended while it renewed holds the others up no longer. */
const RENEWS_WITHIN_MS = 30_000;
const LOOK_AGAIN_MS = 100;

const bothScopes = (one: string | undefined, other: string | undefined): string | undefined => {
  const all = new Set(`${one ?? ''} ${other ?? ''}`.split(' ').filter((scope) => scope !== ''));
  return all.size === 0 ? undefined : [...all].join(' ');
};

export interface ServerOAuth {
  authProvider: AuthProvider;
  /** For the requests to the MCP server itself. */
  fetch(url: string | URL, init?: RequestInit): Promise<Response>;
  begin(state: string): Promise<string | null>;
  finish(answer: { code: string; state: string; iss: string | null }): Promise<void>;
}

export const createOAuth = (
  endpoint: McpHttpEndpoint,
  store: McpOAuthStore,
  outgoing: OutgoingHttp,
  redirectUrl: string,
): ServerOAuth => {
  const settings = endpoint.oauth ?? { grant: 'authorization_code' as const };
  const interactive = settings.grant === 'authorization_code';
  let cached: OAuthState | null = null;
  let authorizationUrl: string | null = null;
  /** The state of a sign-in that a person has begun; without one nothing of a sign-in is written. */
  let wantedState: string | null = null;

  const load = async (): Promise<OAuthState> => {
    const text = await store.load();
    cached = text === null ? { v: 1 } : (JSON.parse(text) as OAuthState);
    return cached;
  };
  /** Takes the state of a sign-in, so that its answer is good once, also where two come at the same moment. */
  const takeState = async (state: string): Promise<void> => {
    for (;;) {
      const before = await store.load();
      const kept: OAuthState = before === null ? { v: 1 } : (JSON.parse(before) as OAuthState);
      if (before === null || state === '' || kept.state !== state) {
        throw new McpFault('unauthorized', 'no sign-in of this kind is under way');
      }
      const taken = { ...kept, state: undefined };
      if (!(await store.replace(before, JSON.stringify(taken)))) continue;
      cached = taken;
      return;
    }
  };
  const current = async (): Promise<OAuthState> => cached ?? load();
  const change = async (part: Partial<OAuthState>): Promise<void> => {
    cached = { ...(await current()), ...part };
    await store.save(JSON.stringify(cached));
  };

  const provider: OAuthClientProvider = {
    redirectUrl: interactive ? redirectUrl : undefined,
    clientMetadata: {
      client_name: 'Pentarch',
      redirect_uris: interactive ? [redirectUrl] : [],
      grant_types: interactive ? ['authorization_code', 'refresh_token'] : ['client_credentials'],
      response_types: interactive ? ['code'] : [],
      token_endpoint_auth_method:
        settings.clientSecret === undefined && interactive ? 'none' : 'client_secret_basic',
      ...(settings.scope === undefined ? {} : { scope: settings.scope }),
    },
    state: async () => {
      if (wantedState === null) return 'none';
      await change({ state: wantedState });
      return wantedState;
    },
    async clientInformation() {
      const { client } = await current();
      if (settings.clientId === undefined) return client;
      return {
        client_id: settings.clientId,
        ...(settings.clientSecret === undefined ? {} : { client_secret: settings.clientSecret }),
        // Bound to the first authorization server that it was used at.
        ...(client?.issuer === undefined ? {} : { issuer: client.issuer }),
      };
    },
    saveClientInformation: (client) => change({ client }),
    tokens: async () => (await current()).tokens,
    saveTokens: (tokens) =>
      change({
        tokens,
        tokenEndsAt: tokens.expires_in === undefined ? undefined : Date.now() + tokens.expires_in * 1000,
      }),
    redirectToAuthorization: (url) => {
      authorizationUrl = url.href;
    },
    saveCodeVerifier: async (codeVerifier) => {
      // A refusal in the background must not spoil a sign-in that waits in a browser.
      if (wantedState !== null) await change({ codeVerifier });
    },
    async codeVerifier() {
      const { codeVerifier } = await current();
      if (codeVerifier === undefined) throw new McpFault('unauthorized', 'no sign-in is under way');
      return codeVerifier;
    },
    saveDiscoveryState: (discovery) => change({ discovery }),
    discoveryState: async () => (await current()).discovery,
    async invalidateCredentials(scope) {
      const all = scope === 'all';
      await change({
        ...(all || scope === 'tokens' ? { tokens: undefined } : {}),
        ...(all || scope === 'client' ? { client: undefined } : {}),
        ...(all || scope === 'verifier' ? { codeVerifier: undefined } : {}),
        ...(all || scope === 'discovery' ? { discovery: undefined } : {}),
      });
    },
    ...(interactive
      ? {}
      : {
          prepareTokenRequest: (scope?: string) =>
            new URLSearchParams({
              grant_type: 'client_credentials',
              ...(scope === undefined ? {} : { scope }),
            }),
        }),
  };

  const run = (more: {
    authorizationCode?: string;
    iss?: string;
    resourceMetadataUrl?: URL;
    scope?: string;
  }) =>
    auth(provider, {
      serverUrl: endpoint.url,
      // Not the transport's own: that adds the headers of the MCP server, which are no business of another host.
      fetchFn: (url, init) => outgoing.fetch(url, init),
      ...(settings.scope === undefined ? {} : { scope: settings.scope }),
      ...more,
    });

  let renewing: Promise<void> | null = null;
  /** The token that each answer was given to. */
  const usedToken = new WeakMap<Response, string>();

  /** What a sign-in has to ask for; the scopes that it had are asked for again with those that were missing. */
  const noteChallenge = async (response: Response): Promise<void> => {
    const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
    const { tokens, challenge: known } = await load();
    const wanted = response.status === 403 ? bothScopes(known?.scope ?? tokens?.scope, scope) : scope;
    const challenge = { metadataUrl: resourceMetadataUrl?.href ?? known?.metadataUrl, scope: wanted };
    if (JSON.stringify(challenge) !== JSON.stringify(known ?? {})) await change({ challenge });
  };
  const asked = async (): Promise<{ resourceMetadataUrl?: URL; scope?: string }> => {
    const { challenge } = await current();
    return {
      ...(challenge?.metadataUrl === undefined
        ? {}
        : { resourceMetadataUrl: new URL(challenge.metadataUrl) }),
      ...(challenge?.scope === undefined || settings.scope !== undefined ? {} : { scope: challenge.scope }),
    };
  };

  /**
   * A refresh token can be used once: one process renews it for all, and the others wait for what it gets. False where another
   * has renewed the token.
   */
  const mayRenew = async (before: string | undefined): Promise<boolean> => {
    for (;;) {
      const text = await store.load();
      cached = text === null ? { v: 1 } : (JSON.parse(text) as OAuthState);
      if (before !== undefined && cached.tokens !== undefined && cached.tokens.access_token !== before)
        return false;
      if (text === null || !interactive) return true;
      if (cached.tokens?.refresh_token === undefined) {
        throw new UnauthorizedError('authorization needed: a person has to sign in');
      }
      if ((cached.renewingUntil ?? 0) <= Date.now()) {
        const mine = { ...cached, renewingUntil: Date.now() + RENEWS_WITHIN_MS };
        if (!(await store.replace(text, JSON.stringify(mine)))) continue;
        cached = mine;
        return true;
      }
      await sleep(LOOK_AGAIN_MS);
    }
  };

  /** Without a person to send anywhere: only what needs none can succeed. */
  const renewOnce = async (before: string | undefined): Promise<void> => {
    if (!(await mayRenew(before))) return;
    try {
      if ((await run(await asked())) !== 'AUTHORIZED')
        throw new UnauthorizedError('authorization needed: a person has to sign in');
    } finally {
      if (interactive) await change({ renewingUntil: undefined });
    }
  };

  /** However many calls are refused at a time, one of them renews for all. */
  const renew = async (response: Response): Promise<void> => {
    const before = cached?.tokens?.access_token;
    // Was under way while another call renewed the token: the new one has not been tried.
    const used = usedToken.get(response);
    if (used !== undefined && used !== '' && before !== undefined && used !== before) return;
    await noteChallenge(response);
    await renewOnce(before);
  };
  const together = (work: () => Promise<void>): Promise<void> => {
    renewing ??= work().finally(() => {
      renewing = null;
    });
    return renewing;
  };

  /** So that no call has to fail first; where it does not work, the token is used to its end. */
  const renewAhead = async ({ tokens, tokenEndsAt, renewingUntil }: OAuthState): Promise<void> => {
    const { refresh_token: refresh, expires_in: life, access_token: before } = tokens ?? {};
    if (!interactive || refresh === undefined || tokenEndsAt === undefined || life === undefined) return;
    const ahead = Math.min(AHEAD_MS, (life * 1000) / AHEAD_PART);
    const now = Date.now();
    if (tokenEndsAt - now > ahead || (renewingUntil ?? 0) > now) return;
    await together(() => renewOnce(before)).catch(() => {});
  };

  return {
    async fetch(url, init) {
      const response = await outgoing.fetch(url, init);
      const header = new Headers(init?.headers).get('authorization') ?? '';
      usedToken.set(response, header.replace(/^Bearer /, ''));
      // The SDK reports a missing scope without asking for it.
      if (response.status === 403 && response.headers.has('www-authenticate')) await noteChallenge(response);
      return response;
    },
    authProvider: {
      async token() {
        await renewAhead(await current());
        return (await current()).tokens?.access_token;
      },
      onUnauthorized: ({ response }) => together(() => renew(response)),
    },
    async begin(state) {
      wantedState = state;
      await change({ tokens: undefined, codeVerifier: undefined, state: undefined, discovery: undefined });
      const result = await run(await asked());
      return result === 'AUTHORIZED' ? null : authorizationUrl;
    },
    async finish({ code, state, iss }) {
      await takeState(state);
      await run({ authorizationCode: code, ...(iss === null ? {} : { iss }) });
      await change({ codeVerifier: undefined });
    },
  };
};
