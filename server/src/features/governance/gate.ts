import type { DialectName } from '../../db/db.ts';
import { usdToNano } from '../../kernel/money.ts';
import { credentialOf } from '../../kernel/stored-credential.ts';
import type { AgentTool, GateDecision, ToolContext, ToolGate } from '../../kernel/tools.ts';
import { actorOf } from '../audit/index.ts';
import type { Board } from './board.ts';
import { lockCall } from './call-lock.store.ts';
import type { GovernanceConfig } from './config.ts';
import { callHash } from './hash.ts';
import type { Draft, Records } from './records.ts';
import { type Route, routeOf } from './rules.ts';
import type { Proposal, Risk, ToolPolicy } from './types.ts';

/** The one gate in front of every tool call, whichever door it comes through (contract, section 7). */
export interface GateOptions {
  dialect: DialectName;
  config: GovernanceConfig;
  policyOf(tool: AgentTool): ToolPolicy;
  records: Records;
  board: Pick<Board, 'created'>;
}

/** What is said of a tool that nobody has rated. */
export const riskOf = (tool: Pick<AgentTool, 'annotations'>, policy: ToolPolicy): Risk =>
  policy.risk ?? (tool.annotations.destructive ? 'high' : tool.annotations.readOnly ? 'low' : 'medium');

export const routeOfCall = (
  tool: Pick<AgentTool, 'annotations'>,
  policy: ToolPolicy,
  tainted: boolean,
  config: GovernanceConfig,
): Route =>
  routeOf(
    {
      estimatedNano: usdToNano(policy.cost_usd ?? 0),
      risk: policy.risk ?? null,
      flags: policy.flags ?? [],
      approval: policy.approval ?? null,
      destructive: tool.annotations.destructive,
      taintedOpenWorld: tainted && tool.annotations.openWorld && !tool.annotations.readOnly,
    },
    config.route,
  );

const MAX_DESCRIPTION = 500;

const draftOf = (
  tool: AgentTool,
  policy: ToolPolicy,
  args: Record<string, unknown>,
  context: ToolContext,
): Draft => ({
  tenantId: context.caller.tenantId,
  requestedBy: context.caller.userId,
  agentId: context.agentId,
  conversationId: context.conversationId,
  runId: context.runId,
  requestId: context.requestId,
  action: `${tool.server}.${tool.name}`,
  description: `${context.agentId ?? 'A person'} asks to call ${tool.server}.${tool.name}: ${tool.description.slice(0, MAX_DESCRIPTION)}`,
  estimatedNano: usdToNano(policy.cost_usd ?? 0),
  risk: riskOf(tool, policy),
  flags: policy.flags ?? [],
  tool: {
    server: tool.server,
    name: tool.name,
    arguments: args,
    description: tool.description.slice(0, 4 * MAX_DESCRIPTION),
    annotations: tool.annotations,
    origin: tool.origin,
  },
  tainted: context.tainted,
  credential: credentialOf(context.caller),
  evidence: context.evidence?.(args) ?? null,
});

const deniedBy = (proposal: Proposal): GateDecision => ({
  outcome: 'denied',
  reason: `this call was ${proposal.status}${proposal.reason === null ? '' : `: ${proposal.reason}`}; in this run it is not asked again`,
  proposalId: proposal.id,
});

export const createGate = ({ dialect, config, policyOf, records, board }: GateOptions): ToolGate => ({
  async check(tool, args, context) {
    const policy = policyOf(tool);
    const route = routeOfCall(tool, policy, context.tainted, config);
    if (route.approval === 'auto') return { outcome: 'run' };
    const owner = { runId: context.runId, userId: context.caller.userId };
    const hash = callHash(owner, tool, args);
    const { proposal, standing } = await records.openForCall(
      draftOf(tool, policy, args, context),
      route,
      hash,
      context.agentId === null ? actorOf(context.caller) : { actorId: context.agentId, actorType: 'agent' },
      (tx) => lockCall(tx, dialect, hash),
    );
    if (!standing) board.created(proposal);
    const { status } = proposal;
    if (status === 'rejected' || status === 'vetoed' || status === 'expired' || status === 'cancelled') {
      return deniedBy(proposal);
    }
    return { outcome: 'wait', proposalId: proposal.id };
  },
});
