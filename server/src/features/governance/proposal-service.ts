import type { Db } from '../../db/db.ts';
import type { Caller, Scope } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { forbidden, invalid, notFound } from '../../kernel/errors.ts';
import { isWholeNano, TOO_FINE, usdToNano } from '../../kernel/money.ts';
import { type PageRequest, pageRequest, pageResult } from '../../kernel/pagination.ts';
import { credentialOf } from '../../kernel/stored-credential.ts';
import type { Flag, ToolPolicy } from '../../kernel/tool-policy.ts';
import type { AgentTool } from '../../kernel/tools.ts';
import { actorOf } from '../audit/index.ts';
import { checkArguments } from './arguments.ts';
import { riskOf } from './call-approval.rules.ts';
import type { GovernanceConfig } from './config.ts';
import type { FollowUp } from './follow-up.ts';
import type { GovernancePorts } from './ports.ts';
import { findProposal, listProposals } from './proposals.store.ts';
import { type ApprovalLimits, type RequiredApproval, requiredApproval } from './required-approval.rules.ts';
import type { ProposalBody, ProposalQuery } from './schema.ts';
import type { HoldingPolicies } from './tool-policies.ts';
import type { Transitions } from './transitions/transitions.ts';
import type { PersonVote, Proposal, ProposalDraft, StoredTool } from './types.ts';

/** Analyst, operator and admin see the tenant's proposals; everybody else those that they asked for. */
const proposalScope = (caller: Caller): Scope => ({
  tenantId: caller.tenantId,
  userId: caller.userId,
  reach:
    caller.permissions.has('governance:vote') || caller.permissions.has('analytics:read') ? 'tenant' : 'own',
});

interface ProposalServiceOptions {
  db: Db;
  clock: Clock;
  config: GovernanceConfig;
  transitions: Transitions;
  followUp: FollowUp;
  ports: Pick<GovernancePorts, 'findTool'>;
  policies: Pick<HoldingPolicies, 'of'>;
}

/** A proposal made by hand, with its tool and the policy that holds for it. */
interface ByHand {
  body: ProposalBody;
  tool: AgentTool | null;
  policy: ToolPolicy;
  estimatedNano: number;
  flags: Flag[];
}

/** What is said of the action and what the policy of its tool says both count: the stricter wins. */
const requiredByHand = (
  { body, tool, policy, estimatedNano, flags }: ByHand,
  limits: ApprovalLimits,
): RequiredApproval => {
  const base = { estimatedNano, flags, tainted: null };
  const said = requiredApproval(
    { ...base, risk: body.risk ?? null, approval: null, destructive: false },
    limits,
  );
  const declared = requiredApproval(
    {
      ...base,
      risk: policy.risk ?? null,
      approval: policy.approval ?? null,
      destructive: tool?.annotations.destructive ?? false,
    },
    limits,
  );
  const strictest = ['human', 'pentarchy', 'auto']
    .map((approval) => [said, declared].find((one) => one.approval === approval))
    .find((one) => one !== undefined);
  return strictest ?? said;
};

const storedToolOf = ({ body, tool }: ByHand): StoredTool | null =>
  tool === null
    ? null
    : {
        server: tool.server,
        name: tool.name,
        arguments: body.tool?.arguments ?? {},
        description: tool.description,
        annotations: tool.annotations,
        origin: tool.origin,
      };

const draftByHand = (caller: Caller, byHand: ByHand, requestId: string): ProposalDraft => {
  const { body, tool, policy, estimatedNano, flags } = byHand;
  return {
    tenantId: caller.tenantId,
    requestedBy: caller.userId,
    agentId: null,
    conversationId: null,
    runId: null,
    requestId,
    action: body.action,
    description: body.description ?? '',
    estimatedNano,
    risk: body.risk ?? (tool === null ? 'low' : riskOf(tool, policy)),
    flags,
    tool: storedToolOf(byHand),
    tainted: false,
    credential: credentialOf(caller),
    evidence: null,
  };
};

