import path from 'node:path';

/** What `prepare-main.ts` has made for this run of vitest. */
export interface Prepared {
  /** The server's program, bundled. */
  program: string;
  /** A store without rows whose schema is up to date. */
  sqliteFile: string;
  /** Name of a database like it, on the server of test:all; null without that. */
  postgresTemplate: string | null;
}

const given = process.env.TEST_PREPARED;

/** Null where a suite runs without `prepare.ts`: servers then start from the sources, and make their schema. */
export const prepared: Prepared | null = given === undefined ? null : (JSON.parse(given) as Prepared);

export const PROGRAM = prepared?.program ?? path.join(import.meta.dirname, '..', '..', 'src', 'start.js');
