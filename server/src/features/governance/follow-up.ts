import type { AfterDecision } from './after-decision.ts';
import { isOpen, type Proposal } from './types.ts';
import type { VoteRound } from './voting/vote-round.ts';

/**
 * What follows from a proposal's state, after its commit: the seats vote, or a decided one is seen to. All of it can be done
 * again from the store, so `sweep` finds after a restart whatever a process has left undone (unfinished.ts).
 */
interface FollowUpOptions {
  voteRound: VoteRound;
  afterDecision: AfterDecision;
  onError(error: unknown): void;
  stop: AbortSignal;
}

export const createFollowUp = ({ voteRound, afterDecision, onError, stop }: FollowUpOptions) => {
  const active = new Map<string, Promise<void>>();

  /** One follow-up of a kind for each proposal at a time in this process. */
  const once = (kind: string, id: string, work: () => Promise<void>): void => {
    const key = `${kind}:${id}`;
    if (active.has(key) || stop.aborted) return;
    const task = work()
      .catch((error: unknown) => {
        if (!stop.aborted) onError(error);
      })
      .finally(() => active.delete(key));
    active.set(key, task);
  };

  const announce = (proposal: Proposal): void =>
    once('announce', proposal.id, () => afterDecision.announce(proposal));

  const carryOut = async (proposal: Proposal): Promise<void> => {
    const ended = await afterDecision.carryOut(proposal);
    if (ended !== null) announce(ended);
  };

  const follow = (proposal: Proposal): void => {
    const { id, status, execution } = proposal;
    if (status === 'voting') return once('vote', id, () => voteRound.cast(proposal, changed));
    if (isOpen(status)) return;
    const pending = status === 'approved' && execution?.status === 'pending';
    if (pending) return once('execute', id, () => carryOut(proposal));
    if (execution?.status === 'running') return;
    announce(proposal);
  };

  /** After the commit of a change. */
  const changed = (proposal: Proposal): void => {
    // A person's yes may have handed it to the five.
    if (!isOpen(proposal.status) || (proposal.status === 'voting' && proposal.ballots.length === 0))
      follow(proposal);
  };

  return {
    /** Whatever the proposal's state asks for, after the commit of a new one too. */
    follow,
    changed,
    isCarryingOut: (id: string): boolean => active.has(`execute:${id}`),
    /** Resolves when nothing that follows from earlier changes is running in this process. */
    async idle(): Promise<void> {
      while (active.size > 0) await Promise.all(active.values());
    },
  };
};

export type FollowUp = ReturnType<typeof createFollowUp>;
