import type { FastifyBaseLogger } from 'fastify';
import type { Db } from '../../db/db.ts';
import type { Idempotency } from '../../http/idempotency.ts';
import type { StreamWatch } from '../../http/stream-watch.ts';
import { createTicker } from '../../jobs/index.ts';
import { type Caller, ownScope } from '../../kernel/caller.ts';
import type { Cluster, NodeLocks, NodeMessages } from '../../kernel/cluster.ts';
import type { RunProposals } from '../../kernel/decisions.ts';
import type { MeteredEmbedder } from '../../kernel/embedder.ts';
import type { EventSink } from '../../kernel/events.ts';
import { MAX_PICTURE_BYTES } from '../../kernel/picture.ts';
import type { CallerFor } from '../../kernel/stored-credential.ts';
import type { ToolGate, ToolLedger } from '../../kernel/tools.ts';
import { defineModule, type Given } from '../../modules/module.ts';
import type { AgentService, Router } from '../agents/index.ts';
import type { ConversationService } from '../conversations/index.ts';
import type { CostsService } from '../costs/index.ts';
import type { Knowledge } from '../knowledge/index.ts';
import type { Memory } from '../memory/index.ts';
import type { Models } from '../models/index.ts';
import type { LeftWork } from '../nodes/index.ts';
import type { Metrics } from '../system/index.ts';
import type { PersonalData } from '../users/index.ts';
import { READ_DOCUMENTS } from './attachments.ts';
import { createChooser } from './choose.ts';
import { createFindTools } from './find-tools.ts';
import type { RunMemory } from './ports.ts';
import { createConversationQueue } from './queue.ts';
import { chatRoutes } from './routes.ts';
import { countAndLog } from './run-log.ts';
import { type ChatService, createChatService } from './service.ts';
import { createChatStore } from './store.ts';

export interface ChatDeps extends Pick<Given, 'catalogue' | 'clock' | 'decisions' | 'lifecycle' | 'onError'> {
  agents: AgentService & { router: Router };
  cluster: { locks: NodeLocks; messages: NodeMessages } | null;
  config: {
    HISTORY_TOKENS: number;
    MAX_MESSAGE_CHARS: number;
    MAX_OUTPUT_TOKENS: number;
    TOOL_TOKENS: number;
  };
  conversations: Pick<ConversationService, 'exportPersonal' | 'erasePersonal' | 'personalIds'>;
  costs: CostsService;
  db: Db;
  embedding: { embedder: MeteredEmbedder };
  events: EventSink;
  governance: { gate: ToolGate; toolLedger: ToolLedger; runProposals: RunProposals };
  idempotency: Idempotency & { releaseDead(fresh: boolean): Promise<void> };
  identity: { callerFor: CallerFor };
  knowledge: Pick<Knowledge, 'search' | 'documents' | 'pictures'>;
  logger: Pick<FastifyBaseLogger, 'error' | 'warn'>;
  memory: Pick<Memory, 'recall' | 'preferences' | 'factsIn' | 'observeTurn'>;
  models: Models;
  node: Cluster;
  nodes: { register(work: LeftWork): void };
  streams: StreamWatch;
  system: { metrics: Pick<Metrics, 'run'> };
}

/** Facts from memory that go along with a message. */
const RECALLED_FACTS = 6;
const TOOL_TIMEOUT_MS = 60_000;
const SWEEP_EVERY_MS = 5_000;

const remembered = (facts: readonly { text: string; foreign: boolean }[]) => ({
  texts: facts.map((fact) => fact.text),
  foreign: facts.some((fact) => fact.foreign),
});

/** A key may have been given the right to chat, and not to read what is remembered. */
const READ_MEMORY = 'memory:read';
const NOTHING = remembered([]);

const runMemory = ({ memory, onError }: Pick<ChatDeps, 'memory' | 'onError'>): RunMemory => ({
  recall: async (caller, query, run) =>
    caller.permissions.has(READ_MEMORY)
      ? remembered(await memory.recall({ ...ownScope(caller), run }, query, RECALLED_FACTS))
      : NOTHING,
  preferences: async (caller) =>
    caller.permissions.has(READ_MEMORY) ? remembered(await memory.preferences(caller)) : NOTHING,
  factsIn: memory.factsIn,
  observe: (turn) => {
    memory.observeTurn(turn).catch((error: unknown) => onError(error, 'a turn could not be remembered'));
  },
});

/** With the metadata that is taken off it. */
const MAX_DOCUMENT_PICTURE_BYTES = MAX_PICTURE_BYTES + 1024 * 1024;

