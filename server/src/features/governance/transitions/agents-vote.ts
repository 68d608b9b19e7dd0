import type { Tx } from '../../../db/db.ts';
import { sha256 } from '../hash.ts';
import { lockProposal } from '../proposals.store.ts';
import type { AgentBallot, Proposal } from '../types.ts';
import { verdictNow } from '../voting/verdict.rules.ts';
import { decide } from './decide.ts';
import {
  type Actor,
  agentSeatsOf,
  auditProposal,
  emitProposal,
  isOver,
  SYSTEM,
  type TransitionDeps,
  withBallot,
} from './transition.ts';

const castOne = async (
  deps: TransitionDeps,
  tx: Tx,
  proposal: Proposal,
  { ballot, inputs }: AgentBallot,
): Promise<Proposal> => {
  const next = await withBallot(tx, proposal, ballot);
  const actor: Actor = { actorId: ballot.voter, actorType: 'agent' };
  const details = {
    seat: ballot.seat,
    vote: ballot.vote,
    veto: ballot.veto,
    confidence: ballot.confidence,
    reason_sha256: sha256(ballot.reason),
    inputs,
  };
  await auditProposal(deps, tx, next, { action: 'proposal.voted', actor, details });
  return next;
};

/** Ballots of agents, each with what it was made from. Null where the vote is over or nothing came of them. */
export const castByAgents = (
  deps: TransitionDeps,
  tenantId: string,
  id: string,
  votes: readonly AgentBallot[],
): Promise<Proposal | null> =>
  deps.db.write(async (tx) => {
    const locked = await lockProposal(tx, tenantId, id);
    if (locked === undefined || locked.status !== 'voting' || isOver(locked, deps.clock.now())) return null;
    let proposal = locked;
    for (const vote of votes) {
      // Two nodes may ask the same seat after a restart: its first vote counts.
      const known = proposal.ballots.some((b) => b.voterType === 'agent' && b.voter === vote.ballot.voter);
      if (!known) proposal = await castOne(deps, tx, proposal, vote);
    }
    const verdict = verdictNow(proposal.ballots, agentSeatsOf(deps.config));
    if (verdict !== null)
      return decide(deps, tx, proposal, verdict, { decidedBy: 'pentarchy', actor: SYSTEM });
    return proposal === locked ? null : emitProposal(tx, 'proposal.updated', proposal);
  });
