import { AppError } from '../kernel/errors.ts';

/** Faults of both engines that pass: what was asked may be asked again. */

const FULL = /database or disk is full|No space left|disk I\/O error|ENOSPC/i;
const AWAY =
  /ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect|database is locked/i;
/** PostgreSQL's classes of shutdown, of want of resources and of the connection, and Node's codes of sockets. */
const CODES = /^(57P0[123]|53300|53[12]00|08\d{3}|ECONN|EPIPE|ETIMEDOUT)/;

/** PostgreSQL ended the transaction for the sake of another one (deadlock, serialisation): nothing of it stands. */
export const isSacrificed = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === '40P01' || error.code === '40001');

/** PostgreSQL's 23505 and SQLite's constraint: a row with this key is there, perhaps one that the caller cannot see. */
export const isTaken = (error: unknown): boolean =>
  error instanceof Error &&
  (('code' in error && error.code === '23505') || /UNIQUE constraint failed/.test(error.message));

/** True where the store is away, full, or has ended the transaction for another one. A client's broken connection looks the same: ask of faults of the store only. */
export const isStoreUnavailable = (error: unknown): boolean =>
  error instanceof Error &&
  (isSacrificed(error) ||
    FULL.test(error.message) ||
    AWAY.test(error.message) ||
    ('code' in error && typeof error.code === 'string' && CODES.test(error.code)));

export const storeUnavailable = (cause: unknown): AppError =>
  new AppError('SERVICE_UNAVAILABLE', 'the store does not take this now; try again', {
    retryAfterS: 5,
    cause,
  });
