import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Sockets, startSockets } from '../../../test/realtime/harness.ts';
import { req } from '../../../test/requirements.ts';
import { buildTestApp, createTestAccounts, listen } from '../../../test/support/app.ts';
import { route } from '../../http/route.ts';
import { openSse } from '../../http/sse.ts';
import { createStreamWatch, type StreamWatch } from '../../http/stream-watch.ts';

/** How many sockets and streams one account and one address may have open (docs/events.md). */
describe('open sockets', () => {
  let sockets: Sockets;
  afterEach(() => sockets.close());

  it(req('WS-08', 'of one account: 429 at the handshake, and room again when one has gone'), async () => {
    sockets = await startSockets({ limits: { perCaller: 2, perAddress: 100 } });
    const first = await sockets.join('ann.user');
    // Another token of the same person.
    await sockets.join('ann.operator');
    expect(String(await sockets.open({ token: 'ann.user' }).failed())).toContain('429');
    await sockets.join('bob.user');
    first.close();
    await vi.waitFor(async () => {
      await sockets.join('ann.user');
    });
  });

  it(
    req(
      'WS-08',
      'of one account by a first message: closed with 1008, and a new token of an open one is taken',
    ),
    async () => {
      sockets = await startSockets({ limits: { perCaller: 1, perAddress: 100 } });
      const first = await sockets.join('ann.user');
      const second = sockets.open();
      await second.opened();
      second.send('auth', { token: 'ann.user' });
      expect(await second.closed()).toMatchObject({
        code: 1008,
        reason: expect.stringContaining('at most 1'),
      });
      first.send('auth', { token: 'ann.operator' });
      await vi.waitFor(() => expect(first.messages.filter(({ type }) => type === 'ready')).toHaveLength(2));
      expect(first.isClosed()).toBe(false);
    },
  );

  it(
    req('WS-08', 'of one address over all accounts, those that have not said who they are among them'),
    async () => {
      sockets = await startSockets({ limits: { perCaller: 100, perAddress: 3 } });
      await sockets.join('ann.user');
      await sockets.join('bob.user');
      const silent = sockets.open();
      await silent.opened();
      expect(String(await sockets.open({ token: 'eve.user' }).failed())).toContain('429');
      expect(String(await sockets.open().failed())).toContain('429');
      silent.close();
      await vi.waitFor(async () => {
        await sockets.join('eve.user');
      });
    },
  );

  it(req('WS-08', 'without a token: fifty of an address, and a token makes room'), async () => {
    sockets = await startSockets({ limits: { perCaller: 100, perAddress: 1_000 } });
    const silent = Array.from({ length: 50 }, () => sockets.open());
    await Promise.all(silent.map((each) => each.opened()));
    expect(String(await sockets.open().failed())).toContain('429');
    await sockets.join('ann.user');
    silent[0]?.send('auth', { token: 'ann.user' });
    await silent[0]?.next('ready');
    await sockets.open().opened();
  });

  it('of handshakes that are refused leave no count behind', async () => {
    sockets = await startSockets({ limits: { perCaller: 1, perAddress: 1 } });
    for (let n = 0; n < 5; n += 1) {
      expect(String(await sockets.open({ token: 'made-up' }).failed())).toContain('401');
    }
    await sockets.join('ann.user');
  });
});

describe('open event streams', () => {
  const start = async (limits: { perCaller: number; perAddress: number }) => {
    const accounts = createTestAccounts();
    const streams: StreamWatch = createStreamWatch({
      authenticate: accounts.authenticate,
      callerFor: () => Promise.resolve(null),
      onError: () => {},
      limits,
    });
    let begun = 0;
    const app = await buildTestApp({
      accounts,
      routes: [
        route({
          method: 'GET',
          path: '/slow',
          operationId: 'slow',
          summary: 'A stream without an end',
          tag: 'Test',
          access: 'signed-in',
          produces: 'text/event-stream',
          responses: { 200: null },
          handler: ({ request, reply }) => {
            streams.admit(request, reply);
            begun += 1;
            openSse(reply, { draining: false, watch: streams, farewell: () => '' }).send('data: x\n\n');
            return reply;
          },
        }),
      ],
    });
    const port = await listen(app);
    return {
      begun: () => begun,
      open: async (token: string) => {
        const stop = new AbortController();
        const answer = await fetch(`http://127.0.0.1:${port}/api/v1/slow`, {
          headers: { authorization: `Bearer ${token}` },
          signal: stop.signal,
        });
        return { status: answer.status, retry: answer.headers.get('retry-after'), stop: () => stop.abort() };
      },
      close: async () => {
        streams.close();
        app.server.closeAllConnections();
        await app.close();
      },
    };
  };

  it(req('WS-08', 'of one account and of one address: 429 before anything is begun'), async () => {
    const door = await start({ perCaller: 2, perAddress: 3 });
    try {
      const first = await door.open('ann.user');
      expect([first.status, (await door.open('ann.user')).status]).toEqual([200, 200]);
      expect(await door.open('ann.user')).toMatchObject({ status: 429, retry: '10' });
      expect((await door.open('bob.user')).status).toBe(200);
      expect((await door.open('eve.user')).status).toBe(429);
      expect(door.begun()).toBe(3);
      first.stop();
      await vi.waitFor(async () => expect((await door.open('eve.user')).status).toBe(200));
    } finally {
      await door.close();
    }
  });
});
