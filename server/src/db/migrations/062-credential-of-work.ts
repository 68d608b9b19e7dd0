import type { SchemaStep } from '../migrate.ts';

/** The credential that began a run, a proposal or a task (kernel/stored-credential.ts); null in rows of earlier releases. */
export const credentialOfWork: SchemaStep = {
  name: '062-credential-of-work',
  async up(db) {
    await db.schema.alterTable('runs').addColumn('credential', 'text').execute();
    await db.schema.alterTable('proposals').addColumn('credential', 'text').execute();
    await db.schema.alterTable('tasks').addColumn('credential', 'text').execute();
  },
};
