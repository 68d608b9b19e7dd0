import type { Db } from '../../db/db.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { PageMemory } from '../../kernel/parser.ts';

/** A file that nobody has uploaded to its end by then is given up. */
const KEPT_MS = 24 * 3_600_000;

/** Recognised pages of a tenant's files, for as long as a document has these bytes. */
export const createRecognizedPages = (db: Db, clock: Clock): PageMemory => ({
  async get({ tenantId, sha256, settings, page }) {
    const row = await db.read
      .selectFrom('recognized_pages')
      .select('text')
      .where('tenant_id', '=', tenantId)
      .where('sha256', '=', sha256)
      .where('settings', '=', settings)
      .where('page', '=', page)
      .executeTakeFirst();
    return row?.text ?? null;
  },
  async put({ tenantId, sha256, settings, page }, text) {
    await db.write((tx) =>
      tx
        .insertInto('recognized_pages')
        .values({ tenant_id: tenantId, sha256, settings, page, text, created_at: clock.now() })
        .onConflict((c) => c.columns(['tenant_id', 'sha256', 'settings', 'page']).doUpdateSet({ text }))
        .execute(),
    );
  },
});

/** Of these bytes, once no document of the tenant has them; without bytes, of all that were given up. */
export const dropRecognizedPages = async (db: Db, sha256: string | null, now: number): Promise<void> => {
  await db.write((tx) =>
    tx
      .deleteFrom('recognized_pages')
      .$if(sha256 !== null, (q) => q.where('sha256', '=', sha256 ?? ''))
      .$if(sha256 === null, (q) => q.where('created_at', '<', now - KEPT_MS))
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('documents')
              .select('documents.id')
              .whereRef('documents.sha256', '=', 'recognized_pages.sha256')
              .whereRef('documents.tenant_id', '=', 'recognized_pages.tenant_id'),
          ),
        ),
      )
      .execute(),
  );
};
