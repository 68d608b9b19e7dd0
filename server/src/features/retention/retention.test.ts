import { afterEach, describe, expect, it } from 'vitest';
import { req } from '../../../test/requirements.ts';
import { createFakeClock } from '../../../test/support/fake-clock.ts';
import { testStores } from '../../../test/support/stores.ts';
import { loadConfig } from '../../config.ts';
import type { Db } from '../../db/db.ts';
import { createSqliteJobs } from '../../jobs/index.ts';
import { createAudit, verifyAudit } from '../audit/index.ts';
import { createRetention, purgeNow, retentionPurges } from './index.ts';
import { DAY_MS } from './rules.ts';

const settings = (env: Record<string, string>) => loadConfig(env, import.meta.dirname);
const ALL = settings({
  RETENTION_ARCHIVED_CONVERSATIONS_DAYS: '30',
  RETENTION_RUN_EVENTS_DAYS: '10',
  RETENTION_WEBHOOK_DELIVERIES_DAYS: '5',
  RETENTION_NOTIFICATIONS_DAYS: '20',
});

/** The UUIDv7 of a time, told apart by `n`. */
const idAt = (ms: number, n: number): string => {
  const digits = ms.toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7000-8000-${String(n).padStart(12, '0')}`;
};

const conversation = async (db: Db, n: number, at: number, archivedAt: number | null): Promise<string> => {
  const id = idAt(at, n);
  const owner = { tenant_id: 't1', user_id: 'ann', conversation_id: id };
  await db.write(async (tx) => {
    await tx
      .insertInto('conversations')
      .values({
        id,
        tenant_id: 't1',
        user_id: 'ann',
        title: `n ${n}`,
        status: archivedAt === null ? 'active' : 'archived',
        metadata: '{}',
        agent_ids: '[]',
        message_count: 1,
        cost_nano: 0,
        created_at: at,
        updated_at: at,
        archived_at: archivedAt,
        branched: 0,
      })
      .execute();
    await tx
      .insertInto('messages')
      .values({ ...owner, id: `m${n}`, role: 'user', content: 'hi', cost_nano: 0, created_at: at, active: 1 })
      .execute();
  });
  return id;
};

const run = (
  db: Db,
  n: number,
  conversationId: string,
  at: number,
  finishedAt: number | null,
): Promise<void> =>
  db.write(async (tx) => {
    const id = idAt(at, n);
    await tx
      .insertInto('runs')
      .values({
        id,
        tenant_id: 't1',
        user_id: 'ann',
        conversation_id: conversationId,
        message_id: `a${n}`,
        question_id: `m${n}`,
        status: finishedAt === null ? 'running' : 'completed',
        agent_ids: '[]',
        request: '{}',
        cost_nano: 7,
        journal: '{"v":1,"events":[]}',
        tool_call_count: 0,
        created_at: at,
        finished_at: finishedAt,
      })
      .execute();
    await tx
      .insertInto('run_steps')
      .values({ run_id: id, n: 0, kind: 'model', payload: '{}', created_at: at })
      .execute();
  });

let drop: (() => Promise<void>) | null = null;
afterEach(async () => {
  await drop?.();
  drop = null;
});

describe.each(testStores)('retention on $name', (store) => {
  it(req('OPS-09', 'drops what is older than its time and nothing else'), async () => {
    const opened = await store.open();
    drop = opened.drop;
    const { db } = opened;
    const clock = createFakeClock();
    const t = clock.now();
    const kept = await conversation(db, 1, t, null);
    const recent = await conversation(db, 2, t, t);
    const busy = await conversation(db, 3, t, t);
    await run(db, 1, kept, t, t + 1_000);
    await run(db, 2, busy, t, null);
    await run(db, 3, kept, t + 9 * DAY_MS, t + 9 * DAY_MS);
    await db.write(async (tx) => {
      const hook = { tenant_id: 't1', created_at: t, updated_at: t };
      await tx
        .insertInto('webhooks')
        .values({
          ...hook,
          id: 'h',
          created_by: 'ann',
          url: 'u',
          events: '[]',
          status: 'active',
          secret: 's',
        })
        .execute();
      for (const [id, status, finishedAt] of [
        ['old', 'delivered', t],
        ['open', 'pending', null],
        ['new', 'failed', t + 9 * DAY_MS],
      ] as const) {
        const delivery = { webhook_id: 'h', tenant_id: 't1', event_id: id, event: 'e', body: '{}' };
        await tx
          .insertInto('webhook_deliveries')
          .values({
            ...delivery,
            id,
            status,
            attempts: 1,
            round_attempts: 1,
            created_at: t,
            finished_at: finishedAt,
          })
          .execute();
      }
      await tx
        .insertInto('idempotency_keys')
        .values([
          { caller_id: 'ann', key: 'old', fingerprint: 'f', state: 'done', created_at: t },
          { caller_id: 'ann', key: 'new', fingerprint: 'f', state: 'done', created_at: t + 10 * DAY_MS },
        ])
        .execute();
      for (const [id, at] of [
        ['n-old', t],
        ['n-new', t + 10 * DAY_MS],
      ] as const) {
        const told = {
          tenant_id: 't1',
          user_id: 'ann',
          category: 'tasks',
          level: 'info',
          title: 't',
          body: 'b',
        };
        await tx
          .insertInto('notifications')
          .values({ ...told, id, data: '{}', created_at: at })
          .execute();
      }
    });
    const counted: Record<string, number> = {};
    const purge = (config = ALL) =>
      purgeNow({
        db,
        clock,
        audit: createAudit(clock),
        purges: retentionPurges(config),
        purged: (what, rows) => {
          counted[what] = (counted[what] ?? 0) + rows;
        },
      });
    const ids = async (table: 'conversations' | 'webhook_deliveries' | 'notifications'): Promise<string[]> =>
      (await db.read.selectFrom(table).select('id').orderBy('id').execute()).map((row) => row.id);
    const withEvents = async (): Promise<string[]> =>
      (
        await db.read.selectFrom('runs').select('id').where('journal', 'is not', null).orderBy('id').execute()
      ).map((row) => row.id);

    // Within all times: nothing goes.
    await purge();
    expect(counted).toEqual({});

    clock.advance(10 * DAY_MS + 60_000);
    await purge();
    expect(counted).toEqual({ webhook_deliveries: 1, run_events: 1, idempotency_keys: 1 });
    expect(await ids('webhook_deliveries')).toEqual(['new', 'open']);
    expect(await withEvents()).toEqual([idAt(t, 2), idAt(t + 9 * DAY_MS, 3)]);

    clock.advance(21 * DAY_MS);
    await purge();
    // The archived conversation whose run has not ended waits.
    expect(await ids('conversations')).toEqual([kept, busy]);
    expect(await ids('conversations')).not.toContain(recent);
    const messages = await db.read.selectFrom('messages').select('id').orderBy('id').execute();
    expect(messages.map((row) => row.id)).toEqual(['m1', 'm3']);
    expect(await ids('notifications')).toEqual([]);
    // One that has not ended keeps its events, and does not keep those behind it.
    expect(await withEvents()).toEqual([idAt(t, 2)]);

    // Once it has ended it goes too, although the walk had come to it before.
    await db.write(async (tx) => {
      await tx.updateTable('runs').set({ finished_at: clock.now() }).where('id', '=', idAt(t, 2)).execute();
    });
    clock.advance(11 * DAY_MS);
    await purge();
    expect(await ids('conversations')).toEqual([kept]);
    expect(await withEvents()).toEqual([]);
    const cost = await db.read.selectFrom('runs').select('cost_nano').execute();
    expect(cost.map((row) => row.cost_nano)).toEqual([7, 7]);

    const audit = await db.read
      .selectFrom('audit_events')
      .select(['action', 'details'])
      .orderBy('seq')
      .execute();
    expect(audit.map((row) => row.action)).toEqual(['retention.purged', 'retention.purged']);
    expect(JSON.parse(audit[0]?.details ?? '')).toEqual({
      what: 'archived_conversations',
      rows: 1,
      older_than_days: 30,
    });
    expect(await verifyAudit(db, 't1')).toMatchObject({ ok: true, events: 2 });
  });

  it(
    req(['OPS-09', 'CONV-21'], 'drops unlisted conversations by a time of their own, and no other'),
    async () => {
      const opened = await store.open();
      drop = opened.drop;
      const { db } = opened;
      const clock = createFakeClock();
      const t = clock.now();
      const listed = await conversation(db, 1, t, null);
      const archived = await conversation(db, 2, t, t);
      const old = await conversation(db, 3, t, null);
      const busy = await conversation(db, 4, t, null);
      await run(db, 4, busy, t, null);
      const fresh = await conversation(db, 5, t + 6 * DAY_MS, null);
      await db.write(async (tx) => {
        await tx
          .updateTable('conversations')
          .set({ status: 'unlisted' })
          .where('id', 'in', [old, busy, fresh])
          .execute();
      });
      clock.advance(8 * DAY_MS);
      const purges = retentionPurges(settings({ RETENTION_UNLISTED_CONVERSATIONS_DAYS: '7' }));
      await purgeNow({ db, clock, audit: createAudit(clock), purges, purged: () => {} });
      const left = await db.read.selectFrom('conversations').select('id').execute();
      expect(left.map((row) => row.id).toSorted()).toEqual([listed, archived, busy, fresh].toSorted());
    },
  );

  it(req('OPS-09', 'keeps all where a setting is 0'), async () => {
    const opened = await store.open();
    drop = opened.drop;
    const { db } = opened;
    const clock = createFakeClock();
    const old = await conversation(db, 1, clock.now(), clock.now());
    await run(db, 1, old, clock.now(), clock.now());
    clock.advance(36_000 * DAY_MS);
    const purges = retentionPurges(settings({}));
    const reports = await purgeNow({ db, clock, audit: createAudit(clock), purges, purged: () => {} });
    expect(reports.filter((report) => report.before === null).map((report) => report.name)).toEqual([
      'archived_conversations',
      'unlisted_conversations',
      'run_events',
    ]);
    expect(await db.read.selectFrom('runs').select('journal').execute()).toEqual([
      { journal: '{"v":1,"events":[]}' },
    ]);
  });

  it(req('OPS-09', 'is due once a day, for one of several nodes that ask at once'), async () => {
    const opened = await store.open();
    drop = opened.drop;
    const { db } = opened;
    const clock = createFakeClock();
    const node = () => {
      // The table is the queue of SQLite; on PostgreSQL it shows as well what was enqueued.
      const jobs = createSqliteJobs({ db, clock, onError: () => {} });
      return createRetention({ db, clock, jobs, audit: createAudit(clock), purges: [], purged: () => {} });
    };
    const nodes = [node(), node(), node()];
    const waiting = async (): Promise<number> =>
      (await db.read.selectFrom('jobs').select('id').where('kind', '=', 'retention.purge').execute()).length;
    await Promise.all(nodes.map((each) => each.tick()));
    expect(await waiting()).toBe(1);
    clock.advance(DAY_MS - 1);
    await Promise.all(nodes.map((each) => each.tick()));
    expect(await waiting()).toBe(1);
    clock.advance(1);
    await Promise.all(nodes.map((each) => each.tick()));
    expect(await waiting()).toBe(2);
  });
});
