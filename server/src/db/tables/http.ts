export interface IdempotencyRow {
  caller_id: string;
  key: string;
  /** Hash of method, path and body. */
  fingerprint: string;
  /** `running` or `done`. */
  state: string;
  status: number | null;
  headers: string | null;
  body: string | null;
  created_at: number;
  /** Of a running request; null where an earlier release claimed it. */
  node_id: string | null;
}

export interface HttpTables {
  idempotency_keys: IdempotencyRow;
}
