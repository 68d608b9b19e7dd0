import { sql } from 'kysely';
import type { SchemaStep } from '../migrate.ts';
import { runSumTriggers } from '../run-sums.ts';
import { ofTenant, raiseWalls } from './row-security.ts';

/**
 * Figures of agents by day, hour and quarter of an hour (features/agents/run-figures.ts), made when somebody looks. The database drops
 * those of a period with each change of its runs, so that a run which a node of the release before ends is never missing.
 */
export const runSums: SchemaStep = {
  name: '162-run-sums',
  async up(db, t) {
    await db.schema
      .createTable('run_sums')
      .addColumn('tenant_id', 'text', (c) => c.notNull())
      .addColumn('part', 'text', (c) => c.notNull())
      .addColumn('starts_at', t.int, (c) => c.notNull())
      .addColumn('agent_id', 'text', (c) => c.notNull())
      .addColumn('totals', 'text', (c) => c.notNull())
      .addPrimaryKeyConstraint('run_sums_key', ['tenant_id', 'part', 'starts_at', 'agent_id'])
      .execute();
    if (t.dialect === 'postgres') await raiseWalls(db, [ofTenant('run_sums')]);
    for (const statement of runSumTriggers(t.dialect)) await sql.raw(statement).execute(db);
  },
};
