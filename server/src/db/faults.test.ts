import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { AppError } from '../kernel/errors.ts';
import { isSacrificed, isStoreUnavailable, isTaken } from './faults.ts';

const withField = (field: string, value: unknown, message = 'refused'): Error =>
  Object.assign(new Error(message), { [field]: value });

describe('faults of PostgreSQL', () => {
  it.each([
    ['08000', 'a connection'],
    ['08006', 'a connection that failed'],
    ['08P01', 'a protocol'],
    ['25006', 'a server that only reads'],
    ['25P03', 'a session that idled in its transaction'],
    ['25P04', 'a transaction that took too long'],
    ['40001', 'a serialisation'],
    ['40P01', 'a deadlock'],
    ['53100', 'a full disk'],
    ['53200', 'no memory'],
    ['53300', 'too many connections'],
    ['57P01', 'a stop by its operator'],
    ['57P02', 'a crash'],
    ['57P03', 'a start'],
    ['58030', 'an error of the disk'],
  ])('%s, of %s, passes', (code) => {
    expect(isStoreUnavailable(withField('code', code))).toBe(true);
    expect(isSacrificed(withField('code', code))).toBe(code.startsWith('40'));
  });

  it.each([
    ['22P02', 'a value that does not fit'],
    ['23505', 'a key that is taken'],
    ['23503', 'a missing reference'],
    ['25001', 'a transaction that is open'],
    ['25P02', 'a transaction that has failed'],
    ['40003', 'a statement whose end is unknown'],
    ['42501', 'a missing right'],
    ['42601', 'a syntax'],
    ['42P01', 'a missing table'],
    ['57014', 'a statement that was cancelled'],
    ['XX000', 'an inner error'],
  ])('%s, of %s, does not', (code) => {
    expect(isStoreUnavailable(withField('code', code))).toBe(false);
    expect(isSacrificed(withField('code', code))).toBe(false);
    expect(isTaken(withField('code', code))).toBe(code === '23505');
  });

  it('what its driver says of a broken connection, without a code, passes', () => {
    for (const words of [
      'Connection terminated unexpectedly',
      'Connection terminated due to connection timeout',
      'Client has encountered a connection error and is not queryable',
      'timeout exceeded when trying to connect',
      'Query read timeout',
    ]) {
      expect(isStoreUnavailable(new Error(words)), words).toBe(true);
    }
    expect(isStoreUnavailable(new Error('relation "runs" does not exist'))).toBe(false);
  });
});

describe('faults of SQLite', () => {
  it.each([
    [5, 'BUSY'],
    [261, 'BUSY_RECOVERY'],
    [6, 'LOCKED'],
    [7, 'NOMEM'],
    [8, 'READONLY'],
    [1032, 'READONLY_DBMOVED'],
    [10, 'IOERR'],
    [778, 'IOERR_WRITE'],
    [4874, 'IOERR_SHMSIZE'],
    [13, 'FULL'],
    [14, 'CANTOPEN'],
    [15, 'PROTOCOL'],
  ])('%i (%s) passes', (errcode) => {
    expect(isStoreUnavailable(withField('errcode', errcode))).toBe(true);
    expect(isSacrificed(withField('errcode', errcode))).toBe(false);
  });

  it.each([
    [1, 'ERROR'],
    [11, 'CORRUPT'],
    [19, 'CONSTRAINT'],
    [2067, 'CONSTRAINT_UNIQUE'],
    [20, 'MISMATCH'],
    [26, 'NOTADB'],
  ])('%i (%s) does not', (errcode) => {
    expect(isStoreUnavailable(withField('errcode', errcode))).toBe(false);
  });

  it('the words of a constraint do not make it one that passes', () => {
    const file = new DatabaseSync(':memory:');
    file.exec(`create table t (a text check (a != 'database or disk is full')) strict`);
    const add = (): unknown => {
      try {
        file.exec(`insert into t values ('database or disk is full')`);
      } catch (error) {
        return error;
      }
      return null;
    };
    expect(add()).toBeInstanceOf(Error);
    expect(isStoreUnavailable(add())).toBe(false);
    file.close();
  });

  it('a full or broken disk under a file beside it passes, a missing file does not', () => {
    for (const code of ['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EFBIG'])
      expect(isStoreUnavailable(withField('code', code)), code).toBe(true);
    for (const code of ['ENOENT', 'EACCES'])
      expect(isStoreUnavailable(withField('code', code)), code).toBe(false);
  });
});

it('sockets that break or cannot be opened pass; whatever is no error does not', () => {
  for (const code of ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENOTFOUND'])
    expect(isStoreUnavailable(withField('code', code)), code).toBe(true);
  expect(isStoreUnavailable({ code: '25006' })).toBe(false);
  expect(isStoreUnavailable(null)).toBe(false);
  expect(isStoreUnavailable(new AppError('CONFLICT', 'no'))).toBe(false);
});
