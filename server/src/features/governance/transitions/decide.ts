import type { Tx } from '../../../db/db.ts';
import { hashOf, sha256 } from '../hash.ts';
import { saveState } from '../proposals.store.ts';
import { isOpen, type Proposal } from '../types.ts';
import { effectiveBallots, tallyOf, type Verdict } from '../voting/verdict.rules.ts';
import { type Actor, auditProposal, emitProposal, type TransitionDeps } from './transition.ts';

interface DecidedBy {
  /** As the API shows it: a user's id, `pentarchy` or `time`. */
  decidedBy: string;
  actor: Actor;
  requestId?: string | null;
}

/**
 * Moves the proposal to where a verdict puts it: approved, rejected, vetoed, expired or cancelled for good, or on to a person.
 * What follows is for after the commit (after-decision.ts).
 */
export const decide = async (
  deps: TransitionDeps,
  tx: Tx,
  proposal: Proposal,
  verdict: Verdict,
  { decidedBy, actor, requestId = null }: DecidedBy,
): Promise<Proposal> => {
  const now = deps.clock.now();
  const open = isOpen(verdict.status);
  const next: Proposal = {
    ...proposal,
    status: verdict.status,
    reason: verdict.reason,
    decidedAt: open ? null : now,
    decidedBy: open ? null : decidedBy,
    deadline: null,
    expiresAt: open ? now + deps.config.humanMs : proposal.expiresAt,
  };
  await saveState(tx, proposal.id, next);
  await auditProposal(deps, tx, proposal, {
    action: open ? 'proposal.escalated' : 'proposal.decided',
    actor,
    details: {
      status: next.status,
      reason_sha256: sha256(verdict.reason),
      decided_by: next.decidedBy,
      tally: tallyOf(next.ballots),
      ballots: [...effectiveBallots(next.ballots).values()].map(({ seat, voter, vote }) => ({
        seat,
        voter,
        vote,
      })),
      arguments_sha256: hashOf(proposal.tool?.arguments ?? null),
    },
    requestId,
  });
  return open
    ? emitProposal(tx, 'proposal.updated', next)
    : emitProposal(tx, 'proposal.decided', next, requestId);
};
