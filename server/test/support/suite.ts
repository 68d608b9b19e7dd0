import { test } from 'vitest';
import type { Client } from './client.ts';
import { startTestProvider, type TestProvider } from './provider.ts';
import { type ServerOptions, startServer, type TestServer } from './server.ts';

interface Started {
  server: TestServer;
  admin: Client;
}

/** What most black-box suites need: a server whose model is a provider of the test, and its first administrator. */
export interface World extends Started {
  provider: TestProvider;
}

export interface WorldOptions extends ServerOptions {
  provider?: Parameters<typeof startTestProvider>[0];
}

const withStarted = async (
  options: ServerOptions,
  use: (started: Started) => Promise<void>,
): Promise<void> => {
  const server = await startServer(options);
  try {
    await use({ server, admin: await server.signIn() });
  } finally {
    await server.close();
  }
};

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
          const model = { MODEL: 'compatible/test-model', COMPATIBLE_BASE_URL: provider.url };
          await withStarted({ ...options, env: { ...model, ...env } }, (started) =>
            use({ provider, ...started }),
          );
        } finally {
          await provider.close();
        }
      },
      { scope: 'file' },
    ],
  });

/** The same without a provider: the built-in model answers, unless `options` say otherwise. */
export const withServer = (options: ServerOptions = {}) =>
  test.extend<{ $file: { world: Started } }>({
    world: [
      // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern what a fixture needs.
      async ({}, use) => withStarted(options, use),
      { scope: 'file' },
    ],
  });
