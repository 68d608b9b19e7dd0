import type { Db } from '../../db/db.ts';
import type { Decision, Decisions } from '../../kernel/decisions.ts';
import type { EventSink } from '../../kernel/events.ts';
import type { ApprovedCalls } from './approved-calls.ts';
import { findProposal, markSettled } from './proposals.store.ts';
import { proposalEvent } from './transitions/transition.ts';
import type { Proposal } from './types.ts';
import { proposalWire } from './wire.ts';

/**
 * What happens once a proposal is decided, whatever the vote said: an approved call is carried out, and then the decision is
 * published to the run that waits for it. A no has nothing to carry out and is published at once.
 */
interface AfterDecisionOptions {
  db: Db;
  approvedCalls: ApprovedCalls;
  /** Runs listen here (chat/module.ts). */
  decisions: Pick<Decisions, 'publish'>;
  events: EventSink;
}

/** The decision in a proposal; null while it is open or its call has not been carried out. */
export const decisionOf = (proposal: Proposal): Decision | null => {
  const { status, reason, execution } = proposal;
  if (status === 'voting' || status === 'awaiting_human') return null;
  const base = { status, reason, proposal: proposalWire(proposal) };
  if (status !== 'approved' || execution === null) return { ...base, execution: null };
  const { status: end, result, error } = execution;
  if (end === 'pending' || end === 'running') return null;
  return { ...base, execution: { status: end, result, error } };
};

export const createAfterDecision = ({ db, approvedCalls, decisions, events }: AfterDecisionOptions) => {
  const reload = ({ tenantId, requestedBy, id }: Proposal): Promise<Proposal | undefined> =>
    findProposal(db.read, { tenantId, userId: requestedBy, reach: 'tenant' }, id);

  /** The proposal with the end of its call, which is published to clients. */
  const withEnd = async (proposal: Proposal): Promise<Proposal | null> => {
    const ended = await reload(proposal);
    if (ended === undefined) return null;
    events.publish(proposalEvent('proposal.updated', ended, null));
    return ended;
  };

  return {
    /** Null where somebody else carries it out, or where it has been erased. */
    carryOut: async (proposal: Proposal): Promise<Proposal | null> =>
      (await approvedCalls.carryOut(proposal)) ? withEnd(proposal) : null,

    /** The same of a call whose process died while it ran. */
    giveUp: async (proposal: Proposal): Promise<Proposal | null> =>
      (await approvedCalls.giveUp(proposal)) ? withEnd(proposal) : null,

    /** Publishes the decision to whoever waits, and remembers that they know; done again after a crash in between. */
    async announce(proposal: Proposal): Promise<void> {
      const fresh = (await reload(proposal)) ?? proposal;
      const decision = decisionOf(fresh);
      if (decision !== null) decisions.publish(fresh.id, decision);
      await markSettled(db, proposal.id);
    },
  };
};

export type AfterDecision = ReturnType<typeof createAfterDecision>;
