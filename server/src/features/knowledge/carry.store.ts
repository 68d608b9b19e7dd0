import type { Db } from '../../db/db.ts';
import { json, toVisibility } from './document-rows.store.ts';
import { createPostgresIndex } from './index-postgres.store.ts';
import { createSqliteIndex } from './index-sqlite.store.ts';
import type { EmbeddingModel, IndexEntry } from './passage-index.ts';
import { wordsOf } from './terms.rules.ts';

/** Puts chunks that were carried over from another database into the two indexes of this one. */
export interface IndexLoader {
  /** Makes the vector tables of models. */
  prepare(models: readonly EmbeddingModel[]): Promise<void>;
  /** Chunks without a vector are left to the next start, which reads their document anew. */
  add(entries: readonly { chunkId: string; vector: Float32Array | null }[]): Promise<void>;
  close(): Promise<void>;
}

/** `sqliteFile`: null on PostgreSQL. Throws with advice when PostgreSQL lacks pgvector. */
export const createIndexLoader = async (db: Db, sqliteFile: string | null): Promise<IndexLoader> => {
  const index = sqliteFile === null ? await createPostgresIndex(db) : createSqliteIndex(db, sqliteFile);
  const models = new Map<number, EmbeddingModel>();

  return {
    async prepare(wanted) {
      for (const model of wanted) {
        models.set(model.n, model);
        await db.write((tx) => index.prepare(tx, model));
      }
    },
    async add(entries) {
      const vectors = new Map(entries.map((entry) => [entry.chunkId, entry.vector]));
      await db.write(async (tx) => {
        const rows = await tx
          .selectFrom('chunks')
          .innerJoin('documents', 'documents.id', 'chunks.document_id')
          .select([
            'chunks.seq',
            'chunks.id',
            'chunks.heading_path',
            'chunks.table_head',
            'chunks.text',
            'documents.id as document_id',
            'documents.tenant_id',
            'documents.user_id',
            'documents.visibility',
            'documents.reader_roles',
            'documents.model_n',
          ])
          .where('chunks.id', 'in', [...vectors.keys()])
          .execute();
        const byModel = new Map<number, IndexEntry[]>();
        const bare = new Set<string>();
        for (const row of rows) {
          const vector = vectors.get(row.id) ?? null;
          if (vector === null) {
            bare.add(row.document_id);
            continue;
          }
          const list = byModel.get(row.model_n) ?? [];
          byModel.set(row.model_n, list);
          list.push({
            seq: row.seq,
            tenantId: row.tenant_id,
            userId: row.user_id,
            visibility: toVisibility(row.visibility),
            readerRoles: row.reader_roles,
            ...wordsOf({ headingPath: json(row.heading_path), text: row.text, tableHead: row.table_head }),
            vector,
          });
        }
        for (const [n, list] of byModel) {
          const model = models.get(n);
          if (model === undefined) throw new Error(`the embedding model ${n} has not been prepared`);
          await index.add(tx, model, list);
        }
        // Another number than the present one has the document indexed again at the next start.
        if (bare.size > 0) {
          await tx
            .updateTable('documents')
            .set({ chunking_version: 0 })
            .where('id', 'in', [...bare])
            .execute();
        }
      });
    },
    close: () => index.close(),
  };
};
