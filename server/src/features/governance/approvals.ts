import type { Db } from '../../db/db.ts';
import type { Caller } from '../../kernel/caller.ts';
import type { Decision } from '../../kernel/decisions.ts';
import { AppError, notFound } from '../../kernel/errors.ts';
import type { Board } from './board.ts';
import type { Records } from './records.ts';
import { findProposal, openOfRun } from './store.ts';
import type { Proposal } from './types.ts';
import { type ProposalWire, proposalWire } from './wire.ts';

/** What a run that waits for a decision asks, as the person whose run it is. */
export interface ApprovalOwner {
  tenantId: string;
  userId: string;
}

export interface DecisionNotice extends Decision {
  proposal: ProposalWire;
}

/** The decision in a proposal; null while it is open or its call has not been carried out. */
export const decisionOf = (proposal: Proposal): DecisionNotice | null => {
  const { status, reason, execution } = proposal;
  if (status === 'voting' || status === 'awaiting_human') return null;
  const base = { status, reason, proposal: proposalWire(proposal) };
  if (status !== 'approved' || execution === null) return { ...base, execution: null };
  const { status: end, result, error } = execution;
  if (end === 'pending' || end === 'running') return null;
  return { ...base, execution: { status: end, result, error } };
};

export const createApprovals = (options: { db: Db; records: Records; board: Pick<Board, 'changed'> }) => {
  const find = async (owner: ApprovalOwner, id: string): Promise<Proposal> => {
    const proposal = await findProposal(options.db.read, { ...owner, reach: 'own' }, id);
    if (proposal === undefined) throw notFound('proposal');
    return proposal;
  };
  return {
    show: async (owner: ApprovalOwner, id: string): Promise<ProposalWire> =>
      proposalWire(await find(owner, id)),

    decided: async (owner: ApprovalOwner, id: string): Promise<DecisionNotice | null> =>
      decisionOf(await find(owner, id)),

    /** Ends the open proposals of a run that has ended. */
    async withdrawOf(owner: ApprovalOwner & Pick<Caller, 'type'>, runId: string): Promise<void> {
      for (const id of await openOfRun(options.db.read, owner, runId)) {
        try {
          options.board.changed(await options.records.cancel(owner, id, null));
        } catch (error) {
          // Decided in the same moment, or erased: there is nothing left to take back.
          if (!(error instanceof AppError) || (error.code !== 'CONFLICT' && error.code !== 'NOT_FOUND'))
            throw error;
        }
      }
    },
  };
};
