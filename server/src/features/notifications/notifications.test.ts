import { afterEach, describe, expect, it } from 'vitest';
import { req } from '../../../test/requirements.ts';
import { buildTestApp, createTestAccounts, requester } from '../../../test/support/app.ts';
import { createFakeClock } from '../../../test/support/fake-clock.ts';
import { outletTo } from '../../../test/support/outbox.ts';
import { openTestSqlite } from '../../../test/support/sqlite.ts';
import { createSqliteJobs } from '../../jobs/index.ts';
import type { NewEvent, PlatformEvent } from '../../kernel/events.ts';
import { newId } from '../../kernel/ids.ts';
import type { Mail } from '../../kernel/mail.ts';
import { createEventBus } from '../realtime/index.ts';
import { createNotifications, notificationRoutes, notificationTools } from './index.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const start = async (how: { selfApproval?: boolean } = {}) => {
  const store = await openTestSqlite();
  const clock = createFakeClock();
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  const jobs = createSqliteJobs({ db: store.db, clock, onError });
  const bus = createEventBus({ clock, onError });
  const mails: Mail[] = [];
  const recorded: NewEvent[] = [];
  const seen: PlatformEvent[] = [];
  let mailFails = 0;
  store.db.emitTo(outletTo(bus.publish, (event) => recorded.push(event)));
  const notifications = createNotifications({
    db: store.db,
    clock,
    jobs,
    mailer: {
      delivers: true,
      send: async (mail) => {
        if (mailFails-- > 0) throw new Error('mail server away');
        mails.push(mail);
      },
    },
    peopleWith: async (_tenantId, permission) =>
      permission === 'governance:vote' ? ['vera', 'vito'] : permission === 'costs:manage' ? ['boss'] : [],
    seatHolders: async () => ['sita'],
    selfApproval: how.selfApproval ?? false,
    emailOf: async (_tenantId, userId) => (userId === 'gone' ? null : `${userId}@example.com`),
    onError,
  });
  bus.onPublished(notifications.published);
  bus.onEvent((event) => seen.push(event));
  const accounts = createTestAccounts();
  const app = await buildTestApp({ accounts, routes: notificationRoutes(notifications) });
  closers.push(async () => {
    await app.close();
    await store.close();
  });
  return {
    clock,
    jobs,
    bus,
    mails,
    recorded,
    seen,
    errors,
    accounts,
    notifications,
    request: requester(app),
    failMails: (n: number) => {
      mailFails = n;
    },
    async publish(event: NewEvent | PlatformEvent) {
      bus.publish(event);
      await notifications.settled();
    },
  };
};

const ANN = 'ann.user.t1';
const failed = (how: Partial<NewEvent> = {}): NewEvent => ({
  type: 'task.failed',
  tenantId: 't1',
  userId: 'ann',
  reach: 'own',
  permission: 'tasks:read',
  data: { task_id: 'k1', description: 'report', error: { code: 'X', message: 'no model' } },
  ...how,
});

interface Item {
  id: string;
  title: string;
  body: string;
  read: boolean;
  data: Record<string, unknown>;
}

