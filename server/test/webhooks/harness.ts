import type { LookupFunction } from 'node:net';
import { createGuardedFetch } from '../../src/adapters/guarded-fetch/index.ts';
import { createAudit } from '../../src/features/audit/index.ts';
import { createEventBus } from '../../src/features/realtime/index.ts';
import { createWebhooks, webhookRoutes } from '../../src/features/webhooks/index.ts';
import { createSqliteJobs } from '../../src/jobs/index.ts';
import type { NewEvent } from '../../src/kernel/events.ts';
import { buildTestApp, createTestAccounts, requester } from '../support/app.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { openTestSqlite } from '../support/sqlite.ts';

/** Webhooks over HTTP with a clock of the test; outgoing calls go to loopback unless the test wants the real guard. */
export const startWebhooks = async (
  options: { allowPrivate?: boolean; timeoutMs?: number; lookup?: LookupFunction } = {},
) => {
  const store = await openTestSqlite();
  const clock = createFakeClock();
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  const allowPrivate = options.allowPrivate ?? true;
  const http = createGuardedFetch({
    allowPrivate,
    requireHttps: !allowPrivate,
    ...(options.lookup === undefined ? {} : { lookup: options.lookup }),
  });
  const jobs = createSqliteJobs({ db: store.db, clock, onError });
  const bus = createEventBus({ clock, onError });
  const accounts = createTestAccounts();
  const webhooks = createWebhooks({
    db: store.db,
    clock,
    jobs,
    http,
    box: {
      seal: (plain) => Buffer.from(plain).toString('base64url'),
      open: (sealed) => Buffer.from(sealed, 'base64url').toString(),
    },
    audit: createAudit(clock),
    actorFor: async (tenantId, userId) => accounts.caller(`${userId}.operator.${tenantId}`),
    onError,
    timeoutMs: options.timeoutMs ?? 5_000,
  });
  store.db.emitTo({ record: webhooks.outbox.record, publish: bus.publish });
  const app = await buildTestApp({ accounts, routes: webhookRoutes(webhooks) });
  const request = requester(app);
  return {
    db: store.db,
    clock,
    errors,
    jobs,
    bus,
    webhooks,
    request,
    app,
    /** A webhook of tenant t1 on all events. */
    async hook(url: string, events: string[] = ['*']) {
      const answer = await request<{ id: string; secret: string }>(
        'op.operator.t1',
        'POST',
        '/api/v1/webhooks',
        {
          url,
          events,
        },
      );
      if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
      return answer.body;
    },
    async publish(event: NewEvent) {
      await store.db.write((tx) => tx.emit(event));
    },
    async close() {
      await app.close();
      await http.close();
      await store.close();
    },
  };
};

export const completed = (n = 1): NewEvent => ({
  type: 'conversation.completed',
  tenantId: 't1',
  userId: 'ann',
  reach: 'own',
  permission: 'conversations:read',
  data: { conversation_id: `c${n}`, total_cost: 0.25 },
});
