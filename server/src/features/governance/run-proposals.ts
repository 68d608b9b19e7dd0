import type { Db } from '../../db/db.ts';
import type { RunOwner, RunProposals } from '../../kernel/decisions.ts';
import { AppError, notFound } from '../../kernel/errors.ts';
import { decisionOf } from './after-decision.ts';
import type { FollowUp } from './follow-up.ts';
import { findProposal, openOfRun } from './proposals.store.ts';
import type { Transitions } from './transitions/transitions.ts';
import type { Proposal } from './types.ts';
import { proposalWire } from './wire.ts';

/** What a run that waits asks about its proposals, as the person whose run it is. */
export const createRunProposals = (options: {
  db: Db;
  transitions: Pick<Transitions, 'withdraw'>;
  followUp: Pick<FollowUp, 'changed'>;
}): RunProposals => {
  const { db, transitions, followUp } = options;
  const find = async (owner: RunOwner, id: string): Promise<Proposal> => {
    const proposal = await findProposal(db.read, { ...owner, reach: 'own' }, id);
    if (proposal === undefined) throw notFound('proposal');
    return proposal;
  };
  return {
    show: async (owner, id) => proposalWire(await find(owner, id)),
    decisionOn: async (owner, id) => decisionOf(await find(owner, id)),

    async withdrawOf(owner, runId) {
      for (const id of await openOfRun(db.read, owner, runId)) {
        try {
          followUp.changed(await transitions.withdraw(owner, id, null));
        } catch (error) {
          // Decided in the same moment, or erased: there is nothing left to take back.
          if (!(error instanceof AppError) || (error.code !== 'CONFLICT' && error.code !== 'NOT_FOUND'))
            throw error;
        }
      }
    },
  };
};
