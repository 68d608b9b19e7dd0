import path from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../../config.ts';
import type { Db } from '../../db/db.ts';
import { applyRateLimit, type LimitOptions } from '../../http/limits-hook.ts';
import type { Authenticate } from '../../http/route.ts';
import type { StreamWatch } from '../../http/stream-watch.ts';
import type { Cluster, NodeMessages } from '../../kernel/cluster.ts';
import type { OwnDecisions, RunProposals, ShowProposal } from '../../kernel/decisions.ts';
import type { McpConnector } from '../../kernel/mcp.ts';
import { OIDC_SCOPES } from '../../kernel/oidc.ts';
import type { CallerFor } from '../../kernel/stored-credential.ts';
import type { ToolGate, ToolLedger, ToolPolicies } from '../../kernel/tools.ts';
import { VERSION } from '../../kernel/version.ts';
import { defineModule, type Given } from '../../modules/module.ts';
import { AGENTS, type AgentService } from '../agents/index.ts';
import type { Audit } from '../audit/index.ts';
import type { ChatService } from '../chat/index.ts';
import type { ConversationService } from '../conversations/index.ts';
import type { PlatformKeys } from '../identity/index.ts';
import type { Knowledge } from '../knowledge/index.ts';
import type { Memory } from '../memory/index.ts';
import type { Check, Metrics } from '../system/index.ts';
import { findTenant } from '../tenants/index.ts';
import { createFilesServer, filesOfPeople } from './builtin/files.ts';
import { createTimeServer } from './builtin/time.ts';
import { createToolsServer } from './builtin/tools.ts';
import type { BuiltinServer } from './builtin-runtime.ts';
import { createAskAgentSource } from './door/ask-agent.ts';
import { askByChat } from './door/ask-by-chat.ts';
import { createDecisionWatch } from './door/decision-watch.ts';
import { createMcpDoor } from './door/door.ts';
import { doorRecords } from './door/records.ts';
import { createMcpFeature, type McpFeature, type McpOptions } from './index.ts';

export interface McpDeps
  extends Pick<Given, 'catalogue' | 'clock' | 'decisions' | 'lifecycle' | 'publicUrl'> {
  agents: Pick<AgentService, 'effective'>;
  audit: Pick<Audit, 'append'>;
  chat: Pick<ChatService, 'launch' | 'answer'>;
  cluster: { messages: NodeMessages } | null;
  config: Pick<
    Config,
    'CORS_ORIGINS' | 'DATA_DIR' | 'IDP_SCOPES' | 'IDP_URL' | 'MCP_ALLOW_STDIO' | 'MCP_BUILTIN' | 'MCP_CONFIG'
  >;
  conversations: Pick<ConversationService, 'list' | 'export'>;
  db: Db;
  governance: {
    gate: ToolGate;
    toolLedger: ToolLedger;
    toolPolicies: ToolPolicies;
    showProposal: ShowProposal;
    ownDecisions: OwnDecisions;
    runProposals: Pick<RunProposals, 'decisionOn'>;
  };
  identity: { authenticate: Authenticate; callerFor: CallerFor };
  keys: Pick<PlatformKeys, 'secret' | 'previous'>;
  knowledge: Pick<Knowledge, 'page' | 'text'>;
  limits: LimitOptions;
  logger: FastifyBaseLogger;
  mcpConnector: {
    connector: McpConnector;
    stdioFolder: string;
    checkStdioText(text: string): string | null;
    checkUrl(url: string): string | null;
  };
  memory: Pick<Memory, 'tools'>;
  node: Cluster;
  streams: Pick<StreamWatch, 'admit' | 'open'>;
  system: { metrics: Pick<Metrics, 'mcpCall'> };
}

const keyBytes = (text: string): Buffer => Buffer.from(text, 'base64url');
const filesFolder = (config: { DATA_DIR: string }): string => path.join(config.DATA_DIR, 'files');

const builtinServers = async ({ clock, config, memory }: McpDeps): Promise<BuiltinServer[]> =>
  config.MCP_BUILTIN
    ? [
        createTimeServer(clock),
        createFilesServer(filesFolder(config)),
        await createToolsServer({ name: 'memory', title: 'Memory', source: memory.tools }),
      ]
    : [];

const auditIn =
  ({ audit, db }: Pick<McpDeps, 'audit' | 'db'>): McpOptions['audit'] =>
  (entry, tx) => {
    const event = {
      tenantId: entry.tenantId,
      actorId: entry.userId,
      actorType: entry.actorType,
      action: entry.action,
      targetType: 'mcp',
      targetId: entry.subject,
      details: entry.details,
    };
    return tx === null ? db.write((own) => audit.append(own, event)) : audit.append(tx, event);
  };

