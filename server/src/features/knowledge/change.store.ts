import type { Along, Db, Queryable } from '../../db/db.ts';
import { notFound } from '../../kernel/errors.ts';
import { json, patchedIn } from './document-rows.store.ts';
import { registeredModels } from './generations.store.ts';
import type { PassageIndex } from './passage-index.ts';
import type { DocumentChanges, KnowledgeDocument } from './ports.ts';
import { factsOf, isPatched, roleSet, withPatch } from './rules.ts';
import { wordsOf } from './terms.rules.ts';

/** Changes of what stands beside a document's text. */

/** Chunks whose readers change in one transaction. */
const BATCH = 64;

export const writeFacts = async (
  tx: Queryable,
  id: string,
  metadata: Record<string, unknown>,
): Promise<void> => {
  const facts = factsOf(metadata);
  if (facts.length === 0) return;
  await tx
    .insertInto('document_facts')
    .values(facts.map((fact) => ({ document_id: id, ...fact })))
    .execute();
};

/** In place of those that are there. */
export const replaceMetadata = async (
  tx: Queryable,
  id: string,
  metadata: Record<string, unknown>,
): Promise<void> => {
  await tx.deleteFrom('document_facts').where('document_id', '=', id).execute();
  await writeFacts(tx, id, metadata);
};

export const createDocumentChanges = (db: Db, index: PassageIndex) => ({
  /** Whether the document is still the one that was looked at; else nothing changes. `note` is written with it. */
  trust: (
    seen: Pick<KnowledgeDocument, 'id' | 'sha256' | 'title' | 'version'>,
    trusted: boolean,
    note: Along,
  ): Promise<boolean> =>
    db.write(async (tx) => {
      const { numUpdatedRows } = await tx
        .updateTable('documents')
        .set({ trusted: trusted ? 1 : 0 })
        .where('id', '=', seen.id)
        .where('status', '=', 'ready')
        .where('sha256', '=', seen.sha256)
        .where('title', '=', seen.title)
        .where('version', '=', seen.version)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) return false;
      await note(tx);
      return true;
    }),

  /**
   * Visibility and metadata in one step; the indexes follow visibility batch by batch, and until they have, the
   * document counts as one to be indexed again (which a start after a crash then does). Of a title it is noted that a PATCH
   * has set it. What an upload asks for gives way to a PATCH that came after it.
   */
  async change(
    id: string,
    asked: Pick<DocumentChanges, 'metadata' | 'sharing' | 'title'>,
    by: { patch: string } | { upload: string },
  ): Promise<void> {
    const { before, sharing } = await db.write(async (tx) => {
      const row = await tx
        .selectFrom('documents')
        .select(['tenant_id', 'user_id', 'visibility', 'reader_roles', 'chunking_version', 'patched'])
        .where('id', '=', id)
        .where('status', '=', 'ready')
        .executeTakeFirst();
      if (row === undefined) throw notFound('document');
      const patched = patchedIn(row.patched);
      const stands = (field: 'metadata' | 'sharing') =>
        'upload' in by && isPatched(patched, field, by.upload);
      const sharing = stands('sharing') ? undefined : asked.sharing;
      const metadata = stands('metadata') ? undefined : asked.metadata;
      const readerRoles = roleSet(sharing?.readerRoles ?? []);
      const moves =
        sharing !== undefined && (sharing.visibility !== row.visibility || readerRoles !== row.reader_roles);
      await tx
        .updateTable('documents')
        .set({
          ...(moves
            ? { visibility: sharing.visibility, reader_roles: readerRoles, chunking_version: 0 }
            : {}),
          ...(metadata === undefined ? {} : { metadata: JSON.stringify(metadata) }),
          ...('patch' in by ? { patched: JSON.stringify(withPatch(patched, asked, by.patch)) } : {}),
          // Never empty.
          status: 'ready',
        })
        .where('id', '=', id)
        .execute();
      if (metadata !== undefined) await replaceMetadata(tx, id, metadata);
      return { before: moves ? row : null, sharing };
    });
    if (before === null || sharing === undefined) return;
    const owner = {
      tenantId: before.tenant_id,
      userId: before.user_id,
      visibility: sharing.visibility,
      readerRoles: roleSet(sharing.readerRoles),
    };
    // By row number: chunks on their way in are among them.
    for (let after: number | null = 0; after !== null; ) {
      const from: number = after;
      after = await db.write(async (tx) => {
        const rows = await tx
          .selectFrom('chunks')
          .select(['seq', 'heading_path', 'table_head', 'text'])
          .where('document_id', '=', id)
          .where('seq', '>', from)
          .orderBy('seq')
          .limit(BATCH)
          .execute();
        const models = await registeredModels(tx);
        for (const row of rows) {
          const words = wordsOf({
            headingPath: json(row.heading_path),
            text: row.text,
            tableHead: row.table_head,
          });
          await index.share(tx, models, { ...owner, ...words, seq: row.seq });
        }
        const last = rows.at(-1)?.seq ?? null;
        if (last === null) {
          await tx
            .updateTable('documents')
            .set({ chunking_version: before.chunking_version })
            .where('id', '=', id)
            .where('chunking_version', '=', 0)
            .execute();
        }
        return last;
      });
    }
  },
});
