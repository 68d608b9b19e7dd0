import type { Db } from '../../src/db/db.ts';
import { createEventBus } from '../../src/features/realtime/index.ts';
import { createTasks, type TaskChat, taskRoutes } from '../../src/features/tasks/index.ts';
import { WEBHOOK_EVENTS } from '../../src/features/webhooks/index.ts';
import { createSqliteJobs, type Jobs, type SqliteJobs } from '../../src/jobs/index.ts';
import type { Caller } from '../../src/kernel/caller.ts';
import type { Clock } from '../../src/kernel/clock.ts';
import { AppError, invalid } from '../../src/kernel/errors.ts';
import type { NewEvent, PlatformEvent } from '../../src/kernel/events.ts';
import { newId } from '../../src/kernel/ids.ts';
import type { CallerFor } from '../../src/kernel/stored-credential.ts';
import { buildTestApp, createTestAccounts, requester } from '../support/app.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { outletTo } from '../support/outbox.ts';
import { openTestSqlite } from '../support/sqlite.ts';

export interface Asked {
  runId: string;
  caller: Caller;
  message: string;
  context: Record<string, unknown>;
  /** Its run is marked from the start. */
  tainted: boolean;
  at: number;
}

type Outcome = Awaited<Awaited<ReturnType<TaskChat['start']>>['done']>;

export const finished = (content = 'done', finishReason: Outcome['finishReason'] = 'stop'): Outcome => ({
  content,
  messageId: newId(),
  costNano: 1_000_000,
  finishReason,
});

/** A chat that the test plays: it says what becomes of each run. */
export const createPlayedChat = (clock: Clock, db: Db) => {
  const asked: Asked[] = [];
  const cancelled: string[] = [];
  const open = new Map<string, (outcome: Outcome) => void>();
  const looks = new Map<string, Awaited<ReturnType<TaskChat['lookUp']>>>();
  let changes: ({ tool: string } | { characters: number })[] = [];
  let taint: Awaited<ReturnType<TaskChat['taintOf']>> = [];
  let play: (asked: Asked) => Outcome | Error | Promise<Outcome> = () => finished();
  const chat: TaskChat = {
    async start(caller, request, how) {
      const run: Asked = { runId: newId(), caller, ...request, tainted: how.tainted, at: clock.now() };
      asked.push(run);
      const answer = play(run);
      if (answer instanceof AppError && answer.status < 500) throw answer;
      await db.write((tx) => how.accepted(tx, run.runId));
      const stopped = new Promise<Outcome>((resolve) => open.set(run.runId, resolve));
      const done = Promise.race([
        stopped,
        answer instanceof Error ? Promise.reject<Outcome>(answer) : Promise.resolve(answer),
      ]);
      looks.set(run.runId, { state: 'running' });
      done.then(
        (outcome) =>
          looks.set(
            run.runId,
            outcome.finishReason === 'awaiting_approval' ? { state: 'waiting' } : { state: 'ended', outcome },
          ),
        (error: unknown) =>
          looks.set(run.runId, {
            state: 'failed',
            error: { code: 'INTERNAL_ERROR', message: String(error) },
          }),
      );
      return {
        runId: run.runId,
        conversationId: newId(),
        agentId: 'zeus',
        onProgress: (listener) => {
          for (const change of changes) listener(change);
          return () => {};
        },
        done,
      };
    },
    async cancel(_caller, runId) {
      cancelled.push(runId);
      open.get(runId)?.(finished('', 'cancelled'));
      return open.has(runId);
    },
    taintOf: async () => taint,
    lookUp: async (_caller, runId) => looks.get(runId) ?? { state: 'waiting' },
  };
  return {
    chat,
    asked,
    cancelled,
    looks,
    /** What the runs from now on tell of their progress. */
    tells: (next: typeof changes) => {
      changes = next;
    },
    /** What stands in their conversations from now on; null: they are gone. */
    holds: (next: typeof taint) => {
      taint = next;
    },
    /** What becomes of the runs from now on. */
    plays: (next: typeof play) => {
      play = next;
    },
  };
};

/** A store, played chat and people for tasks; `node` makes a process on them. */
export const createTaskWorld = async (
  options: { db?: Db; perTenant?: number; agentTasksPerHour?: number } = {},
) => {
  const store = options.db === undefined ? await openTestSqlite() : { db: options.db, close: async () => {} };
  const { db } = store;
  const clock = createFakeClock();
  const played = createPlayedChat(clock, db);
  const accounts = createTestAccounts();
  const inactive = new Set<string>();
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  const callerOf: CallerFor = async (tenantId, userId, credential) => {
    if (inactive.has(userId)) return null;
    const account = accounts.caller(`${userId}.${userId === 'op' ? 'operator' : 'user'}.${tenantId}`);
    const had = credential?.permissions ?? [...account.permissions];
    return { ...account, permissions: new Set([...account.permissions].filter((one) => had.includes(one))) };
  };
  const events: PlatformEvent[] = [];
  const recorded: NewEvent[] = [];

  const node = <J extends Jobs>(jobs: J) => {
    const bus = createEventBus({ clock, onError });
    bus.onPublished((event) => events.push(event));
    const forWebhooks = (type: string): boolean => WEBHOOK_EVENTS.some((known) => known === type);
    db.emitTo(
      outletTo(bus.publish, (event) => {
        if (forWebhooks(event.type)) recorded.push(event);
      }),
    );
    const tasks = createTasks({
      db,
      clock,
      jobs,
      chat: played.chat,
      callerOf,
      agentExists: async (_tenantId, agentId) => ['zeus', 'chronos'].includes(agentId),
      checkModel: (modelId, field) => {
        if (modelId !== 'builtin') throw invalid({ field, reason: 'must be a model of a provider' });
      },
      onError,
      concurrency: 4,
      perTenant: options.perTenant ?? 4,
      agentTasksPerHour: options.agentTasksPerHour ?? 1_000,
    });
    return { jobs, tasks };
  };
  const sqliteNode = () => node<SqliteJobs>(createSqliteJobs({ db, clock, onError }));
  return {
    db,
    clock,
    played,
    accounts,
    inactive,
    errors,
    events,
    recorded,
    onError,
    node,
    sqliteNode,
    close: store.close,
  };
};

/** One process, reachable over HTTP. */
export const startTasks = async (options: { perTenant?: number; agentTasksPerHour?: number } = {}) => {
  const world = await createTaskWorld(options);
  const { jobs, tasks } = world.sqliteNode();
  const app = await buildTestApp({ accounts: world.accounts, routes: taskRoutes(tasks) });
  return {
    ...world,
    jobs,
    tasks,
    request: requester(app),
    /** What the platform's timers do: due slots become runs, due runs go to their end. */
    async turn() {
      await tasks.tick();
      await tasks.tickWaiting();
      return jobs.runDue();
    },
    async close() {
      await app.close();
      await world.close();
    },
  };
};
