import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createProtectedServer } from '../../../test/support/protected-mcp.ts';
import type { McpHttpEndpoint, McpOAuthStore } from '../../kernel/mcp.ts';
import { createGuardedFetch } from '../guarded-fetch/index.ts';
import { createOAuth, type ServerOAuth } from './oauth.ts';

/** How a sign-in is renewed: by one process of those that share its store, and before a call has to fail. */

const REDIRECT = 'http://127.0.0.1:9/mcp/oauth/callback';
const outgoing = createGuardedFetch({ allowPrivate: true, bodyTimeoutMs: 0, headersTimeoutMs: 0 });

let remote: Awaited<ReturnType<typeof createProtectedServer>>;
beforeAll(async () => {
  remote = await createProtectedServer();
});
afterAll(() => remote.close());

let stored: string | null = null;
const store: McpOAuthStore = {
  load: async () => stored,
  save: async (text) => {
    stored = text;
  },
  replace: async (before, text) => {
    if (stored !== before) return false;
    stored = text;
    return true;
  },
};
const state = (): Record<string, unknown> => JSON.parse(stored ?? '{}') as Record<string, unknown>;
const node = (): ServerOAuth => {
  const endpoint: McpHttpEndpoint = {
    transport: 'http',
    url: remote.url,
    headers: {},
    trusted: true,
    oauth: { grant: 'authorization_code' },
  };
  return createOAuth(endpoint, store, outgoing, REDIRECT);
};
const tokenOf = ({ authProvider }: ServerOAuth) => authProvider.token();
/** As the transport does it when the server refuses a token. */
const refused = async ({ authProvider, fetch }: ServerOAuth, token: string | undefined): Promise<void> => {
  const response = await fetch(remote.url, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{}',
  });
  expect(response.status).toBe(401);
  await authProvider.onUnauthorized?.({ response, serverUrl: new URL(remote.url), fetchFn: fetch });
};

beforeEach(async () => {
  stored = null;
  const first = node();
  const address = await first.begin('s');
  const back = new URL((await fetch(address ?? '', { redirect: 'manual' })).headers.get('location') ?? '');
  await first.finish({
    code: back.searchParams.get('code') ?? '',
    state: 's',
    iss: back.searchParams.get('iss'),
  });
});

test('one process renews for all that share the sign-in', async () => {
  const nodes = Array.from({ length: 4 }, node);
  const before = await Promise.all(nodes.map(tokenOf));
  expect(new Set(before).size).toBe(1);
  remote.expire();
  const { refreshes } = remote.seen;
  await Promise.all(nodes.flatMap((one) => [refused(one, before[0]), refused(one, before[0])]));
  const after = await Promise.all(nodes.map(tokenOf));
  expect(new Set(after).size).toBe(1);
  expect(after[0]).not.toBe(before[0]);
  expect(remote.seen).toMatchObject({ refreshes: refreshes + 1, reused: 0 });
  expect(state().renewingUntil).toBeUndefined();
});

test('a token is renewed ahead of its end, once, and not before that', async () => {
  const { refreshes } = remote.seen;
  const nodes = Array.from({ length: 3 }, node);
  const before = await Promise.all(nodes.map(tokenOf));
  expect(remote.seen.refreshes).toBe(refreshes);
  stored = JSON.stringify({ ...state(), tokenEndsAt: Date.now() + 30_000 });
  const restarted = Array.from({ length: 3 }, node);
  await Promise.all(restarted.map(tokenOf));
  expect(remote.seen).toMatchObject({ refreshes: refreshes + 1, reused: 0 });
  expect(await tokenOf(node())).not.toBe(before[0]);
});

test('a process that ended while it renewed holds nobody up, and a failure leaves the token', async () => {
  const before = await tokenOf(node());
  stored = JSON.stringify({ ...state(), renewingUntil: Date.now() - 1, tokenEndsAt: Date.now() + 1_000 });
  expect(await tokenOf(node())).not.toBe(before);
  const { tokens } = state() as { tokens: { access_token: string } };
  // The discovery that is kept leads nowhere.
  stored = JSON.stringify({
    ...state(),
    tokenEndsAt: Date.now() + 1_000,
    discovery: undefined,
    challenge: { metadataUrl: 'http://127.0.0.1:1/none' },
  });
  expect(await tokenOf(node())).toBe(tokens.access_token);
});
