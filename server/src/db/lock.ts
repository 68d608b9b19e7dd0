import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makePrivate } from './open.ts';
import { StartRefused } from './refusal.ts';

/**
 * One process for one data folder. The lock is the operating system's file lock that SQLite takes for an exclusive
 * transaction, so it goes with the process however that ends; a file with a process id would outlive a killed one.
 */
export const lockDataDir = (folder: string): { release(): void } =>
  lockFolder(
    folder,
    `the data folder ${path.resolve(folder)} is in use by another Pentarch process; stop that one, or set DATA_DIR to another folder`,
  );

/** Throws `StartRefused` with `taken` where another process has it. */
export const lockFolder = (folder: string, taken: string): { release(): void } => {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = path.join(folder, 'lock.sqlite');
  makePrivate(file);
  const db = new DatabaseSync(file, { timeout: 0 });
  try {
    db.exec('pragma locking_mode = exclusive; begin exclusive');
  } catch (error) {
    db.close();
    throw new StartRefused(taken, { cause: error });
  }
  return { release: () => db.close() };
};
