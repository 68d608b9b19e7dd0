import { AppError } from '../kernel/errors.ts';
import { isPostgresAway, isPostgresSacrifice } from './postgres/faults.ts';
import { isSqliteAway } from './sqlite/faults.ts';

/** Faults of both engines that pass: what was asked may be asked again. */

/** Node's codes of sockets that broke or could not be opened. */
const SOCKET = /^(ECONN\w+|EPIPE|ETIMEDOUT|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|EAI_AGAIN|ENOTFOUND)$/;

/** PostgreSQL ended the transaction for the sake of another one (deadlock, serialisation): nothing of it stands. */
export const isSacrificed = (error: unknown): boolean => error instanceof Error && isPostgresSacrifice(error);

/** PostgreSQL's 23505 and SQLite's constraint: a row with this key is there, perhaps one that the caller cannot see. */
export const isTaken = (error: unknown): boolean =>
  error instanceof Error &&
  (('code' in error && error.code === '23505') || /UNIQUE constraint failed/.test(error.message));

/**
 * True where the store is away, only reads, is full, or has ended the transaction for another one. A client's broken connection
 * looks the same: ask of faults of the store only.
 */
export const isStoreUnavailable = (error: unknown): boolean =>
  error instanceof Error &&
  (isPostgresAway(error) ||
    isSqliteAway(error) ||
    ('code' in error && typeof error.code === 'string' && SOCKET.test(error.code)));

export const storeUnavailable = (cause: unknown): AppError =>
  new AppError('SERVICE_UNAVAILABLE', 'the store does not take this now; try again', {
    retryAfterS: 5,
    cause,
  });
