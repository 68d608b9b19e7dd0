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
import type { Board } from './board.ts';
import type { GovernanceConfig } from './config.ts';
import { riskOf } from './gate.ts';
import type { GovernancePorts } from './ports.ts';
import type { HumanVote, Records } from './records.ts';
import { routeOf } from './rules.ts';
import type { ProposalBody, ProposalQuery } from './schema.ts';
import { findProposal, listProposals } from './store.ts';
import type { Proposal, StoredTool } from './types.ts';

/** Analyst, operator and admin see the tenant's proposals; everybody else those that they asked for. */
export const proposalScope = (caller: Caller): Scope => ({
  tenantId: caller.tenantId,
  userId: caller.userId,
  reach:
    caller.permissions.has('governance:vote') || caller.permissions.has('analytics:read') ? 'tenant' : 'own',
});

export interface GovernanceOptions {
  db: Db;
  clock: Clock;
  config: GovernanceConfig;
  records: Records;
  board: Board;
  ports: Pick<GovernancePorts, 'findTool'>;
  policyOf(tool: AgentTool): ToolPolicy;
}

export const createProposals = ({
  db,
  clock,
  config,
  records,
  board,
  ports,
  policyOf,
}: GovernanceOptions) => {
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
    const moved = await records.passTime(caller.tenantId, id, clock.now());
    if (moved !== null) board.changed(moved);
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

    /** By hand: what is said of the action and what the policy of its tool says both count, the stricter wins. */
    async propose(caller: Caller, body: ProposalBody, requestId: string): Promise<Proposal> {
      if (!isWholeNano(body.estimated_cost)) throw invalid({ field: '/estimated_cost', reason: TOO_FINE });
      const tool = body.tool === undefined ? null : await toolOf(caller, body.tool);
      const policy = tool === null ? {} : policyOf(tool);
      const estimatedNano = Math.max(usdToNano(body.estimated_cost), usdToNano(policy.cost_usd ?? 0));
      const flags: Flag[] = [...new Set([...(body.flags ?? []), ...(policy.flags ?? [])])];
      const base = { estimatedNano, flags, tainted: null };
      const said = routeOf(
        { ...base, risk: body.risk ?? null, approval: null, destructive: false },
        config.route,
      );
      const declared = routeOf(
        {
          ...base,
          risk: policy.risk ?? null,
          approval: policy.approval ?? null,
          destructive: tool?.annotations.destructive ?? false,
        },
        config.route,
      );
      const strictest = ['human', 'pentarchy', 'auto']
        .map((approval) => [said, declared].find((route) => route.approval === approval))
        .find((route) => route !== undefined);
      const stored: StoredTool | null =
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
      const proposal = await records.open(
        {
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
          tool: stored,
          tainted: false,
          credential: credentialOf(caller),
          evidence: null,
        },
        strictest ?? said,
        actorOf(caller),
      );
      board.created(proposal);
      return proposal;
    },

    /** The answer of the person who asked. */
    async confirm(caller: Caller, id: string, approve: boolean, requestId: string): Promise<Proposal> {
      await overtake(caller, id);
      const proposal = await records.confirm(caller, id, approve, requestId);
      board.changed(proposal);
      return proposal;
    },

    async vote(caller: Caller, id: string, vote: HumanVote, requestId: string): Promise<Proposal> {
      await overtake(caller, id);
      const proposal = await records.castByPerson(caller, id, vote, requestId);
      board.changed(proposal);
      return proposal;
    },

    /** By who asked for it, or by who may vote. */
    async cancel(caller: Caller, id: string, requestId: string): Promise<Proposal> {
      const proposal = await get(caller, id);
      if (proposal.requestedBy !== caller.userId && !caller.permissions.has('governance:vote')) {
        throw forbidden('governance:vote');
      }
      await overtake(caller, id);
      const cancelled = await records.cancel(caller, id, requestId);
      board.changed(cancelled);
      return cancelled;
    },
  };
};

export type Proposals = ReturnType<typeof createProposals>;
