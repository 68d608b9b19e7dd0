export interface ProposalRow {
  id: string;
  tenant_id: string;
  requested_by: string;
  agent_id: string | null;
  conversation_id: string | null;
  run_id: string | null;
  request_id: string | null;
  action: string;
  description: string;
  /** What the action costs the company. */
  estimated_nano: number;
  risk: string;
  /** JSON array. */
  flags: string;
  status: string;
  /** Why it stands as it does, in words. */
  reason: string | null;
  tool_server: string | null;
  tool_name: string | null;
  /** The stored call: JSON, run as it is. */
  tool_arguments: string | null;
  /** Description and annotations of the tool when it was proposed, as JSON. */
  tool_facts: string | null;
  /** Hash of run (or person), tool and arguments. */
  call_hash: string | null;
  tainted: number;
  /** `requester`: the person who asked decides, before anybody else; null else. */
  decider: string | null;
  /** `pentarchy`: who decides after the person's yes; null: nobody. */
  then_approval: string | null;
  /** Hash of conversation, person, tool and arguments: a yes holds for equal calls. */
  consent_hash: string | null;
  /** When the person said yes. */
  confirmed_at: number | null;
  /** What the credential could do that asked (kernel/stored-credential.ts); null in rows of earlier releases. */
  credential: string | null;
  /** What was asked and what may have led to the call (kernel/call-evidence.ts); null where no run asked. */
  evidence: string | null;
  /** Counted up by every change: the update that does so is the lock of the record. */
  version: number;
  created_at: number;
  /** When the vote of the five goes to a person. */
  deadline: number | null;
  expires_at: number;
  decided_at: number | null;
  /** User id, `pentarchy`, `policy` or `time`. */
  decided_by: string | null;
  execution_status: string | null;
  /** What the tool answered, as JSON. */
  execution_result: string | null;
  execution_error: string | null;
  execution_node: string | null;
  execution_deadline: number | null;
  /** 1 once it is decided, carried out where there is something to carry out, and told to whoever waits. */
  settled: number;
}

export interface ProposalVoteRow {
  proposal_id: string;
  voter_type: string;
  voter: string;
  /** Null for a person who decides a proposal that awaits a human. */
  seat: string | null;
  vote: string;
  reason: string;
  veto: string | null;
  /** 0–1; null for people. */
  confidence: number | null;
  created_at: number;
}

export interface GovernanceTables {
  proposals: ProposalRow;
  proposal_votes: ProposalVoteRow;
}