const createGateway = async (deps: McpDeps): Promise<McpFeature> => {
  const { cluster, config, db, governance, keys, mcpConnector, system } = deps;
  return createMcpFeature({
    db,
    cluster: deps.node,
    secretKey: keyBytes(keys.secret('mcp.key')),
    previousKeys: keys.previous('mcp.key').map(keyBytes),
    connector: mcpConnector.connector,
    clock: deps.clock,
    gate: governance.gate,
    toolPolicies: governance.toolPolicies,
    allowStdio: config.MCP_ALLOW_STDIO,
    checkStdioText: mcpConnector.checkStdioText,
    stdioFolder: mcpConnector.stdioFolder,
    tenantNames: async (id) => {
      const tenant = await findTenant(db.read, id);
      return tenant === undefined ? [id] : [id, tenant.slug];
    },
    checkUrl: mcpConnector.checkUrl,
    configFile: config.MCP_CONFIG,
    builtins: await builtinServers(deps),
    showProposal: governance.showProposal,
    audit: auditIn(deps),
    callerOf: deps.identity.callerFor,
    toolLedger: governance.toolLedger,
    observeCall: (sample) => system.metrics.mcpCall(sample.server, sample.outcome === 'ok' ? 'ok' : 'error'),
    logger: deps.logger,
    ...(cluster === null ? {} : { messages: cluster.messages }),
  });
};

const createDoor = (deps: McpDeps) => {
  const { agents, cluster, config, governance, limits, publicUrl } = deps;
  // The embedded provider has these alone.
  const scopes = config.IDP_URL === null ? OIDC_SCOPES : config.IDP_SCOPES.split(' ');
  return createMcpDoor({
    sources: deps.catalogue.atDoor,
    gate: governance.gate,
    version: VERSION,
    toolLedger: governance.toolLedger,
    records: doorRecords(deps),
    prompts: {
      agents: async ({ tenantId }) =>
        [...(await agents.effective(tenantId)).values()]
          .filter(({ enabled }) => enabled)
          .map(({ definition }) => definition),
    },
    approvals: {
      own: governance.ownDecisions,
      outcome: governance.runProposals.decisionOn,
      next: createDecisionWatch(deps.decisions),
      now: deps.clock.now,
    },
    authenticate: deps.identity.authenticate,
    now: deps.clock.now,
    publicUrl,
    issuer: () => config.IDP_URL ?? publicUrl(),
    scopes,
    admitStream: deps.streams.admit,
    corsOrigins: config.CORS_ORIGINS,
    draining: deps.lifecycle.draining,
    shared: cluster === null ? null : { key: deps.keys.secret('cookie.key'), messages: cluster.messages },
    limit: (request, reply) => applyRateLimit(request, reply, limits, true),
  });
};

const readiness = (mcp: McpFeature): Check => {
  const { error, connecting } = mcp.health();
  if (error > 0) return { status: 'degraded', detail: `${error} servers do not answer` };
  return { status: 'ok', ...(connecting > 0 ? { detail: `${connecting} connecting` } : {}) };
};

/** The gateway to MCP servers, and the platform as one of them (`/mcp`). */
export const mcpModule = defineModule({
  name: 'mcp',
  needs: [
    'agents',
    'audit',
    'catalogue',
    'chat',
    'clock',
    'cluster',
    'config',
    'conversations',
    'db',
    'decisions',
    'governance',
    'identity',
    'keys',
    'knowledge',
    'lifecycle',
    'limits',
    'logger',
    'mcpConnector',
    'memory',
    'node',
    'publicUrl',
    'streams',
    'system',
  ],
  async build(deps: McpDeps) {
    const gateway = await createGateway(deps);
    const door = createDoor(deps);
    return {
      service: gateway,
      routes: [...gateway.routes, ...door.routes],
      plugins: [door.plugin],
      tools: [
        gateway.serverTools,
        { ...gateway.toolSource, connected: gateway.connected, ready: gateway.ready },
      ],
      doorTools: [createAskAgentSource({ agents: AGENTS, ask: askByChat(deps.chat) })],
      personalData: [filesOfPeople(filesFolder(deps.config))],
      gauges: { openStreams: () => deps.streams.open() + door.openStreams() },
      health: { mcp: () => readiness(gateway) },
      // Before governance resumes: calls that were approved need their servers.
      start: () => gateway.start(),
      quiet: () => door.close(),
      stop: () => gateway.close(),
    };
  },
});
