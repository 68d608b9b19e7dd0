import { isStoreUnavailable } from './faults.ts';

/** Why a store that answers takes no writes. */
export type Refusal = 'full' | 'read_only' | 'unavailable';

const SQLITE_READONLY = 8;
const SQLITE_FULL = 13;

const codeOf = (error: Error): string | number | null => {
  if ('errcode' in error && typeof error.errcode === 'number') return error.errcode & 0xff;
  return 'code' in error && typeof error.code === 'string' ? error.code : null;
};

/** What the error of a write says of the store; null where it is about what was written. */
export const refusalIn = (error: unknown): Refusal | null => {
  if (!(error instanceof Error)) return null;
  switch (codeOf(error)) {
    // PostgreSQL's disk_full, SQLite's, and those of the system beside them.
    case '53100':
    case SQLITE_FULL:
    case 'ENOSPC':
    case 'EDQUOT':
    case 'EFBIG':
      return 'full';
    case '25006':
    case SQLITE_READONLY:
    case 'EROFS':
      return 'read_only';
    default:
      return isStoreUnavailable(error) ? 'unavailable' : null;
  }
};

export const REFUSAL_TEXT: Readonly<Record<Refusal, string>> = {
  full: 'its disk is full: it answers, and takes no writes',
  read_only: 'it only reads: it answers, and takes no writes',
  unavailable: 'it answers, and takes no writes',
};
