import type { Db } from '../../../db/db.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { GovernancePorts } from '../ports.ts';
import type { Transitions } from '../transitions/transitions.ts';
import type { AgentBallot, Proposal } from '../types.ts';
import type { AgentVotes } from './agent-votes.ts';
import { gatherFacts } from './seat-facts.ts';

/** One round of votes: the agents of the seats are asked together, and each ballot is recorded as it is cast. */
interface VoteRoundOptions {
  db: Db;
  clock: Clock;
  transitions: Pick<Transitions, 'castByAgents'>;
  agentVotes: AgentVotes;
  ports: Pick<GovernancePorts, 'budget' | 'serverReady' | 'toolHealth'>;
  stop: AbortSignal;
}

export const createVoteRound = (options: VoteRoundOptions) => {
  const { db, clock, transitions, agentVotes, ports, stop } = options;
  return {
    /**
     * Ballots are recorded one after another, so that events come in the order of the record. Each seat's time is limited, so
     * this ends; `changed` gets the proposal after each record.
     */
    async cast(proposal: Proposal, changed: (proposal: Proposal) => void): Promise<void> {
      const { tenantId, tool } = proposal;
      const record = async (votes: readonly AgentBallot[]): Promise<void> => {
        const next = await transitions.castByAgents(tenantId, proposal.id, votes);
        if (next !== null) changed(next);
      };
      if (tool !== null) await ports.serverReady(tenantId, tool.server, stop);
      if (stop.aborted) return;
      const facts = await gatherFacts(db, ports, proposal, clock.now());
      const seats = agentVotes.seatsToVote(proposal);
      // Who holds the seats may have changed since the last ballot: then none may be missing, and nothing decided.
      if (seats.length === 0) return record([]);
      const cast: AgentBallot[] = [];
      let recorded = Promise.resolve();
      const votes = seats.map(async (seat) => {
        cast.push(await agentVotes.cast(seat, proposal, facts, stop));
        // Whatever has come meanwhile goes along.
        recorded = recorded.then(() => {
          const batch = cast.splice(0);
          return batch.length === 0 ? undefined : record(batch);
        });
        await recorded;
      });
      await Promise.all(votes);
    },
  };
};

export type VoteRound = ReturnType<typeof createVoteRound>;
