/**
 * SQLite's result codes (primary ones, https://www.sqlite.org/rescode.html) that say that it does not take this now: another
 * process has the lock, memory or the disk is full, the file cannot be written, read or opened as things stand.
 */
const NOT_NOW: ReadonlySet<number> = new Set([
  5, // BUSY
  6, // LOCKED
  7, // NOMEM
  8, // READONLY
  10, // IOERR
  13, // FULL
  14, // CANTOPEN
  15, // PROTOCOL
]);

/** Of `fdatasync` and other calls beside the engine. */
const DISK = /^(ENOSPC|EDQUOT|EROFS|EIO|EFBIG)$/;

/** Extended codes have the primary one in their lowest byte. */
export const isSqliteAway = (error: Error): boolean => {
  if ('errcode' in error && typeof error.errcode === 'number') return NOT_NOW.has(error.errcode & 0xff);
  return 'code' in error && typeof error.code === 'string' && DISK.test(error.code);
};
