import { fromKysely, type JobWithMetadata, PgBoss } from 'pg-boss';
import type { Db } from '../db/db.ts';
import type { Clock } from '../kernel/clock.ts';
import { atMost } from '../kernel/races.ts';
import { affectedBy, createBossJobs, type Envelope, isEnvelope } from './boss-jobs.ts';
import { type Jobs, NewerPayload } from './port.ts';
import { contextOf, type Worker, withTrace, workerOf } from './registry.ts';
import { ABORT_GRACE_MS } from './rules.ts';
import { countBossJobs, countJobs, deleteDeadBefore, lockKind, waitingBossJobs } from './store.ts';
import { createTicker, type Ticker } from './ticker.ts';

export interface PostgresJobsOptions {
  db: Db;
  url: string;
  clock: Clock;
  onError(error: unknown, message: string): void;
  /** Seconds between looks for work; at least 0.5. Default 1. */
  pollS?: number;
  /** When a payload of a later release is offered again; default 15,000. */
  newerAgainMs?: number;
}

/** The queue's own connections: a store that does not answer is given up, and they are made anew. */
const QUEUE_CONNECTION = {
  query_timeout: 30_000,
  connectionTimeoutMillis: 5_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
};
const MIN_HEARTBEAT_S = 10;
const MAX_RUN_S = 23 * 3_600;
/** pg-boss counts only deaths of workers here; the schedule of attempts is ours. */
const DEATHS_LIMIT = 1_000;
/** The transaction that enqueues commits a moment later; a look after that finds the job without waiting a poll. */
const AFTER_COMMIT_MS = 20;
/** A payload that this release cannot read is offered again after this, for as long as a roll may take. */
const NEWER_AGAIN_MS = 15_000;
const NEWER_LIMIT_MS = 86_400_000;
const DEAD_LETTER_TTL_MS = 30 * 86_400_000;