describe(req(['NOTE-01'], 'the inbox'), () => {
  it('holds what concerns a person, for that person alone', async () => {
    const world = await start();
    await world.publish(failed());
    await world.publish(failed({ type: 'run.completed' }));
    const list = await world.request<{ items: Item[]; total: number }>(ANN, 'GET', '/api/v1/notifications');
    expect(list.body.total).toBe(1);
    expect(list.body.items[0]).toMatchObject({
      category: 'tasks',
      level: 'warning',
      title: 'Task failed: report',
      body: 'no model',
      read: false,
      data: { event: 'task.failed', task_id: 'k1' },
    });
    for (const other of ['bob.user.t1', 'root.admin.t1', 'ann.user.t2']) {
      expect((await world.request<{ total: number }>(other, 'GET', '/v2/notifications')).body.total).toBe(0);
      const id = list.body.items[0]?.id;
      expect((await world.request(other, 'POST', `/v2/notifications/${id}/read`)).status).toBe(404);
    }
    expect(world.seen.map((e) => e.type)).toContain('notification');
    expect(world.seen.find((e) => e.type === 'notification')).toMatchObject({
      userId: 'ann',
      reach: 'person',
    });
  });

  it('is told of an event once', async () => {
    const world = await start();
    const event: PlatformEvent = { ...failed(), id: newId(), createdAt: world.clock.now() };
    await world.publish(event);
    await world.publish(event);
    expect((await world.request<{ total: number }>(ANN, 'GET', '/v2/notifications')).body.total).toBe(1);
  });

  it('is read one by one, or all at once', async () => {
    const world = await start();
    for (let i = 0; i < 3; i++) {
      world.clock.advance(1);
      await world.publish(failed());
    }
    const { items } = (await world.request<{ items: Item[] }>(ANN, 'GET', '/v2/notifications')).body;
    expect((await world.request(ANN, 'GET', '/v2/notifications/unread')).body).toEqual({ unread: 3 });
    const first = await world.request<Item>(ANN, 'POST', `/v2/notifications/${items[0]?.id}/read`);
    expect(first.body).toMatchObject({ read: true });
    world.clock.advance(5);
    const again = await world.request<Item>(ANN, 'POST', `/v2/notifications/${items[0]?.id}/read`);
    expect(again.body).toEqual(first.body);
    expect(
      (await world.request<{ total: number }>(ANN, 'GET', '/v2/notifications?unread=true')).body.total,
    ).toBe(2);
    expect((await world.request(ANN, 'POST', '/v2/notifications/read-all')).status).toBe(204);
    expect((await world.request(ANN, 'GET', '/v2/notifications/unread')).body).toEqual({ unread: 0 });
  });

  it('answers 401, 403 and 422 where it must', async () => {
    const world = await start();
    expect((await world.request(null, 'GET', '/v2/notifications')).status).toBe(401);
    expect((await world.request('rita.readonly.t1', 'POST', '/v2/notifications/read-all')).status).toBe(403);
    expect((await world.request(ANN, 'GET', '/v2/notifications?category=gossip')).status).toBe(422);
    expect(
      (await world.request(ANN, 'PATCH', '/v2/notifications/preferences', { categories: { gossip: {} } }))
        .status,
    ).toBe(422);
    expect(
      (
        await world.request(ANN, 'PATCH', '/v2/notifications/preferences', {
          categories: { tasks: { email: 'yes' } },
        })
      ).status,
    ).toBe(422);
  });
});

describe('preferences', () => {
  it('choose the channels of a category', async () => {
    const world = await start();
    const changed = await world.request<{ categories: Record<string, unknown> }>(
      ANN,
      'PATCH',
      '/v2/notifications/preferences',
      {
        categories: { tasks: { email: true, webhook: true } },
      },
    );
    expect(changed.body.categories.tasks).toEqual({ inbox: true, email: true, webhook: true });
    expect(changed.body.categories.costs).toEqual({ inbox: true, email: true, webhook: false });
    await world.publish(failed());
    await world.jobs.runDue();
    expect(world.mails).toEqual([
      { to: 'ann@example.com', subject: 'Task failed: report', text: 'Task failed: report\n\nno model' },
    ]);
    expect(world.recorded.map((e) => e.type)).toEqual(['notification']);
  });

  it('keep a category silent', async () => {
    const world = await start();
    await world.request(ANN, 'PATCH', '/v2/notifications/preferences', {
      categories: { tasks: { inbox: false, email: false, webhook: false } },
    });
    await world.publish(failed());
    await world.jobs.runDue();
    expect((await world.request<{ total: number }>(ANN, 'GET', '/v2/notifications')).body.total).toBe(0);
    expect(world.seen.map((e) => e.type)).toEqual(['task.failed']);
    expect(world.mails).toEqual([]);
  });

  it('mail without the inbox leaves nothing unread', async () => {
    const world = await start();
    await world.request(ANN, 'PATCH', '/v2/notifications/preferences', {
      categories: { tasks: { inbox: false, email: true } },
    });
    await world.publish(failed());
    await world.jobs.runDue();
    expect(world.mails.length).toBe(1);
    expect((await world.request(ANN, 'GET', '/v2/notifications/unread')).body).toEqual({ unread: 0 });
    expect(world.seen.map((e) => e.type)).toEqual(['task.failed']);
  });
});

