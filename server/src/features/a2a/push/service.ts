import type { TaskPushNotificationConfig } from '@a2a-js/sdk';
import { RequestMalformedError, TaskNotFoundError } from '@a2a-js/sdk/errors';
import type { Db, Queryable } from '../../../db/db.ts';
import type { Jobs } from '../../../jobs/index.ts';
import type { Caller } from '../../../kernel/caller.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { conflict } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import type { OutgoingHttp } from '../../../kernel/outgoing.ts';
import { type ActorFor, credentialText } from '../../../kernel/stored-credential.ts';
import { type Audit, actorOf } from '../../audit/index.ts';
import type { ChatService, RunStatus } from '../../chat/index.ts';
import { isTerminal } from '../tasks.ts';
import { createPushDeliverer } from './deliver.ts';
import { pushKind } from './jobs.ts';
import { MAX_OPEN_PER_PERSON, MAX_OPEN_PER_TENANT, MAX_PER_TASK, pushFault } from './rules.ts';
import { type PushSecretBox, sealedSecrets } from './secrets.ts';
import {
  type A2aPushConfigRow,
  changeConfig,
  configsOf,
  deleteConfig,
  insertConfig,
  type OfTask,
  openCounts,
  untoldConfigs,
} from './store.ts';

export interface PushOptions {
  db: Db;
  clock: Clock;
  http: OutgoingHttp;
  box: PushSecretBox;
  jobs: Jobs;
  audit: Audit;
  actorFor: ActorFor<Queryable>;
  chat: Pick<ChatService, 'turn'>;
  onError(error: unknown, message: string): void;
}

/** At once in this process; and for one person over all, so that a hanging receiver holds up no others. */
const CONCURRENCY = 8;
const PER_PERSON = 4;
const AT_ONCE = 100;
const MAX_WATCHED = 10_000;
/** An attempt that is overdue for this long has lost its job. */
const LOST_AFTER_MS = 10 * 60_000;

/** How a configuration is asked for. */
export interface PushWish {
  caller: Caller;
  runId: string;
  /** State of the task that the client knows of; null: none, so that it is told how the task stands. */
  known: RunStatus | null;
  /** `1.0`, `0.3` */
  protocol: string;
  requestId: string;
}

const ofTask = (caller: Caller, runId: string): OfTask => ({
  tenantId: caller.tenantId,
  userId: caller.userId,
  runId,
});

/** Without what a reader could use in the client's place. */
const viewOf = (row: A2aPushConfigRow): TaskPushNotificationConfig => ({
  tenant: '',
  taskId: row.run_id,
  id: row.config_id,
  url: row.url,
  token: '',
  authentication: row.auth_scheme === null ? undefined : { scheme: row.auth_scheme, credentials: '' },
});

