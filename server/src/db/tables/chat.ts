export interface ConversationRow {
  id: string;
  tenant_id: string;
  user_id: string;
  title: string | null;
  status: string;
  metadata: string;
  agent_ids: string;
  message_count: number;
  cost_nano: number;
  created_at: number;
  updated_at: number;
  archived_at: number | null;
  /** JSON array of where untrusted content came from (kernel/taint.ts); null where an earlier release wrote the row. */
  taint: string | null;
  /** 1 where a message may have siblings: only then has the tree to be looked at. */
  branched: number;
  /** 1 where it is pinned; null and 0 where not. */
  pinned?: number | null;
  folder?: string | null;
}

export interface MessageRow {
  id: string;
  tenant_id: string;
  user_id: string;
  conversation_id: string;
  role: string;
  content: string;
  agent_id: string | null;
  tool_calls: string | null;
  citations: string | null;
  usage: string | null;
  metadata: string | null;
  cost_nano: number;
  run_id: string | null;
  created_at: number;
  /** The message that it follows; null for a first one, and while it waits for its turn. */
  parent_id: string | null;
  /** 1: in the branch that is shown and goes to the model; 0: in another one; 2: in it, without its place yet. */
  active: number;
  /** JSON array of the documents and pictures that were sent with it (features/conversations/attachments.rules.ts); null: none. */
  attachments: string | null;
}

/** A picture of a message of the conversation, without metadata (kernel/pictures). */
export interface PictureRow {
  id: string;
  tenant_id: string;
  user_id: string;
  conversation_id: string;
  name: string;
  media_type: string;
  width: number;
  height: number;
  size_bytes: number;
  bytes: Uint8Array;
  created_at: number;
}

export interface FeedbackRow {
  message_id: string;
  user_id: string;
  tenant_id: string;
  rating: string;
  comment: string | null;
  created_at: number;
}

export interface RunRow {
  id: string;
  tenant_id: string;
  user_id: string;
  conversation_id: string;
  /** Id of the answer. */
  message_id: string;
  /** Id of the user's message. */
  question_id: string;
  status: string;
  agent_id: string | null;
  agent_ids: string;
  /** What was asked (context, model), as versioned JSON. */
  request: string;
  usage: string | null;
  cost_nano: number;
  /** Error body of a failed run. */
  error: string | null;
  /** Events of the finished run, packed (features/chat/journal.ts). */
  journal: string | null;
  tool_call_count: number;
  /** What other agents did within the run (AgentWork[], kernel/tools.ts), for their figures; null where there was none. */
  delegated: string | null;
  first_token_ms: number | null;
  created_at: number;
  finished_at: number | null;
  /** The node that runs it or has run it; null where an earlier release started it. */
  node_id: string | null;
  /** What the credential could do that asked (kernel/stored-credential.ts); null in rows of earlier releases. */
  credential: string | null;
}

export interface ConversationSummaryRow {
  conversation_id: string;
  /** The last message that it covers. */
  upto_id: string;
  upto_created_at: number;
  /** Messages that it covers. */
  message_count: number;
  /** Model that wrote it; `builtin`: sentences of the conversation. */
  model: string;
  content: string;
  created_at: number;
}

export interface ConversationImportRow {
  tenant_id: string;
  user_id: string;
  /** `chatgpt`, `librechat`, `openwebui`, `pentarch`. */
  source: string;
  /** Id of the conversation there. */
  source_id: string;
  conversation_id: string;
  created_at: number;
}

/** A read-only view of a conversation for others. */
export interface ConversationShareRow {
  id: string;
  tenant_id: string;
  user_id: string;
  conversation_id: string;
  /** The last message that is shown. */
  message_id: string;
  /** `tenant` or `link`. */
  audience: string;
  secret_hash: string;
  /** Of the conversation when it was shared. */
  title: string | null;
  created_at: number;
  expires_at: number;
}

/** So many messages of a person, in the order of their ids: what the bits of `message_grams` stand for. */
export interface MessageSegmentRow {
  tenant_id: string;
  user_id: string;
  segment: number;
  last_id: string;
  /** One a line. */
  ids: string;
}

export interface MessageGramsRow {
  tenant_id: string;
  user_id: string;
  page: number;
  segment: number;
  bits: Uint8Array;
}

export interface ChatTables {
  conversation_shares: ConversationShareRow;
  conversations: ConversationRow;
  messages: MessageRow;
  pictures: PictureRow;
  message_feedback: FeedbackRow;
  runs: RunRow;
  conversation_summaries: ConversationSummaryRow;
  conversation_imports: ConversationImportRow;
  message_segments: MessageSegmentRow;
  message_grams: MessageGramsRow;
}
