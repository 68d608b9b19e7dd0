import type { CallEvidence } from '../../kernel/call-evidence.ts';
import type { NanoUsd } from '../../kernel/money.ts';
import type { StoredCredential } from '../../kernel/stored-credential.ts';
import type { Flag, Risk } from '../../kernel/tool-policy.ts';
import type { ToolAnnotations } from '../../kernel/tools.ts';

/** Words of the governance (contract, section 7). */
export const SEATS = ['athena', 'hermes', 'aegis', 'hephaestus', 'prometheus'] as const;
export type Seat = (typeof SEATS)[number];

export const isSeat = (text: string | null): text is Seat => SEATS.some((seat) => seat === text);

export const VOTES = ['approve', 'reject', 'abstain'] as const;
export type Vote = (typeof VOTES)[number];

export const VETO_REASONS = ['security_risk', 'data_breach', 'compliance', 'personal_data'] as const;
export type VetoReason = (typeof VETO_REASONS)[number];

/**
 * The state machine of a proposal.
 *
 *   awaiting_human (of the person who asked) → voting | approved | rejected | expired | cancelled
 *   voting → approved | rejected | vetoed | cancelled
 *          → awaiting_human → approved | rejected | expired | cancelled
 *
 * The call of an approved one has a state of its own:
 *
 *   pending → running → completed | failed
 *             running → unknown            (the process died in between: never tried again)
 */
export const STATUSES = [
  'voting',
  'awaiting_human',
  'approved',
  'rejected',
  'vetoed',
  'expired',
  'cancelled',
] as const;
export type ProposalStatus = (typeof STATUSES)[number];

export const EXECUTION_STATUSES = ['pending', 'running', 'completed', 'failed', 'unknown'] as const;
type ExecutionStatus = (typeof EXECUTION_STATUSES)[number];

export const isOpen = (status: ProposalStatus): boolean => status === 'voting' || status === 'awaiting_human';

export interface StoredTool {
  server: string;
  name: string;
  arguments: Record<string, unknown>;
  description: string;
  annotations: ToolAnnotations | null;
  /** `AgentTool.origin` when it was asked for. */
  origin?: string | undefined;
}

/** One vote as it was cast. */
export interface Ballot {
  voter: string;
  voterType: 'agent' | 'user';
  seat: Seat | null;
  vote: Vote;
  reason: string;
  veto: VetoReason | null;
  confidence: number | null;
  createdAt: number;
}

export interface Proposal {
  id: string;
  tenantId: string;
  requestedBy: string;
  agentId: string | null;
  conversationId: string | null;
  runId: string | null;
  requestId: string | null;
  action: string;
  description: string;
  estimatedNano: NanoUsd;
  risk: Risk;
  flags: readonly Flag[];
  status: ProposalStatus;
  reason: string | null;
  tool: StoredTool | null;
  /** Untrusted content had entered the run that asked for it. */
  tainted: boolean;
  /** The person who asked decides now; null: whoever the status says. */
  decider: 'requester' | null;
  /** Who decides after their yes; null: nobody. */
  thenApproval: 'pentarchy' | null;
  /** When they said yes. */
  confirmedAt: number | null;
  /** What the credential could do that asked; null where an earlier release wrote it down. */
  credential: StoredCredential | null;
  /** What was asked and what may have led to the call; null where no run asked. */
  evidence: CallEvidence | null;
  createdAt: number;
  deadline: number | null;
  expiresAt: number;
  decidedAt: number | null;
  decidedBy: string | null;
  execution: { status: ExecutionStatus; result: unknown; error: string | null } | null;
  /** Every ballot cast; `effectiveBallots` says which count. */
  ballots: readonly Ballot[];
}

/** A proposal before it is opened. */
export type ProposalDraft = Pick<
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

/** The vote of an agent. */
export interface AgentBallot {
  ballot: Ballot;
  /** What the vote was made from, for the audit chain: figures, and hashes of texts. */
  inputs: Record<string, unknown>;
}

/** What a person says when they vote. */
export interface PersonVote {
  vote: Vote;
  reason: string;
  seat: Seat | null;
}
