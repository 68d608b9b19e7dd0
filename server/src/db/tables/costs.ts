export interface LedgerRow {
  id: string;
  tenant_id: string;
  user_id: string;
  /** `model`, `embedding` or `tool`. */
  kind: string;
  agent_id: string | null;
  model: string | null;
  /** `server.name` of the tool. */
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
  /** What the provider says that the call cost: recorded, never trusted. */
  reported_nano: number | null;
  /** 1 where the price or the token count is an estimate. */
  estimated: number;
  /** 1 where the call has cost more than was reserved for it. */
  beyond_estimate: number;
  /** When the call was reserved: it belongs to the day and month whose counters carried it. */
  created_at: number;
}

export interface CostLimitRow {
  id: string;
  tenant_id: string;
  scope: string;
  /** User or agent id; the tenant's id for `tenant`, `*` for `run`. */
  subject: string;
  period: string;
  /** Null: removed, so unlimited. */
  limit_nano: number | null;
  created_at: number;
}

export interface CostCounterRow {
  /** `tenant|scope|subject|period|start`: unique, and in an order in which locks are taken. */
  id: string;
  tenant_id: string;
  scope: string;
  subject: string;
  period: string;
  starts_at: number;
  ends_at: number;
  limit_nano: number | null;
  /** The tenant's limit of one run; on counters of the tenant's day, else null. */
  run_limit_nano: number | null;
  used_nano: number;
  reserved_nano: number;
  /** Highest alert sent in this period: 0, 50, 75, 90, 100. */
  alerted: number;
  /** 1 once a call has been refused in this period and that was told. */
  refused: number;
}

export interface CostHoldRow {
  id: string;
  tenant_id: string;
  user_id: string;
  agent_id: string | null;
  run_id: string | null;
  /** The process that made it. */
  node_id: string;
  amount_nano: number;
  /** The part that counts against the run's limit (0 for priced tools). */
  run_nano: number;
  /** Ids of the counters that carry the hold, one a line. */
  counters: string;
  created_at: number;
}

export interface CostNodeRow {
  id: string;
  seen_at: number;
}

/** Of the ledger, kept by the database itself (db/cost-sums.ts). */
export interface CostSumRow {
  tenant_id: string;
  part: string;
  /** Beginning of the quarter of an hour, day or month (UTC). */
  starts_at: number;
  user_id: string;
  agent_id: string;
  model: string;
  tool: string;
  requests: number;
  cost_nano: number;
  input_tokens: number;
  output_tokens: number;
  cached_input_tokens: number;
  beyond_estimate: number;
}

/** A tenant whose sums are not whole yet: its costs are counted from rows. */
export interface CostSumsPendingRow {
  tenant_id: string;
  /** Days before this time are summed up. */
  next_at: number;
}

export interface CostTables {
  cost_sums: CostSumRow;
  cost_sums_pending: CostSumsPendingRow;
  ledger: LedgerRow;
  cost_limits: CostLimitRow;
  cost_counters: CostCounterRow;
  cost_holds: CostHoldRow;
  cost_nodes: CostNodeRow;
}
