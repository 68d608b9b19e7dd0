import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPostgres } from '../../src/db/open.ts';
import { createPostgresJobs } from '../../src/jobs/postgres.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { createTaskWorld } from '../tasks/harness.ts';

const MIN = 60_000;

let postgres: TestPostgres | null = null;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(async () => {
  await postgres?.stop();
});

describe('tasks on PostgreSQL', () => {
  it('make one run per slot over ten hours, with three schedulers of which one dies', async () => {
    if (postgres === null) throw new Error('PostgreSQL has not been started');
    const url = await postgres.freshUrl();
    const db = await openPostgres({ url, maxConnections: 12, unscoped: 'all' });
    const world = await createTaskWorld({ db, perTenant: 4 });
    const nodes = Array.from({ length: 3 }, () =>
      world.node(createPostgresJobs({ db, url, clock: systemClock, onError: world.onError, pollS: 0.5 })),
    );
    for (const node of nodes) await node.jobs.start();
    const [first] = nodes;
    if (first === undefined) throw new Error('no node');
    const caller = world.accounts.caller('ann.user.t1');
    const { id } = await first.tasks.create(caller, {
      description: 'x',
      cron: '* * * * *',
      overlap: 'queue',
    });
    const open = async (): Promise<number> => {
      const row = await db.read
        .selectFrom('task_runs')
        .select((eb) => eb.fn.countAll<number>().as('n'))
        .where('status', 'in', ['queued', 'running'])
        .executeTakeFirstOrThrow();
      return Number(row.n);
    };
    for (let slot = 1; slot <= 600; slot++) {
      world.clock.advance(MIN);
      if (slot === 200) await nodes[2]?.jobs.stop(0);
      const alive = slot >= 200 ? nodes.slice(0, 2) : nodes;
      await Promise.all(alive.map((node) => node.tasks.tick()));
      // Time does not run away from the work: at most a few slots wait.
      await expect.poll(open, { timeout: 30_000, interval: 20 }).toBeLessThan(6);
    }
    await expect.poll(open, { timeout: 30_000, interval: 50 }).toBe(0);
    const rows = await db.read.selectFrom('task_runs').selectAll().where('task_id', '=', id).execute();
    expect(rows.length).toBe(600);
    expect(new Set(rows.map((row) => row.slot_at)).size).toBe(600);
    expect(rows.every((row) => row.status === 'completed')).toBe(true);
    expect(world.played.asked.length).toBe(600);
    expect(world.errors).toEqual([]);
    await Promise.all(nodes.slice(0, 2).map((node) => node.jobs.stop(0)));
    await db.close();
  }, 240_000);

  it('are changed as they stand, not as they stood before others changed them', async () => {
    if (postgres === null) throw new Error('PostgreSQL has not been started');
    const url = await postgres.freshUrl();
    const db = await openPostgres({ url, maxConnections: 6, unscoped: 'all' });
    const world = await createTaskWorld({ db, perTenant: 4 });
    const jobs = createPostgresJobs({ db, url, clock: systemClock, onError: world.onError, pollS: 0.5 });
    const node = world.node(jobs);
    await jobs.start();
    const caller = world.accounts.caller('ann.user.t1');
    const { id } = await node.tasks.create(caller, { description: 'x', cron: '0 0 1 1 *' });
    const waits = async (): Promise<number> => {
      const found = await sql<{ n: number }>`select count(*)::int as n from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(db.read);
      return found.rows[0]?.n ?? 0;
    };
    let patched: Promise<unknown> = Promise.resolve();
    // Another request has narrowed what the task may do, and not yet ended.
    await db.write(async (tx) => {
      await tx
        .updateTable('tasks')
        .set({ permissions: '[]', credential: null })
        .where('id', '=', id)
        .execute();
      patched = node.tasks.patch(caller, id, { description: 'y' });
      await expect.poll(waits, { timeout: 20_000 }).toBe(1);
    });
    await patched;
    // It has ended meanwhile, and is not ended again; one that was retried meanwhile is not retried twice.
    let refused: Promise<unknown> = Promise.resolve();
    const end = (status: string, work: () => Promise<unknown>) =>
      db.write(async (tx) => {
        await tx.updateTable('tasks').set({ status }).where('id', '=', ended).execute();
        refused = work().then(
          () => 'done',
          (error: unknown) => (error as { code?: unknown }).code,
        );
        await expect.poll(waits, { timeout: 20_000 }).toBe(1);
      });
    const { id: ended } = await node.tasks.create(caller, { description: 'x', cron: '0 0 1 1 *' });
    await end('completed', () => node.tasks.cancel(caller, ended));
    expect(await refused).toBe('CONFLICT');
    await db.write(async (tx) => {
      await tx.updateTable('tasks').set({ status: 'failed' }).where('id', '=', ended).execute();
    });
    await end('completed', () => node.tasks.retry(caller, ended));
    expect(await refused).toBe('CONFLICT');
    const row = await db.read
      .selectFrom('tasks')
      .select(['description', 'permissions'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect(row).toEqual({ description: 'y', permissions: '[]' });
    await jobs.stop(0);
    await db.close();
  }, 60_000);
});
