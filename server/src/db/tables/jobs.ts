export interface JobRow {
  id: string;
  kind: string;
  /** queued, running, dead; a finished job is deleted. */
  state: string;
  /** JSON; versioned by its kind. */
  payload: string;
  /** Higher goes first. */
  priority: number;
  /** Jobs of one group share a cap of concurrent ones. */
  group_key: string | null;
  attempts: number;
  run_at: number;
  /** Who holds it: changes with each claim. */
  lease: string | null;
  lease_until: number | null;
  error: string | null;
  created_at: number;
  finished_at: number | null;
}

export interface JobTables {
  jobs: JobRow;
}
