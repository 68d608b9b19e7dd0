export interface AgentSettingsRow {
  tenant_id: string;
  agent_id: string;
  /** 1 or 0. */
  enabled: number;
  /** `provider/model`; null = the default model. */
  model: string | null;
  /** Added to the charter for this tenant. */
  instructions: string | null;
  /** 1 or 0: all tools go along with each call. */
  all_tools: number;
  updated_at: number;
}

/** A change of an agent's instructions that waits for an operator, or was decided. */
export interface AgentSuggestionRow {
  id: string;
  tenant_id: string;
  agent_id: string;
  /** Text to be added to the tenant's instructions. */
  instruction: string;
  reason: string | null;
  /** `open`, `accepted`, `rejected`. */
  status: string;
  suggested_by: string;
  conversation_id: string | null;
  created_at: number;
  decided_by: string | null;
  decided_at: number | null;
}

export interface AgentTables {
  agent_suggestions: AgentSuggestionRow;
  agent_settings: AgentSettingsRow;
}
