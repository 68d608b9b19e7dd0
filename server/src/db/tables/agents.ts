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

/** Figures of a period (features/agents/run-figures.ts), of runs that have ended. */
export interface RunSumRow {
  tenant_id: string;
  /** `slot`, `hour` or `day` (db/run-sums.ts). */
  part: string;
  starts_at: number;
  /** '': the period is summed up; it has a row of each agent that worked in it. */
  agent_id: string;
  totals: string;
}

export interface AgentTables {
  run_sums: RunSumRow;
  agent_suggestions: AgentSuggestionRow;
  agent_settings: AgentSettingsRow;
}
