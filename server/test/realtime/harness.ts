import { type ChatSend, createEventBus, createHub, socketPlugin } from '../../src/features/realtime/index.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import type { AppError } from '../../src/kernel/errors.ts';
import type { PlatformEvent } from '../../src/kernel/events.ts';
import { buildTestApp, createTestAccounts, listen } from '../support/app.ts';
import { openSocket } from '../support/socket-client.ts';

/** The socket's door with a bus, people, and a chat that the test plays. */
export const startSockets = async (
  options: {
    chat?: ChatSend;
    admit?: () => AppError | null;
    heartbeatMs?: number;
    checkMs?: number;
    limits?: { perCaller: number; perAddress: number };
  } = {},
) => {
  const accounts = createTestAccounts();
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  const bus = createEventBus({ clock: systemClock, onError });
  const hub = createHub({
    bus,
    clock: systemClock,
    authenticate: accounts.authenticate,
    chat: options.chat ?? (() => Promise.reject(new Error('no chat in this test'))),
    admit: options.admit ?? (() => null),
    onError,
    heartbeatMs: options.heartbeatMs ?? 30_000,
    checkMs: options.checkMs ?? 50,
    ...(options.limits === undefined ? {} : { limits: options.limits }),
  });
  const app = await buildTestApp({
    accounts,
    plugins: [socketPlugin({ hub, authenticate: accounts.authenticate })],
  });
  const port = await listen(app);
  const url = `ws://127.0.0.1:${port}/v2/ws`;
  const clients: ReturnType<typeof openSocket>[] = [];
  const open = (how: Parameters<typeof openSocket>[1] & { query?: string; path?: string } = {}) => {
    const client = openSocket(`ws://127.0.0.1:${port}${how.path ?? '/v2/ws'}${how.query ?? ''}`, how);
    clients.push(client);
    return client;
  };
  return {
    accounts,
    bus,
    hub,
    app,
    port,
    url,
    errors,
    open,
    /** A client that has been let in. */
    async join(token: string, query?: string) {
      const client = open(query === undefined ? { token } : { token, query });
      await client.next('ready');
      return client;
    },
    async close() {
      for (const client of clients) client.close();
      await app.close();
    },
  };
};

export type Sockets = Awaited<ReturnType<typeof startSockets>>;

/** A task event of a user, the plainest of all. */
export const taskEvent = (
  n: number,
  how: Partial<PlatformEvent> = {},
): Omit<PlatformEvent, 'id' | 'createdAt'> => ({
  type: 'task.updated',
  tenantId: 't1',
  userId: 'ann',
  reach: 'own',
  permission: 'tasks:read',
  data: { n },
  ...how,
});
