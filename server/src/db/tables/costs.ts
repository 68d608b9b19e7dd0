export interface LedgerRow {
  id: string;
  tenant_id: string;
  user_id: string;
  /** `model`, `embedding` or `tool`. */
  kind: string;
  agent_id: string | null;
  model: string | null;
  tool: string | null;
  conversation_id: string | null;
  run_id: string | null;
  request_id: string | null;
  input_tokens: number;
  output_tokens: number;
  cached_input_tokens: number;
  cache_write_tokens: number;
  reasoning_tokens: number;
  cost_nano: number;
  /** 1 where the price or the token count is an estimate. */
  estimated: number;
  created_at: number;
}

export interface CostLimitRow {
  id: string;
  tenant_id: string;
  scope: string;
  /** User or agent id; the tenant's id for `tenant`, `*` for `run`. */
  subject: string;
  period: string;
  limit_nano: number;
  created_at: number;
}

export interface CostCounterRow {
  tenant_id: string;
  scope: string;
  subject: string;
  period: string;
  starts_at: number;
  used_nano: number;
  reserved_nano: number;
}

export interface CostHoldRow {
  id: string;
  tenant_id: string;
  run_id: string | null;
  amount_nano: number;
  /** Keys of the counters that carry the hold, as JSON. */
  counters: string;
  created_at: number;
}

export interface CostTables {
  ledger: LedgerRow;
  cost_limits: CostLimitRow;
  cost_counters: CostCounterRow;
  cost_holds: CostHoldRow;
}
