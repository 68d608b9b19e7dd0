export interface TaskRow {
  id: string;
  tenant_id: string;
  user_id: string;
  description: string;
  agent_id: string | null;
  context: string | null;
  /** low, normal, high, urgent */
  priority: string;
  scheduled_at: number | null;
  cron: string | null;
  timezone: string;
  /** skip, queue */
  overlap: string;
  /** run_once, skip */
  missed: string;
  /** What the credential that made the task was allowed: its runs may do no more, whatever the owner may. */
  permissions: string;
  /** That credential (kernel/stored-credential.ts); null in rows of earlier releases, where `permissions` alone holds. */
  credential: string | null;
  status: string;
  progress: string | null;
  result: string | null;
  error: string | null;
  /** Of the newest run. */
  attempts: number;
  next_run_at: number | null;
  /** 1: no slot is taken, whatever `next_run_at` says; 0 else. */
  paused: number;
  created_at: number;
  updated_at: number;
  finished_at: number | null;
  /** 1: a run with untrusted content made it, so its own runs have that mark from the start; 0 else. */
  tainted: number;
  /** The task in whose run it was made; null where a person or a chat made it. */
  parent_task_id: string | null;
  /** 1 where it has no parent. */
  depth: number;
  /** The chat run in which an agent made it; null where a person did. */
  created_by_run: string | null;
  /** `traceparent` of the request or run that made it; null without traces. */
  trace_parent: string | null;
  /** What its ended runs had read (JSON, kernel/taint.ts); null before the first end, and where an earlier release wrote it. */
  taint: string | null;
}

/** One due slot of a task, with all its attempts. */
export interface TaskRunRow {
  id: string;
  task_id: string;
  tenant_id: string;
  user_id: string;
  /** The time that it was due: at most one run has it. */
  slot_at: number;
  /** queued, running, awaiting_approval, completed, failed, cancelled, skipped */
  status: string;
  attempts: number;
  /** Chat runs of its attempts, in order. */
  run_ids: string;
  conversation_id: string | null;
  result: string | null;
  error: string | null;
  cost_nano: number;
  /** 1 or 0. */
  cancel_requested: number;
  created_at: number;
  started_at: number | null;
  finished_at: number | null;
  /** What stood in its conversation when it ended; null before, and where an earlier release wrote it. */
  taint: string | null;
}

export interface TaskTables {
  tasks: TaskRow;
  task_runs: TaskRunRow;
}
