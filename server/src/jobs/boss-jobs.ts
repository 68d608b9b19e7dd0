import { fromKysely, type JobWithMetadata, type PgBoss } from 'pg-boss';
import type { Db, Queryable } from '../db/db.ts';
import type { Clock } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import { storableDeep } from '../kernel/storable.ts';
import { asError, outcomeOf, type Worker } from './registry.ts';
import { errorText } from './rules.ts';
import { insertJob, takeOpenJobs } from './store.ts';

/** Jobs of pg-boss as ours: how they are sent, and how each attempt ends. */

/** What pg-boss stores: our attempt counter goes along, since each wait of the schedule is a job of its own there. */
export interface Envelope {
  attempt: number;
  payload: unknown;
  /** Epoch ms since which nodes that cannot read it have put it back. */
  newerSince?: number;
}

const ADOPT_BATCH = 100;

export const isEnvelope = (data: unknown): data is Envelope =>
  typeof data === 'object' &&
  data !== null &&
  'attempt' in data &&
  typeof data.attempt === 'number' &&
  'payload' in data;

/** The package's commands answer with the number of jobs that they changed, which its types leave out. */
export const affectedBy = (result: object): number =>
  'affected' in result && typeof result.affected === 'number' ? result.affected : 0;

export const createBossJobs = ({ boss, db, clock }: { boss: PgBoss; db: Db; clock: Clock }) => {
  const send = async (
    tx: Queryable,
    name: string,
    envelope: Envelope,
    how: { runAt: number | undefined; priority: number; group: string | null },
  ): Promise<void> => {
    // Its column is JSON of the server's, which refuses an escaped NUL.
    await boss.send(name, storableDeep(envelope), {
      db: fromKysely(tx),
      priority: how.priority,
      ...(how.runAt === undefined || how.runAt <= clock.now() ? {} : { startAfter: new Date(how.runAt) }),
      ...(how.group === null ? {} : { group: { id: how.group } }),
    });
  };

  /** Ends the job as done for pg-boss. Throws when the claim is somebody else's by now, which undoes the transaction. */
  const end = async (tx: Queryable, worker: Worker, job: JobWithMetadata<object>): Promise<void> => {
    const result = await boss.complete(worker.kind.name, job, null, { db: fromKysely(tx) });
    if (affectedBy(result) === 0) throw new Error('the job is held by another worker by now');
  };

  const bury = async (
    worker: Worker,
    job: JobWithMetadata<object>,
    attempt: number,
    payload: unknown,
    error: unknown,
  ) => {
    // Told first: a process that dies in between leaves the job to be told again, and not a job whose end nobody heard of.
    await worker.dead(payload, asError(error));
    const now = clock.now();
    await db.write(async (tx) => {
      await end(tx, worker, job);
      await insertJob(tx, {
        id: newId(),
        kind: worker.kind.name,
        state: 'dead',
        payload: JSON.stringify(payload ?? null),
        priority: job.priority,
        group_key: job.groupId ?? null,
        attempts: attempt,
        run_at: now,
        lease: null,
        lease_until: null,
        error: errorText(error),
        created_at: job.createdOn.getTime(),
        finished_at: now,
      });
    });
  };

  /** Ends this job in favour of a new one, in one transaction: pg-boss knows no waits of its own for each attempt. */
  const again = async (
    worker: Worker,
    job: JobWithMetadata<object>,
    envelope: Envelope,
    runAt: number,
  ): Promise<void> => {
    await db.write(async (tx) => {
      await end(tx, worker, job);
      await send(tx, worker.kind.name, envelope, {
        runAt,
        priority: job.priority,
        group: job.groupId ?? null,
      });
    });
  };

  const fail = async (
    worker: Worker,
    job: JobWithMetadata<object>,
    attempt: number,
    payload: unknown,
    error: unknown,
  ): Promise<void> => {
    const outcome = outcomeOf(worker, attempt, error);
    if (outcome.state === 'dead') return bury(worker, job, attempt, payload, error);
    await again(worker, job, { attempt: attempt + 1, payload }, clock.now() + outcome.delayMs);
  };

  /** Open jobs of the table become jobs of pg-boss. */
  const adopt = async (kinds: readonly string[]): Promise<void> => {
    for (let taken = ADOPT_BATCH; taken === ADOPT_BATCH; ) {
      taken = await db.write(async (tx) => {
        const rows = await takeOpenJobs(tx, kinds, ADOPT_BATCH);
        for (const row of rows) {
          // One that ran when it was saved did not come to its end.
          const attempt = row.attempts + (row.state === 'running' ? 0 : 1);
          await send(
            tx,
            row.kind,
            { attempt: Math.max(1, attempt), payload: JSON.parse(row.payload) },
            { runAt: row.run_at, priority: row.priority, group: row.group_key },
          );
        }
        return rows.length;
      });
    }
  };

  return { send, again, bury, fail, adopt };
};
