import type { ProposalRow, ProposalVoteRow } from '../../db/tables/governance.ts';
import type { CallEvidence } from '../../kernel/call-evidence.ts';
import { readCredential } from '../../kernel/stored-credential.ts';
import { FLAGS, RISKS } from '../../kernel/tool-policy.ts';
import type { ToolAnnotations } from '../../kernel/tools.ts';
import {
  type Ballot,
  EXECUTION_STATUSES,
  isSeat,
  type Proposal,
  STATUSES,
  type StoredTool,
  VETO_REASONS,
  VOTES,
} from './types.ts';

/** Columns to a record and back. Only this feature writes them, so an unknown word is a fault of ours. */
const known = <const T extends readonly string[]>(values: T, text: string): T[number] => {
  const found = values.find((value) => value === text);
  if (found === undefined) throw new Error(`unknown word in the store: ${text}`);
  return found;
};

export interface ToolFacts {
  v: 1;
  description: string;
  annotations: ToolAnnotations | null;
  origin?: string | undefined;
}

const toolOf = (row: ProposalRow): StoredTool | null => {
  if (row.tool_server === null || row.tool_name === null) return null;
  const facts = JSON.parse(row.tool_facts ?? '{"v":1,"description":"","annotations":null}') as ToolFacts;
  return {
    server: row.tool_server,
    name: row.tool_name,
    arguments: JSON.parse(row.tool_arguments ?? '{}') as Record<string, unknown>,
    description: facts.description,
    annotations: facts.annotations,
    origin: facts.origin,
  };
};

const ballotOf = (row: ProposalVoteRow): Ballot => ({
  voter: row.voter,
  voterType: row.voter_type === 'agent' ? 'agent' : 'user',
  seat: isSeat(row.seat) ? row.seat : null,
  vote: known(VOTES, row.vote),
  reason: row.reason,
  veto: row.veto === null ? null : known(VETO_REASONS, row.veto),
  confidence: row.confidence,
  createdAt: row.created_at,
});

export const proposalOf = (row: ProposalRow, votes: readonly ProposalVoteRow[]): Proposal => ({
  id: row.id,
  tenantId: row.tenant_id,
  requestedBy: row.requested_by,
  agentId: row.agent_id,
  conversationId: row.conversation_id,
  runId: row.run_id,
  requestId: row.request_id,
  action: row.action,
  description: row.description,
  estimatedNano: row.estimated_nano,
  risk: known(RISKS, row.risk),
  flags: (JSON.parse(row.flags) as string[]).map((flag) => known(FLAGS, flag)),
  status: known(STATUSES, row.status),
  reason: row.reason,
  tool: toolOf(row),
  tainted: row.tainted === 1,
  decider: row.decider === 'requester' ? 'requester' : null,
  thenApproval: row.then_approval === 'pentarchy' ? 'pentarchy' : null,
  confirmedAt: row.confirmed_at,
  credential: readCredential(row.credential),
  evidence: row.evidence === null ? null : (JSON.parse(row.evidence) as CallEvidence),
  createdAt: row.created_at,
  deadline: row.deadline,
  expiresAt: row.expires_at,
  decidedAt: row.decided_at,
  decidedBy: row.decided_by,
  execution:
    row.execution_status === null
      ? null
      : {
          status: known(EXECUTION_STATUSES, row.execution_status),
          result: row.execution_result === null ? null : (JSON.parse(row.execution_result) as unknown),
          error: row.execution_error,
        },
  ballots: votes.map(ballotOf),
});
