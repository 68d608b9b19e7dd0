import type { Db } from '../../db/db.ts';
import type { Caller } from '../../kernel/caller.ts';
import { iso } from '../../kernel/clock.ts';
import { AppError } from '../../kernel/errors.ts';
import type { FollowUp } from './follow-up.ts';
import { eraseWordsOf, proposalIdsOf, votesBy } from './personal-data.store.ts';
import { findProposal, listProposals } from './proposals.store.ts';
import type { Transitions } from './transitions/transitions.ts';
import { proposalWire } from './wire.ts';

/** What a person proposed and how they voted: how it is handed out, and how the words of it are erased. */

type Person = Pick<Caller, 'tenantId' | 'userId' | 'type'>;

const PAGE = 100;

export const createPersonalData = (options: {
  db: Db;
  transitions: Pick<Transitions, 'withdraw'>;
  followUp: Pick<FollowUp, 'changed'>;
}) => {
  const { db, transitions, followUp } = options;

  const withdraw = async (person: Person, id: string): Promise<boolean> => {
    try {
      await transitions.withdraw(person, id, null);
      return true;
    } catch (error) {
      // Decided in the same moment: there is nothing left to withdraw.
      if (error instanceof AppError && error.code === 'CONFLICT') return false;
      throw error;
    }
  };

  return {
    name: 'proposals',

    async exportData(person: Person) {
      const scope = { ...person, reach: 'own' as const };
      const proposals: unknown[] = [];
      for (let page = 1; ; page += 1) {
        const found = await listProposals(db.read, scope, {}, { page, limit: PAGE, after: null });
        proposals.push(...found.proposals.slice(0, PAGE).map(proposalWire));
        if (found.proposals.length <= PAGE) break;
      }
      const votes = (await votesBy(db.read, person)).map((vote) => ({
        proposal_id: vote.proposal_id,
        seat: vote.seat,
        vote: vote.vote,
        reason: vote.reason,
        created_at: iso(vote.created_at),
      }));
      return { proposals, votes };
    },

    recordIds: (person: Person): Promise<string[]> => proposalIdsOf(db.read, person),

    /** Open ones are withdrawn first; those who wait hear of that once the words are gone. */
    async eraseData(person: Person): Promise<number> {
      const withdrawn: string[] = [];
      for (const id of await proposalIdsOf(db.read, person, { open: true }))
        if (await withdraw(person, id)) withdrawn.push(id);
      const erased = await db.write((tx) => eraseWordsOf(tx, person));
      for (const id of withdrawn) {
        const proposal = await findProposal(db.read, { ...person, reach: 'own' }, id);
        if (proposal !== undefined) followUp.changed(proposal);
      }
      return erased;
    },
  };
};
