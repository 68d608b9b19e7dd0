import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { jobsSuite, noteKind } from '../../test/suites/jobs.ts';
import { createFakeClock, type FakeClock } from '../../test/support/fake-clock.ts';
import { openTestSqlite } from '../../test/support/sqlite.ts';
import { systemClock } from '../kernel/clock.ts';
import { createSqliteJobs, type JobKind, RetryLater, type SqliteJobs } from './index.ts';

const fail = (error: unknown, message: string): never => {
  throw new Error(message, { cause: error });
};

jobsSuite('SQLite', async () => {
  const store = await openTestSqlite();
  return {
    db: store.db,
    jobs: () => createSqliteJobs({ db: store.db, clock: systemClock, onError: fail, pollMs: 20 }),
    close: store.close,
  };
});

describe('jobs on SQLite, by a clock of the test', () => {
  let store: Awaited<ReturnType<typeof openTestSqlite>>;
  let clock: FakeClock;
  const make = (): SqliteJobs => createSqliteJobs({ db: store.db, clock, onError: fail });
  beforeEach(async () => {
    store = await openTestSqlite();
    clock = createFakeClock();
  });
  afterEach(() => store.close());

  it('waits exactly as long as the schedule says', async () => {
    const kind = noteKind('c.schedule', [5_000, 300_000]);
    const at: number[] = [];
    const start = clock.now();
    const jobs = make();
    jobs.work(
      kind,
      { concurrency: 1 },
      {
        run: async () => {
          at.push(clock.now() - start);
          throw new Error('no');
        },
      },
    );
    await store.db.write((tx) => jobs.enqueue(tx, kind, { v: 1, text: 'x' }));
    await jobs.runDue();
    clock.advance(4_999);
    expect(await jobs.runDue()).toBe(0);
    clock.advance(1);
    expect(await jobs.runDue()).toBe(1);
    clock.advance(299_999);
    expect(await jobs.runDue()).toBe(0);
    clock.advance(1);
    expect(await jobs.runDue()).toBe(1);
    clock.advance(10 * 86_400_000);
    expect(await jobs.runDue()).toBe(0);
    expect(at).toEqual([0, 5_000, 305_000]);
    expect((await jobs.depth()).dead).toBe(1);
  });

  it('honours a wait that the failure asks for, and never goes below the schedule', async () => {
    const kind = noteKind('c.later', [10_000, 10_000]);
    const asked = [60_000, 1];
    const jobs = make();
    let runs = 0;
    jobs.work(
      kind,
      { concurrency: 1 },
      {
        run: async () => {
          runs += 1;
          throw new RetryLater('busy', asked.shift() ?? 0);
        },
      },
    );
    await store.db.write((tx) => jobs.enqueue(tx, kind, { v: 1, text: 'x' }));
    await jobs.runDue();
    clock.advance(59_999);
    await jobs.runDue();
    expect(runs).toBe(1);
    clock.advance(1);
    await jobs.runDue();
    expect(runs).toBe(2);
    clock.advance(9_999);
    await jobs.runDue();
    expect(runs).toBe(2);
    clock.advance(1);
    await jobs.runDue();
    expect(runs).toBe(3);
  });

  it('gives a silent holder’s job to another after the lease, and ends it when no attempt is left', async () => {
    const kind: JobKind<{ v: 1; text: string }> = { ...noteKind('c.lease', [0]), leaseMs: 60_000 };
    const silent = make();
    const never = Promise.withResolvers<void>();
    silent.work(kind, { concurrency: 1 }, { run: () => never.promise });
    await store.db.write((tx) => silent.enqueue(tx, kind, { v: 1, text: 'x' }));
    const stuck = silent.runDue();
    await expect.poll(async () => (await silent.depth()).running).toBe(1);

    const attempts: number[] = [];
    const buried: string[] = [];
    const next = make();
    next.work(
      kind,
      { concurrency: 1 },
      {
        run: async (_note, context) => {
          attempts.push(context.attempt);
          throw new Error('second failure');
        },
        dead: async (_note, error) => {
          buried.push(error.message);
        },
      },
    );
    clock.advance(59_999);
    expect(await next.runDue()).toBe(0);
    clock.advance(1);
    await next.runDue();
    expect(attempts).toEqual([2]);
    expect(buried).toEqual(['second failure']);
    // The first holder comes back: its late success must not bring the dead letter back or remove it.
    never.resolve();
    await stuck;
    expect(await next.depth()).toEqual({ queued: 0, running: 0, dead: 1 });
  });

  it('does nothing before its time', async () => {
    const kind = noteKind('c.future');
    const jobs = make();
    let runs = 0;
    jobs.work(
      kind,
      { concurrency: 1 },
      {
        run: async () => {
          runs += 1;
        },
      },
    );
    await store.db.write((tx) =>
      jobs.enqueue(tx, kind, { v: 1, text: 'x' }, { runAt: clock.now() + 3_600_000 }),
    );
    clock.advance(3_599_999);
    await jobs.runDue();
    expect(runs).toBe(0);
    clock.advance(1);
    await jobs.runDue();
    expect(runs).toBe(1);
  });
});
