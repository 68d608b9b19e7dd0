import type { SchemaStep } from '../migrate.ts';

/**
 * Of accounts of an external provider: how old what it said is that name and roles follow (epoch ms), and whether an administrator
 * has moved the person to where they are (1). Null in rows of before.
 */
export const followedClaims: SchemaStep = {
  name: '122-followed-claims',
  async up(db, t) {
    for (const column of ['claims_at', 'placed_by_admin']) {
      await db.schema.alterTable('users').addColumn(column, t.int).execute();
    }
  },
};
