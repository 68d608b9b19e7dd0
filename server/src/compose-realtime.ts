import type { FastifyInstance } from 'fastify';
import { createGuardedFetch } from './adapters/guarded-fetch/index.ts';
import { retentionPurges } from './compose-retention.ts';
import type { Config } from './config.ts';
import type { Db, Queryable } from './db/db.ts';
import { withinTenant } from './db/scope.ts';
import type { Audit } from './features/audit/index.ts';
import type { ChatService } from './features/chat/index.ts';
import { alertText, type CostAlert } from './features/costs/index.ts';
import { type GovernanceConfig, SEATS } from './features/governance/index.ts';
import {
  createNotifications,
  notificationRoutes,
  notificationTools,
} from './features/notifications/index.ts';
import {
  createChatSend,
  createEventBus,
  createEventRelay,
  createHub,
  type EventBus,
  socketPlugin,
} from './features/realtime/index.ts';
import { createRetention } from './features/retention/index.ts';
import { createTaskChat, createTasks, taskRoutes, taskTools } from './features/tasks/index.ts';
import { activePeople, type RightsHolder, type Users } from './features/users/index.ts';
import { createWebhooks, webhookRoutes } from './features/webhooks/index.ts';
import { countForCaller, type LimitOptions } from './http/limits-hook.ts';
import type { AnyRoute, Authenticate } from './http/route.ts';
import { createSqliteJobs, createTicker, type JobDepth, type Jobs } from './jobs/index.ts';
import type { Caller } from './kernel/caller.ts';
import { type Clock, iso } from './kernel/clock.ts';
import type { NodeMessages } from './kernel/cluster.ts';
import type { AppError } from './kernel/errors.ts';
import type { NewEvent } from './kernel/events.ts';
import type { Mailer } from './kernel/mail.ts';
import { nanoToUsd } from './kernel/money.ts';
import type { CallerFor } from './kernel/stored-credential.ts';
import type { ToolSource } from './kernel/tools.ts';

/** The part of the composition around work that goes on by itself: jobs, events, webhooks, notifications, tasks. */
export interface RealtimeParts {
  config: Config;
  governanceConfig: GovernanceConfig;
  db: Db;
  clock: Clock;
  bus: EventBus;
  audit: Audit;
  mailer: Mailer;
  box: { seal(plain: string, about: string): string; open(sealed: string, about: string): string };
  users: Pick<Users, 'registerPersonalData' | 'registerCopies'>;
  authenticate: Authenticate;
  callerFor: CallerFor<Queryable>;
  agentExists(agentId: string): boolean;
  checkModel(modelId: string, field: string): void;
  /** Asked late: the chat's agents use tools of this part. */
  chat(): ChatService;
  limits(): LimitOptions;
  draining(): boolean;
  /** A socket's token or message was turned away. */
  refused(caller: Caller | null, address: string, error: AppError): void;
  /** Tells how many rows the retention has dropped. */
  purged(what: string, rows: number): void;
  onError(error: unknown, message: string): void;
}

