import type { Db, Queryable, Tx } from '../../db/db.ts';
import type { Caller } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { AppError, conflict, notFound } from '../../kernel/errors.ts';
import type { NewEvent } from '../../kernel/events.ts';
import { newId } from '../../kernel/ids.ts';
import { nanoToUsd } from '../../kernel/money.ts';
import { type Audit, actorOf } from '../audit/index.ts';
import type { GovernanceConfig } from './config.ts';
import { hashOf, sha256 } from './hash.ts';
import {
  effectiveBallots,
  freeSeat,
  type Route,
  tallyOf,
  type Verdict,
  verdictNow,
  vetoIn,
} from './rules.ts';
import {
  type CallHashes,
  insertProposal,
  lockProposal,
  proposalsOfCall,
  saveBallot,
  saveState,
} from './store.ts';
import { type Ballot, isOpen, type Proposal, SEATS, type Seat, type Vote } from './types.ts';
import type { CastVote } from './voting.ts';
import { proposalWire } from './wire.ts';

/**
 * The state changes of a proposal. Each is one transaction that holds the record's lock, the change and its link of the
 * audit chain, and emits what is told of it; what follows from it (votes, execution) is for the caller, after the commit.
 */
export interface RecordsOptions {
  db: Db;
  clock: Clock;
  config: GovernanceConfig;
  audit: Pick<Audit, 'append'>;
  allowSelfApproval: boolean;
}

export type Draft = Pick<
  Proposal,
  | 'tenantId'
  | 'requestedBy'
  | 'agentId'
  | 'conversationId'
  | 'runId'
  | 'requestId'
  | 'action'
  | 'description'
  | 'estimatedNano'
  | 'risk'
  | 'flags'
  | 'tool'
  | 'tainted'
  | 'credential'
  | 'evidence'
>;

export interface HumanVote {
  vote: Vote;
  reason: string;
  seat: Seat | null;
}

type Actor = { actorId: string | null; actorType: 'user' | 'service' | 'agent' | 'system' };

const SYSTEM: Actor = { actorId: null, actorType: 'system' };

type ProposalEventType = 'proposal.created' | 'proposal.updated' | 'proposal.decided';

/** What is told of a proposal. */
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

