import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { parse } from 'yaml';
import { createGuardedFetch } from './adapters/guarded-fetch/index.ts';
import { createMcpConnector, createPrivateFolderCheck } from './adapters/mcp/index.ts';
import { costsBesideRuns } from './compose-costs.ts';
import { type Config, ConfigError } from './config.ts';
import type { Db } from './db/db.ts';
import { type Audit, toolRecord } from './features/audit/index.ts';
import type { Decision } from './features/chat/index.ts';
import { sendingPolicy } from './features/communications/index.ts';
import type { Costs } from './features/costs/index.ts';
import {
  createGovernance,
  createVoteAsk,
  decisionOf,
  type Governance,
  type GovernanceConfig,
  governanceConfig,
  SEATS,
} from './features/governance/index.ts';
import type { PlatformKeys } from './features/identity/index.ts';
import {
  createFilesServer,
  createMcpFeature,
  createTimeServer,
  createToolsServer,
  isGatewayTool,
  type McpFeature,
  OAUTH_CALLBACK_PATH,
} from './features/mcp/index.ts';
import { createMeteredGenerate, type Models } from './features/models/index.ts';
import type { Metrics } from './features/system/index.ts';
import { findTenant } from './features/tenants/index.ts';
import type { Clock } from './kernel/clock.ts';
import type { Cluster, NodeMessages } from './kernel/cluster.ts';
import type { EventSink } from './kernel/events.ts';
import type { CallerFor } from './kernel/stored-credential.ts';
import type { ToolSource } from './kernel/tools.ts';
import { VERSION } from './kernel/version.ts';

/** The part of the composition around tools: governance in front of them, and the MCP gateway behind. */
export interface ToolParts {
  config: Config;
  platformKeys: PlatformKeys;
  governanceConfig: GovernanceConfig;
  db: Db;
  cluster: Cluster;
  clock: Clock;
  logger: FastifyBaseLogger;
  audit: Audit;
  costs: Costs;
  models: Models;
  metrics: Metrics;
  events: EventSink;
  memoryTools: ToolSource;
  publicUrl(): string;
  callerFor: CallerFor;
  /** All tools of the platform besides those of the gateway; asked late, since they need the gate themselves. */
  ownSources(): readonly ToolSource[];
  /** Tools that work within a run alone. */
  runSources(): readonly ToolSource[];
  onDecided(proposalId: string, decision: Decision): void;
  messages: NodeMessages | null;
}

/** Server name of the platform's own tools. */
const OWN_TOOLS = 'pentarch';
/** How many calls back a tool's health is read from. */
const HEALTH_OF_CALLS = 20;
const MAX_MCP_BODY_BYTES = 64 * 1024 * 1024;

const settingsFile = (file: string | null, setting: string): unknown => {
  if (file === null) return null;
  try {
    return parse(readFileSync(file, 'utf8')) as unknown;
  } catch (error) {
    throw new ConfigError(
      `${setting}="${file}" cannot be read: ${error instanceof Error ? error.message : ''}`,
    );
  }
};

/** Thresholds, seats and policies of GOVERNANCE_FILE, or the defaults. */
export const readGovernanceConfig = (config: Config): GovernanceConfig =>
  governanceConfig(settingsFile(config.GOVERNANCE_FILE, 'GOVERNANCE_FILE'));

/** What each agent's seat looks at; a seat that a person holds is none of its agent's. */
export const agentSeats = ({ seats }: GovernanceConfig): Record<string, string> =>
  Object.fromEntries(
    SEATS.filter((seat) => seats[seat].holder.kind === 'agent').map((seat) => [seat, seats[seat].charter]),
  );