/** Clients of the A2A door that are told how their tasks go on. */
export const createPush = (options: PushOptions) => {
  const { db, clock, box } = options;
  /** Tasks of which this process knows that somebody wants to be told: their events are looked at. */
  const watched = new Set<string>();
  const looking = new Set<Promise<void>>();

  const enqueue = (
    tx: Queryable,
    row: Pick<A2aPushConfigRow, 'id' | 'tenant_id' | 'user_id'>,
    due: number,
  ): Promise<void> =>
    options.jobs.enqueue(
      tx,
      pushKind,
      { v: 1, config_id: row.id, tenant_id: row.tenant_id, due },
      { group: row.user_id },
    );

  /** Makes a job for each client that does not know how its task stands: of one task, or (null) of all. */
  const look = async (runId: string | null): Promise<void> => {
    const now = clock.now();
    const untold = await untoldConfigs(db.read, { runId, lostAt: now - LOST_AFTER_MS, limit: AT_ONCE });
    for (const row of untold)
      await db.write(async (tx) => {
        if (await changeConfig(tx, row, { due: now, attempts: 0 })) await enqueue(tx, row, now);
      });
  };

  const admit = async (tx: Queryable, caller: Caller): Promise<void> => {
    const { own, all } = await openCounts(tx, caller);
    if (own >= MAX_OPEN_PER_PERSON || all >= MAX_OPEN_PER_TENANT)
      throw conflict(
        `at most ${MAX_OPEN_PER_PERSON} push notification configurations of a person and ${MAX_OPEN_PER_TENANT} of a tenant may wait for the end of their tasks`,
      );
  };

  /** Throws `RequestMalformedError`. */
  const check = (config: TaskPushNotificationConfig): void => {
    const fault = pushFault(config, options.http.check);
    if (fault !== null) throw new RequestMalformedError(`pushNotificationConfig: ${fault}`);
  };

  const rowOf = (
    { caller, runId, known, protocol }: PushWish,
    config: TaskPushNotificationConfig,
  ): A2aPushConfigRow => {
    const id = newId();
    const now = clock.now();
    const { token, authentication } = config;
    const secrets = { token: token ?? '', credentials: authentication?.credentials ?? '' };
    return {
      id,
      tenant_id: caller.tenantId,
      user_id: caller.userId,
      run_id: runId,
      // As the reference SDKs name one that its client has not named.
      config_id: config.id ? config.id : runId,
      url: config.url,
      auth_scheme: authentication?.scheme ?? null,
      secrets: sealedSecrets(box, { tenant_id: caller.tenantId, id }, secrets),
      protocol,
      credential: credentialText(caller),
      // Who asks after the end may have seen the task at work: the end is told once.
      told: known !== null && isTerminal(known) ? null : known,
      told_count: 0,
      attempts: 0,
      due: now,
      end_reason: null,
      created_at: now,
      finished_at: null,
    };
  };

  /** Throws CONFLICT above the numbers allowed. */
  const set = async (
    wish: PushWish,
    config: TaskPushNotificationConfig,
  ): Promise<TaskPushNotificationConfig> => {
    check(config);
    const { caller, runId } = wish;
    const row = rowOf(wish, config);
    const shown = { ...viewOf(row), token: config.token ?? '', authentication: config.authentication };
    await db.write(async (tx) => {
      const present = await configsOf(tx, ofTask(caller, runId));
      const before = present.find((one) => one.config_id === row.config_id);
      if (before !== undefined) await deleteConfig(tx, before.id);
      else if (present.length >= MAX_PER_TASK)
        throw conflict(`a task has at most ${MAX_PER_TASK} push notification configurations`);
      await admit(tx, caller);
      await insertConfig(tx, row);
      await enqueue(tx, row, row.created_at);
      await options.audit.append(tx, {
        ...actorOf(caller),
        action: 'a2a.push_set',
        targetType: 'run',
        targetId: runId,
        requestId: wish.requestId,
        details: { config_id: row.config_id, origin: new URL(row.url).origin },
      });
    });
    // One that has ended brings no more events.
    if (wish.known !== null && isTerminal(wish.known)) return shown;
    // Tasks that end at another node leave their ids; the look over all rows finds what is forgotten here.
    if (watched.size >= MAX_WATCHED) watched.clear();
    watched.add(runId);
    return shown;
  };

  options.jobs.work(
    pushKind,
    { concurrency: CONCURRENCY, perGroup: PER_PERSON },
    createPushDeliverer({ ...options, look }),
  );

  return {
    check,
    set,
    look,

    /** Throws CONFLICT where there is no room for one more. */
    admit: (caller: Caller): Promise<void> => admit(db.read, caller),

    /** By its id; without one, that of a client which has named none, or the only one. Throws `TaskNotFoundError`. */
    async get(caller: Caller, runId: string, id: string): Promise<TaskPushNotificationConfig> {
      const rows = await configsOf(db.read, ofTask(caller, runId));
      const only = rows.length === 1 ? rows[0] : undefined;
      const row =
        rows.find(({ config_id }) => config_id === (id === '' ? runId : id)) ??
        (id === '' ? only : undefined);
      if (row === undefined)
        throw new TaskNotFoundError('the task has no such push notification configuration');
      return viewOf(row);
    },

    list: async (caller: Caller, runId: string): Promise<TaskPushNotificationConfig[]> =>
      (await configsOf(db.read, ofTask(caller, runId))).map(viewOf),

    /** Nothing happens where there is none. */
    async remove(caller: Caller, runId: string, id: string, requestId: string): Promise<void> {
      await db.write(async (tx) => {
        const rows = await configsOf(tx, ofTask(caller, runId));
        const row = rows.find(({ config_id }) => config_id === (id === '' ? runId : id));
        if (row === undefined || !(await deleteConfig(tx, row.id))) return;
        await options.audit.append(tx, {
          ...actorOf(caller),
          action: 'a2a.push_deleted',
          targetType: 'run',
          targetId: runId,
          requestId,
          details: { config_id: row.config_id },
        });
      });
    },

    /** After an event of a run: what its clients do not know yet is told soon, and not at the next look. */
    moved(runId: unknown, ended: boolean): void {
      if (typeof runId !== 'string' || !watched.has(runId)) return;
      if (ended) watched.delete(runId);
      const done: Promise<void> = look(runId)
        .catch((error: unknown) =>
          options.onError(error, 'clients of a task could not be told how it goes on'),
        )
        .finally(() => looking.delete(done));
      looking.add(done);
    },

    /** Resolves when what events have brought up so far has been looked at. */
    async settled(): Promise<void> {
      while (looking.size > 0) await Promise.all(looking);
    },
  };
};

export type Push = ReturnType<typeof createPush>;
