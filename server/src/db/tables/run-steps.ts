export interface RunStepRow {
  run_id: string;
  /** From 0, in order. */
  n: number;
  /** `plan`, `model`, `tools`, `decided` (features/chat/steps.rules.ts). */
  kind: string;
  /** Versioned JSON. */
  payload: string;
  created_at: number;
}

export interface RunStepTables {
  run_steps: RunStepRow;
}
