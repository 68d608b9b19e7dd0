import type { Caller } from '../../../kernel/caller.ts';
import { AppError, conflict } from '../../../kernel/errors.ts';
import { actorOf } from '../../audit/index.ts';
import type { GovernanceConfig } from '../config.ts';
import { sha256 } from '../hash.ts';
import type { Ballot, PersonVote, Proposal, Seat } from '../types.ts';
import { effectiveBallots, freeSeat, type Verdict, verdictNow, vetoIn } from '../voting/verdict.rules.ts';
import { decide } from './decide.ts';
import {
  agentSeatsOf,
  assertOpen,
  auditProposal,
  emitProposal,
  isOver,
  lockedProposal,
  type TransitionDeps,
  withBallot,
} from './transition.ts';

/** The seat that a person votes from. Throws FORBIDDEN for one that is reserved, CONFLICT for one that is held. */
const seatFor = (
  { seats }: GovernanceConfig,
  proposal: Proposal,
  caller: Caller,
  named: Seat | null,
): Seat => {
  const reservedFor = (seat: Seat): boolean => {
    const { holder } = seats[seat];
    return holder.kind === 'user'
      ? holder.name === caller.userId
      : holder.kind === 'role' && caller.roles.some((role) => role === holder.name);
  };
  const seat = named ?? freeSeat(proposal.ballots, caller.userId, reservedFor);
  if (seat === null) throw conflict('every seat is held by a person already');
  if (seats[seat].holder.kind !== 'agent' && !reservedFor(seat)) {
    throw new AppError('FORBIDDEN', `the seat ${seat} is reserved for somebody else`, {
      details: { required: `seat:${seat}` },
    });
  }
  const held = effectiveBallots(proposal.ballots).get(seat);
  if (held?.voterType === 'user' && held.voter !== caller.userId) {
    throw conflict(`the seat ${seat} is held by another person`, { seat });
  }
  return seat;
};

const assertMayVote = (deps: TransitionDeps, proposal: Proposal, caller: Caller): void => {
  if (proposal.decider === 'requester') {
    throw new AppError('FORBIDDEN', 'the person who asked answers this one, at POST …/confirm', {
      details: { required: 'the person who asked' },
    });
  }
  if (proposal.requestedBy === caller.userId && !deps.allowSelfApproval) {
    throw new AppError('FORBIDDEN', 'nobody decides on a proposal that they requested themselves', {
      details: { required: 'governance:vote of another person' },
    });
  }
  assertOpen(proposal);
  // It may have run out since `passTime` looked; who comes by next closes it.
  if (isOver(proposal, deps.clock.now()))
    throw conflict('the time of this vote is over', { status: proposal.status });
};

/** What a person decides alone, where no seats vote; an abstention decides nothing. */
const verdictOfPerson = ({ vote, reason }: PersonVote): Verdict | null =>
  vote === 'abstain'
    ? null
    : {
        status: vote === 'approve' ? 'approved' : 'rejected',
        reason: reason === '' ? `a person decided: ${vote}` : reason,
      };

/** A person's vote. 404, 403 for the own proposal or a reserved seat, 409 when it is closed. */
export const castByPerson = (
  deps: TransitionDeps,
  caller: Caller,
  id: string,
  vote: PersonVote,
  requestId: string,
): Promise<Proposal> =>
  deps.db.write(async (tx) => {
    const locked = await lockedProposal(tx, caller.tenantId, id);
    assertMayVote(deps, locked, caller);
    const voting = locked.status === 'voting';
    const seat = voting ? seatFor(deps.config, locked, caller, vote.seat) : null;
    const ballot: Ballot = {
      voter: caller.userId,
      voterType: 'user',
      seat,
      vote: vote.vote,
      reason: vote.reason,
      veto: seat === 'aegis' && vote.vote === 'reject' ? vetoIn(vote.reason) : null,
      confidence: null,
      createdAt: deps.clock.now(),
    };
    const proposal = await withBallot(tx, locked, ballot);
    const actor = actorOf(caller);
    const inputs = { method: 'person', credential: caller.credential, roles: caller.roles };
    const details = { seat, vote: vote.vote, reason_sha256: sha256(vote.reason), inputs };
    await auditProposal(deps, tx, proposal, { action: 'proposal.voted', actor, details, requestId });
    const verdict = voting ? verdictNow(proposal.ballots, agentSeatsOf(deps.config)) : verdictOfPerson(vote);
    if (verdict === null) return emitProposal(tx, 'proposal.updated', proposal);
    return decide(deps, tx, proposal, verdict, { decidedBy: caller.userId, actor, requestId });
  });