describe('mail', () => {
  it('is tried again when the server is away, makes no headers of titles, and goes to no closed account', async () => {
    const world = await start();
    await world.request(ANN, 'PATCH', '/v2/notifications/preferences', {
      categories: { tasks: { email: true } },
    });
    world.failMails(2);
    await world.publish(failed({ data: { description: 'a\r\nBcc: eve@example.com' } }));
    await world.jobs.runDue();
    world.clock.advance(60_000);
    await world.jobs.runDue();
    expect(world.mails).toEqual([]);
    world.clock.advance(600_000);
    await world.jobs.runDue();
    expect(world.mails[0]?.subject).toBe('Task failed: a Bcc: eve@example.com');
    await world.request('gone.user.t1', 'PATCH', '/v2/notifications/preferences', {
      categories: { tasks: { email: true } },
    });
    await world.publish(failed({ userId: 'gone' }));
    await world.jobs.runDue();
    expect(world.mails.length).toBe(1);
  });
});

it('serves agents: notify, list and set preferences of the caller alone', async () => {
  const world = await start();
  const caller = world.accounts.caller(ANN);
  const context = {
    caller,
    agentId: 'iris',
    conversationId: 'c1',
    runId: 'r1',
    requestId: 'q',
    signal: new AbortController().signal,
    tainted: false,
  };
  const tools = await notificationTools(world.notifications).list(caller, 'iris');
  const call = async (name: string, args: Record<string, unknown>) => {
    const tool = tools.find((t) => t.name === name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    return tool.call(args, context);
  };
  expect(await call('notify', { title: 'Done', body: 'All of it', level: 'critical' })).toMatchObject({
    isError: false,
    structured: { category: 'agents', level: 'critical', data: { agent_id: 'iris', run_id: 'r1' } },
  });
  expect((await call('list_notifications', { unread: true })).content).toContain('Done');
  await call('set_notification_preferences', { category: 'agents', inbox: false });
  expect(await call('notify', { title: 'Again' })).toMatchObject({ isError: true });
});

describe(req(['NOTE-02'], 'who else is told'), () => {
  const proposal = (status: string, how: Partial<NewEvent> = {}): NewEvent => ({
    type: 'proposal.updated',
    tenantId: 't1',
    userId: 'ann',
    reach: 'own',
    permission: 'governance:read',
    data: { id: 'p1', action: 'shop.order', description: 'buys things', status },
    ...how,
  });
  const titles = async (world: Awaited<ReturnType<typeof start>>, who: string): Promise<string[]> =>
    (await world.request<{ items: Item[] }>(`${who}.user.t1`, 'GET', '/v2/notifications')).body.items.map(
      (item) => item.title,
    );

  it('everybody who may vote, once, of a proposal that waits for a person; its owner of the end alone', async () => {
    const world = await start();
    await world.publish(proposal('awaiting_human'));
    // A vote that decides nothing publishes it again.
    await world.publish(proposal('awaiting_human'));
    await world.publish(proposal('approved', { type: 'proposal.decided' }));
    await world.publish(proposal('approved'));
    for (const who of ['vera', 'vito'])
      expect(await titles(world, who)).toEqual(['Decision needed: shop.order']);
    expect((await titles(world, 'ann')).sort()).toEqual([
      'Proposal approved: shop.order',
      'Waits for a decision: shop.order',
    ]);
    expect(await titles(world, 'bob')).toEqual([]);
  });

  it('who asked for it: that it waits, and that it is theirs to decide only where they may', async () => {
    const own = { userId: 'vera' };
    const world = await start();
    await world.publish(proposal('awaiting_human', own));
    expect(await titles(world, 'vera')).toEqual(['Waits for a decision: shop.order']);
    expect(await titles(world, 'vito')).toEqual(['Decision needed: shop.order']);
    const alone = await start({ selfApproval: true });
    await alone.publish(proposal('awaiting_human', own));
    expect(await titles(alone, 'vera')).toEqual(['Decision needed: shop.order']);
  });

  it('what was asked for counts as read with everybody once it is over, and open pages hear of it', async () => {
    const world = await start();
    const unread = async (who: string) =>
      (await world.request<{ unread: number }>(`${who}.user.t1`, 'GET', '/v2/notifications/unread')).body
        .unread;
    await world.publish(proposal('voting', { type: 'proposal.created' }));
    expect(await unread('sita')).toBe(1);
    await world.publish(proposal('awaiting_human'));
    expect(await unread('sita')).toBe(0);
    expect([await unread('vera'), await unread('vito'), await unread('ann')]).toEqual([1, 1, 1]);
    // Another tenant's, and another proposal, have nothing to do with it.
    await world.publish({ ...proposal('approved'), tenantId: 't2', userId: 'other' });
    await world.publish(proposal('approved', { data: { ...proposal('approved').data, id: 'p2' } }));
    expect(await unread('vera')).toBe(1);
    world.seen.length = 0;
    await world.publish(proposal('approved', { type: 'proposal.decided' }));
    expect([await unread('vera'), await unread('vito')]).toEqual([0, 0]);
    // Its end is news to who asked for it: of p2 and of this one.
    expect(await unread('ann')).toBe(2);
    const heard = world.seen.filter((event) => event.type === 'notification' && event.data.read === true);
    expect(heard.map((event) => event.userId).sort()).toEqual(['ann', 'vera', 'vito']);
    // Both in one breath: nothing stays behind.
    world.bus.publish(proposal('awaiting_human', { data: { ...proposal('awaiting_human').data, id: 'p3' } }));
    world.bus.publish(proposal('rejected', { data: { ...proposal('rejected').data, id: 'p3' } }));
    await world.notifications.settled();
    expect(await unread('vera')).toBe(0);
  });

  it('who holds a seat, of a proposal that is voted on', async () => {
    const world = await start();
    await world.publish(proposal('voting', { type: 'proposal.created' }));
    await world.publish(proposal('voting'));
    expect(await titles(world, 'sita')).toEqual(['Vote needed: shop.order']);
    for (const who of ['ann', 'vera']) expect(await titles(world, who)).toEqual([]);
  });

  it('who keeps the limits, of those of the tenant and of agents', async () => {
    const world = await start();
    const alert: NewEvent = {
      type: 'cost.alert',
      tenantId: 't1',
      userId: null,
      reach: 'own',
      permission: 'costs:read',
      data: { alert_level: 'critical', message: '90 % is used' },
    };
    await world.publish(alert);
    await world.publish({ ...alert, userId: 'ann' });
    expect(await titles(world, 'boss')).toEqual(['Costs: critical']);
    expect(await titles(world, 'ann')).toEqual(['Costs: critical']);
  });

  it('by their own preferences', async () => {
    const world = await start();
    const off = { categories: { proposals: { inbox: false, email: false } } };
    await world.request('vito.user.t1', 'PATCH', '/v2/notifications/preferences', off);
    await world.publish(proposal('awaiting_human'));
    expect(await titles(world, 'vito')).toEqual([]);
    expect(await titles(world, 'vera')).toHaveLength(1);
  });
});
