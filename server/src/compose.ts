import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { createFolderBlobs } from './adapters/blobs/folder.ts';
import { createGuardedFetch } from './adapters/guarded-fetch/index.ts';
import { createMailSink } from './adapters/mail/sink.ts';
import { createSmtpMailer } from './adapters/mail/smtp.ts';
import { createOidcEngine } from './adapters/oidc/engine.ts';
import { createIssuerHttp } from './adapters/oidc/issuer-http.ts';
import { createDocumentParser } from './adapters/parsing/parser.ts';
import { createTableEngine } from './adapters/table-sql/index.ts';
import { composeEmbedder, composeModels } from './compose-models.ts';
import { composeRealtime, createBus, publishAlert } from './compose-realtime.ts';
import { composeTools, meterOf } from './compose-tools.ts';
import type { Config } from './config.ts';
import type { Db } from './db/db.ts';
import { lockDataDir } from './db/lock.ts';
import { openPostgres, openSqlite } from './db/open.ts';
import {
  AGENT_IDS,
  AGENTS,
  agentRoutes,
  agentTools,
  createAgentService,
  createAgentStore,
  createRouter,
  createSuggestionStore,
  createSuggestions,
  suggestionRoutes,
} from './features/agents/index.ts';
import { auditRoutes, auditTools, createAudit } from './features/audit/index.ts';
import {
  type ChatService,
  chatRoutes,
  createChatService,
  createChatStore,
  createChooser,
  createConversationQueue,
} from './features/chat/index.ts';
import { communicationTools } from './features/communications/index.ts';
import {
  conversationRoutes,
  createConversationService,
  createConversationStore,
  createFeedbackStore,
  feedbackTools,
} from './features/conversations/index.ts';
import { type Costs, createCosts } from './features/costs/index.ts';
import { createIdentity, type FirstAdmin } from './features/identity/index.ts';
import { type ChargeEmbedding, createKnowledge } from './features/knowledge/index.ts';
import { type AskAgentOptions, createAskAgentSource, createMcpDoor } from './features/mcp/index.ts';
import { createMemory, createMeteredAsk } from './features/memory/index.ts';
import type { Models } from './features/models/index.ts';
import { createMetrics, systemRoutes } from './features/system/index.ts';
import { createTenants, findTenant, tenantRoutes } from './features/tenants/index.ts';
import {
  createUsers,
  findRights,
  findUserOfTenant,
  firstAdminOf,
  profileTools,
  userRoutes,
} from './features/users/index.ts';
import { buildApp } from './http/app.ts';
import { createIdempotencyStore } from './http/idempotency.store.ts';
import { createIdempotency } from './http/idempotency.ts';
import { applyRateLimit } from './http/limits-hook.ts';
import { OVERVIEW_RATES, type RateTable, REFERENCE_RATES } from './http/rate-limit.rules.ts';
import { createMemoryRateLog } from './http/rate-limit.ts';
import type { AnyRoute } from './http/route.ts';
import type { Tier } from './kernel/caller.ts';
import { ownScope } from './kernel/caller.ts';
import { systemClock } from './kernel/clock.ts';
import type { ToolSource } from './kernel/tools.ts';

/** The composition root: the only place that builds adapters and hands features their neighbours. */
export interface Platform {
  app: FastifyInstance;
  admin: FirstAdmin;
  models: Models;
  /** Every route of the features, for documents that are generated from them. */
  routes: readonly AnyRoute[];
  /** The same of its tools. */
  tools: readonly ToolSource[];
  /** Refuses new work, lets running answers finish for the grace time, saves and closes everything. */
  close(): Promise<void>;
}

const MAX_KEPT_REQUESTS = 2_000;
/** What answers that are no runs get to leave, once all runs have ended. */
const CLOSE_GRACE_MS = 1_000;
const IDENTITY_MAINTENANCE_MS = 3_600_000;

