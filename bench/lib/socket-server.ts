import process from 'node:process';
import { pino } from 'pino';
import { createEventBus, createHub, socketPlugin } from '../../server/src/features/realtime/index.ts';
import { buildApp } from '../../server/src/http/app.ts';
import { OVERVIEW_RATES, REFERENCE_RATES } from '../../server/src/http/rate-limit.rules.ts';
import { createMemoryRateLog } from '../../server/src/http/rate-limit.ts';
import type { Caller } from '../../server/src/kernel/caller.ts';
import { systemClock } from '../../server/src/kernel/clock.ts';
import { effectivePermissions } from '../../server/src/kernel/permissions.ts';

/** The WebSocket door of the platform with people made up on the spot; the rest of the server is left out. */
const onError = (error: unknown): void => void process.stderr.write(`${String(error)}\n`);
const bus = createEventBus({ clock: systemClock, onError });
const callers = new Map<string, Caller>();

const authenticate = (token: string): Caller => {
  let caller = callers.get(token);
  if (caller === undefined) {
    caller = {
      userId: token,
      tenantId: 't',
      email: `${token}@example.com`,
      name: token,
      roles: ['user'],
      permissions: effectivePermissions(['user'], []),
      tier: 'enterprise',
      type: 'person',
      platformAdmin: false,
      whole: true,
      credential: 'jwt',
      tokenId: token,
      sessionId: null,
      expiresAt: Date.now() + 3_600_000,
    };
    callers.set(token, caller);
  }
  return caller;
};

const hub = createHub({
  bus,
  clock: systemClock,
  authenticate,
  chat: () => Promise.reject(new Error('no chat here')),
  admit: () => null,
  onError,
});
const app = await buildApp({
  routes: [],
  plugins: [socketPlugin({ hub, authenticate })],
  authenticate,
  idempotency: { once: async (_request, work) => (await work(async () => {})).send() },
  limits: {
    log: createMemoryRateLog(1_000),
    tables: { reference: REFERENCE_RATES, overview: OVERVIEW_RATES },
    enforce: false,
    clock: systemClock,
  },
  logger: pino({ level: 'silent' }),
  corsOrigins: [],
  trustProxy: [],
  tls: null,
  maxUploadBytes: 1024,
  draining: () => false,
  observe: () => {},
});
await app.listen({ host: '127.0.0.1', port: 0 });
const address = app.server.address();

const settledBytes = async (): Promise<number> => {
  for (let i = 0; i < 3; i++) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return process.memoryUsage().rss;
};

process.on('message', async (message: { type: string }) => {
  if (message.type === 'memory')
    process.send?.({ type: 'memory', rssBytes: await settledBytes(), sockets: hub.size });
  if (message.type === 'publish') {
    bus.publish({
      type: 'task.updated',
      tenantId: 't',
      userId: null,
      reach: 'tenant',
      permission: 'tasks:read',
      data: { sent_ms: performance.timeOrigin + performance.now(), text: 'x'.repeat(200) },
    });
  }
  if (message.type === 'stop') process.exit(0);
});
process.send?.({
  type: 'listening',
  port: typeof address === 'object' && address !== null ? address.port : 0,
});
