import { iso, isoOrNull } from '../../kernel/clock.ts';
import { nanoToUsd } from '../../kernel/money.ts';
import { isOpen, type Proposal } from './types.ts';
import { shownBallots, tallyOf } from './voting/verdict.rules.ts';

/** A proposal as clients, events and webhooks see it (contract, section 7). */
export const proposalWire = (proposal: Proposal) => ({
  id: proposal.id,
  action: proposal.action,
  description: proposal.description,
  estimated_cost: nanoToUsd(proposal.estimatedNano),
  risk: proposal.risk,
  flags: [...proposal.flags],
  status: proposal.status,
  reason: proposal.reason,
  votes: shownBallots(proposal.ballots).map((ballot) => ({
    voter: ballot.voter,
    voter_type: ballot.voterType,
    seat: ballot.seat,
    vote: ballot.vote,
    reason: ballot.reason,
    veto_reason: ballot.veto,
    confidence: ballot.confidence,
    created_at: iso(ballot.createdAt),
  })),
  tally: tallyOf(proposal.ballots),
  requested_by: proposal.requestedBy,
  asks_requester: proposal.status === 'awaiting_human' && proposal.decider === 'requester',
  tainted: proposal.tainted,
  agent_id: proposal.agentId,
  conversation_id: proposal.conversationId,
  run_id: proposal.runId,
  tool:
    proposal.tool === null
      ? null
      : {
          server: proposal.tool.server,
          name: proposal.tool.name,
          arguments: proposal.tool.arguments,
        },
  // A proposal that was turned down has nothing to carry out any more.
  execution: isOpen(proposal.status) || proposal.status === 'approved' ? proposal.execution : null,
  created_at: iso(proposal.createdAt),
  expires_at: iso(proposal.expiresAt),
  decided_at: isoOrNull(proposal.decidedAt),
  decided_by: proposal.decidedBy,
});

export type ProposalWire = ReturnType<typeof proposalWire>;
