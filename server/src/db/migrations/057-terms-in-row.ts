import { sql } from 'kysely';
import type { SchemaStep } from '../migrate.ts';

/**
 * PostgreSQL: words of a passage stay in its row up to a page. By default those above 2 kB (passages of some 200 different
 * words) are compressed or moved out of line, and each function that ranks fetches them anew: 3.3 in place of 1 µs a call on
 * cached pages. It holds for rows written from now on; those that are there stay as they are until they are indexed again.
 */
export const termsInRow: SchemaStep = {
  name: '057-terms-in-row',
  async up(db, t) {
    if (t.dialect !== 'postgres') return;
    await sql`alter table chunk_terms set (toast_tuple_target = 8160)`.execute(db);
  },
};
