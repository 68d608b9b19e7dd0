export interface IdempotencyRow {
  caller_id: string;
  key: string;
  /** Hash of method, path and body. */
  fingerprint: string;
  /** `running` or `done`. */
  state: string;
  status: number | null;
  headers: string | null;
  /** Of a request that is done: its answer, sealed. While it is running: the id of the run that it has become, or null. */
  body: string | null;
  created_at: number;
  /** Of a running request; null where an earlier release claimed it. */
  node_id: string | null;
  /** The run that it has become: what is deleted with that run is its answer too. Absent where it became none. */
  run_id: string | null;
}

export interface HttpTables {
  idempotency_keys: IdempotencyRow;
}
