import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import { Provider } from 'oidc-provider';

/** An OpenID provider on a port of its own whose tokens have the claims that a test gives: Zitadel's, Keycloak's, others. */
export interface ExternalIdp {
  issuer: string;
  /** A token with these claims over the protocol's own; `opaque` ones are known by introspection only. */
  token(claims: Record<string, unknown>, format?: 'jwt' | 'opaque'): Promise<string>;
  /** New keys; tokens of the old ones are unknown to it. */
  rotate(): Promise<void>;
  /** Requests so far by path. */
  hits(path: string): number;
  /** Makes introspection answer inactive. */
  deactivate(): void;
  close(): Promise<void>;
}

export const API = { id: 'pentarch-api', secret: 'external-api-secret' };
const RESOURCES = { jwt: 'urn:test:jwt', opaque: 'urn:test:opaque' } as const;

export const startExternalIdp = async (): Promise<ExternalIdp> => {
  const counts = new Map<string, number>();
  let handler: ((request: IncomingMessage, response: ServerResponse) => unknown) | null = null;
  let claims: Record<string, unknown> = {};
  let active = true;
  const server = createServer((request, response) => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    counts.set(path, (counts.get(path) ?? 0) + 1);
    handler?.(request, response);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const rotate = async (): Promise<void> => {
    const { privateKey } = await generateKeyPair('RS256', { extractable: true });
    const provider = new Provider(issuer, {
      jwks: {
        keys: [{ ...(await exportJWK(privateKey)), use: 'sig', alg: 'RS256', kid: crypto.randomUUID() }],
      },
      clients: [
        {
          client_id: API.id,
          client_secret: API.secret,
          redirect_uris: [],
          response_types: [],
          grant_types: ['client_credentials'],
        },
      ],
      cookies: { keys: ['test'] },
      ttl: { ClientCredentials: 300 },
      features: {
        devInteractions: { enabled: false },
        clientCredentials: { enabled: true },
        introspection: { enabled: true },
        resourceIndicators: {
          enabled: true,
          getResourceServerInfo: (_ctx, resource) => ({
            scope: '',
            audience: API.id,
            accessTokenFormat: resource === RESOURCES.jwt ? 'jwt' : 'opaque',
            ...(resource === RESOURCES.jwt ? { jwt: { sign: { alg: 'RS256' } } } : {}),
          }),
        },
      },
      formats: {
        customizers: {
          jwt: (_ctx, _token, parts) => {
            for (const [name, value] of Object.entries(claims)) {
              if (value === undefined) delete parts.payload[name];
              else parts.payload[name] = value;
            }
          },
        },
      },
    });
    provider.use(async (ctx, next) => {
      await next();
      const body: unknown = ctx.body;
      if (
        ctx.path === '/token/introspection' &&
        typeof body === 'object' &&
        body !== null &&
        'active' in body
      ) {
        ctx.body = active && body.active ? { ...body, ...claims } : { active: false };
      }
    });
    handler = provider.callback();
  };
  await rotate();

  return {
    issuer,
    async token(given, format = 'jwt') {
      claims = given;
      const answer = await fetch(`${issuer}/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${Buffer.from(`${API.id}:${API.secret}`).toString('base64')}` },
        body: new URLSearchParams({ grant_type: 'client_credentials', resource: RESOURCES[format] }),
      });
      const body: unknown = await answer.json();
      if (typeof body !== 'object' || body === null || !('access_token' in body)) {
        throw new Error(`no token: ${JSON.stringify(body)}`);
      }
      return String(body.access_token);
    },
    rotate,
    hits: (path) => counts.get(path) ?? 0,
    deactivate: () => {
      active = false;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
};
