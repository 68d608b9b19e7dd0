export interface MaintenanceRow {
  /** What is done: `retention`, `retention.run_events`. */
  name: string;
  /** Epoch ms of the next time. */
  due_at: number;
  /** How far the last time got, for work that goes through ids in order. */
  position: string | null;
}

export interface MaintenanceTables {
  maintenance: MaintenanceRow;
}
