import type { Caller } from '../../../kernel/caller.ts';
import type { CallHashes } from '../proposals.store.ts';
import type { AgentBallot, PersonVote } from '../types.ts';
import { castByAgents } from './agents-vote.ts';
import { type Opening, openForCall, openProposal } from './open.ts';
import { castByPerson } from './person-votes.ts';
import { confirm } from './requester-answers.ts';
import { passTime } from './time-passes.ts';
import type { TransitionDeps } from './transition.ts';
import { withdraw } from './withdraw.ts';

/**
 * Every transition of a proposal, one file each (types.ts draws them). Each is one transaction that holds the proposal's
 * lock, the change, its link of the audit chain and its event; what follows is for the caller, after the commit (follow-up.ts).
 */
export const createTransitions = (deps: TransitionDeps) => ({
  open: (opening: Opening) => openProposal(deps, opening),
  openForCall: (opening: Opening, hashes: CallHashes & { call: string }) =>
    openForCall(deps, opening, hashes),
  castByAgents: (tenantId: string, id: string, votes: readonly AgentBallot[]) =>
    castByAgents(deps, tenantId, id, votes),
  castByPerson: (caller: Caller, id: string, vote: PersonVote, requestId: string) =>
    castByPerson(deps, caller, id, vote, requestId),
  confirm: (caller: Caller, id: string, approve: boolean, requestId: string) =>
    confirm(deps, caller, id, approve, requestId),
  withdraw: (by: Pick<Caller, 'tenantId' | 'userId' | 'type'>, id: string, requestId: string | null) =>
    withdraw(deps, by, id, requestId),
  passTime: (tenantId: string, id: string, now: number) => passTime(deps, tenantId, id, now),
});

export type Transitions = ReturnType<typeof createTransitions>;
