import type { Db } from '../../db/db.ts';
import { usdToNano } from '../../kernel/money.ts';
import { credentialOf } from '../../kernel/stored-credential.ts';
import type { Risk, ToolPolicy } from '../../kernel/tool-policy.ts';
import type { AgentTool, GateDecision, ToolContext, ToolGate } from '../../kernel/tools.ts';
import { actorOf } from '../audit/index.ts';
import { isAllowed } from './allow.rules.ts';
import type { Board } from './board.ts';
import { lockCall } from './call-lock.store.ts';
import type { GovernanceConfig } from './config.ts';
import { callHash, consentHash } from './hash.ts';
import type { Draft, Records } from './records.ts';
import { type Route, routeOf } from './rules.ts';
import { hasConsent } from './store.ts';
import type { Proposal } from './types.ts';

/** The one gate in front of every tool call, whichever door it comes through (contract, section 7). */
export interface GateOptions {
  db: Db;
  config: GovernanceConfig;
  policyOf(tool: AgentTool): ToolPolicy;
  records: Records;
  board: Pick<Board, 'created'>;
}

/** What is said of a tool that nobody has rated. */
export const riskOf = (tool: Pick<AgentTool, 'annotations'>, policy: ToolPolicy): Risk =>
  policy.risk ?? (tool.annotations.destructive ? 'high' : tool.annotations.readOnly ? 'low' : 'medium');

/** What a call does that asks in a run with untrusted content: reaching out comes first, since reading is sending too. */
const actOf = (
  tool: Pick<AgentTool, 'annotations' | 'personal'>,
  args: Record<string, unknown>,
): 'open_world' | 'personal' | null => {
  if (tool.annotations.openWorld) return 'open_world';
  const { personal } = tool;
  return (typeof personal === 'function' ? personal(args) : personal === true) ? 'personal' : null;
};

export const routeOfCall = (
  tool: Pick<AgentTool, 'annotations' | 'personal'>,
  policy: ToolPolicy,
  call: { args: Record<string, unknown>; tainted: boolean },
  config: GovernanceConfig,
): Route =>
  routeOf(
    {
      estimatedNano: usdToNano(policy.cost_usd ?? 0),
      risk: policy.risk ?? null,
      flags: policy.flags ?? [],
      approval: policy.approval ?? null,
      destructive: tool.annotations.destructive,
      tainted: call.tainted && !isAllowed(policy, call.args) ? actOf(tool, call.args) : null,
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

export const createGate = ({ db, config, policyOf, records, board }: GateOptions): ToolGate => ({
  async check(tool, args, context) {
    const policy = policyOf(tool);
    const asked = routeOfCall(tool, policy, { args, tainted: context.tainted }, config);
    const { tenantId, userId } = context.caller;
    const consent = consentHash({ conversationId: context.conversationId, userId }, tool, args);
    const answered =
      asked.requester !== null && consent !== null && (await hasConsent(db.read, tenantId, consent));
    const route = answered ? { ...asked, requester: null } : asked;
    if (route.approval === 'auto' && route.requester === null) return { outcome: 'run' };
    const owner = { runId: context.runId, userId: context.caller.userId };
    const hash = callHash(owner, tool, args);
    const { proposal, standing } = await records.openForCall(
      draftOf(tool, policy, args, context),
      route,
      { call: hash, consent },
      context.agentId === null ? actorOf(context.caller) : { actorId: context.agentId, actorType: 'agent' },
      (tx) => lockCall(tx, db.dialect, hash),
    );
    if (!standing) board.created(proposal);
    const { status } = proposal;
    if (status === 'rejected' || status === 'vetoed' || status === 'expired' || status === 'cancelled') {
      return deniedBy(proposal);
    }
    return { outcome: 'wait', proposalId: proposal.id };
  },
});
