import type { DataTable, TableAnswer } from '../../kernel/table-sql.ts';

/** What the engine and its process say to each other. The answer comes over standard output, as JSON, so that it can be counted. */
export interface ToChild {
  tables: readonly DataTable[];
  sql: string;
  maxRows: number;
  maxBytes: number;
  memoryMib: number;
}

/** Sent once, when the process can take work. */
export interface Ready {
  dataKib: number | null;
}

export type Outcome = { type: 'answer'; answer: TableAnswer } | { type: 'fault'; message: string };