/** A key may have been given the right to chat, and not to read documents. */
const mayRead = ({ permissions }: Caller): boolean => permissions.has(READ_DOCUMENTS);

const serviceOf = (deps: ChatDeps): ChatService => {
  const { agents, catalogue, clock, cluster, config, costs, events, governance, models, onError } = deps;
  const store = createChatStore(deps.db, deps.node);
  return createChatService({
    store,
    agents,
    choose: createChooser({ router: agents.router, models, costs, store, onError }),
    models,
    costs,
    search: async (caller, query, limit, run, within) =>
      mayRead(caller)
        ? deps.knowledge.search(
            { ...ownScope(caller), run },
            query,
            limit,
            within === undefined ? undefined : { documentIds: within },
          )
        : [],
    documents: async (caller, ids) =>
      mayRead(caller) ? deps.knowledge.documents(ownScope(caller), ids) : [],
    documentPictures: async (caller, ids) =>
      mayRead(caller) ? deps.knowledge.pictures(ownScope(caller), ids, MAX_DOCUMENT_PICTURE_BYTES) : [],
    memory: runMemory(deps),
    catalogue,
    onEnded: countAndLog(deps.system.metrics, deps.logger),
    gate: governance.gate,
    toolLedger: governance.toolLedger,
    runProposals: governance.runProposals,
    callerOf: deps.identity.callerFor,
    clock,
    maxOutputTokens: config.MAX_OUTPUT_TOKENS,
    maxMessageCharacters: config.MAX_MESSAGE_CHARS,
    maxHistoryTokens: config.HISTORY_TOKENS,
    maxToolTokens: config.TOOL_TOKENS,
    toolTimeoutMs: TOOL_TIMEOUT_MS,
    queue: createConversationQueue(cluster?.locks ?? null, store.turnsAhead),
    messages: cluster?.messages ?? null,
    events,
    onError,
  });
};

const personalDataOf = (
  chat: ChatService,
  { conversations }: Pick<ChatDeps, 'conversations'>,
): PersonalData => ({
  name: 'conversations',
  exportData: ({ tenantId, userId }) => conversations.exportPersonal(tenantId, userId),
  eraseData: ({ tenantId, userId }) => conversations.erasePersonal(tenantId, userId),
  recordIds: ({ tenantId, userId }) => conversations.personalIds(tenantId, userId),
  settle: (person) => chat.stopOf(person),
});

const leftWork = (
  chat: ChatService,
  { idempotency, logger }: Pick<ChatDeps, 'idempotency' | 'logger'>,
): LeftWork => ({
  async takeOver(fresh) {
    const recovered = await chat.recover(fresh);
    if (recovered.resumed + recovered.failed > 0) logger.warn(recovered, 'took up runs that were left');
    // Only now: a key of theirs that is free lets the same question be asked again.
    await idempotency.releaseDead(fresh);
  },
  returned: () => chat.shedLost(),
});

export const chatModule = defineModule({
  name: 'chat',
  needs: [
    'agents',
    'catalogue',
    'clock',
    'cluster',
    'config',
    'conversations',
    'costs',
    'db',
    'decisions',
    'embedding',
    'events',
    'governance',
    'idempotency',
    'identity',
    'knowledge',
    'lifecycle',
    'logger',
    'memory',
    'models',
    'node',
    'nodes',
    'onError',
    'streams',
    'system',
  ],
  build(deps: ChatDeps) {
    const { decisions, idempotency, lifecycle, nodes, onError, streams } = deps;
    const chat = serviceOf(deps);
    decisions.subscribe(chat.onDecision);
    nodes.register(leftWork(chat, deps));
    const sweep = createTicker({
      everyMs: SWEEP_EVERY_MS,
      tick: async () => {
        await chat.sweep();
      },
      onError: (error) => onError(error, 'lost runs could not be looked for'),
    });
    return {
      service: chat,
      routes: chatRoutes({ chat, idempotency, streams, draining: lifecycle.draining }),
      runTools: [
        chat.delegate,
        createFindTools({
          agents: deps.agents,
          embedder: deps.embedding.embedder,
          toolSources: deps.catalogue.withinRuns,
          onError,
        }),
      ],
      personalData: [personalDataOf(chat, deps)],
      gauges: { activeRuns: chat.activeRuns },
      opened: () => sweep.start(),
      drain: (graceMs: number) => chat.drain(graceMs),
      drained: () => chat.close(),
      quiet: () => sweep.stop(),
    };
  },
});