export const composeTools = async (
  parts: ToolParts,
): Promise<{ governance: Governance; mcp: McpFeature; close(): Promise<void> }> => {
  const { config, db, clock, costs, models, audit, events, logger, metrics } = parts;
  const onError = (error: unknown): void => logger.error({ err: error }, 'governance');
  let mcpFeature: McpFeature | null = null;
  const sources = (): readonly ToolSource[] =>
    mcpFeature === null ? parts.ownSources() : [...parts.ownSources(), mcpFeature.toolSource];

  const besideRuns = costsBesideRuns(costs);
  const governance = createGovernance({
    db,
    cluster: parts.cluster,
    clock,
    config: parts.governanceConfig,
    ports: {
      hasModel: (model) => models.resolve(model).provider !== 'builtin',
      laneOf: (model) => {
        const ref = model === null ? models.defaultModel : models.resolve(model);
        return models.isLocal(ref) ? ref.provider : null;
      },
      ask: createVoteAsk({ models, generate: createMeteredGenerate({ db, models, costs: besideRuns }) }),
      policyOf: (tool) => (isGatewayTool(tool) ? tool.policy : sendingPolicy(tool)),
      findTool: async (caller, agentId, server, name) => {
        for (const source of [...sources(), ...parts.runSources()]) {
          const found = (await source.list(caller, agentId)).find(
            (t) => t.server === server && t.name === name,
          );
          if (found !== undefined) return found;
        }
        return null;
      },
      callerOf: parts.callerFor,
      budget: async (tenantId) => {
        const month = (await costs.limits(tenantId)).find(
          (l) => l.scope === 'tenant' && l.period === 'month',
        );
        return month === undefined
          ? null
          : { limitNano: month.limitNano, remainingNano: month.remainingNano };
      },
      toolHealth: async (tenantId, server, name) => {
        const available = server === OWN_TOOLS ? true : (mcpFeature?.connected(tenantId, server) ?? null);
        if (available === null) return null;
        return { available, ...(await toolRecord(db.read, tenantId, `${server}.${name}`, HEALTH_OF_CALLS)) };
      },
      onDecided: (proposal) => {
        const decision = decisionOf(proposal);
        if (decision !== null) parts.onDecided(proposal.id, decision);
      },
    },
    costs,
    costsBesideRuns: besideRuns,
    audit,
    events,
    allowSelfApproval: config.ALLOW_SELF_APPROVAL,
    onError,
  });

  const guardOptions = { headersTimeoutMs: 0, bodyTimeoutMs: 0, maxBodyBytes: MAX_MCP_BODY_BYTES };
  const guarded = createGuardedFetch({ allowPrivate: config.WEBHOOK_ALLOW_PRIVATE, ...guardOptions });
  const open = createGuardedFetch({ allowPrivate: true, ...guardOptions });
  // Empty: a program that serves the folder it runs in serves nothing.
  const stdioFolder = mkdtempSync(path.join(tmpdir(), 'pentarch-mcp-'));
  const mcp = createMcpFeature({
    db,
    cluster: parts.cluster,
    secretKey: Buffer.from(parts.platformKeys.secret('mcp.key'), 'base64url'),
    previousKeys: parts.platformKeys.previous('mcp.key').map((text) => Buffer.from(text, 'base64url')),
    connector: createMcpConnector({
      clientInfo: { name: 'pentarch', version: VERSION },
      guarded,
      open,
      oauthRedirectUrl: () => `${parts.publicUrl()}${OAUTH_CALLBACK_PATH}`,
    }),
    clock,
    gate: governance.gate,
    resolvedPolicy: governance.resolvedPolicy,
    allowStdio: config.MCP_ALLOW_STDIO,
    checkStdioText: createPrivateFolderCheck(config.DATA_DIR, stdioFolder),
    stdioFolder,
    tenantNames: async (id) => {
      const tenant = await findTenant(db.read, id);
      return tenant === undefined ? [id] : [id, tenant.slug];
    },
    checkUrl: (url) => guarded.check(url),
    configFile: config.MCP_CONFIG,
    builtins: config.MCP_BUILTIN
      ? [
          createTimeServer(clock),
          createFilesServer(path.join(config.DATA_DIR, 'files')),
          await createToolsServer({ name: 'memory', title: 'Memory', source: parts.memoryTools }),
        ]
      : [],
    proposal: (caller, id) => governance.proposal(caller, id),
    audit: (entry, tx) => {
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
    },
    book: governance.book,
    observeCall: (sample) => metrics.mcpCall(sample.server, sample.outcome === 'ok' ? 'ok' : 'error'),
    logger,
    ...(parts.messages === null ? {} : { messages: parts.messages }),
  });
  mcpFeature = mcp;
  return {
    governance,
    mcp,
    async close() {
      await mcp.close();
      await governance.close();
      await Promise.all([guarded.close(), open.close()]);
      rmSync(stdioFolder, { recursive: true, force: true });
    },
  };
};
