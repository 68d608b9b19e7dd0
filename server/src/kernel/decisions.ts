import type { Caller } from './caller.ts';

/**
 * The ports between governance, which decides about proposals, and the runs that wait for a decision. `ToolGate.check` sends a
 * run to wait (kernel/tools.ts), `Decisions` brings the answer, `RunProposals` is what the run may ask meanwhile.
 */

/** What became of a proposal, as a waiting run needs it. */
export interface Decision {
  status: 'approved' | 'rejected' | 'vetoed' | 'expired' | 'cancelled';
  reason: string | null;
  /** What became of the stored call; null where it was not carried out. */
  execution: { status: 'completed' | 'failed' | 'unknown'; result: unknown; error: string | null } | null;
  /** The proposal as the API shows it, for the event. */
  proposal: Record<string, unknown>;
}

export type DecisionListener = (proposalId: string, decision: Decision) => void;

/**
 * Governance publishes each final decision, after its call has been carried out, and chat's runs listen. A decision that
 * nobody heard is found again by `RunProposals.decisionOn`; after a crash one may be published twice.
 */
export interface Decisions {
  publish: DecisionListener;
  subscribe(listener: DecisionListener): void;
}

/** The person whose run it is: the port acts as them. */
export interface RunOwner {
  tenantId: string;
  userId: string;
}

/** Governance implements it, chat's runs ask it about the proposals that they wait for. NOT_FOUND where there is none. */
export interface RunProposals {
  /** The proposal as the API shows it. */
  show(owner: RunOwner, proposalId: string): Promise<Record<string, unknown>>;
  /** Null while it is open, or while its approved call has not been carried out. */
  decisionOn(owner: RunOwner, proposalId: string): Promise<Decision | null>;
  /** Withdraws the open proposals of a run that has ended. */
  withdrawOf(owner: RunOwner & Pick<Caller, 'type'>, runId: string): Promise<void>;
}

/** A proposal as the API shows it to this caller, for answers of other doors (202 of a direct call). */
export type ShowProposal = (caller: Caller, proposalId: string) => Promise<Record<string, unknown>>;

/** A question about a call that the person who made it may answer themselves, where one may. */
export interface OwnQuestion {
  proposalId: string;
  text: string;
}

/**
 * What a door that can ask its person may ask them (elicitation of MCP): never more than the routes of governance let the same
 * caller decide.
 */
export interface OwnDecisions {
  /** Null where it is decided, or others decide. */
  question(caller: Caller, proposalId: string): Promise<OwnQuestion | null>;
  /** Whether the proposal is the caller's own, for this call. */
  isFor(caller: Caller, proposalId: string, call: OwnCall): Promise<boolean>;
  /** By the rules of the routes, with their refusals. */
  answer(caller: Caller, proposalId: string, approve: boolean, requestId: string): Promise<void>;
}

export interface OwnCall {
  server: string;
  tool: string;
  args: Record<string, unknown>;
}

export const createDecisions = (): Decisions => {
  const listeners: DecisionListener[] = [];
  return {
    publish(proposalId, decision) {
      for (const listener of listeners) listener(proposalId, decision);
    },
    subscribe: (listener) => void listeners.push(listener),
  };
};
