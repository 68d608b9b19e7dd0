import type { Caller } from '../../../kernel/caller.ts';
import { AppError, conflict, notFound } from '../../../kernel/errors.ts';
import { actorOf } from '../../audit/index.ts';
import { lockProposal, saveState } from '../proposals.store.ts';
import type { Proposal } from '../types.ts';
import type { Verdict } from '../voting/verdict.rules.ts';
import { decide } from './decide.ts';
import { assertOpen, auditProposal, emitProposal, isOver, type TransitionDeps } from './transition.ts';

const assertMayAnswer = (deps: TransitionDeps, proposal: Proposal): void => {
  assertOpen(proposal);
  if (proposal.decider !== 'requester') {
    throw new AppError('FORBIDDEN', 'nobody decides on a proposal that they requested themselves', {
      details: { required: 'governance:vote of another person' },
    });
  }
  if (isOver(proposal, deps.clock.now()))
    throw conflict('the time of this question is over', { status: proposal.status });
};

const verdictOfRequester = (approve: boolean): Verdict => ({
  status: approve ? 'approved' : 'rejected',
  reason: approve ? 'the person who asked said yes' : 'the person who asked said no',
});

/**
 * The answer of the person who asked, where it is theirs to give: a yes hands the proposal on to the five where these are to
 * decide too. 404 for anybody else's, 403 where others decide, 409 when it is closed.
 */
export const confirm = (
  deps: TransitionDeps,
  caller: Caller,
  id: string,
  approve: boolean,
  requestId: string,
): Promise<Proposal> =>
  deps.db.write(async (tx) => {
    const locked = await lockProposal(tx, caller.tenantId, id);
    if (locked === undefined || locked.requestedBy !== caller.userId) throw notFound('proposal');
    assertMayAnswer(deps, locked);
    const { votingMs, humanMs } = deps.config;
    const now = deps.clock.now();
    const actor = actorOf(caller);
    const inputs = { method: 'person', credential: caller.credential, roles: caller.roles };
    const details = { approve, inputs };
    await auditProposal(deps, tx, locked, { action: 'proposal.confirmed', actor, details, requestId });
    const answered = { ...locked, decider: null, thenApproval: null, confirmedAt: approve ? now : null };
    if (approve && locked.thenApproval === 'pentarchy') {
      const voting: Proposal = {
        ...answered,
        status: 'voting',
        reason: 'the person who asked has said yes: the Pentarchy decides',
        deadline: now + votingMs,
        expiresAt: now + votingMs + humanMs,
      };
      await saveState(tx, id, voting);
      return emitProposal(tx, 'proposal.updated', voting);
    }
    const verdict = verdictOfRequester(approve);
    return decide(deps, tx, answered, verdict, { decidedBy: caller.userId, actor, requestId });
  });
