import type { Db } from '../../db/db.ts';
import { usdToNano } from '../../kernel/money.ts';
import { credentialOf } from '../../kernel/stored-credential.ts';
import type { ToolPolicy } from '../../kernel/tool-policy.ts';
import type { AgentTool, GateDecision, ToolContext, ToolGate } from '../../kernel/tools.ts';
import { actorOf } from '../audit/index.ts';
import { requiredForCall, riskOf } from './call-approval.rules.ts';
import type { GovernanceConfig } from './config.ts';
import type { FollowUp } from './follow-up.ts';
import { callHash, consentHash } from './hash.ts';
import { hasConsent } from './proposals.store.ts';
import type { RequiredApproval } from './required-approval.rules.ts';
import type { HoldingPolicies } from './tool-policies.ts';
import type { Actor } from './transitions/transition.ts';
import type { Transitions } from './transitions/transitions.ts';
import type { Proposal, ProposalDraft } from './types.ts';

/** The one gate in front of every tool call, whichever API it comes through (contract, section 7). */
interface ToolGateOptions {
  db: Db;
  config: Pick<GovernanceConfig, 'approvals'>;
  policies: Pick<HoldingPolicies, 'of'>;
  transitions: Pick<Transitions, 'openForCall'>;
  followUp: Pick<FollowUp, 'follow'>;
}

const MAX_DESCRIPTION = 500;
/** A proposal keeps the arguments of its call. */
const NOT_STORED =
  'this call needs an approval, which a temporary chat cannot wait for since nothing of it is kept; tell the person to ask again in a chat that is stored';

const draftOf = (
  tool: AgentTool,
  policy: ToolPolicy,
  args: Record<string, unknown>,
  context: ToolContext,
): ProposalDraft => ({
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

const actorIn = ({ agentId, caller }: ToolContext): Actor =>
  agentId === null ? actorOf(caller) : { actorId: agentId, actorType: 'agent' };

export const createToolGate = (options: ToolGateOptions): ToolGate => {
  const { db, config, policies, transitions, followUp } = options;

  /** Without the question to the person who asked, where they have said yes to an equal call of the conversation. */
  const withConsent = async (
    required: RequiredApproval,
    tenantId: string,
    consent: string | null,
  ): Promise<RequiredApproval> => {
    if (required.requester === null || consent === null) return required;
    return (await hasConsent(db.read, tenantId, consent)) ? { ...required, requester: null } : required;
  };

  return {
    async check(tool, args, context) {
      const policy = policies.of(tool);
      const { tenantId, userId } = context.caller;
      const consent = consentHash({ conversationId: context.conversationId, userId }, tool, args);
      const asked = requiredForCall(tool, policy, { args, tainted: context.tainted }, config.approvals);
      const required = await withConsent(asked, tenantId, consent);
      if (required.approval === 'auto' && required.requester === null) return { outcome: 'run' };
      if (context.temporary === true) return { outcome: 'denied', reason: NOT_STORED, proposalId: null };
      const call = callHash({ runId: context.runId, userId }, tool, args);
      const draft = draftOf(tool, policy, args, context);
      const opening = { draft, required, actor: actorIn(context) };
      const { proposal, isNew } = await transitions.openForCall(opening, { call, consent });
      if (isNew) followUp.follow(proposal);
      const { status } = proposal;
      if (status === 'rejected' || status === 'vetoed' || status === 'expired' || status === 'cancelled') {
        return deniedBy(proposal);
      }
      return { outcome: 'wait', proposalId: proposal.id };
    },
  };
};
