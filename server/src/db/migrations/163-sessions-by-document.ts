import { sql } from 'kysely';
import type { SchemaStep } from '../migrate.ts';

/** Sign-ins by clients whose id is the address of a document: whether there is one is asked before such a document is fetched. */
export const sessionsByDocument: SchemaStep = {
  name: '163-sessions-by-document',
  async up(db) {
    await sql`create index sessions_by_document on sessions (client_id) where client_id like 'https:%'`.execute(
      db,
    );
  },
};
