/** How long a kind of record is kept, and until when what there is now counts as old. */
export const DAY_MS = 86_400_000;

/** Rows dropped in one transaction: other writers of SQLite wait that long. */
export const BATCH_ROWS = 200;

/** How often the retention is looked after. */
export const EVERY_MS = DAY_MS;

/** Records older than this go; null: all are kept. */
export const cutoff = (nowMs: number, days: number): number | null =>
  days === 0 ? null : nowMs - days * DAY_MS;
