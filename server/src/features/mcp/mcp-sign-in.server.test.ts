import {
  Client,
  type OAuthClientProvider,
  type OAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { describe, expect } from 'vitest';
import {
  authorizeUrl,
  CLI_REDIRECT,
  createBrowser,
  newVerifier,
  signIn,
  tokenRequest,
} from '../../../test/support/browser.ts';
import type { TestServer } from '../../../test/support/server.ts';
import { withServer } from '../../../test/support/suite.ts';

/** A client of `/mcp` signs its person in by the flow of the MCP specification, from the 401 to the first call. */

let server: TestServer;
const test = withServer();
test.beforeAll(({ world }) => {
  ({ server } = world);
});

/** What a desktop client keeps between its steps; the browser's address is collected instead of opened. */
const createSignIn = () => {
  const state: { verifier: string; tokens: OAuthTokens | undefined; asked: URL | null } = {
    verifier: '',
    tokens: undefined,
    asked: null,
  };
  const provider: OAuthClientProvider = {
    redirectUrl: CLI_REDIRECT,
    clientMetadata: { redirect_uris: [CLI_REDIRECT], client_name: 'desktop' },
    clientInformation: () => ({ client_id: 'pentarch-cli' }),
    tokens: () => state.tokens,
    saveTokens: (tokens) => {
      state.tokens = tokens;
    },
    redirectToAuthorization: (url) => {
      state.asked = url;
    },
    saveCodeVerifier: (verifier) => {
      state.verifier = verifier;
    },
    codeVerifier: () => state.verifier,
    state: () => 'desktop-state',
  };
  return { state, provider };
};

const transportTo = (authProvider: OAuthClientProvider) =>
  new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { authProvider });

describe('sign-in of an MCP client', () => {
  test('goes from the 401 over discovery, the sign-in page and the token to a connection, and renews it', async () => {
    const { state, provider } = createSignIn();
    const first = transportTo(provider);
    await expect(new Client({ name: 'desktop', version: '1' }).connect(first)).rejects.toThrow(
      UnauthorizedError,
    );
    expect(state.asked?.searchParams.get('resource')).toBe(`${server.url}/mcp`);
    expect(state.asked?.searchParams.get('code_challenge_method')).toBe('S256');

    const back = await signIn(createBrowser(server.url), state.asked?.href ?? '', server.admin);
    expect(back.get('error_description')).toBeNull();
    expect(back.get('state')).toBe('desktop-state');
    await first.finishAuth(back);
    expect(state.tokens?.access_token).toBeTypeOf('string');

    const client = new Client({ name: 'desktop', version: '1' });
    await client.connect(transportTo(provider));
    expect((await client.listTools()).tools.map((tool) => tool.name)).toContain('pentarch__ask_agent');
    await client.close();

    const me = () =>
      fetch(`${server.url}/v2/auth/me`, {
        headers: { authorization: `Bearer ${state.tokens?.access_token ?? ''}` },
      });
    expect((await me()).status).toBe(200);

    // A token that is not good any more: the client renews it by itself, for the same resource.
    const old = state.tokens?.access_token;
    if (state.tokens === undefined) throw new Error('no tokens');
    state.tokens = { ...state.tokens, access_token: 'worn-out' };
    const again = new Client({ name: 'desktop', version: '1' });
    await again.connect(transportTo(provider));
    await again.close();
    expect(state.tokens.access_token).not.toBe(old);
    expect(state.tokens.access_token).not.toBe('worn-out');
    expect((await me()).status).toBe(200);
  });

  test('takes the resource that the metadata names, and no other', async () => {
    const answer = await fetch(`${server.url}/.well-known/oauth-protected-resource/mcp`);
    const { resource } = (await answer.json()) as { resource: string };
    const asked = async (extra: Record<string, string>) => {
      const page = await fetch(authorizeUrl(server.url, { verifier: newVerifier(), extra }), {
        redirect: 'manual',
      });
      const location = new URL(page.headers.get('location') ?? '', server.url);
      return location.searchParams.get('error');
    };
    expect(await asked({ resource })).toBeNull();
    expect(await asked({})).toBeNull();
    for (const other of ['https://other.example/mcp', `${server.url}/mcp/x`]) {
      expect(await asked({ resource: other }), other).toBe('invalid_target');
    }
  });

  test('by another name of this machine goes on by that name', async () => {
    const other = new URL(server.url);
    other.hostname = other.hostname === 'localhost' ? '127.0.0.1' : 'localhost';
    const { state, provider } = createSignIn();
    const transport = () =>
      new StreamableHTTPClientTransport(new URL('/mcp', other), { authProvider: provider });
    const first = transport();
    await expect(new Client({ name: 'desktop', version: '1' }).connect(first)).rejects.toThrow(
      UnauthorizedError,
    );
    expect(state.asked?.searchParams.get('resource')).toBe(new URL('/mcp', other).href);
    const back = await signIn(createBrowser(server.url), state.asked?.href ?? '', server.admin);
    expect(back.get('error_description')).toBeNull();
    await first.finishAuth(back);
    const client = new Client({ name: 'desktop', version: '1' });
    await client.connect(transport());
    expect((await client.listTools()).tools).not.toEqual([]);
    await client.close();
    const page = await fetch(new URL('/mcp', server.url), {
      method: 'POST',
      headers: { origin: other.origin, 'content-type': 'application/json' },
      body: '{}',
    });
    // Not a foreign page: it lacks the token alone.
    expect(page.status).toBe(401);
  });

  test('a code for one resource gives no token for a strange one', async () => {
    const verifier = newVerifier();
    const resource = `${server.url}/mcp`;
    const url = authorizeUrl(server.url, { verifier, extra: { resource } });
    const back = await signIn(createBrowser(server.url), url, server.admin);
    const answer = await tokenRequest(server.url, {
      grant_type: 'authorization_code',
      code: back.get('code') ?? '',
      redirect_uri: CLI_REDIRECT,
      client_id: 'pentarch-cli',
      code_verifier: verifier,
      resource: 'https://other.example/mcp',
    });
    expect(answer.status).toBe(400);
    expect(answer.body.error).toBe('invalid_target');
  });
});
