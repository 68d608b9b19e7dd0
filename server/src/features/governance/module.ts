import type { FastifyBaseLogger } from 'fastify';
import type { Db } from '../../db/db.ts';
import type { Cluster } from '../../kernel/cluster.ts';
import type { EventSink } from '../../kernel/events.ts';
import type { CallerFor } from '../../kernel/stored-credential.ts';
import { defineModule, type Given } from '../../modules/module.ts';
import { type Audit, toolRecord } from '../audit/index.ts';
import { sendingPolicy } from '../communications/index.ts';
import type { CostsService } from '../costs/index.ts';
import { isGatewayTool } from '../mcp/index.ts';
import { createMeteredGenerate, type Models } from '../models/index.ts';
import { createGovernance, type GovernanceConfig } from './index.ts';
import type { GovernancePorts } from './ports.ts';
import { createVoteAsk } from './voting/ask-model.ts';
import { waitingProposals } from './waiting.store.ts';

export interface GovernanceDeps extends Pick<Given, 'catalogue' | 'clock' | 'decisions'> {
  audit: Pick<Audit, 'append'>;
  config: { ALLOW_SELF_APPROVAL: boolean };
  costs: CostsService;
  db: Db;
  events: EventSink;
  governanceConfig: GovernanceConfig;
  identity: { callerFor: CallerFor };
  logger: Pick<FastifyBaseLogger, 'error'>;
  models: Models;
  node: Cluster;
}

/** Server name of the platform's own tools. */
const OWN_TOOLS = 'pentarch';
/** How many calls back a tool's health is read from. */
const HEALTH_OF_CALLS = 20;

type ToolPorts = Pick<GovernancePorts, 'policyOf' | 'findTool' | 'serverReady' | 'toolHealth'>;

const toolPorts = ({ catalogue, db }: Pick<GovernanceDeps, 'catalogue' | 'db'>): ToolPorts => ({
  policyOf: (tool) => (isGatewayTool(tool) ? tool.policy : sendingPolicy(tool)),
  async findTool(caller, agentId, server, name) {
    for (const source of catalogue.withinRuns) {
      const tools = await source.list(caller, agentId);
      const found = tools.find((tool) => tool.server === server && tool.name === name);
      if (found !== undefined) return found;
    }
    return null;
  },
  async serverReady(tenantId, server, signal) {
    await Promise.all(catalogue.sources.map((source) => source.ready?.(tenantId, server, signal)));
  },
  async toolHealth(tenantId, server, name) {
    const connected = catalogue.sources.map((source) => source.connected?.(tenantId, server) ?? null);
    const available = server === OWN_TOOLS ? true : (connected.find((one) => one !== null) ?? null);
    if (available === null) return null;
    return { available, ...(await toolRecord(db.read, tenantId, `${server}.${name}`, HEALTH_OF_CALLS)) };
  },
});

type ModelPorts = Pick<GovernancePorts, 'hasModel' | 'queueOf' | 'ask' | 'budget'>;

const modelPorts = ({ costs, db, models }: Pick<GovernanceDeps, 'costs' | 'db' | 'models'>): ModelPorts => ({
  hasModel: (model) => models.resolve(model).provider !== 'builtin',
  queueOf(model) {
    const ref = model === null ? models.defaultModel : models.resolve(model);
    return models.isLocal(ref) ? ref.provider : null;
  },
  ask: createVoteAsk({ models, generate: createMeteredGenerate({ db, models, costs: costs.besideRuns }) }),
  async budget(tenantId) {
    const month = (await costs.limits(tenantId)).find((l) => l.scope === 'tenant' && l.period === 'month');
    return month === undefined ? null : { limitNano: month.limitNano, remainingNano: month.remainingNano };
  },
});

export const governanceModule = defineModule({
  name: 'governance',
  needs: [
    'audit',
    'catalogue',
    'clock',
    'config',
    'costs',
    'db',
    'decisions',
    'events',
    'governanceConfig',
    'identity',
    'logger',
    'models',
    'node',
  ],
  build(deps: GovernanceDeps) {
    const { audit, clock, config, costs, db, decisions, events } = deps;
    const governance = createGovernance({
      db,
      cluster: deps.node,
      clock,
      config: deps.governanceConfig,
      ports: {
        ...modelPorts(deps),
        ...toolPorts(deps),
        callerOf: deps.identity.callerFor,
      },
      decisions,
      costs,
      costsBesideRuns: costs.besideRuns,
      audit,
      events,
      allowSelfApproval: config.ALLOW_SELF_APPROVAL,
      onError: (error) => deps.logger.error({ err: error }, 'governance'),
    });
    return {
      service: governance,
      routes: governance.routes(),
      doorTools: [governance.mcpTools],
      personalData: [governance.personalData],
      gauges: { votes: () => waitingProposals(db.read, clock.now()) },
      resume: () => governance.start(),
      stop: () => governance.close(),
    };
  },
});
