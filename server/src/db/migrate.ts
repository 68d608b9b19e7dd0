import type { Kysely } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import type { DialectName } from './db.ts';
import { type ColumnTypes, columnTypes } from './migrations/types.ts';
import { StartRefused } from './refusal.ts';

/** A step of the schema: pure DDL, the same for both engines but for what `types` and `types.dialect` branch on. */
export interface SchemaStep {
  name: string;
  up(db: Kysely<unknown>, types: ColumnTypes): Promise<void>;
}

/**
 * Brings the schema up to date; names sort in order. Kysely's migrator locks, so that of several nodes one runs and the
 * others wait, and refuses a database with a step that this release does not know.
 */
export const migrate = async <T>(
  db: Kysely<T>,
  dialect: DialectName,
  migrations: readonly SchemaStep[],
): Promise<void> => {
  const types = columnTypes(dialect);
  const steps: Record<string, Migration> = {};
  for (const step of migrations) steps[step.name] = { up: (target) => step.up(target, types) };
  const migrator = new Migrator({ db, provider: { getMigrations: () => Promise.resolve(steps) } });
  const { error } = await migrator.migrateToLatest();
  const unknown =
    error instanceof Error ? /previously executed migration (\S+) is missing/.exec(error.message) : null;
  if (unknown !== null) {
    throw new StartRefused(
      `the store is of a newer release of Pentarch than this one (its schema has the step ${unknown[1]}): start that release or a later one`,
    );
  }
  if (error) throw new Error('the database schema could not be brought up to date', { cause: error });
};
