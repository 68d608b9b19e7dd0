/** Faults of the start in words for the operator: what is wrong, and what to do. */

const codeOf = (error: unknown): string | null => {
  if (!(error instanceof Error)) return null;
  // A host with several addresses fails with all of them at once.
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  return 'code' in error && typeof error.code === 'string' ? error.code : null;
};

/** Server and database of an address, without what is secret in it. */
const placeOf = (url: string): string => {
  try {
    const { hostname, port, pathname } = new URL(url);
    return `${hostname}${port === '' ? '' : `:${port}`}${pathname}`;
  } catch {
    return 'its address';
  }
};

/** What keeps PostgreSQL from being used; null where it is something else. */
export const postgresStartFault = (error: unknown, url: string): string | null => {
  const place = placeOf(url);
  switch (codeOf(error)) {
    case 'ECONNREFUSED':
      return `no PostgreSQL answers at ${place} (DATABASE_URL): start it, or correct the address`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `the name of the server in DATABASE_URL (${place}) is not known: correct it, or look at the name service`;
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return `PostgreSQL at ${place} (DATABASE_URL) cannot be reached: is a firewall in between, is the server up?`;
    case '28P01':
      return `PostgreSQL at ${place} refuses user or password of DATABASE_URL: correct them; special signs in the password stand percent-encoded in an address`;
    case '28000':
      return `PostgreSQL at ${place} lets this user not in from here: look at its pg_hba.conf, and whether it asks for TLS (?sslmode=require)`;
    case '3D000':
      return `the database of DATABASE_URL (${place}) does not exist: create database … owner …`;
    case '42501':
      return `the user of DATABASE_URL may not make tables in ${place}: let it own its database (alter database … owner to …)`;
    case '53300':
      return `PostgreSQL at ${place} has no connection left: raise max_connections (a node takes up to 27), or put a pooler in session mode before it`;
    case '57P03':
      return `PostgreSQL at ${place} is starting or recovering: try again in a moment`;
    case '25006':
      return `PostgreSQL at ${place} only reads: DATABASE_URL names a standby, or its disk is full`;
    case '53100':
      return `the disk of PostgreSQL at ${place} is full: make room there`;
    default:
      return null;
  }
};

/** What SQLite or the system says of a file that cannot be used as a store; null where it is something else. */
export const sqliteStartFault = (error: unknown, file: string): string | null => {
  if (!(error instanceof Error)) return null;
  const code = 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : null;
  switch (code) {
    case 11:
    case 26:
      return `${file} is no sound SQLite database (${error.message}): restore the last backup; "doctor" says what is damaged`;
    case 8:
    case 14:
      return `${file} cannot be written: give the account of the server its folder (chown), or set DATA_DIR to one that it may write`;
    case 10:
    case 13:
      return `${file} cannot be written (${error.message}): is its disk full or broken?`;
    default:
      return folderStartFault(error);
  }
};

/** Of the data folder itself. */
export const folderStartFault = (error: unknown): string | null => {
  if (!(error instanceof Error)) return null;
  const path = 'path' in error && typeof error.path === 'string' ? error.path : 'the data folder';
  switch (codeOf(error)) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return `${path} cannot be written: give the account of the server its folder (chown), or set DATA_DIR to one that it may write`;
    case 'ENOTDIR':
    case 'EEXIST':
      return `${path} is a file: set DATA_DIR to a folder`;
    case 'ENOSPC':
    case 'EDQUOT':
      return `there is no room for ${path}: make some, or set DATA_DIR to another disk`;
    case 'EADDRINUSE':
      return 'the port is taken by another process: stop that one, or set PORT';
    default:
      return null;
  }
};
