import type { Caller } from '../../../kernel/caller.ts';
import { actorOf } from '../../audit/index.ts';
import type { Proposal } from '../types.ts';
import { decide } from './decide.ts';
import { assertOpen, lockedProposal, type TransitionDeps } from './transition.ts';

/** Withdraws an open proposal. 409 when it is closed. */
export const withdraw = (
  deps: TransitionDeps,
  by: Pick<Caller, 'tenantId' | 'userId' | 'type'>,
  id: string,
  requestId: string | null,
): Promise<Proposal> =>
  deps.db.write(async (tx) => {
    const proposal = await lockedProposal(tx, by.tenantId, id);
    assertOpen(proposal);
    const verdict = { status: 'cancelled' as const, reason: 'withdrawn' };
    const actor = actorOf(by);
    return decide(deps, tx, proposal, verdict, { decidedBy: by.userId, actor, requestId });
  });
