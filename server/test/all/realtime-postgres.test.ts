import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGuardedFetch } from '../../src/adapters/guarded-fetch/index.ts';
import type { Db } from '../../src/db/db.ts';
import { openPostgres } from '../../src/db/open.ts';
import { createAudit } from '../../src/features/audit/index.ts';
import { createNotifications, notificationRoutes } from '../../src/features/notifications/index.ts';
import { createEventBus } from '../../src/features/realtime/index.ts';
import { createWebhooks, webhookRoutes } from '../../src/features/webhooks/index.ts';
import { createPostgresJobs } from '../../src/jobs/postgres.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import type { Mail } from '../../src/kernel/mail.ts';
import { buildTestApp, createTestAccounts, requester } from '../support/app.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { startReceiver } from '../support/receiver.ts';
import { completed } from '../webhooks/harness.ts';

/** Webhooks and notifications with pg-boss behind them, in real time: the statements and the way through the queue. */
let postgres: TestPostgres | null = null;
let db: Db | null = null;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(async () => {
  await db?.close();
  await postgres?.stop();
});

describe('webhooks and notifications on PostgreSQL', () => {
  it('deliver, retry, log, redeliver, notify and mail', async () => {
    if (postgres === null) throw new Error('PostgreSQL has not been started');
    const url = await postgres.freshUrl();
    const store = await openPostgres({ url, maxConnections: 8, unscoped: 'all' });
    db = store;
    const clock = systemClock;
    const errors: unknown[] = [];
    const onError = (error: unknown): void => void errors.push(error);
    const jobs = createPostgresJobs({ db: store, url, clock, onError, pollS: 0.5 });
    const bus = createEventBus({ clock, onError });
    const http = createGuardedFetch({ allowPrivate: true });
    const webhooks = createWebhooks({
      db: store,
      clock,
      jobs,
      http,
      box: { seal: (plain) => plain, open: (sealed) => sealed },
      audit: createAudit(clock),
      actorFor: async (tenantId, userId) => accounts.caller(`${userId}.operator.${tenantId}`),
      onError,
    });
    store.emitTo({ record: webhooks.outbox.record, publish: bus.publish });
    const mails: Mail[] = [];
    const notifications = createNotifications({
      db: store,
      clock,
      jobs,
      mailer: { delivers: true, send: async (mail) => void mails.push(mail) },
      peopleWith: () => Promise.resolve([]),
      selfApproval: false,
      seatHolders: () => Promise.resolve([]),
      emailOf: async (_tenantId, userId) => `${userId}@example.com`,
      onError,
    });
    bus.onPublished(notifications.published);
    await jobs.start();
    const accounts = createTestAccounts();
    const app = await buildTestApp({
      accounts,
      routes: [...webhookRoutes(webhooks), ...notificationRoutes(notifications)],
    });
    const request = requester(app);
    const target = await startReceiver((response, n) => {
      response.statusCode = n === 1 ? 500 : 200;
      response.end();
    });

    const hook = await request<{ id: string }>('op.operator.t1', 'POST', '/v2/webhooks', {
      url: target.url,
      events: ['*'],
    });
    expect(hook.status).toBe(201);
    await store.write((tx) => tx.emit(completed()));
    await expect.poll(() => target.received.length, { timeout: 20_000 }).toBe(2);
    const list = `/v2/webhooks/${hook.body.id}/deliveries`;
    const deliveries = async () =>
      (
        await request<{ items: { id: string; status: string; attempts: number }[] }>(
          'op.operator.t1',
          'GET',
          list,
        )
      ).body.items;
    await expect.poll(async () => (await deliveries())[0]?.status, { timeout: 10_000 }).toBe('delivered');
    const [delivery] = await deliveries();
    expect(delivery?.attempts).toBe(2);
    expect((await request('op.operator.t1', 'POST', `${list}/${delivery?.id}/redeliver`)).status).toBe(202);
    await expect.poll(() => target.received.length, { timeout: 10_000 }).toBe(3);
    expect(new Set(target.received.map((r) => r.headers['webhook-id'])).size).toBe(1);
    expect(
      (await request('op.operator.t1', 'GET', `${list}?status=delivered&event=conversation.completed`))
        .status,
    ).toBe(200);
    expect(
      (await request('op.operator.t1', 'POST', `/v2/webhooks/${hook.body.id}/rotate-secret`)).status,
    ).toBe(200);

    await request('ann.user.t1', 'PATCH', '/v2/notifications/preferences', {
      categories: { tasks: { email: true, webhook: true } },
    });
    const failed = { ...completed(), type: 'task.failed', data: { description: 'report' } };
    await store.write((tx) => tx.emit(failed));
    await expect.poll(() => mails.length, { timeout: 10_000 }).toBe(1);
    await expect
      .poll(() => target.received.map((r) => JSON.parse(r.body).event), { timeout: 10_000 })
      .toEqual(expect.arrayContaining(['task.failed', 'notification']));
    const inbox = await request<{ items: { id: string }[]; total: number }>(
      'ann.user.t1',
      'GET',
      '/v2/notifications?unread=true',
    );
    expect(inbox.body.total).toBe(1);
    expect(
      (await request('ann.user.t1', 'POST', `/v2/notifications/${inbox.body.items[0]?.id}/read`)).status,
    ).toBe(200);
    expect((await request('ann.user.t1', 'GET', '/v2/notifications/unread')).body).toEqual({ unread: 0 });
    expect((await request('op.operator.t1', 'DELETE', `/v2/webhooks/${hook.body.id}`)).status).toBe(204);
    expect(errors).toEqual([]);
    await jobs.stop(1_000);
    await app.close();
    await http.close();
    await target.close();
  }, 120_000);
});