export const createPostgresJobs = (options: PostgresJobsOptions): Jobs => {
  const { db, clock, onError } = options;
  const workers = new Map<string, Worker>();
  const boss = new PgBoss({
    connectionString: options.url,
    max: 6,
    ...QUEUE_CONNECTION,
    schedule: false,
    // The sign of life of running jobs is looked at this often: a killed node's work goes on within half a minute.
    superviseIntervalSeconds: 10,
    monitorIntervalSeconds: 10,
  });
  boss.on('error', (error) => onError(error, 'the job queue reported an error'));
  const { send, again, bury, fail, adopt } = createBossJobs({ boss, db, clock });
  let stopping = false;
  const running = new Map<string, { abort: AbortController; done: Promise<void>; worker: Worker }>();
  const loops = new Map<Worker, Ticker>();

  /** One attempt, to its end. The sign of life is ours to give, since we fetch ourselves (see `claim`). */
  const perform = async (
    worker: Worker,
    job: JobWithMetadata<object>,
    abort: AbortController,
  ): Promise<void> => {
    const envelope: Envelope = isEnvelope(job.data) ? job.data : { attempt: 1, payload: job.data };
    const { payload } = envelope;
    const attempt = envelope.attempt + job.retryCount;
    const { name, leaseMs, retryDelaysMs } = worker.kind;
    if (attempt > retryDelaysMs.length + 1) {
      const error = new Error('the process that ran this job died, and no attempt is left');
      return bury(worker, job, attempt, payload, error);
    }
    let lost = false;
    const heartbeat = setInterval(
      () => {
        boss.touch(name, job).then(
          (result) => {
            if (affectedBy(result) > 0) return;
            lost = true;
            abort.abort(new Error('the lease was lost'));
          },
          (error: unknown) => onError(error, 'the lease of a job could not be renewed'),
        );
      },
      Math.max(MIN_HEARTBEAT_S * 1000, leaseMs) / 3,
    );
    heartbeat.unref();
    try {
      await worker.run(payload, contextOf(worker, job.id, attempt, abort.signal));
      await boss.complete(name, job);
    } catch (error) {
      // A lost claim is settled by whoever has it now.
      if (lost) return;
      const newerSince = isEnvelope(job.data) ? (job.data.newerSince ?? clock.now()) : clock.now();
      if (error instanceof NewerPayload && clock.now() - newerSince < NEWER_LIMIT_MS) {
        const runAt = clock.now() + (options.newerAgainMs ?? NEWER_AGAIN_MS);
        return again(worker, job, { attempt: envelope.attempt, payload, newerSince }, runAt);
      }
      if (stopping) await again(worker, job, { attempt, payload }, clock.now());
      else await fail(worker, job, attempt, payload, error);
    } finally {
      clearInterval(heartbeat);
    }
  };

  const free = (worker: Worker): number => {
    let taken = 0;
    for (const job of running.values()) if (job.worker === worker) taken += 1;
    return worker.options.concurrency - taken;
  };

  /**
   * pg-boss counts a group's running jobs without a lock, so that two fetches at once can pass its cap. Kinds with a cap
   * are therefore fetched one node at a time.
   */
  const claim = async (worker: Worker, room: number): Promise<JobWithMetadata<object>[]> => {
    const { name } = worker.kind;
    const { perGroup } = worker.options;
    if (perGroup === undefined) return boss.fetch<object>(name, { includeMetadata: true, batchSize: room });
    return db.write(async (tx) => {
      await lockKind(tx, name);
      return boss.fetch<object>(name, {
        includeMetadata: true,
        batchSize: room,
        groupConcurrency: perGroup,
        db: fromKysely(tx),
      });
    });
  };

  const look = async (worker: Worker): Promise<void> => {
    const room = free(worker);
    if (room <= 0 || stopping) return;
    for (const job of await claim(worker, room)) {
      const abort = new AbortController();
      const done = perform(worker, job, abort)
        .catch((error: unknown) => onError(error, `job ${worker.kind.name} could not be settled`))
        .finally(() => {
          running.delete(job.id);
          loops.get(worker)?.poke();
        });
      running.set(job.id, { abort, done, worker });
    }
  };

  return {
    async enqueue(tx, kind, payload, how = {}) {
      await send(
        tx,
        kind.name,
        { attempt: 1, payload: withTrace(payload) },
        { runAt: how.runAt, priority: how.priority ?? 0, group: how.group ?? null },
      );
      const worker = workers.get(kind.name);
      if (worker !== undefined && (how.runAt ?? 0) <= clock.now()) loops.get(worker)?.poke(AFTER_COMMIT_MS);
    },
    work(kind, how, handler) {
      if (workers.has(kind.name)) throw new Error(`the job kind ${kind.name} has a worker already`);
      workers.set(kind.name, workerOf(kind, how, handler));
    },
    async start() {
      await boss.start();
      await db.write((tx) => deleteDeadBefore(tx, clock.now() - DEAD_LETTER_TTL_MS));
      for (const worker of workers.values()) {
        const { name, leaseMs } = worker.kind;
        await boss.createQueue(name, {
          retryLimit: DEATHS_LIMIT,
          retryDelay: 0,
          expireInSeconds: MAX_RUN_S,
          heartbeatSeconds: Math.max(MIN_HEARTBEAT_S, Math.round(leaseMs / 1000)),
        });
        const loop = createTicker({
          everyMs: (options.pollS ?? 1) * 1000,
          tick: () => look(worker),
          onError: (error) => onError(error, 'the job queue could not be read'),
        });
        loops.set(worker, loop);
      }
      await adopt([...workers.keys()]);
      for (const loop of loops.values()) loop.start();
    },
    async stop(graceMs) {
      stopping = true;
      await Promise.all([...loops.values()].map((loop) => loop.stop()));
      const settled = () => Promise.all([...running.values()].map((job) => job.done));
      await atMost(settled(), graceMs);
      for (const job of running.values()) job.abort.abort(new Error('the server is stopping'));
      await atMost(settled(), ABORT_GRACE_MS);
      await boss.stop({ graceful: false });
    },
    async depth() {
      const [open, kept] = await Promise.all([
        countBossJobs(db.read, [...workers.keys()]),
        countJobs(db.read),
      ]);
      return {
        queued: (open.created ?? 0) + (open.retry ?? 0),
        running: open.active ?? 0,
        dead: kept.dead ?? 0,
      };
    },
    waiting: () => waitingBossJobs(db.read, [...workers.keys()]),
  };
};
