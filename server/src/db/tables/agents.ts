export interface AgentSettingsRow {
  tenant_id: string;
  agent_id: string;
  /** 1 or 0. */
  enabled: number;
  /** `provider/model`; null = the default model. */
  model: string | null;
  /** Added to the charter for this tenant. */
  instructions: string | null;
  updated_at: number;
}

export interface AgentTables {
  agent_settings: AgentSettingsRow;
}
