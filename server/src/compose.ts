// Over 500 lines: all parts are built and joined here once, in the order in which they need each other.
import { existsSync, readFileSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { createFolderBlobs } from './adapters/blobs/folder.ts';
import { createGuardedFetch } from './adapters/guarded-fetch/index.ts';
import { createMailSink } from './adapters/mail/sink.ts';
import { createSmtpMailer } from './adapters/mail/smtp.ts';
import { createOidcEngine } from './adapters/oidc/engine.ts';
import { createIssuerHttp } from './adapters/oidc/issuer-http.ts';
import { createArchiveReader } from './adapters/parsing/archive.ts';
import { createDocumentParser } from './adapters/parsing/parser.ts';
import { createTableEngine } from './adapters/table-sql/index.ts';
import { composeRefusals } from './compose-audit.ts';
import { composeObjectBlobs } from './compose-blobs.ts';
import { composeShared, takeNodePlace } from './compose-cluster.ts';
import { costsBesideRuns } from './compose-costs.ts';
import { chargeEmbedding, embedFor, meterEmbedder } from './compose-embedding.ts';
import { keysFit, LOST_KEYS } from './compose-keys.ts';
import { composeEarlierEmbedder, composeEmbedder, composeModels, composeReranker } from './compose-models.ts';
import { countAddresses, largestLimit, rateTables } from './compose-rates.ts';
import { alertEvent, composeRealtime, createBus, type RealtimePart } from './compose-realtime.ts';
import { composeAuditSigning } from './compose-signing.ts';
import { agentSeats, composeTools, readGovernanceConfig } from './compose-tools.ts';
import { type Config, isLoopback } from './config.ts';
import type { Db } from './db/db.ts';
import { lockDataDir } from './db/lock.ts';
import { openPostgres, openSqlite } from './db/open.ts';
import { StartRefused } from './db/refusal.ts';
import { acrossTenants } from './db/scope.ts';
import { createWriteProbe } from './db/write-probe.ts';
import { a2aRoutes } from './features/a2a/index.ts';
import {
  AGENT_IDS,
  AGENTS,
  agentRoutes,
  agentTools,
  createAgentService,
  createAgentStates,
  createAgentStore,
  createRouter,
  createSuggestionStore,
  createSuggestions,
  suggestionRoutes,
} from './features/agents/index.ts';
import { actorOf, auditRoutes, auditTools, createAudit } from './features/audit/index.ts';
import {
  type ChatService,
  chatRoutes,
  createChatService,
  createChatStore,
  createChooser,
  createConversationQueue,
  type RunReport,
} from './features/chat/index.ts';
import { communicationTools } from './features/communications/index.ts';
import {
  conversationRoutes,
  createConversationService,
  createConversationStore,
  createFeedbackStore,
  createImporter,
  createImportStore,
  feedbackTools,
  importRoutes,
} from './features/conversations/index.ts';
import { createCosts } from './features/costs/index.ts';
import {
  createIdentity,
  type FirstAdmin,
  openPlatformKeys,
  providerDocument,
} from './features/identity/index.ts';
import { createKnowledge, createStoreBlobs } from './features/knowledge/index.ts';
import {
  type AskAgentOptions,
  createAskAgentSource,
  createMcpDoor,
  filesOfPeople,
} from './features/mcp/index.ts';
import { createFactAsk, createMemory, createMessageReader } from './features/memory/index.ts';
import { createMeteredGenerate, type Models, modelRoutes } from './features/models/index.ts';
import { createNodeStore, createNodes } from './features/nodes/index.ts';
import { openAiRoutes } from './features/openai/index.ts';
import { createMetrics, type Metrics, systemRoutes } from './features/system/index.ts';
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
import { createConsole } from './http/console.ts';
import { createIdempotencyStore } from './http/idempotency.store.ts';
import { createIdempotency } from './http/idempotency.ts';
import { applyRateLimit } from './http/limits-hook.ts';
import { createOpenRequests } from './http/open-requests.ts';
import { createMemoryRateLog } from './http/rate-limit.ts';
import { createSharedRateLog } from './http/rate-limit-shared.ts';
import type { AnyRoute } from './http/route.ts';
import { createStreamWatch } from './http/stream-watch.ts';
import { createTicker } from './jobs/index.ts';
import { withEarlier } from './kernel/blobs-earlier.ts';
import { ownScope } from './kernel/caller.ts';
import { systemClock } from './kernel/clock.ts';
import type { Embedder } from './kernel/embedder.ts';
import { nanoToUsd } from './kernel/money.ts';
import { OIDC_CLIENTS, OIDC_SCOPES } from './kernel/oidc.ts';
import type { ToolSource } from './kernel/tools.ts';
import { VERSION } from './kernel/version.ts';

/**
 * The composition root: the only place that builds adapters and hands features their neighbours. It is long since it is one
 * list of who gets what, in the order of building; what can stand apart is in `compose-*.ts`.
 */
export interface Platform {
  app: FastifyInstance;
  admin: FirstAdmin;
  models: Models;
  /** Every route of the features, for documents that are generated from them. */
  routes: readonly AnyRoute[];
  /** The same of its tools. */
  tools: readonly ToolSource[];
  /** Settles when this process must not go on, since its place on the store is somebody else's. */
  lost: Promise<Error>;
  /**
   * Not ready at once, but requests are taken for `leadMs` more (default 0); then refuses new work, lets running answers
   * finish for the grace time, saves and closes everything.
   */
  close(leadMs?: number): Promise<void>;
}

/** JSON of an export in its archive: it is parsed in this process. */
const MAX_UNZIPPED_IMPORT_BYTES = 64 * 1024 * 1024;
/** What answers that are no runs get to leave, once all runs have ended. */
const CLOSE_GRACE_MS = 1_000;
/** Beside dist/ in the package that is published, a workspace of its own in the repository. */
const CONSOLE_FOLDER = [
  path.join(import.meta.dirname, '..', 'console'),
  path.join(import.meta.dirname, '..', '..', 'console', 'dist'),
].reduce((packed, built) => (existsSync(packed) ? packed : built));
const IDENTITY_MAINTENANCE_MS = 3_600_000;
const FOLLOW_KEYS_MS = 5_000;
const SWEEP_EVERY_MS = 5_000;
/** Below this /ready says so. */
const LOW_DISK_BYTES = 512 * 2 ** 20;

const sqliteFile = (config: Config): string => path.join(config.DATA_DIR, 'pentarch.sqlite');

const remembered = (facts: readonly { text: string; foreign: boolean }[]) => ({
  texts: facts.map((fact) => fact.text),
  foreign: facts.some((fact) => fact.foreign),
});

/** Facts from memory that go along with a message. */
const RECALLED_FACTS = 6;

const openStore = (
  config: Config,
  logger: FastifyBaseLogger,
  onError: (error: unknown) => void,
): Promise<Db> =>
  config.DATABASE_URL === null
    ? openSqlite({
        file: path.join(config.DATA_DIR, 'pentarch.sqlite'),
        synchronous: config.SQLITE_SYNCHRONOUS,
        onError,
      })
    : openPostgres({
        url: config.DATABASE_URL,
        onError,
        onGap: (gap) => logger.warn(`row-level security does not stand behind the tenants' filters: ${gap}`),
      });

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

/** Each run's end is counted; each failure is a line of the log that names its run and its request, and nothing that was said. */
const runEnds =
  (metrics: Metrics, logger: FastifyBaseLogger) =>
  (end: RunReport): void => {
    metrics.run(end);
    const { error, outcome } = end;
    if (error === null || outcome === 'cost_exceeded') return;
    const line = {
      run_id: end.runId,
      request_id: end.requestId,
      agent: end.agentId,
      model: end.model,
      outcome,
      code: error.code,
      // Of other kinds the words may be a person's own.
      ...(outcome === 'model_failed' || outcome === 'interrupted' ? { reason: error.message } : {}),
    };
    if (outcome === 'failed') logger.error({ ...line, err: error.cause ?? error }, 'run failed');
    else logger.warn(line, 'run failed');
  };

/**
 * `publicUrl` is asked late: the port may be known only when the process listens. What is started here for good (timers,
 * workers, what other nodes say) looks after all tenants; requests are bound to theirs by `buildApp`.
 */
export const compose = (
  config: Config,
  logger: FastifyBaseLogger,
  publicUrl: () => string,
): Promise<Platform> => acrossTenants(() => build(config, logger, publicUrl));

const build = async (
  config: Config,
  logger: FastifyBaseLogger,
  publicUrl: () => string,
): Promise<Platform> => {
  const clock = systemClock;
  const governanceConfig = readGovernanceConfig(config);
  const startedAt = clock.now();
  const lock = lockDataDir(config.DATA_DIR);
  const onError = (error: unknown, message: string): void => logger.error({ err: error }, message);
  const lost = Promise.withResolvers<Error>();
  const place = await takeNodePlace(config, logger, lost.resolve);
  const db = await openStore(config, logger, (error) => onError(error, 'the log of the store'));
  const checkWrites = createWriteProbe(db);
  const nodeStore = createNodeStore(db);
  const platformKeys = openPlatformKeys({
    dataDir: config.DATA_DIR,
    platformKey: config.PLATFORM_KEY,
    previousKey: config.PLATFORM_KEY_PREVIOUS,
  });
  const shared = await composeShared(config, platformKeys, place, nodeStore, onError);
  const messages = shared?.messages ?? null;
  const state: {
    /** Told to stop: not ready any more. */
    stopping: boolean;
    /** Takes no new work. */
    draining: boolean;
    chat: ChatService | null;
    realtime: RealtimePart | null;
    openStreams(): number;
  } = { stopping: false, draining: false, chat: null, realtime: null, openStreams: () => 0 };
  const stopping = (): boolean => state.stopping;
  const draining = (): boolean => state.draining;

  const dataFreeBytes = async (): Promise<number> => {
    const { bavail, bsize } = await statfs(config.DATA_DIR);
    return bavail * bsize;
  };
  const metrics = createMetrics({
    activeRuns: () => state.chat?.activeRuns() ?? 0,
    openStreams: () => state.openStreams(),
    openSockets: () => state.realtime?.openSockets() ?? 0,
    jobs: async () => (await state.realtime?.depth()) ?? { queued: 0, running: 0, dead: 0 },
    dataFreeBytes,
  });
  const models = await composeModels(config, clock);
  // Features get the metered one alone.
  const { embedder: rawEmbedder, warm } = composeEmbedder(config);
  const parser = createDocumentParser();
  const tableEngine = createTableEngine();
  const events = createBus(clock, onError, messages);
  const mailer =
    config.SMTP_URL === null
      ? createMailSink(config.DATA_DIR)
      : createSmtpMailer({
          url: config.SMTP_URL,
          from: config.MAIL_FROM,
          tls: config.SMTP_TLS,
          isLoopback,
        });

  const auditPart = composeAuditSigning({ db, clock, keys: platformKeys, store: nodeStore, logger });
  const audit = createAudit(clock, auditPart);
  const refusals = composeRefusals({ db, clock, audit, onError });
  const identity = createIdentity({
    db,
    clock,
    config,
    platformKeys,
    cluster: place,
    ...(shared === null ? {} : { countAddress: countAddresses(createSharedRateLog(shared.windows)) }),
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
  if (!(await keysFit(db.read, platformKeys))) throw new StartRefused(LOST_KEYS);
  await identity.start();
  await auditPart.start();
  const admin = await identity.ensureFirstAdmin();
  const engine = createOidcEngine(identity.oidc);
  const users = createUsers({ db, clock, audit, accounts: identity.accounts });
  users.registerPersonalData(identity.personalData);
  const costs = createCosts({
    db,
    clock,
    cluster: place,
    timeZoneOf: async (tx, tenantId) => {
      const settings: unknown = JSON.parse((await findTenant(tx, tenantId))?.settings ?? '{}');
      const zone =
        typeof settings === 'object' && settings !== null && 'timezone' in settings
          ? settings.timezone
          : 'UTC';
      return typeof zone === 'string' ? zone : 'UTC';
    },
    onAlert: async (tx, alert) => {
      tx.afterCommit(() => logger.warn({ alert }, 'cost limit'));
      await tx.emit(alertEvent(alert));
    },
    onError: (error) => onError(error, 'costs'),
    onBooked: (entry) =>
      metrics.ledger({
        kind: entry.kind,
        model: entry.model,
        inputTokens: entry.usage?.inputTokens ?? 0,
        outputTokens: entry.usage?.outputTokens ?? 0,
        costUsd: nanoToUsd(entry.costNanoUsd),
      }),
    userExists: async (tenantId, userId) => (await findUserOfTenant(db.read, tenantId, userId)) !== undefined,
    agentExists: (agentId) => AGENT_IDS.includes(agentId),
    audit,
  });
  await costs.start();

  const idempotencyStore = createIdempotencyStore(db, identity.seal, place);
  await idempotencyStore.sweep(clock.now());
  const idempotency = createIdempotency(idempotencyStore, clock);

  const meter = (one: Embedder) => meterEmbedder({ db, models, costs, embedder: one });
  const embedder = meter(rawEmbedder);
  const outgoing = createGuardedFetch({
    allowPrivate: config.WEBHOOK_ALLOW_PRIVATE,
    // Documents by address are the largest that is fetched; whoever fetches them refuses them first.
    maxBodyBytes: config.MAX_UPLOAD_BYTES + 1024 * 1024,
  });
  const memoryModel = config.MEMORY_MODEL;
  const messageReader = createMessageReader({
    onUnread: (reason, error) => {
      metrics.messageUnread(reason);
      logger.warn({ reason, err: error }, 'a message was not read for what it says that lasts');
    },
  });
  const memory = createMemory({
    extract: messageReader.read,
    db,
    cluster: place,
    clock,
    embedder,
    maxImportBytes: config.MAX_UPLOAD_BYTES,
    ...(memoryModel === null
      ? {}
      : {
          ask: createFactAsk({
            models,
            generate: createMeteredGenerate({ db, models, costs: costsBesideRuns(costs) }),
            model: memoryModel,
          }),
        }),
  });
  const folderBlobs = createFolderBlobs(path.join(config.DATA_DIR, 'blobs'));
  const ownBlobs = db.dialect === 'sqlite' ? folderBlobs : createStoreBlobs(db, clock, folderBlobs);
  const objectBlobs = await composeObjectBlobs(config, clock);
  await objectBlobs?.check();
  const knowledge = await createKnowledge({
    db,
    cluster: place,
    sqliteFile: db.dialect === 'sqlite' ? sqliteFile(config) : null,
    blobs: objectBlobs === null ? ownBlobs : withEarlier(objectBlobs, ownBlobs),
    parser,
    embedder,
    earlierEmbedder: (model) => {
      const earlier = composeEarlierEmbedder(config, model);
      return earlier === null ? null : { ...meter(earlier), close: () => earlier.close() };
    },
    reranker: composeReranker(config),
    tables: tableEngine,
    http: outgoing,
    maxBytes: config.MAX_UPLOAD_BYTES,
    charge: chargeEmbedding(db, models, costs),
    idempotency,
    clock,
    noteTrust: (caller, documentId, trusted) => (tx) =>
      audit.append(tx, {
        ...actorOf(caller),
        action: trusted ? 'document.trusted' : 'document.untrusted',
        targetType: 'document',
        targetId: documentId,
      }),
    searchMemories: (scope, query, limit) => memory.searchForKnowledge(scope, query, limit),
    ...(shared === null ? {} : { turn: () => shared.locks.take('knowledge.refresh') }),
    warn: onError,
  });
  await knowledge.recover();

  const conversationStore = createConversationStore(db);
  const conversations = createConversationService({ store: conversationStore, clock });
  const chatStore = createChatStore(db, place);
  const agents = createAgentService({
    definitions: AGENTS,
    seats: agentSeats(governanceConfig),
    store: createAgentStore(db),
    clock,
    cluster: place,
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
    onChange: (tenantId) => agentStates.prime(tenantId),
    onChanged: (tenantId) => agentStates.changed(tenantId),
  });
  const agentStates = createAgentStates({
    clock,
    emit: (event) => db.write((tx) => tx.emit(event)),
    list: agents.list,
    onError: (error) => onError(error, 'states of agents could not be looked at'),
  });
  events.onEvent(agentStates.onEvent);
  users.registerPersonalData({
    name: 'conversations',
    exportData: ({ tenantId, userId }) => conversations.exportPersonal(tenantId, userId),
    eraseData: ({ tenantId, userId }) => conversations.erasePersonal(tenantId, userId),
    recordIds: ({ tenantId, userId }) => conversations.personalIds(tenantId, userId),
    settle: async (person) => state.chat?.stopOf(person),
  });
  users.registerPersonalData({
    name: 'documents',
    exportData: ({ tenantId, userId }) => knowledge.exportPersonal(tenantId, userId),
    eraseData: ({ tenantId, userId }) => knowledge.erasePersonal(tenantId, userId),
    recordIds: ({ tenantId, userId }) => knowledge.personalIds(tenantId, userId),
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
  const realtime = await composeRealtime({
    config,
    governanceConfig,
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
    checkModel: (modelId, field) => void models.resolve(modelId, field),
    chat: () => chat,
    limits: () => limits,
    draining,
    refused: refusals.ofSocket,
    purged: metrics.purged,
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
    platformKeys,
    governanceConfig,
    db,
    cluster: place,
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
    runSources: () => (state.chat === null ? [] : [state.chat.delegate]),
    onDecided: (proposalId, decision) => state.chat?.decided(proposalId, decision),
    messages,
  });
  ownTools.push(mcp.serverTools);
  const router = createRouter({ agents: AGENTS, embedder, onError });
  const chat = createChatService({
    store: chatStore,
    agents,
    choose: createChooser({ router, models, costs, store: chatStore, onError }),
    models,
    costs,
    search: (caller, query, limit, run) => knowledge.search({ ...ownScope(caller), run }, query, limit),
    memory: {
      recall: async ({ tenantId, userId }, query, run) =>
        remembered(await memory.recall({ tenantId, userId, run }, query, RECALLED_FACTS)),
      preferences: async (caller) => remembered(await memory.preferences(caller)),
      observe: (turn) => {
        memory.observeTurn(turn).catch((error: unknown) => onError(error, 'a turn could not be remembered'));
      },
    },
    toolSources: [...ownTools, mcp.toolSource],
    onEnded: runEnds(metrics, logger),
    gate: governance.gate,
    book: governance.book,
    approvals: governance.approvals,
    callerOf: identity.callerFor,
    clock,
    maxOutputTokens: config.MAX_OUTPUT_TOKENS,
    maxHistoryTokens: config.HISTORY_TOKENS,
    toolTimeoutMs: 60_000,
    queue: createConversationQueue(shared?.locks ?? null, chatStore.turnsAhead),
    messages,
    events,
    onError,
  });
  state.chat = chat;
  users.registerPersonalData(governance.personalData);
  users.registerPersonalData(filesOfPeople(path.join(config.DATA_DIR, 'files')));
  await mcp.start();
  await governance.start();
  const nodes = createNodes({
    store: nodeStore,
    clock,
    nodeId: place.nodeId,
    version: VERSION,
    alone: place.alone,
    silentMs: config.NODE_SILENCE_S * 1000,
    async takeOver(fresh) {
      if (state.stopping) return;
      const recovered = await chat.recover(fresh);
      if (recovered.resumed + recovered.failed > 0) logger.warn(recovered, 'took up runs that were left');
      await idempotencyStore.releaseDead(fresh);
    },
    returned: () => chat.shedLost(),
    onDead: (ids) => logger.warn({ nodes: ids }, 'nodes have gone silent'),
    onError,
  });
  await nodes.join();
  await nodes.start();
  await realtime.start();
  state.realtime = realtime;

  const tables = rateTables(config);

  const forgetTenant = (tenantId: string): void => {
    identity.forgetTenant(tenantId);
    costs.forgetTenant(tenantId);
  };
  messages?.receive('tenant.changed', (tenantId) => {
    if (typeof tenantId === 'string') forgetTenant(tenantId);
  });
  const tenants = createTenants({
    db,
    clock,
    audit,
    firstAdmin: firstAdminOf(users, identity.accounts),
    changed: (tenantId) => {
      forgetTenant(tenantId);
      messages?.send('tenant.changed', tenantId);
    },
  });

  const limits = {
    log: shared === null ? createMemoryRateLog(largestLimit(tables)) : createSharedRateLog(shared.windows),
    tables,
    enforce: config.RATE_LIMITS,
    clock,
  };
  const streams = createStreamWatch({
    authenticate: identity.authenticate,
    callerFor: identity.callerFor,
    limits: {
      perCaller: config.RATE_LIMITS ? config.STREAMS_PER_CALLER : null,
      perAddress: config.RATE_LIMITS ? config.STREAMS_PER_ADDRESS : null,
    },
    onError,
  });
  // The embedded provider has these alone.
  const signInScopes = config.IDP_URL === null ? OIDC_SCOPES.join(' ') : config.IDP_SCOPES;
  const door = createMcpDoor({
    sources: [
      ...ownTools,
      governance.doorTools,
      mcp.toolSource,
      createAskAgentSource({ agents: AGENTS, ask: askAgent(chat) }),
    ],
    gate: governance.gate,
    version: VERSION,
    book: governance.book,
    authenticate: identity.authenticate,
    now: clock.now,
    publicUrl,
    issuer: () => config.IDP_URL ?? publicUrl(),
    scopes: signInScopes.split(' '),
    admitStream: streams.admit,
    corsOrigins: config.CORS_ORIGINS,
    draining,
    shared: messages === null ? null : { key: platformKeys.secret('cookie.key'), messages },
    limit: (request, reply) => applyRateLimit(request, reply, limits, true),
  });

  const openStreams = (): number => streams.open() + door.openStreams();
  state.openStreams = openStreams;

  const routes: AnyRoute[] = [
    ...systemRoutes({
      version: VERSION,
      startedAt,
      now: clock.now,
      stopping,
      metrics,
      metricsToken: config.METRICS_TOKEN,
      checks: {
        store: async () => {
          await db.ping();
          return checkWrites().then(
            () => ({ status: 'ok' }),
            () => ({ status: 'failed', detail: 'it answers, and takes no writes' }),
          );
        },
        redis: async () => {
          await shared?.ping();
          return { status: 'ok', ...(shared === null ? { detail: 'not set up' } : {}) };
        },
        disk: async () => {
          const free = await dataFreeBytes();
          return free < LOW_DISK_BYTES
            ? { status: 'degraded', detail: `${Math.floor(free / 2 ** 20)} MiB left for the data folder` }
            : { status: 'ok' };
        },
        migrations: () => ({ status: 'ok' }),
        models: () => {
          const open = models.states().filter((s) => s.state === 'open');
          const builtIn = models.defaultModel.provider === 'builtin';
          return open.length === 0
            ? { status: 'ok', ...(builtIn ? { detail: 'builtin: no language model is set up' } : {}) }
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
          return { status: 'ok', detail: `${queued} waiting, ${running} running, ${dead} dead` };
        },
      },
    }),
    ...identity.routes,
    ...userRoutes(users),
    ...tenantRoutes(tenants),
    ...auditRoutes(db, { signer: auditPart.signer, began: true }),
    ...costs.routes(),
    ...suggestionRoutes(suggestions),
    ...agentRoutes(agents),
    ...modelRoutes(models),
    ...knowledge.routes,
    ...memory.routes,
    ...governance.routes(),
    ...mcp.routes,
    ...door.routes,
    ...realtime.routes,
    ...importRoutes({
      importer: createImporter({
        store: createImportStore(db),
        clock,
        openArchive: createArchiveReader(MAX_UNZIPPED_IMPORT_BYTES),
      }),
      idempotency,
      maxUploadBytes: config.MAX_UPLOAD_BYTES,
    }),
    ...conversationRoutes(conversations),
    ...chatRoutes({ chat, idempotency, streams, draining }),
    ...a2aRoutes({
      chat,
      idempotency,
      clock,
      agents: AGENTS,
      version: VERSION,
      publicUrl,
      issuer: () => config.IDP_URL ?? publicUrl(),
      streams,
      draining,
    }),
    ...openAiRoutes({
      chat,
      agents,
      idempotency,
      embed: embedFor(embedder),
      embedder,
      startedAt,
      now: clock.now,
      streams,
      draining,
    }),
  ];

  const openRequests = createOpenRequests();
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
    stopping,
    openRequests,
    observe: metrics.request,
    audited: ({ caller, ...entry }, tx) => {
      const event = { ...actorOf(caller), ...entry };
      return tx === null ? db.write((own) => audit.append(own, event)) : audit.append(tx, event);
    },
    refused: refusals.ofRequest,
    documents: config.IDP_URL === null ? [providerDocument] : [],
    console: createConsole({
      selfApproval: config.ALLOW_SELF_APPROVAL,
      folder: CONSOLE_FOLDER,
      issuer: config.IDP_URL,
      clientId: config.IDP_URL === null ? OIDC_CLIENTS.console : config.IDP_CONSOLE_CLIENT_ID,
      cliClientId: config.IDP_URL === null ? OIDC_CLIENTS.cli : config.IDP_CLI_CLIENT_ID,
      scopes: signInScopes,
    }),
    plugins: [...(config.IDP_URL === null ? [identity.plugin(engine)] : []), door.plugin, realtime.plugin],
  });
  const maintenance = setInterval(() => {
    identity.maintain().catch((error: unknown) => onError(error, 'identity maintenance'));
  }, IDENTITY_MAINTENANCE_MS);
  maintenance.unref();
  const sweep = createTicker({
    everyMs: SWEEP_EVERY_MS,
    tick: async () => {
      await chat.sweep();
    },
    onError: (error) => onError(error, 'lost runs could not be looked for'),
  });
  sweep.start();
  const keyWatch = setInterval(() => {
    identity.followKeys().catch((error: unknown) => onError(error, 'following the signing keys'));
  }, FOLLOW_KEYS_MS);
  keyWatch.unref();
  await app.ready();
  await place.started();
  // Loading the embedding model takes a moment; nobody waits for it, and the first search finds it ready.
  warm()
    .then(() => router.warm({ tenantId: '', userId: '' }))
    .catch((error: unknown) => onError(error, 'the embedding model could not be loaded'));

  /** Until the last run has ended, and the last answer has gone out; the other nodes leave this one its work meanwhile. */
  const drain = async (leadMs: number): Promise<void> => {
    state.stopping = true;
    // Not waited for: the store may be away.
    void nodes.drain();
    await delay(leadMs);
    state.draining = true;
    const graceMs = config.SHUTDOWN_GRACE_S * 1000;
    const until = performance.now() + graceMs;
    await Promise.all([chat.drain(graceMs), realtime.stop(graceMs)]);
    chat.close();
    await openRequests.ended(until - performance.now(), openStreams);
    streams.close();
    await door.close();
  };

  const close = async (leadMs: number): Promise<void> => {
    await drain(leadMs);
    await sweep.stop();
    clearInterval(maintenance);
    clearInterval(keyWatch);
    agentStates.close();
    // A socket that has sent nothing yet does not count as idle and would hold the server for its request timeout.
    const cut = setTimeout(() => app.server.closeAllConnections(), CLOSE_GRACE_MS);
    await app.close();
    clearTimeout(cut);
    await closeTools();
    await knowledge.close();
    auditPart.close();
    await refusals.close();
    await costs.close();
    await Promise.all([
      models.close(),
      parser.close(),
      rawEmbedder.close(),
      messageReader.close(),
      outgoing.close(),
      tableEngine.close(),
    ]);
    objectBlobs?.close();
    await nodes.stop();
    await nodes.leave().catch((error: unknown) => onError(error, 'this node could not sign off'));
    await shared?.close();
    await db.close();
    await place.release();
    lock.release();
  };
  return {
    app,
    admin,
    models,
    lost: lost.promise,
    routes,
    tools: [...ownTools, mcp.toolSource],
    close: (leadMs = 0) => acrossTenants(() => close(leadMs)),
  };
};
