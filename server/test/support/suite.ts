import { test } from 'vitest';
import type { Client } from './client.ts';
import { startTestProvider, type TestProvider } from './provider.ts';
import { type ServerOptions, startServer, type TestServer } from './server.ts';

/** What most black-box suites need: a server whose model is a provider of the test, and its first administrator. */
export interface World {
  provider: TestProvider;
  server: TestServer;
  admin: Client;
}

export interface WorldOptions extends ServerOptions {
  provider?: Parameters<typeof startTestProvider>[0];
}

/**
 * The `it` of a suite with one world for all its tests: started before the first, closed after the last, also where the
 * start fails half-way. A test takes it as `({ world })`; helpers get it by `it.beforeAll`.
 */
export const withWorld = ({ provider: play, env, ...options }: WorldOptions = {}) =>
  test.extend<{ $file: { world: World } }>({
    world: [
      // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern what a fixture needs.
      async ({}, use) => {
        const provider = await startTestProvider(play);
        try {
          const server = await startServer({
            ...options,
            env: { MODEL: 'compatible/test-model', COMPATIBLE_BASE_URL: provider.url, ...env },
          });
          try {
            await use({ provider, server, admin: await server.signIn() });
          } finally {
            await server.close();
          }
        } finally {
          await provider.close();
        }
      },
      { scope: 'file' },
    ],
  });
