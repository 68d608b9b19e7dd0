import type { SchemaStep } from '../migrate.ts';

/** What was asked, and what in the run may have led to the call of a proposal: quoted for those who vote. */
export const proposalEvidence: SchemaStep = {
  name: '063-proposal-evidence',
  async up(db) {
    await db.schema.alterTable('proposals').addColumn('evidence', 'text').execute();
  },
};
