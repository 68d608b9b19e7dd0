import type { Db, Queryable, Tx } from '../../../db/db.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { conflict, notFound } from '../../../kernel/errors.ts';
import type { NewEvent } from '../../../kernel/events.ts';
import type { Audit } from '../../audit/index.ts';
import type { GovernanceConfig } from '../config.ts';
import { lockProposal, saveBallot } from '../proposals.store.ts';
import { type Ballot, isOpen, type Proposal, SEATS, type Seat } from '../types.ts';
import { proposalWire } from '../wire.ts';

/** What the transitions of a proposal have in common: its lock, its link of the audit chain, its event. */

export interface TransitionDeps {
  db: Db;
  clock: Clock;
  config: GovernanceConfig;
  audit: Pick<Audit, 'append'>;
  allowSelfApproval: boolean;
}

export interface Actor {
  actorId: string | null;
  actorType: 'user' | 'service' | 'agent' | 'system';
}

export const SYSTEM: Actor = { actorId: null, actorType: 'system' };

type ProposalEventType = 'proposal.created' | 'proposal.updated' | 'proposal.decided';

export const proposalEvent = <T extends ProposalEventType>(
  type: T,
  proposal: Proposal,
  requestId: string | null,
): NewEvent & { type: T } => ({
  type,
  tenantId: proposal.tenantId,
  userId: proposal.requestedBy,
  reach: 'own',
  permission: 'governance:read',
  data: proposalWire(proposal),
  requestId,
});

/** Emits the event of a change; the proposal itself. */
export const emitProposal = async (
  tx: Tx,
  type: ProposalEventType,
  proposal: Proposal,
  requestId: string | null = null,
): Promise<Proposal> => {
  await tx.emit(proposalEvent(type, proposal, requestId));
  return proposal;
};

interface ProposalRecord {
  action: string;
  actor: Actor;
  details: Record<string, unknown>;
  /** Left out: the request that the proposal came from. */
  requestId?: string | null | undefined;
}

/** One row of the audit chain on a proposal. */
export const auditProposal = (
  { audit }: Pick<TransitionDeps, 'audit'>,
  tx: Queryable,
  proposal: Pick<Proposal, 'id' | 'tenantId' | 'requestId'>,
  { action, actor, details, requestId }: ProposalRecord,
): Promise<void> =>
  audit.append(tx, {
    tenantId: proposal.tenantId,
    ...actor,
    action,
    targetType: 'proposal',
    targetId: proposal.id,
    requestId: requestId ?? proposal.requestId,
    details,
  });

export const agentSeatsOf = ({ seats }: GovernanceConfig): Seat[] =>
  SEATS.filter((seat) => seats[seat].holder.kind === 'agent');

/** Its time has run out: nobody's vote counts any more, whether the sweep has come by or not. */
export const isOver = ({ status, deadline, expiresAt }: Proposal, now: number): boolean =>
  (status === 'voting' && deadline !== null && deadline <= now) ||
  (status === 'awaiting_human' && expiresAt <= now);

/** Locked until the end of `tx`. Throws NOT_FOUND. */
export const lockedProposal = async (tx: Queryable, tenantId: string, id: string): Promise<Proposal> => {
  const proposal = await lockProposal(tx, tenantId, id);
  if (proposal === undefined) throw notFound('proposal');
  return proposal;
};

/** Throws CONFLICT for a proposal that is closed. */
export const assertOpen = ({ status }: Proposal): void => {
  if (!isOpen(status)) throw conflict(`the proposal is closed: ${status}`, { status });
};

/** Stores a ballot, in place of an earlier one of the same voter; the proposal with it. */
export const withBallot = async (tx: Queryable, proposal: Proposal, ballot: Ballot): Promise<Proposal> => {
  await saveBallot(tx, proposal.id, ballot);
  const others = proposal.ballots.filter(
    (held) => held.voter !== ballot.voter || held.voterType !== ballot.voterType,
  );
  return { ...proposal, ballots: [...others, ballot] };
};