/** Both tables with the overrides of RATE_FREE, RATE_PRO and RATE_ENTERPRISE. */
const rateTables = (config: Config): { reference: RateTable; overview: RateTable } => {
  const overrides: Partial<Record<Tier, { perMinute: number; burst: number }>> = {
    ...(config.RATE_FREE === null ? {} : { free: config.RATE_FREE }),
    ...(config.RATE_PRO === null ? {} : { pro: config.RATE_PRO }),
    ...(config.RATE_ENTERPRISE === null ? {} : { enterprise: config.RATE_ENTERPRISE }),
  };
  return { reference: { ...REFERENCE_RATES, ...overrides }, overview: { ...OVERVIEW_RATES, ...overrides } };
};

const largestLimit = (tables: { reference: RateTable; overview: RateTable }): number =>
  Math.max(
    MAX_KEPT_REQUESTS,
    ...Object.values(tables).flatMap((table) =>
      Object.values(table).flatMap((n) => [n.perMinute ?? 0, n.burst]),
    ),
  );

const sqliteFile = (config: Config): string => path.join(config.DATA_DIR, 'pentarch.sqlite');

/** Facts from memory that go along with a message. */
const RECALLED_FACTS = 6;

/** Embedding calls on the ledger, reserved before and settled after. */
const chargeEmbedding =
  (db: Db, models: Models, costs: Costs): ChargeEmbedding =>
  async (call, work) => {
    const ref = models.resolve(call.model, '/EMBEDDING_MODEL');
    const usageOf = (tokens: number, estimated: boolean) => ({
      inputTokens: tokens,
      outputTokens: 0,
      cachedInputTokens: 0,
      cacheWriteTokens: 0,
      reasoningTokens: 0,
      estimated,
    });
    const hold = await db.write((tx) =>
      costs.hold(tx, {
        tenantId: call.tenantId,
        userId: call.userId,
        agentId: null,
        conversationId: null,
        runId: null,
        requestId: null,
        kind: 'embedding',
        worstNano: models.cost(ref, usageOf(call.estimatedTokens, true)).costNanoUsd,
        runUsedNano: 0,
      }),
    );
    try {
      const { result, tokens } = await work();
      const usage = usageOf(tokens, false);
      const { costNanoUsd, estimated } = models.cost(ref, usage);
      await db.write((tx) =>
        costs.settle(tx, hold, [
          { kind: 'embedding', model: ref.id, tool: null, usage, costNanoUsd, estimated },
        ]),
      );
      return result;
    } catch (error) {
      await db.write((tx) => costs.release(tx, hold));
      throw error;
    }
  };

const openStore = (config: Config): Promise<Db> =>
  config.DATABASE_URL === null
    ? openSqlite({
        file: path.join(config.DATA_DIR, 'pentarch.sqlite'),
        synchronous: config.SQLITE_SYNCHRONOUS,
      })
    : openPostgres({ url: config.DATABASE_URL });

/** One turn of chat as the caller, for the MCP door. */
const askAgent =
  (chat: ChatService): AskAgentOptions['ask'] =>
  async (caller, request) => {
    const run = await chat.launch(
      caller,
      {
        message: request.message,
        ...(request.conversationId === null ? {} : { conversation_id: request.conversationId }),
        ...(request.agentId === null ? {} : { context: { agent_id: request.agentId } }),
      },
      { requestId: request.requestId, streaming: false, wait: true },
    );
    const answer = await chat.answer(run);
    return {
      content: answer.content,
      agentId: answer.agent_id,
      conversationId: answer.conversation_id,
      runId: answer.run_id,
      finishReason: answer.finish_reason,
      costUsd: answer.cost_usd,
    };
  };