/** What callers may do with proposals, over HTTP and as tools of `/mcp`. */
export const createProposalService = (options: ProposalServiceOptions) => {
  const { db, clock, config, transitions, followUp, ports, policies } = options;

  const get = async (caller: Caller, id: string): Promise<Proposal> => {
    const proposal = await findProposal(db.read, proposalScope(caller), id);
    if (proposal === undefined) throw notFound('proposal');
    return proposal;
  };

  /** The tool of a proposal made by hand: only what the person might call themselves, with arguments that fit. */
  const toolOf = async (caller: Caller, named: NonNullable<ProposalBody['tool']>): Promise<AgentTool> => {
    const tool = await ports.findTool(caller, null, named.server, named.name);
    if (tool === null) throw invalid({ field: '/tool/name', reason: 'is not a tool that you may call' });
    if (!caller.permissions.has(tool.permission)) throw forbidden(tool.permission);
    checkArguments(tool, named.arguments ?? {});
    return tool;
  };

  /** What time has decided already, though the sweep has not come by: nobody votes on what has run out. */
  const overtake = async (caller: Caller, id: string): Promise<void> => {
    const moved = await transitions.passTime(caller.tenantId, id, clock.now());
    if (moved !== null) followUp.changed(moved);
  };

  return {
    get,

    async list(
      caller: Caller,
      query: ProposalQuery,
    ): Promise<{
      proposals: Proposal[];
      total: number;
      next: (Partial<PageRequest> & { cursor?: string }) | null;
    }> {
      const page = pageRequest(query);
      const filter = { status: query.status, runId: query.run_id, conversationId: query.conversation_id };
      const { proposals, total } = await listProposals(db.read, proposalScope(caller), filter, page);
      const result = pageResult(page, proposals, total, (row) => ({ createdAt: row.createdAt, id: row.id }));
      const next = !result.has_more
        ? null
        : page.after === null
          ? { page: page.page + 1 }
          : { cursor: result.next_cursor ?? '' };
      return { proposals: result.items, total, next };
    },

    async propose(caller: Caller, body: ProposalBody, requestId: string): Promise<Proposal> {
      if (!isWholeNano(body.estimated_cost)) throw invalid({ field: '/estimated_cost', reason: TOO_FINE });
      const tool = body.tool === undefined ? null : await toolOf(caller, body.tool);
      const policy = tool === null ? {} : policies.of(tool);
      const byHand: ByHand = {
        body,
        tool,
        policy,
        estimatedNano: Math.max(usdToNano(body.estimated_cost), usdToNano(policy.cost_usd ?? 0)),
        flags: [...new Set([...(body.flags ?? []), ...(policy.flags ?? [])])],
      };
      const proposal = await transitions.open({
        draft: draftByHand(caller, byHand, requestId),
        required: requiredByHand(byHand, config.approvals),
        actor: actorOf(caller),
      });
      followUp.follow(proposal);
      return proposal;
    },

    /** The answer of the person who asked. */
    async confirm(caller: Caller, id: string, approve: boolean, requestId: string): Promise<Proposal> {
      await overtake(caller, id);
      const proposal = await transitions.confirm(caller, id, approve, requestId);
      followUp.changed(proposal);
      return proposal;
    },

    async vote(caller: Caller, id: string, vote: PersonVote, requestId: string): Promise<Proposal> {
      await overtake(caller, id);
      const proposal = await transitions.castByPerson(caller, id, vote, requestId);
      followUp.changed(proposal);
      return proposal;
    },

    /** By who asked for it, or by who may vote. */
    async cancel(caller: Caller, id: string, requestId: string): Promise<Proposal> {
      const proposal = await get(caller, id);
      if (proposal.requestedBy !== caller.userId && !caller.permissions.has('governance:vote')) {
        throw forbidden('governance:vote');
      }
      await overtake(caller, id);
      const cancelled = await transitions.withdraw(caller, id, requestId);
      followUp.changed(cancelled);
      return cancelled;
    },
  };
};

export type ProposalService = ReturnType<typeof createProposalService>;
