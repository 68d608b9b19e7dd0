import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { parse } from 'yaml';
import { createGuardedFetch } from './adapters/guarded-fetch/index.ts';
import { createMcpConnector } from './adapters/mcp/index.ts';
import { type Config, ConfigError } from './config.ts';
import type { Db } from './db/db.ts';
import type { Audit } from './features/audit/index.ts';
import type { Decision } from './features/chat/index.ts';
import { sendingPolicy } from './features/communications/index.ts';
import type { Costs } from './features/costs/index.ts';
import {
  createGovernance,
  createMeteredAsk,
  decisionOf,
  type Governance,
  governanceConfig,
} from './features/governance/index.ts';
import { platformSecret } from './features/identity/index.ts';
import {
  createFilesServer,
  createMcpFeature,
  createTimeServer,
  createToolsServer,
  isGatewayTool,
  type McpFeature,
  OAUTH_CALLBACK_PATH,
} from './features/mcp/index.ts';
import type { Models } from './features/models/index.ts';
import type { Metrics } from './features/system/index.ts';
import type { Caller } from './kernel/caller.ts';
import type { Clock } from './kernel/clock.ts';
import type { NodeMessages } from './kernel/cluster.ts';
import type { EventSink } from './kernel/events.ts';
import type { NanoUsd } from './kernel/money.ts';
import type { ToolSource } from './kernel/tools.ts';

/** The part of the composition around tools: governance in front of them, and the MCP gateway behind. */
export interface ToolParts {
  config: Config;
  db: Db;
  clock: Clock;
  logger: FastifyBaseLogger;
  audit: Audit;
  costs: Costs;
  models: Models;
  metrics: Metrics;
  events: EventSink;
  memoryTools: ToolSource;
  publicUrl(): string;
  callerFor(tenantId: string, userId: string): Promise<Caller | null>;
  /** All tools of the platform besides those of the gateway; asked late, since they need the gate themselves. */
  ownSources(): readonly ToolSource[];
  onDecided(proposalId: string, decision: Decision): void;
  messages: NodeMessages | null;
}

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

export const composeTools = async (
  parts: ToolParts,
): Promise<{ governance: Governance; mcp: McpFeature; close(): Promise<void> }> => {
  const { config, db, clock, costs, models, audit, events, logger, metrics } = parts;
  const onError = (error: unknown): void => logger.error({ err: error }, 'governance');
  let mcpFeature: McpFeature | null = null;
  const sources = (): readonly ToolSource[] =>
    mcpFeature === null ? parts.ownSources() : [...parts.ownSources(), mcpFeature.toolSource];

  const governance = createGovernance({
    db,
    clock,
    config: governanceConfig(settingsFile(config.GOVERNANCE_FILE, 'GOVERNANCE_FILE')),
    ports: {
      hasModel: (model) => models.resolve(model).provider !== 'builtin',
      ask: createMeteredAsk({ db, models, costs }),
      policyOf: (tool) => (isGatewayTool(tool) ? tool.policy : sendingPolicy(tool)),
      findTool: async (caller, agentId, server, name) => {
        for (const source of sources()) {
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
      toolHealth: () => Promise.resolve(null),
      onDecided: (proposal) => {
        const decision = decisionOf(proposal);
        if (decision !== null) parts.onDecided(proposal.id, decision);
      },
    },
    costs,
    audit,
    events,
    allowSelfApproval: config.ALLOW_SELF_APPROVAL,
    onError,
  });

  const guardOptions = { headersTimeoutMs: 0, bodyTimeoutMs: 0, maxBodyBytes: MAX_MCP_BODY_BYTES };
  const guarded = createGuardedFetch({ allowPrivate: config.WEBHOOK_ALLOW_PRIVATE, ...guardOptions });
  const open = createGuardedFetch({ allowPrivate: true, ...guardOptions });
  const mcp = createMcpFeature({
    db,
    secretKey: Buffer.from(platformSecret(config.DATA_DIR, 'mcp.key', config.PLATFORM_KEY), 'base64url'),
    connector: createMcpConnector({
      clientInfo: { name: 'pentarch', version: '2.0.0' },
      guarded,
      open,
      oauthRedirectUrl: () => `${parts.publicUrl()}${OAUTH_CALLBACK_PATH}`,
    }),
    clock,
    gate: governance.gate,
    allowStdio: config.MCP_ALLOW_STDIO,
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
    audit: (entry) => {
      db.write((tx) =>
        audit.append(tx, {
          tenantId: entry.tenantId,
          actorId: entry.userId,
          actorType: entry.userId === null ? 'system' : 'user',
          action: entry.action,
          targetType: 'mcp',
          targetId: entry.subject,
          details: entry.details,
        }),
      ).catch(onError);
    },
    meter: meterOf(db, costs),
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
    },
  };
};

/** Direct calls of priced tools on the ledger. */
export const meterOf =
  (db: Db, costs: Costs) =>
  async (entry: {
    caller: Caller;
    server: string;
    tool: string;
    costNanoUsd: NanoUsd;
    requestId: string;
  }): Promise<void> => {
    await db.write(async (tx) => {
      const hold = await costs.hold(tx, {
        tenantId: entry.caller.tenantId,
        userId: entry.caller.userId,
        agentId: null,
        conversationId: null,
        runId: null,
        requestId: entry.requestId,
        kind: 'tool',
        worstNano: entry.costNanoUsd,
        runUsedNano: 0,
      });
      await costs.settle(tx, hold, [
        {
          kind: 'tool',
          model: null,
          tool: `${entry.server}.${entry.tool}`,
          usage: null,
          costNanoUsd: entry.costNanoUsd,
          estimated: false,
        },
      ]);
    });
  };