/** `publicUrl` is asked late: the port may be known only when the process listens. */
export const compose = async (
  config: Config,
  logger: FastifyBaseLogger,
  publicUrl: () => string,
): Promise<Platform> => {
  const clock = systemClock;
  const startedAt = clock.now();
  const lock = lockDataDir(config.DATA_DIR);
  const db = await openStore(config);
  const onError = (error: unknown, message: string): void => logger.error({ err: error }, message);
  const state: { draining: boolean; chat: ChatService | null } = { draining: false, chat: null };
  const draining = (): boolean => state.draining;

  const metrics = createMetrics({ activeRuns: () => state.chat?.activeRuns() ?? 0, openStreams: () => 0 });
  const models = await composeModels(config, clock);
  const { embedder, warm } = composeEmbedder(config);
  const parser = createDocumentParser();
  const tableEngine = createTableEngine();
  const events = createBus(clock, onError);
  const mailer =
    config.SMTP_URL === null
      ? createMailSink(config.DATA_DIR)
      : createSmtpMailer({ url: config.SMTP_URL, from: config.MAIL_FROM });

  const audit = createAudit(clock);
  const identity = createIdentity({
    db,
    clock,
    config,
    dataDir: config.DATA_DIR,
    publicUrl,
    audit,
    mailer,
    ...(config.IDP_URL === null || config.IDP_CLIENT_SECRET === null
      ? {}
      : {
          issuerHttp: createIssuerHttp({
            issuer: config.IDP_URL,
            clientId: config.IDP_CLIENT_ID,
            clientSecret: config.IDP_CLIENT_SECRET,
          }),
        }),
    log: logger,
  });
  await identity.start();
  const admin = await identity.ensureFirstAdmin();
  const engine = createOidcEngine(identity.oidc, identity.firstPartyClients);
  const users = createUsers({ db, clock, audit, accounts: identity.accounts, events });
  users.registerPersonalData(identity.personalData);
  const costs = createCosts({
    db,
    clock,
    timeZoneOf: async (tx, tenantId) => {
      const settings: unknown = JSON.parse((await findTenant(tx, tenantId))?.settings ?? '{}');
      const zone =
        typeof settings === 'object' && settings !== null && 'timezone' in settings
          ? settings.timezone
          : 'UTC';
      return typeof zone === 'string' ? zone : 'UTC';
    },
    onAlert: (alert) => {
      logger.warn({ alert }, 'cost limit');
      publishAlert(events, alert);
    },
    onError: (error) => onError(error, 'costs'),
    userExists: async (tenantId, userId) => (await findUserOfTenant(db.read, tenantId, userId)) !== undefined,
    agentExists: (agentId) => AGENT_IDS.includes(agentId),
    audit,
  });
  await costs.start();

  const idempotencyStore = createIdempotencyStore(db, identity.seal);
  await idempotencyStore.sweep(clock.now());
  const idempotency = createIdempotency(idempotencyStore, clock);

  const outgoing = createGuardedFetch({ allowPrivate: config.WEBHOOK_ALLOW_PRIVATE });
  const memoryModel = config.MEMORY_MODEL;
  const memory = createMemory({
    db,
    clock,
    embedder,
    maxImportBytes: config.MAX_UPLOAD_BYTES,
    ...(memoryModel === null ? {} : { ask: createMeteredAsk({ db, models, costs, model: memoryModel }) }),
  });
  const knowledge = await createKnowledge({
    db,
    sqliteFile: db.dialect === 'sqlite' ? sqliteFile(config) : null,
    blobs: createFolderBlobs(path.join(config.DATA_DIR, 'blobs')),
    parser,
    embedder,
    tables: tableEngine,
    http: outgoing,
    maxBytes: config.MAX_UPLOAD_BYTES,
    charge: chargeEmbedding(db, models, costs),
    events,
    idempotency,
    clock,
    searchMemories: (scope, query, limit) => memory.searchForKnowledge(scope, query, limit),
    warn: onError,
  });
  await knowledge.recover();

  const conversationStore = createConversationStore(db);
  const conversations = createConversationService({ store: conversationStore, clock });
  const chatStore = createChatStore(db);
  const agents = createAgentService({
    definitions: AGENTS,
    seats: {},
    store: createAgentStore(db),
    clock,
    runSamples: (tenantId, since) => state.chat?.runSamples(tenantId, since) ?? Promise.resolve([]),
    modelAvailable: (id) => {
      const provider = models.resolve(id).provider;
      return models.states().every((s) => s.provider !== provider || s.state !== 'open');
    },
    modelExists: (id) => {
      try {
        models.resolve(id);
        return true;
      } catch {
        return false;
      }
    },
  });
  users.registerPersonalData({
    name: 'conversations',
    exportData: ({ tenantId, userId }) => conversations.exportPersonal(tenantId, userId),
    eraseData: ({ tenantId, userId }) => conversations.erasePersonal(tenantId, userId),
  });
  users.registerPersonalData({
    name: 'documents',
    exportData: ({ tenantId, userId }) => knowledge.exportPersonal(tenantId, userId),
    eraseData: ({ tenantId, userId }) => knowledge.erasePersonal(tenantId, userId),
  });
  users.registerPersonalData({
    name: 'memory',
    exportData: (person) => memory.exportPersonal(person),
    eraseData: async (person) => {
      const { entities, observations, relations } = await memory.erasePersonal(person);
      return entities + observations + relations;
    },
  });
  const suggestions = createSuggestions({ store: createSuggestionStore(db), agents, clock });
  const realtime = composeRealtime({
    config,
    db,
    clock,
    bus: events,
    audit,
    mailer,
    box: identity.seal,
    users,
    authenticate: identity.authenticate,
    callerFor: identity.callerFor,
    agentExists: (agentId) => AGENT_IDS.includes(agentId),
    chat: () => chat,
    limits: () => limits,
    draining,
    onError,
  });
  const ownTools: ToolSource[] = [
    ...realtime.tools,
    knowledge.tools,
    memory.tools,
    memory.preferenceTools,
    costs.tools,
    agentTools({ agents, suggestions }),
    auditTools({ db, findUser: (tenantId, user) => findRights(db, tenantId, user) }),
    profileTools(db),
    feedbackTools({ store: createFeedbackStore(db), clock }),
    communicationTools({ mailer, outgoing, clock }),
  ];
  const {
    governance,
    mcp,
    close: closeTools,
  } = await composeTools({
    config,
    db,
    clock,
    logger,
    audit,
    costs,
    models,
    metrics,
    events,
    memoryTools: memory.tools,
    publicUrl,
    callerFor: identity.callerFor,
    ownSources: () => ownTools,
    onDecided: (proposalId, decision) => state.chat?.decided(proposalId, decision),
  });
  ownTools.push(mcp.serverTools);
  const router = createRouter({ agents: AGENTS, embedder });
  const chat = createChatService({
    store: chatStore,
    agents,
    choose: createChooser({ router, models, costs, store: chatStore, onError }),
    models,
    costs,
    search: (caller, query, limit) => knowledge.search(ownScope(caller), query, limit),
    memory: {
      recall: async (caller, query) =>
        (await memory.recall(caller, query, RECALLED_FACTS)).map((fact) => fact.text),
      preferences: (caller) => memory.preferences(caller),
      observe: (turn) => {
        memory.observeTurn(turn).catch((error: unknown) => onError(error, 'a turn could not be remembered'));
      },
    },
    toolSources: [...ownTools, mcp.toolSource],
    gate: governance.gate,
    approvals: governance.approvals,
    callerOf: identity.callerFor,
    clock,
    maxOutputTokens: config.MAX_OUTPUT_TOKENS,
    toolTimeoutMs: 60_000,
    queue: createConversationQueue(),
    events,
    outbox: realtime.outbox,
    onError,
  });
  state.chat = chat;
  await mcp.start();
  await governance.start();
  const recovered = await chat.recover();
  if (recovered.resumed + recovered.failed > 0) logger.warn(recovered, 'runs of the last process');
  await realtime.start();

  const tables = rateTables(config);

  const tenants = createTenants({
    db,
    clock,
    audit,
    firstAdmin: firstAdminOf(users, identity.accounts),
    changed: (tenantId) => {
      identity.forgetTenant(tenantId);
      costs.forgetTenant(tenantId);
    },
  });

  const limits = {
    log: createMemoryRateLog(largestLimit(tables)),
    tables,
    enforce: config.RATE_LIMITS,
    clock,
  };
  const door = createMcpDoor({
    sources: [...ownTools, mcp.toolSource, createAskAgentSource({ agents: AGENTS, ask: askAgent(chat) })],
    gate: governance.gate,
    version: '2.0.0',
    meter: meterOf(db, costs),
    authenticate: identity.authenticate,
    now: clock.now,
    publicUrl,
    issuer: () => config.IDP_URL ?? publicUrl(),
    corsOrigins: config.CORS_ORIGINS,
    draining,
    limit: (request, reply) => applyRateLimit(request, reply, limits, true),
  });

  const routes: AnyRoute[] = [
    ...systemRoutes({
      version: '2.0.0',
      startedAt,
      now: clock.now,
      draining,
      metrics,
      metricsToken: config.METRICS_TOKEN,
      checks: {
        store: async () => {
          await db.ping();
          return { status: 'ok' };
        },
        migrations: () => ({ status: 'ok' }),
        models: () => {
          const open = models.states().filter((s) => s.state === 'open');
          return open.length === 0
            ? { status: 'ok' }
            : { status: 'degraded', detail: `not answering: ${open.map((s) => s.provider).join(', ')}` };
        },
        identity: () => ({ status: 'ok' }),
        mcp: () => {
          const { error, connecting } = mcp.health();
          return error === 0
            ? { status: 'ok', ...(connecting > 0 ? { detail: `${connecting} connecting` } : {}) }
            : { status: 'degraded', detail: `${error} servers do not answer` };
        },
        queue: async () => {
          const { queued, running, dead } = await realtime.depth();
          metrics.queueDepth('jobs', queued);
          return { status: 'ok', detail: `${queued} waiting, ${running} running, ${dead} dead` };
        },
      },
    }),
    ...identity.routes,
    ...userRoutes(users),
    ...tenantRoutes(tenants),
    ...auditRoutes(db),
    ...costs.routes(),
    ...suggestionRoutes(suggestions),
    ...agentRoutes(agents),
    ...knowledge.routes,
    ...memory.routes,
    ...governance.routes(),
    ...mcp.routes,
    ...door.routes,
    ...realtime.routes,
    ...conversationRoutes(conversations),
    ...chatRoutes({ chat, idempotency, draining }),
  ];

  const app = await buildApp({
    routes,
    authenticate: identity.authenticate,
    idempotency,
    limits,
    logger,
    corsOrigins: config.CORS_ORIGINS,
    trustProxy: config.TRUST_PROXY,
    tls:
      config.TLS_CERT_FILE === null || config.TLS_KEY_FILE === null
        ? null
        : {
            cert: readFileSync(config.TLS_CERT_FILE, 'utf8'),
            key: readFileSync(config.TLS_KEY_FILE, 'utf8'),
          },
    maxUploadBytes: config.MAX_UPLOAD_BYTES,
    draining,
    observe: metrics.request,
    plugins: [...(config.IDP_URL === null ? [identity.plugin(engine)] : []), door.plugin, realtime.plugin],
  });
  const maintenance = setInterval(() => {
    identity.maintain().catch((error: unknown) => onError(error, 'identity maintenance'));
  }, IDENTITY_MAINTENANCE_MS);
  maintenance.unref();
  await app.ready();
  // Loading the embedding model takes a moment; nobody waits for it, and the first search finds it ready.
  warm()
    .then(() => router.warm())
    .catch((error: unknown) => onError(error, 'the embedding model could not be loaded'));

  return {
    app,
    admin,
    models,
    routes,
    tools: [...ownTools, mcp.toolSource],
    async close() {
      state.draining = true;
      clearInterval(maintenance);
      const graceMs = config.SHUTDOWN_GRACE_S * 1000;
      await Promise.all([chat.drain(graceMs), realtime.stop(graceMs)]);
      await door.close();
      // A socket that has sent nothing yet does not count as idle and would hold the server for its request timeout.
      const cut = setTimeout(() => app.server.closeAllConnections(), CLOSE_GRACE_MS);
      await app.close();
      clearTimeout(cut);
      await closeTools();
      await knowledge.close();
      await costs.close();
      await Promise.all([
        models.close(),
        parser.close(),
        embedder.close(),
        outgoing.close(),
        tableEngine.close(),
      ]);
      await db.close();
      lock.release();
    },
  };
};
