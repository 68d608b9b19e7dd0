/** The port of the embedded SQL engine for analytics: one query over tables that are handed to it, and nothing else. */

export type TableColumnType = 'number' | 'date' | 'timestamp' | 'text';

export interface DataTable {
  /** Plain identifier. */
  name: string;
  columns: {
    name: string;
    type: TableColumnType;
    /** What its numbers are counted in, as it was written: `kg`, `%`, `€`. */
    unit?: string;
  }[];
  /** As text in the form of the column's type (ISO dates, plain decimal numbers); null = empty. */
  rows: (string | null)[][];
}

export interface TableAnswer {
  columns: string[];
  rows: (string | number | boolean | null)[][];
  /** There are more rows than were asked for, or than there is room for. */
  truncated: boolean;
}

/** What the engine says about a query that it cannot answer; the message is for whoever wrote the query. */
export class TableQueryError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'TableQueryError';
  }
}

export interface TableEngine {
  /** Name of the SQL dialect, for models. */
  dialect: string;
  /**
   * Runs one SELECT over the tables, without access to files, network or settings. Its rows are at most 1 MiB; tenants take
   * turns. Throws `TableQueryError`; rejects with
   * the signal's reason when it is aborted.
   */
  query(
    tables: readonly DataTable[],
    sql: string,
    options: { tenantId: string; maxRows: number; signal: AbortSignal },
  ): Promise<TableAnswer>;
  close(): Promise<void>;
}