export const createRecords = ({ db, clock, config, audit, allowSelfApproval }: RecordsOptions) => {
  const tell = async (
    tx: Tx,
    type: ProposalEventType,
    proposal: Proposal,
    requestId: string | null = null,
  ): Promise<Proposal> => {
    await tx.emit(proposalEvent(type, proposal, requestId));
    return proposal;
  };

  const note = (
    tx: Queryable,
    proposal: Pick<Proposal, 'id' | 'tenantId' | 'requestId'>,
    actor: Actor,
    action: string,
    details: Record<string, unknown>,
    requestId: string | null = null,
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

  const agentSeats = SEATS.filter((seat) => config.seats[seat].holder.kind === 'agent');

  /** Its time has run out: nobody's vote counts any more, whether the sweep has come by or not. */
  const isOver = ({ status, deadline, expiresAt }: Proposal, now = clock.now()): boolean =>
    (status === 'voting' && deadline !== null && deadline <= now) ||
    (status === 'awaiting_human' && expiresAt <= now);

  /** Moves the proposal on and records it; the new state. */
  const apply = async (
    tx: Tx,
    proposal: Proposal,
    verdict: Verdict,
    by: { decidedBy: string; actor: Actor; requestId?: string | null },
  ): Promise<Proposal> => {
    const now = clock.now();
    const open = isOpen(verdict.status);
    const next: Proposal = {
      ...proposal,
      status: verdict.status,
      reason: verdict.reason,
      decidedAt: open ? null : now,
      decidedBy: open ? null : by.decidedBy,
      deadline: null,
      expiresAt: open ? now + config.humanMs : proposal.expiresAt,
    };
    await saveState(tx, proposal.id, next);
    await note(
      tx,
      proposal,
      by.actor,
      open ? 'proposal.escalated' : 'proposal.decided',
      {
        status: next.status,
        reason_sha256: sha256(verdict.reason),
        decided_by: next.decidedBy,
        tally: tallyOf(next.ballots),
        ballots: [...effectiveBallots(next.ballots).values()].map((b) => ({
          seat: b.seat,
          voter: b.voter,
          vote: b.vote,
        })),
        arguments_sha256: hashOf(proposal.tool?.arguments ?? null),
      },
      by.requestId ?? null,
    );
    return open
      ? tell(tx, 'proposal.updated', next)
      : tell(tx, 'proposal.decided', next, by.requestId ?? null);
  };

  const cast = async (tx: Queryable, proposal: Proposal, ballot: Ballot): Promise<Proposal> => {
    await saveBallot(tx, proposal.id, ballot);
    const others = proposal.ballots.filter(
      (held) => held.voter !== ballot.voter || held.voterType !== ballot.voterType,
    );
    return { ...proposal, ballots: [...others, ballot] };
  };

  const seatFor = (proposal: Proposal, caller: Caller, named: Seat | null): Seat => {
    const reservedFor = (seat: Seat): boolean => {
      const { holder } = config.seats[seat];
      return holder.kind === 'user'
        ? holder.name === caller.userId
        : holder.kind === 'role' && caller.roles.some((role) => role === holder.name);
    };
    const seat = named ?? freeSeat(proposal.ballots, caller.userId, reservedFor);
    if (seat === null) throw conflict('every seat is held by a person already');
    if (config.seats[seat].holder.kind !== 'agent' && !reservedFor(seat)) {
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

  const create = async (
    tx: Tx,
    draft: Draft,
    route: Route,
    hashes: CallHashes,
    actor: Actor,
  ): Promise<Proposal> => {
    const now = clock.now();
    const asksRequester = route.requester !== null;
    const status =
      asksRequester || route.approval === 'human'
        ? 'awaiting_human'
        : route.approval === 'auto'
          ? 'approved'
          : 'voting';
    const voting = status === 'voting';
    const proposal: Proposal = {
      ...draft,
      id: newId(),
      status,
      reason: route.requester ?? route.reason,
      decider: asksRequester ? 'requester' : null,
      thenApproval: asksRequester && route.approval === 'pentarchy' ? 'pentarchy' : null,
      confirmedAt: null,
      createdAt: now,
      deadline: voting ? now + config.votingMs : null,
      expiresAt: now + (voting ? config.votingMs : 0) + config.humanMs,
      decidedAt: status === 'approved' ? now : null,
      decidedBy: status === 'approved' ? 'policy' : null,
      execution: draft.tool === null ? null : { status: 'pending', result: null, error: null },
      ballots: [],
    };
    await insertProposal(tx, proposal, hashes);
    await note(tx, proposal, actor, 'proposal.created', {
      status,
      reason: route.reason,
      route: route.approval,
      asks_requester: asksRequester,
      estimated_cost_usd: nanoToUsd(proposal.estimatedNano),
      risk: proposal.risk,
      flags: proposal.flags,
      action_sha256: sha256(proposal.action),
      server: proposal.tool?.server ?? null,
      tool: proposal.tool?.name ?? null,
      arguments_sha256: hashOf(proposal.tool?.arguments ?? null),
      requested_by: proposal.requestedBy,
      agent_id: proposal.agentId,
      run_id: proposal.runId,
      tainted: proposal.tainted,
    });
    await tell(tx, 'proposal.created', proposal, proposal.requestId);
    if (!isOpen(status)) await tell(tx, 'proposal.decided', proposal, proposal.requestId);
    return proposal;
  };

  return {
    open: (draft: Draft, route: Route, actor: Actor): Promise<Proposal> =>
      db.write((tx) => create(tx, draft, route, { call: null, consent: null }, actor)),

    /**
     * The proposal for a call: the one that stands for the same call, or a new one. `standing` tells which; what it
     * returns for a call that was turned down in the same run is that decision.
     */
    openForCall: (
      draft: Draft,
      route: Route,
      hashes: CallHashes & { call: string },
      actor: Actor,
      lock: (tx: Queryable) => Promise<void>,
    ): Promise<{ proposal: Proposal; standing: boolean }> =>
      db.write(async (tx) => {
        await lock(tx);
        for (const earlier of await proposalsOfCall(tx, draft.tenantId, hashes.call)) {
          const running = earlier.execution?.status === 'pending' || earlier.execution?.status === 'running';
          const refused = draft.runId !== null && !isOpen(earlier.status) && earlier.status !== 'approved';
          if (isOpen(earlier.status) || refused || (earlier.status === 'approved' && running)) {
            return { proposal: earlier, standing: true };
          }
        }
        return { proposal: await create(tx, draft, route, hashes, actor), standing: false };
      }),

    /** Ballots of agents, each with what it was made from. Null where the vote is over or nothing came of them. */
    castByAgents: (tenantId: string, id: string, votes: readonly CastVote[]): Promise<Proposal | null> =>
      db.write(async (tx) => {
        const locked = await lockProposal(tx, tenantId, id);
        if (locked === undefined || locked.status !== 'voting' || isOver(locked)) return null;
        let proposal = locked;
        for (const { ballot, inputs } of votes) {
          // Two nodes may ask the same seat after a restart: its first vote stands.
          const known = proposal.ballots.some((b) => b.voterType === 'agent' && b.voter === ballot.voter);
          if (known) continue;
          proposal = await cast(tx, proposal, ballot);
          const actor: Actor = { actorId: ballot.voter, actorType: 'agent' };
          await note(tx, proposal, actor, 'proposal.voted', {
            seat: ballot.seat,
            vote: ballot.vote,
            veto: ballot.veto,
            confidence: ballot.confidence,
            reason_sha256: sha256(ballot.reason),
            inputs,
          });
        }
        const verdict = verdictNow(proposal.ballots, agentSeats);
        if (verdict === null) return proposal === locked ? null : tell(tx, 'proposal.updated', proposal);
        return apply(tx, proposal, verdict, { decidedBy: 'pentarchy', actor: SYSTEM });
      }),

    /** A person's vote. 404, 403 for the own proposal or a reserved seat, 409 when it is closed. */
    castByPerson: (caller: Caller, id: string, vote: HumanVote, requestId: string): Promise<Proposal> =>
      db.write(async (tx) => {
        const locked = await lockProposal(tx, caller.tenantId, id);
        if (locked === undefined) throw notFound('proposal');
        if (locked.decider === 'requester') {
          throw new AppError('FORBIDDEN', 'the person who asked answers this one, at POST …/confirm', {
            details: { required: 'the person who asked' },
          });
        }
        if (locked.requestedBy === caller.userId && !allowSelfApproval) {
          throw new AppError('FORBIDDEN', 'nobody decides on a proposal that they requested themselves', {
            details: { required: 'governance:vote of another person' },
          });
        }
        if (!isOpen(locked.status)) {
          throw conflict(`the proposal is closed: ${locked.status}`, { status: locked.status });
        }
        // It may have run out since `passTime` looked; who comes by next closes it.
        if (isOver(locked)) throw conflict('the time of this vote is over', { status: locked.status });
        const voting = locked.status === 'voting';
        const seat = voting ? seatFor(locked, caller, vote.seat) : null;
        const proposal = await cast(tx, locked, {
          voter: caller.userId,
          voterType: 'user',
          seat,
          vote: vote.vote,
          reason: vote.reason,
          veto: seat === 'aegis' && vote.vote === 'reject' ? vetoIn(vote.reason) : null,
          confidence: null,
          createdAt: clock.now(),
        });
        const actor = actorOf(caller);
        const inputs = { method: 'person', credential: caller.credential, roles: caller.roles };
        await note(
          tx,
          proposal,
          actor,
          'proposal.voted',
          { seat, vote: vote.vote, reason_sha256: sha256(vote.reason), inputs },
          requestId,
        );
        const verdict: Verdict | null = voting
          ? verdictNow(proposal.ballots, agentSeats)
          : vote.vote === 'abstain'
            ? null
            : {
                status: vote.vote === 'approve' ? 'approved' : 'rejected',
                reason: vote.reason === '' ? `a person decided: ${vote.vote}` : vote.reason,
              };
        if (verdict === null) return tell(tx, 'proposal.updated', proposal);
        return apply(tx, proposal, verdict, { decidedBy: caller.userId, actor, requestId });
      }),

    /**
     * The answer of the person who asked, where it is theirs to give: a yes hands the proposal on to the five where these
     * are to decide too. 404 for anybody else's, 403 where others decide, 409 when it is closed.
     */
    confirm: (caller: Caller, id: string, approve: boolean, requestId: string): Promise<Proposal> =>
      db.write(async (tx) => {
        const locked = await lockProposal(tx, caller.tenantId, id);
        if (locked === undefined || locked.requestedBy !== caller.userId) throw notFound('proposal');
        if (!isOpen(locked.status)) {
          throw conflict(`the proposal is closed: ${locked.status}`, { status: locked.status });
        }
        if (locked.decider !== 'requester') {
          throw new AppError('FORBIDDEN', 'nobody decides on a proposal that they requested themselves', {
            details: { required: 'governance:vote of another person' },
          });
        }
        if (isOver(locked)) throw conflict('the time of this question is over', { status: locked.status });
        const now = clock.now();
        const actor = actorOf(caller);
        const inputs = { method: 'person', credential: caller.credential, roles: caller.roles };
        await note(tx, locked, actor, 'proposal.confirmed', { approve, inputs }, requestId);
        const answered = { ...locked, decider: null, thenApproval: null, confirmedAt: approve ? now : null };
        if (approve && locked.thenApproval === 'pentarchy') {
          const voting: Proposal = {
            ...answered,
            status: 'voting',
            reason: 'the person who asked has said yes: the Pentarchy decides',
            deadline: now + config.votingMs,
            expiresAt: now + config.votingMs + config.humanMs,
          };
          await saveState(tx, id, voting);
          return tell(tx, 'proposal.updated', voting);
        }
        const verdict: Verdict = {
          status: approve ? 'approved' : 'rejected',
          reason: approve ? 'the person who asked said yes' : 'the person who asked said no',
        };
        return apply(tx, answered, verdict, { decidedBy: caller.userId, actor, requestId });
      }),

    /** Withdraws an open proposal. 409 when it is closed. */
    cancel: (
      by: Pick<Caller, 'tenantId' | 'userId' | 'type'>,
      id: string,
      requestId: string | null,
    ): Promise<Proposal> =>
      db.write(async (tx) => {
        const proposal = await lockProposal(tx, by.tenantId, id);
        if (proposal === undefined) throw notFound('proposal');
        if (!isOpen(proposal.status)) {
          throw conflict(`the proposal is closed: ${proposal.status}`, { status: proposal.status });
        }
        const verdict: Verdict = { status: 'cancelled', reason: 'withdrawn' };
        const actor = actorOf(by);
        return apply(tx, proposal, verdict, { decidedBy: by.userId, actor, requestId });
      }),

    /** What time decides: a vote without a majority goes to a person, a person's silence ends it. Null: nothing yet. */
    passTime: (tenantId: string, id: string, now: number): Promise<Proposal | null> =>
      db.write(async (tx) => {
        const proposal = await lockProposal(tx, tenantId, id);
        if (proposal === undefined) return null;
        const by = { decidedBy: 'time', actor: SYSTEM };
        if (!isOver(proposal, now)) return null;
        if (proposal.status === 'voting') {
          const seconds = config.votingMs / 1000;
          const reason = `no majority within ${seconds} s`;
          return apply(tx, proposal, { status: 'awaiting_human', reason }, by);
        }
        return apply(tx, proposal, { status: 'expired', reason: 'nobody decided in time' }, by);
      }),
  };
};

export type Records = ReturnType<typeof createRecords>;
