import type { DataTable, TableAnswer } from '../../kernel/table-sql.ts';

/** What the engine and its process say to each other. */
export interface ToChild {
  tables: readonly DataTable[];
  sql: string;
  maxRows: number;
  memoryMib: number;
}

export type FromChild = { type: 'answer'; answer: TableAnswer } | { type: 'fault'; message: string };
