import type { Along, Db, Queryable } from '../../db/db.ts';
import { COLUMNS, toDocument } from './document-rows.store.ts';
import type { Generations } from './generations.store.ts';
import type { KnowledgeDocument } from './ports.ts';

/** What bringing a document in and replacing its content have in common. */

/** Chunks written in one transaction: on SQLite other writers wait that long (about 10 ms). */
const BATCH = 64;

/** What goes along with the transactions that bring content in. */
export interface WriteSteps {
  /** First in each of them: throws where the work is another's by now. */
  guard: Along;
  /** In the one that shows the content to readers. */
  shown: Along;
}

/** Each is one transaction. */
export const batches = <T>(items: readonly T[]): T[][] => {
  const out: T[][] = [];
  for (let at = 0; at < items.length; at += BATCH) out.push(items.slice(at, at + BATCH));
  return out;
};

export const writeVersion = async (
  tx: Queryable,
  of: { id: string; version: number; title: string; sha256: string; sizeBytes: number; createdAt: number },
): Promise<void> => {
  await tx
    .insertInto('document_versions')
    .values({
      document_id: of.id,
      version: of.version,
      title: of.title,
      sha256: of.sha256,
      size_bytes: of.sizeBytes,
      created_at: of.createdAt,
    })
    .execute();
};

export const readIn = async (tx: Queryable, id: string): Promise<KnowledgeDocument> =>
  toDocument(await tx.selectFrom('documents').select(COLUMNS).where('id', '=', id).executeTakeFirstOrThrow());

/** Whether the document was in one of the states `from`; its passages are hidden with the step. */
export const createStatus =
  (db: Db, { hide }: Pick<Generations, 'hide'>) =>
  (id: string, from: readonly string[], to: string, note?: Along): Promise<boolean> =>
    db.write(async (tx) => {
      const row = await tx
        .updateTable('documents')
        .set({ status: to })
        .where('id', '=', id)
        .where('status', 'in', [...from])
        .returning('generation')
        .executeTakeFirst();
      if (row === undefined) return false;
      await hide(tx, id, row.generation, Date.now());
      await note?.(tx);
      return true;
    });
