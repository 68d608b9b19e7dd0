import { setTimeout as delay } from 'node:timers/promises';
import { type Caller, ownScope } from '../../kernel/caller.ts';
import type { RunOwner } from '../../kernel/decisions.ts';
import { AppError, conflict, notFound } from '../../kernel/errors.ts';
import { atMost } from '../../kernel/races.ts';
import type { createRemoteRuns } from './remote.ts';
import type { createRunReads } from './run-reads.ts';
import { isFinished } from './run-state.rules.ts';
import type { createRunning } from './running.ts';
import type { Run } from './schema.ts';
import type { ChatStore } from './store.ts';
import { temporaryOf } from './temporary.ts';
import { runOf } from './wire.ts';

/** How long a stop waits for ends that the store does not take. */
const LAST_WRITES_MS = 120_000;
/** How long a cancel waits for another node to end its run, and how often it looks. */
const REMOTE_STOP_MS = 20_000;
const REMOTE_LOOK_MS = 100;
const REMOTE_ASK_MS = 1_000;

interface StoppingDeps {
  store: ChatStore;
  running: ReturnType<typeof createRunning>;
  reads: ReturnType<typeof createRunReads>;
  remote: ReturnType<typeof createRemoteRuns> | null;
  locate: Parameters<typeof createRemoteRuns>[0]['locate'];
  /** Launches that have not become runs yet. */
  starting: ReadonlySet<Promise<unknown>>;
  onError(error: unknown, message: string): void;
}

/** Runs are stopped by their person, with their person, with their process, or since another node has them. */
export const createStopping = (options: StoppingDeps) => {
  const { store, remote, locate, starting } = options;
  const { active, stop } = options.running;
  const { findRun } = options.reads;

  /** Asks the run's node to stop it, whichever that is by then, until it has ended. Throws SERVICE_UNAVAILABLE. */
  const stopElsewhere = async (id: string): Promise<void> => {
    const until = performance.now() + REMOTE_STOP_MS;
    let askAgainAt = 0;
    while (performance.now() < until) {
      const where = await locate(id);
      if (where.at === 'end') return;
      if (where.at === 'here') {
        const run = active.get(id);
        if (run !== undefined) stop(run, 'cancelled');
      } else if (performance.now() >= askAgainAt) {
        remote?.stop(id, where.nodeId);
        askAgainAt = performance.now() + REMOTE_ASK_MS;
      }
      await delay(REMOTE_LOOK_MS);
    }
    throw new AppError('SERVICE_UNAVAILABLE', 'the node of this run does not answer; try again', {
      retryAfterS: 5,
    });
  };

  return {
    /** Stops a run; the partial answer is kept. Throws NOT_FOUND, and CONFLICT when it has finished. */
    async cancel(caller: Caller, id: string): Promise<Run> {
      const temporary = temporaryOf(active.get(id), caller);
      if (temporary !== null) {
        stop(temporary.run, 'cancelled');
        await temporary.run.done.catch(() => {});
        return temporary.view();
      }
      const row = await store.run(ownScope(caller), id);
      if (row === undefined) throw notFound('run');
      const live = active.get(id);
      if (live === undefined && isFinished(runOf(row).status)) throw conflict('this run has finished');
      if (live === undefined && remote === null) throw conflict('this run is not going on here');
      if (live === undefined) await stopElsewhere(id);
      else {
        stop(live, 'cancelled');
        await live.done.catch(() => {});
      }
      return runOf(await findRun(caller, id));
    },

    /** Stops every run of a person, on whichever node it goes. Throws SERVICE_UNAVAILABLE when that node is silent. */
    async stopOf(owner: RunOwner): Promise<void> {
      for (const run of [...active.values()]) {
        if (run.temporary?.tenantId !== owner.tenantId || run.temporary.userId !== owner.userId) continue;
        stop(run, 'cancelled');
        await run.done.catch(() => {});
      }
      const open = { statuses: ['queued', 'running', 'awaiting_approval'] };
      const page = { limit: 1_000, before: null };
      for (const { id } of (await store.runsOf({ ...owner, reach: 'own' }, open, page)).rows) {
        const live = active.get(id);
        if (live !== undefined) stop(live, 'cancelled');
        if (live !== undefined) await live.done.catch(() => {});
        else if (remote !== null) await stopElsewhere(id);
      }
    },

    /** After this node had been taken for dead: leaves off runs that are others' by now; nothing of them is written here. */
    async shedLost(): Promise<void> {
      const own = await store.own([...active.keys()]);
      for (const run of active.values()) {
        if (!own.has(run.runId) && run.temporary === null)
          run.abort.abort(new DOMException('taken over', 'AbortError'));
      }
    },

    /** On shutdown: running answers get `graceMs`, then they are stopped and stored; those that wait go on next time. */
    async drain(graceMs: number): Promise<void> {
      const all = async (): Promise<void> => {
        await Promise.allSettled([...starting]);
        const runs = [...active.values()];
        await Promise.allSettled(runs.map((run) => Promise.race([run.done, run.waits])));
      };
      const finished = all();
      await atMost(finished, graceMs);
      const waitingRuns = await store.waitingRuns([...active.keys()]).catch((error: unknown) => {
        options.onError(error, 'runs that wait could not be looked up: all are stopped');
        return new Set<string>();
      });
      for (const run of active.values()) if (!waitingRuns.has(run.runId)) stop(run, 'shutdown');
      await atMost(all(), LAST_WRITES_MS);
    },
  };
};
