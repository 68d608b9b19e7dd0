import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '../../config.ts';
import { openPostgresSession, openSqliteSession, type Session } from '../../db/archive/session.ts';
import { composeObjectBlobs, type ObjectBlobs } from '../../modules/blobs.ts';
import { UsageError } from '../command.ts';

/** The store of objects that the settings name, looked at before anything is read or written; null where there is none. */
export const openObjects = async (config: Config, now: () => number): Promise<ObjectBlobs | null> => {
  const objects = await composeObjectBlobs(config, { now });
  await objects?.check();
  return objects;
};

export const sqliteFileOf = (config: Config): string => path.join(config.DATA_DIR, 'pentarch.sqlite');

/** Throws when there is no store yet. */
export const openStoreSession = async (config: Config, options: { readOnly: boolean }): Promise<Session> => {
  if (config.DATABASE_URL !== null) return openPostgresSession(config.DATABASE_URL);
  const file = sqliteFileOf(config);
  if (!existsSync(file)) {
    throw new Error(
      `there is no store in ${path.resolve(config.DATA_DIR)}: set DATA_DIR or DATABASE_URL to the platform's own`,
    );
  }
  return openSqliteSession(file, options);
};

/**
 * A transaction that sees one moment of the store, while others go on writing: on SQLite a read transaction of the
 * write-ahead log, on PostgreSQL one at REPEATABLE READ.
 */
export const beginSnapshot = async (session: Session): Promise<void> => {
  await session.exec(
    session.dialect === 'sqlite' ? 'begin' : 'begin isolation level repeatable read read only',
  );
  // The snapshot is taken by the first statement that reads.
  await session.all('select count(*) as n from kysely_migration');
};

const MIN_PASSPHRASE = 12;

/** The passphrase in a file, without its last line end; null without a file. */
export const readPassphrase = (file: string | undefined): string | null => {
  if (file === undefined) return null;
  const text = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  if (text.length < MIN_PASSPHRASE) {
    throw new UsageError(`the passphrase in ${file} must have at least ${MIN_PASSPHRASE} characters`);
  }
  return text;
};
