import type { Db } from '../../db/db.ts';
import type { Cluster } from '../../kernel/cluster.ts';
import type { AfterDecision } from './after-decision.ts';
import type { FollowUp } from './follow-up.ts';
import { type UnfinishedProposal, unfinishedProposals } from './proposals.store.ts';
import type { Transitions } from './transitions/transitions.ts';
import { isOpen } from './types.ts';

/** Does what time asks for, and what another process has left undone. */
interface SweepOptions {
  db: Db;
  cluster: Cluster;
  transitions: Pick<Transitions, 'passTime'>;
  afterDecision: Pick<AfterDecision, 'giveUp'>;
  followUp: Pick<FollowUp, 'follow' | 'changed' | 'isCarryingOut'>;
  onError(error: unknown): void;
  stop: AbortSignal;
}

/** How long another process is given for what follows a change before this one takes it over. */
const TAKE_OVER_MS = 60_000;

interface Look {
  now: number;
  /** At the start: what an earlier process of this node has left. */
  fresh: boolean;
  /** At the start of the only node: whatever is not finished. */
  alone: boolean;
}

export const createSweep = (options: SweepOptions) => {
  const { db, cluster, transitions, afterDecision, followUp, stop } = options;

  const open = async (proposal: UnfinishedProposal, { now, alone }: Look): Promise<void> => {
    const due = (proposal.deadline ?? proposal.expiresAt) <= now;
    const next = due ? await transitions.passTime(proposal.tenantId, proposal.id, now) : null;
    if (next !== null) followUp.changed(next);
    else if (alone || proposal.createdAt <= now - TAKE_OVER_MS) followUp.follow(proposal);
  };

  const running = async (proposal: UnfinishedProposal, { now, fresh, alone }: Look): Promise<void> => {
    const left = alone || (fresh && proposal.executionNode === cluster.nodeId);
    const overdue = (proposal.executionDeadline ?? 0) <= now;
    if ((!left && !overdue) || followUp.isCarryingOut(proposal.id)) return;
    const ended = await afterDecision.giveUp(proposal);
    if (ended !== null) followUp.follow(ended);
  };

  /** Whatever is unfinished at `now`. `fresh` at the start takes over at once what an earlier process of this node has left. */
  return async (now: number, fresh = false): Promise<void> => {
    const look: Look = { now, fresh, alone: fresh && cluster.alone };
    for (const proposal of await unfinishedProposals(db.read, now, options.onError)) {
      if (stop.aborted) return;
      if (isOpen(proposal.status)) await open(proposal, look);
      else if (proposal.execution?.status === 'running') await running(proposal, look);
      else if (look.alone || (proposal.decidedAt ?? 0) <= now - TAKE_OVER_MS) followUp.follow(proposal);
    }
  };
};
