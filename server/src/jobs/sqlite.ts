import type { Db } from '../db/db.ts';
import type { JobRow } from '../db/tables/jobs.ts';
import type { Clock } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import { atMost } from '../kernel/races.ts';
import type { Jobs } from './port.ts';
import { asError, contextOf, outcomeOf, type Worker, withTrace, workerOf } from './registry.ts';
import { ABORT_GRACE_MS, errorText } from './rules.ts';
import {
  anythingDue,
  buryJob,
  claimJob,
  countJobs,
  deleteDeadBefore,
  finishJob,
  freeLeases,
  insertJob,
  renewLease,
  requeueJob,
  waitingJobs,
} from './store.ts';

export interface SqliteJobsOptions {
  db: Db;
  clock: Clock;
  onError(error: unknown, message: string): void;
  /** Longest delay until a due job is seen. Default 500. */
  pollMs?: number;
}

/** The SQLite engine can also be driven by hand, which tests with a clock of their own do. */
export interface SqliteJobs extends Jobs {
  /** Runs everything that is due now, and what becomes due by it, to its end; returns how many attempts that were. */
  runDue(): Promise<number>;
}

interface Running {
  abort: AbortController;
  done: Promise<void>;
  worker: Worker;
}

const DEAD_LETTER_TTL_MS = 30 * 86_400_000;
export const createSqliteJobs = (options: SqliteJobsOptions): SqliteJobs => {
  const { db, clock, onError } = options;
  const pollMs = options.pollMs ?? 500;
  const workers = new Map<string, Worker>();
  const running = new Map<string, Running>();
  let timer: NodeJS.Timeout | null = null;
  let started = false;
  let stopping = false;
  let looking: Promise<number> | null = null;

  const free = (worker: Worker): number => {
    let taken = 0;
    for (const job of running.values()) if (job.worker === worker) taken += 1;
    return worker.options.concurrency - taken;
  };

  const bury = async (worker: Worker, row: JobRow, lease: string, error: unknown): Promise<void> => {
    // Told first: a process that dies in between leaves the job to be told again, and not a job whose end nobody heard of.
    await worker.dead(JSON.parse(row.payload), asError(error));
    await db.write((tx) => buryJob(tx, { id: row.id, lease }, errorText(error), clock.now()));
  };

  const fail = async (worker: Worker, row: JobRow, lease: string, error: unknown): Promise<void> => {
    const outcome = outcomeOf(worker, row.attempts, error);
    if (outcome.state === 'dead') return bury(worker, row, lease, error);
    const runAt = clock.now() + outcome.delayMs;
    await db.write((tx) =>
      requeueJob(tx, { id: row.id, lease }, { runAt, error: errorText(error), countsAsAttempt: true }),
    );
  };

  const attempt = async (
    worker: Worker,
    row: JobRow,
    lease: string,
    abort: AbortController,
  ): Promise<void> => {
    const held = { id: row.id, lease };
    const { leaseMs, retryDelaysMs } = worker.kind;
    // A holder that went silent used its attempt up; after the last one nobody tries again.
    if (row.attempts > retryDelaysMs.length + 1) {
      return bury(
        worker,
        row,
        lease,
        new Error('the process that ran this job died, and no attempt is left'),
      );
    }
    const heartbeat = setInterval(() => {
      db.write((tx) => renewLease(tx, held, clock.now() + leaseMs)).then(
        (kept) => {
          if (!kept) abort.abort(new Error('the lease was lost'));
        },
        (error: unknown) => onError(error, 'the lease of a job could not be renewed'),
      );
    }, leaseMs / 3);
    heartbeat.unref();
    try {
      await worker.run(JSON.parse(row.payload), contextOf(worker, row.id, row.attempts, abort.signal));
      await db.write((tx) => finishJob(tx, held));
    } catch (error) {
      if (stopping) {
        await db.write((tx) =>
          requeueJob(tx, held, { runAt: clock.now(), error: 'interrupted', countsAsAttempt: false }),
        );
      } else await fail(worker, row, lease, error);
    } finally {
      clearInterval(heartbeat);
    }
  };

  const begin = (worker: Worker, row: JobRow, lease: string): void => {
    const abort = new AbortController();
    const done = attempt(worker, row, lease, abort)
      .catch((error: unknown) => onError(error, `job ${worker.kind.name} could not be settled`))
      .finally(() => {
        running.delete(row.id);
        if (started && !stopping) schedule(0);
      });
    running.set(row.id, { abort, done, worker });
  };

  const claimAll = async (): Promise<number> => {
    const now = clock.now();
    if (!(await anythingDue(db.read, now))) return 0;
    let claimed = 0;
    for (const worker of workers.values()) {
      const room = free(worker);
      if (room <= 0) continue;
      const lease = newId();
      const rows = await db.write(async (tx) => {
        const taken: JobRow[] = [];
        while (taken.length < room) {
          const row = await claimJob(tx, {
            kind: worker.kind.name,
            now,
            lease,
            leaseUntil: now + worker.kind.leaseMs,
            perGroup: worker.options.perGroup ?? null,
            held: [...running.keys()],
          });
          if (row === undefined) break;
          taken.push(row);
        }
        return taken;
      });
      for (const row of rows) begin(worker, row, lease);
      claimed += rows.length;
    }
    return claimed;
  };

  /** One look at a time: two would see the same free room. */
  const look = (): Promise<number> => {
    looking ??= claimAll().finally(() => {
      looking = null;
    });
    return looking;
  };

  const schedule = (delayMs: number): void => {
    if (timer !== null) clearTimeout(timer);
    timer = setTimeout(() => {
      timer = null;
      look()
        .catch((error: unknown) => onError(error, 'the job queue could not be read'))
        .finally(() => {
          if (started && !stopping && timer === null) schedule(pollMs);
        });
    }, delayMs);
    timer.unref();
  };

  const settled = async (): Promise<void> => {
    while (running.size > 0) await Promise.all([...running.values()].map((job) => job.done));
  };

  return {
    async enqueue(tx, kind, payload, how = {}) {
      const now = clock.now();
      await insertJob(tx, {
        id: newId(),
        kind: kind.name,
        state: 'queued',
        payload: JSON.stringify(withTrace(payload)),
        priority: how.priority ?? 0,
        group_key: how.group ?? null,
        attempts: 0,
        run_at: how.runAt ?? now,
        lease: null,
        lease_until: null,
        error: null,
        created_at: now,
        finished_at: null,
      });
      // The transaction commits in this turn or the next; looking a little later finds the job without waiting a poll.
      if (started && !stopping && (how.runAt ?? now) <= now) schedule(5);
    },
    work(kind, how, handler) {
      if (workers.has(kind.name)) throw new Error(`the job kind ${kind.name} has a worker already`);
      workers.set(kind.name, workerOf(kind, how, handler));
    },
    async start() {
      await db.write(async (tx) => {
        await freeLeases(tx);
        await deleteDeadBefore(tx, clock.now() - DEAD_LETTER_TTL_MS);
      });
      started = true;
      schedule(0);
    },
    async stop(graceMs) {
      stopping = true;
      if (timer !== null) clearTimeout(timer);
      await looking?.catch(() => {});
      await atMost(settled(), graceMs);
      for (const job of running.values()) job.abort.abort(new Error('the server is stopping'));
      await atMost(settled(), ABORT_GRACE_MS);
    },
    async depth() {
      const counts = await countJobs(db.read);
      return { queued: counts.queued ?? 0, running: counts.running ?? 0, dead: counts.dead ?? 0 };
    },
    waiting: () => waitingJobs(db.read, [...workers.keys()], clock.now()),
    async runDue() {
      let attempts = 0;
      for (;;) {
        const claimed = await look();
        await settled();
        if (claimed === 0) return attempts;
        attempts += claimed;
      }
    },
  };
};
