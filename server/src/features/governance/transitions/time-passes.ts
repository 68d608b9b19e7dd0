import { lockProposal } from '../proposals.store.ts';
import type { Proposal } from '../types.ts';
import { decide } from './decide.ts';
import { isOver, SYSTEM, type TransitionDeps } from './transition.ts';

/** What time decides: a vote without a majority goes to a person, a person's silence ends it. Null: nothing yet. */
export const passTime = (
  deps: TransitionDeps,
  tenantId: string,
  id: string,
  now: number,
): Promise<Proposal | null> =>
  deps.db.write(async (tx) => {
    const proposal = await lockProposal(tx, tenantId, id);
    if (proposal === undefined || !isOver(proposal, now)) return null;
    const by = { decidedBy: 'time', actor: SYSTEM };
    if (proposal.status === 'voting') {
      const reason = `no majority within ${deps.config.votingMs / 1000} s`;
      return decide(deps, tx, proposal, { status: 'awaiting_human', reason }, by);
    }
    return decide(deps, tx, proposal, { status: 'expired', reason: 'nobody decided in time' }, by);
  });
