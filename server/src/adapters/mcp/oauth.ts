import { type AuthProvider, auth, type OAuthClientProvider } from '@modelcontextprotocol/client';
import { McpFault, type McpHttpEndpoint, type McpOAuthStore } from '../../kernel/mcp.ts';
import type { OutgoingHttp } from '../../kernel/outgoing.ts';
import { createStoredState } from './oauth-state.ts';
import { createRenewal } from './renewal.ts';

/**
 * Signing in at a server's authorization server, by the SDK's own flow (discovery, registration, PKCE, resource
 * indicators, issuer checks). What is kept goes through `McpOAuthStore`, which encrypts it.
 */

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
  const stored = createStoredState(store);
  const { current } = stored;
  const change = async (...part: Parameters<typeof stored.change>): Promise<void> => {
    await stored.change(...part);
  };
  let authorizationUrl: string | null = null;
  /** The state of a sign-in that a person has begun; without one nothing of a sign-in is written. */
  let wantedState: string | null = null;

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

  const renewal = createRenewal({ stored, interactive, hasScope: settings.scope !== undefined, run });
  /** The token that each answer was given to. */
  const usedToken = new WeakMap<Response, string>();

  return {
    async fetch(url, init) {
      const response = await outgoing.fetch(url, init);
      const header = new Headers(init?.headers).get('authorization') ?? '';
      usedToken.set(response, header.replace(/^Bearer /, ''));
      // The SDK reports a missing scope without asking for it.
      if (response.status === 403 && response.headers.has('www-authenticate'))
        await renewal.noteChallenge(response);
      return response;
    },
    authProvider: {
      async token() {
        await renewal.ahead();
        return (await current()).tokens?.access_token;
      },
      onUnauthorized: ({ response }) => renewal.after(response, usedToken.get(response)),
    },
    async begin(state) {
      wantedState = state;
      await change({ tokens: undefined, codeVerifier: undefined, state: undefined, discovery: undefined });
      const result = await run(await renewal.asked());
      return result === 'AUTHORIZED' ? null : authorizationUrl;
    },
    async finish({ code, state, iss }) {
      await stored.take(state);
      await run({ authorizationCode: code, ...(iss === null ? {} : { iss }) });
      await change({ codeVerifier: undefined });
    },
  };
};
