import type { Db } from '../../db/db.ts';
import { writeFacts } from './change.store.ts';
import { batches, createStatus, readIn, type WriteSteps, writeVersion } from './document-write.store.ts';
import type { EmbeddedChunk, Generations } from './generations.store.ts';
import type { EmbeddingModel } from './passage-index.ts';
import type { KnowledgeDocument } from './ports.ts';
import { roleSet } from './rules.ts';
import { foldedName } from './terms.rules.ts';
import { NamePromised, promisedTo } from './upload-names.store.ts';

/** A new document with its passages. */

export interface NewDocument
  extends Omit<KnowledgeDocument, 'chunkCount' | 'indexedAt' | 'version' | 'trusted'> {
  text: string;
  chunks: readonly EmbeddedChunk[];
  chunkingVersion: number;
}

const rowOf = (document: NewDocument, modelN: number, readyAt: number | null) => ({
  id: document.id,
  tenant_id: document.tenantId,
  user_id: document.userId,
  status: readyAt === null ? 'indexing' : 'ready',
  title: document.title,
  filename: document.filename,
  content_type: document.contentType,
  size_bytes: document.sizeBytes,
  sha256: document.sha256,
  language: document.language,
  page_count: document.pageCount,
  unread_pages: JSON.stringify(document.unreadPages),
  left_out: JSON.stringify(document.leftOut),
  chunk_count: document.chunks.length,
  visibility: document.visibility,
  reader_roles: roleSet(document.readerRoles),
  metadata: JSON.stringify(document.metadata),
  folded_name: foldedName(document.title, document.filename),
  text: document.text,
  model_n: modelN,
  chunking_version: document.chunkingVersion,
  created_at: document.createdAt,
  indexed_at: readyAt,
  external_id: document.externalId,
  patched: Object.keys(document.patched).length === 0 ? null : JSON.stringify(document.patched),
});

export const createAdd = (db: Db, generations: Generations) => {
  const { addChunks, hide, unhide, purge } = generations;
  const setStatus = createStatus(db, generations);

  /**
   * Null when the owner has these bytes already; nothing is written then. The document is as it
   * stood when it was shown.
   */
  return async (
    model: EmbeddingModel,
    document: NewDocument,
    now: () => number,
    steps: WriteSteps,
  ): Promise<KnowledgeDocument | null> => {
    const [first = [], ...rest] = batches(document.chunks);
    const whole = rest.length === 0;
    const owner = { ...document, readerRoles: roleSet(document.readerRoles) };
    const created = await db.write(async (tx) => {
      await steps.guard(tx);
      if (document.externalId !== null) {
        const promised = await promisedTo(tx, document, document.externalId);
        if (promised !== null && promised.documentId !== document.id)
          throw new NamePromised(promised.documentId);
      }
      const inserted = await tx
        .insertInto('documents')
        .values(
          whole
            ? rowOf(document, model.n, now())
            : // How old an unfinished one is says that its process is gone.
              rowOf({ ...document, createdAt: now() }, model.n, null),
        )
        .onConflict((c) => c.doNothing())
        .executeTakeFirst();
      if (inserted.numInsertedOrUpdatedRows !== 1n) return null;
      await writeVersion(tx, { ...document, version: 1 });
      await writeFacts(tx, document.id, document.metadata);
      if (!whole) await hide(tx, document.id, 1, now());
      await addChunks(tx, model, owner, first, 1);
      if (whole) await steps.shown(tx);
      return readIn(tx, document.id);
    });
    if (created === null || whole) return created;
    try {
      for (const batch of rest)
        await db.write(async (tx) => {
          await steps.guard(tx);
          await addChunks(tx, model, owner, batch, 1);
        });
      return await db.write(async (tx) => {
        await steps.guard(tx);
        await tx
          .updateTable('documents')
          .set({ status: 'ready', indexed_at: now(), created_at: document.createdAt })
          .where('id', '=', document.id)
          .execute();
        await unhide(tx, document.id, 1);
        await steps.shown(tx);
        return readIn(tx, document.id);
      });
    } catch (error) {
      await setStatus(document.id, ['indexing'], 'deleting');
      await purge(document.id);
      throw error;
    }
  };
};