export interface RealtimePart {
  tools: readonly ToolSource[];
  routes: readonly AnyRoute[];
  plugin(app: FastifyInstance): Promise<void>;
  depth(): Promise<JobDepth>;
  openSockets(): number;
  /** After the chat has taken up the runs of the last process. */
  start(): Promise<void>;
  /** Before the store closes; running work gets `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

const DUE_EVERY_MS = 1_000;
const WAITING_EVERY_MS = 3_000;
const RETENTION_EVERY_MS = 60_000;
const MAX_EXPORTED = 10_000;

/** Events reach the connections of all nodes by `messages`; null for a process by itself. */
export const createBus = (
  clock: Clock,
  onError: RealtimeParts['onError'],
  messages: NodeMessages | null,
): EventBus =>
  createEventBus({ clock, onError, ...(messages === null ? {} : { relay: createEventRelay(messages) }) });

/** Cost alerts as events: of a user to that user, of a tenant or an agent to those who see the whole tenant. */
export const alertEvent = (alert: CostAlert): NewEvent => ({
  type: alert.type,
  tenantId: alert.tenantId,
  userId: alert.scope === 'user' ? alert.subject : null,
  reach: 'own',
  permission: 'costs:read',
  data: {
    scope: alert.scope,
    subject: alert.subject,
    period: alert.period,
    alert_level: alert.level,
    threshold_percent: alert.thresholdPercent,
    limit_usd: nanoToUsd(alert.limitNano),
    used_usd: nanoToUsd(alert.usedNano),
    reserved_usd: nanoToUsd(alert.reservedNano),
    resets_at: iso(alert.resetsAt),
    message: alertText(alert),
  },
});

const createJobs = async ({ config, db, clock, onError }: RealtimeParts): Promise<Jobs> => {
  if (config.DATABASE_URL === null) return createSqliteJobs({ db, clock, onError });
  // Loaded where it is used: the queue's package is one of the largest.
  const { createPostgresJobs } = await import('./jobs/postgres.ts');
  return createPostgresJobs({ db, url: config.DATABASE_URL, clock, onError });
};

export const composeRealtime = async (parts: RealtimeParts): Promise<RealtimePart> => {
  const { config, db, clock, bus, onError, chat } = parts;
  const jobs = await createJobs(parts);
  const http = createGuardedFetch({
    allowPrivate: config.WEBHOOK_ALLOW_PRIVATE,
    requireHttps: !config.WEBHOOK_ALLOW_PRIVATE,
  });
  const webhooks = createWebhooks({
    db,
    clock,
    jobs,
    http,
    box: parts.box,
    audit: parts.audit,
    callerFor: parts.callerFor,
    onError,
  });
  db.emitTo({ record: webhooks.outbox.record, publish: bus.publish });

  const notifications = createNotifications({
    db,
    clock,
    jobs,
    mailer: parts.mailer,
    peopleWith: async (tenantId, permission) =>
      (await activePeople(db, tenantId)).filter((p) => p.permissions.has(permission)).map((p) => p.id),
    seatHolders: async (tenantId) => {
      const holders = SEATS.map((seat) => parts.governanceConfig.seats[seat].holder);
      if (holders.every((holder) => holder.kind === 'agent')) return [];
      const holds = (person: RightsHolder): boolean =>
        holders.some((holder) =>
          holder.kind === 'role'
            ? person.roles.includes(holder.name)
            : holder.kind === 'user' && holder.name === person.id,
        );
      return (await activePeople(db, tenantId)).filter(holds).map((person) => person.id);
    },
    emailOf: async (tenantId, userId) => (await parts.callerFor(tenantId, userId, null))?.email ?? null,
    onError,
  });
  bus.onPublished(notifications.published);

  const tasks = createTasks({
    db,
    clock,
    jobs,
    chat: createTaskChat({
      launch: (...args: Parameters<ChatService['launch']>) => chat().launch(...args),
      cancel: (...args: Parameters<ChatService['cancel']>) => chat().cancel(...args),
      getRun: (...args: Parameters<ChatService['getRun']>) => chat().getRun(...args),
      follow: (...args: Parameters<ChatService['follow']>) => chat().follow(...args),
    }),
    callerOf: parts.callerFor,
    agentExists: (_tenantId, agentId) => Promise.resolve(parts.agentExists(agentId)),
    checkModel: parts.checkModel,
    onError,
    concurrency: config.TASK_CONCURRENCY,
    perTenant: config.TASKS_PER_TENANT,
    agentTasksPerHour: config.AGENT_TASKS_PER_HOUR,
  });

  const retention = createRetention({
    db,
    clock,
    jobs,
    audit: parts.audit,
    purges: retentionPurges(config),
    purged: parts.purged,
  });

  const hub = createHub({
    bus,
    clock,
    authenticate: parts.authenticate,
    chat: createChatSend({
      launch: (...args: Parameters<ChatService['launch']>) =>
        withinTenant(args[0].tenantId, () => chat().launch(...args)),
      draining: parts.draining,
    }),
    admit: (caller) => countForCaller(caller, parts.limits()),
    refused: parts.refused,
    onError,
    limits: {
      perCaller: config.RATE_LIMITS ? config.SOCKETS_PER_CALLER : null,
      perAddress: config.RATE_LIMITS ? config.SOCKETS_PER_ADDRESS : null,
    },
  });

  for (const data of [
    { name: 'tasks', ...tasks.personalData(MAX_EXPORTED) },
    { name: 'notifications', ...notifications.personalData(MAX_EXPORTED) },
  ]) {
    parts.users.registerPersonalData(data);
  }
  parts.users.registerCopies({ name: 'notices_to_others', erase: notifications.eraseCopies });
  parts.users.registerCopies({
    name: 'webhook_deliveries',
    erase: ({ tenantId }, recordIds) => webhooks.eraseCopies(tenantId, recordIds),
  });

  const ticker = (everyMs: number, what: string, tick: () => Promise<unknown>) =>
    createTicker({
      everyMs,
      tick: async () => {
        await tick();
      },
      onError: (error) => onError(error, what),
    });
  const tickers = [
    ticker(DUE_EVERY_MS, 'due tasks could not be looked for', tasks.tick),
    ticker(WAITING_EVERY_MS, 'waiting tasks could not be looked at', tasks.tickWaiting),
    ticker(RETENTION_EVERY_MS, 'the retention could not be looked at', retention.tick),
  ];

  return {
    tools: [taskTools(tasks), notificationTools(notifications)],
    routes: [...webhookRoutes(webhooks), ...taskRoutes(tasks), ...notificationRoutes(notifications)],
    plugin: socketPlugin({ hub, authenticate: parts.authenticate }),
    depth: jobs.depth,
    openSockets: () => hub.size,
    async start() {
      await jobs.start();
      for (const each of tickers) each.start();
    },
    async stop(graceMs) {
      await Promise.all(tickers.map((each) => each.stop()));
      await jobs.stop(graceMs);
      await notifications.settled();
      await http.close();
    },
  };
};
