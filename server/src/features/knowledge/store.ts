import type { Along, Db } from '../../db/db.ts';
import type { Cluster } from '../../kernel/cluster.ts';
import { createAdd } from './add.store.ts';
import { createDocumentChanges } from './change.store.ts';
import { COLUMNS, toDocument } from './document-rows.store.ts';
import { createStatus } from './document-write.store.ts';
import { createGenerations } from './generations.store.ts';
import { createEmbeddingModels } from './models.store.ts';
import type { EmbeddingModel, PassageIndex } from './passage-index.ts';
import { createDocumentCheck, createKnowledgeReads, createReadSome } from './read.store.ts';
import { dropRecognizedPages } from './recognized.store.ts';
import { createReplace } from './replace.store.ts';

/**
 * States of a document:
 *
 * | from     | to       | when                                                    |
 * |----------|----------|---------------------------------------------------------|
 * | –        | ready    | few chunks: row, chunks and indexes in one transaction  |
 * | –        | indexing | many chunks: row and the first of them                  |
 * | indexing | ready    | the last chunk is in                                    |
 * | indexing | deleting | indexing failed, or its process died (found at start)   |
 * | ready    | deleting | DELETE, erasure of the owner                            |
 * | deleting | –        | the last chunk is out                                   |
 *
 * Only `ready` documents exist for readers, so that no half of one is ever seen. Of a ready one they see the chunks of one
 * generation: another text is written as a generation of its own, hidden from readers and rankings
 * (`hidden_generations`), takes the place of the present one in one transaction, and what it replaced goes afterwards.
 */

export interface StaleDocument {
  id: string;
  tenantId: string;
  userId: string;
  title: string;
}

export type KnowledgeStore = ReturnType<typeof createKnowledgeStore>;

export const createKnowledgeStore = (db: Db, index: PassageIndex, { alone }: Pick<Cluster, 'alone'>) => {
  const generations = createGenerations(db, index);
  const { purge, purgeGeneration, hiddenBefore } = generations;
  const setStatus = createStatus(db, generations);

  return {
    ...createEmbeddingModels(db, index),
    hasDocuments: createDocumentCheck(db),

    /** The owner's document of this name in its source. */
    async findByExternalId(tenantId: string, userId: string, externalId: string) {
      const row = await db.read
        .selectFrom('documents')
        .select([...COLUMNS, 'documents.status'])
        .where('tenant_id', '=', tenantId)
        .where('user_id', '=', userId)
        .where('external_id', '=', externalId)
        .where('status', '<>', 'deleting')
        .executeTakeFirst();
      return row ? { ready: row.status === 'ready', document: toDocument(row) } : null;
    },

    /** The owner's document with these bytes that has no name in a source. */
    async findByBytes(tenantId: string, userId: string, sha256: string) {
      const row = await db.read
        .selectFrom('documents')
        .select([...COLUMNS, 'documents.status'])
        .where('tenant_id', '=', tenantId)
        .where('user_id', '=', userId)
        .where('sha256', '=', sha256)
        .where('external_id', 'is', null)
        .where('status', '<>', 'deleting')
        .executeTakeFirst();
      return row ? { ready: row.status === 'ready', document: toDocument(row) } : null;
    },

    some: createReadSome(db),

    add: createAdd(db, generations),

    replaceChunks: createReplace(db, generations),

    /** Documents to be indexed again, oldest first. */
    async stale(model: EmbeddingModel, chunkingVersion: number, after: string): Promise<StaleDocument[]> {
      const rows = await db.read
        .selectFrom('documents')
        .select(['id', 'tenant_id', 'user_id', 'title'])
        .where('status', '=', 'ready')
        .where('id', '>', after)
        .where((w) => w.or([w('model_n', '<>', model.n), w('chunking_version', '<>', chunkingVersion)]))
        .orderBy('id')
        .limit(100)
        .execute();
      return rows.map((row) => ({
        id: row.id,
        tenantId: row.tenant_id,
        userId: row.user_id,
        title: row.title,
      }));
    },

    ...createKnowledgeReads(db),

    ...createDocumentChanges(db, index),

    /** True when it was there; from then on nobody sees it, and `purge` may take its time. */
    startDeleting: (id: string, note?: Along): Promise<boolean> => setStatus(id, ['ready'], 'deleting', note),

    purge,

    /** What an attempt of an upload has left that ended in the middle. */
    async dropUnfinished(id: string): Promise<void> {
      const row = await db.read
        .selectFrom('documents')
        .select('status')
        .where('id', '=', id)
        .where('status', '<>', 'ready')
        .executeTakeFirst();
      if (row === undefined) return;
      await setStatus(id, ['indexing'], 'deleting');
      await purge(id);
    },

    /** What an earlier process left half in or half out; where other nodes may be at work, only what is older. */
    async abandoned(now: number): Promise<{ id: string; sha256: string }[]> {
      const before = alone ? Number.MAX_SAFE_INTEGER : now - 15 * 60_000;
      const rows = await db.read
        .selectFrom('documents')
        .select(['id', 'sha256'])
        .where('status', '<>', 'ready')
        .where('created_at', '<', before)
        .execute();
      for (const row of rows) await setStatus(row.id, ['indexing'], 'deleting');
      return rows;
    },

    /** Chunks of ready documents that an earlier process was bringing in or taking out. */
    async settleGenerations(now: number): Promise<void> {
      const before = alone ? Number.MAX_SAFE_INTEGER : now - 15 * 60_000;
      for (const { id, generation } of await hiddenBefore(before)) await purgeGeneration(id, generation);
    },

    /** Recognised pages of bytes that no document has any more; null: of all that were given up. */
    dropPages: (sha256: string | null, now: number): Promise<void> => dropRecognizedPages(db, sha256, now),

    /** Whether there is such a document and these are its bytes. */
    async holds(id: string, sha256: string): Promise<boolean> {
      const row = await db.read
        .selectFrom('documents')
        .select('id')
        .where('id', '=', id)
        .where('sha256', '=', sha256)
        .executeTakeFirst();
      return row !== undefined;
    },
  };
};
