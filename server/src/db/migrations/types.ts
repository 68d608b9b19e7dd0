import type { DialectName } from '../db.ts';

/**
 * Column types by engine. Ids and names are text, times are epoch milliseconds, money is nano-dollars, flags are 0/1,
 * JSON is text in both (what is filtered by is cast where it is asked).
 */
export const columnTypes = (dialect: DialectName) =>
  ({
    dialect,
    int: dialect === 'sqlite' ? 'integer' : 'bigint',
    real: dialect === 'sqlite' ? 'real' : 'double precision',
    blob: dialect === 'sqlite' ? 'blob' : 'bytea',
  }) as const;

export type ColumnTypes = ReturnType<typeof columnTypes>;
