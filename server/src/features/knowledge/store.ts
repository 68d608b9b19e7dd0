import type { Along, Db, Queryable } from '../../db/db.ts';
import { notFound } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { Chunk } from './chunks.ts';
import { COLUMNS, json, toDocument, toVisibility } from './document-rows.ts';
import type { EmbeddingModel, PassageIndex } from './passage-index.ts';
import type { KnowledgeDocument } from './ports.ts';
import { createKnowledgeReads } from './read.store.ts';
import { factsOf, type Visibility } from './rules.ts';
import { fold, wordsOf } from './terms.rules.ts';

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
 * Only `ready` documents exist for readers, so that no half of one is ever seen.
 */

/** Chunks written in one transaction: on SQLite other writers wait that long (about 10 ms). */
const BATCH = 64;

const foldedName = (title: string, filename: string | null): string => fold(`${title}\n${filename ?? ''}`);

/** A chunk with its vector, ready to be written. */
export interface EmbeddedChunk {
  chunk: Chunk;
  vector: Float32Array;
}

export interface NewDocument extends Omit<KnowledgeDocument, 'chunkCount' | 'indexedAt'> {
  text: string;
  chunks: readonly EmbeddedChunk[];
  chunkingVersion: number;
}

export interface StaleDocument {
  id: string;
  tenantId: string;
  userId: string;
  title: string;
}

const batches = <T>(items: readonly T[]): T[][] => {
  const out: T[][] = [];
  for (let at = 0; at < items.length; at += BATCH) out.push(items.slice(at, at + BATCH));
  return out;
};

export type KnowledgeStore = ReturnType<typeof createKnowledgeStore>;

/** `models` in use are read once: another node that brings a new one restarts anyway. */
export const createKnowledgeStore = (db: Db, index: PassageIndex) => {
  let models: EmbeddingModel[] = [];

  const writeFacts = async (tx: Queryable, id: string, metadata: Record<string, unknown>): Promise<void> => {
    const facts = factsOf(metadata);
    if (facts.length === 0) return;
    await tx
      .insertInto('document_facts')
      .values(facts.map((fact) => ({ document_id: id, ...fact })))
      .execute();
  };

  const addChunks = async (
    tx: Queryable,
    model: EmbeddingModel,
    document: { id: string; tenantId: string; userId: string; visibility: Visibility },
    chunks: readonly (EmbeddedChunk & { id?: string })[],
  ): Promise<void> => {
    for (const { chunk, vector, id } of chunks) {
      const { seq } = await tx
        .insertInto('chunks')
        .values({
          id: id ?? newId(),
          document_id: document.id,
          tenant_id: document.tenantId,
          ordinal: chunk.ordinal,
          start_offset: chunk.start,
          end_offset: chunk.end,
          page: chunk.page,
          heading_path: JSON.stringify(chunk.headingPath),
          table_head: chunk.tableHead,
          text: chunk.text,
        })
        .returning('seq')
        .executeTakeFirstOrThrow();
      await index.add(tx, model, [{ ...document, ...wordsOf(chunk), seq, vector }]);
    }
  };

  const removeChunks = async (tx: Queryable, seqs: readonly number[]): Promise<void> => {
    if (seqs.length === 0) return;
    await index.remove(tx, models, seqs);
    await tx.deleteFrom('chunks').where('seq', 'in', seqs).execute();
  };

  /** Removes chunks batch by batch, then the row. The document is in state `deleting` by then. */
  const purge = async (id: string): Promise<void> => {
    for (;;) {
      const left = await db.write(async (tx) => {
        const rows = await tx
          .selectFrom('chunks')
          .select('seq')
          .where('document_id', '=', id)
          .limit(BATCH)
          .execute();
        await removeChunks(
          tx,
          rows.map((row) => row.seq),
        );
        if (rows.length === BATCH) return true;
        await tx.deleteFrom('documents').where('id', '=', id).where('status', '=', 'deleting').execute();
        return false;
      });
      if (!left) return;
    }
  };

  const setStatus = (id: string, from: readonly string[], to: string, note?: Along): Promise<boolean> =>
    db.write(async (tx) => {
      const result = await tx
        .updateTable('documents')
        .set({ status: to })
        .where('id', '=', id)
        .where('status', 'in', [...from])
        .executeTakeFirst();
      if (result.numUpdatedRows !== 1n) return false;
      await note?.(tx);
      return true;
    });

  return {
    /** The registered number of a model; vectors of different models never share a table. */
    async useModel(id: string, dimensions: number, now: number): Promise<EmbeddingModel> {
      const model = await db.write(async (tx) => {
        const known = await tx
          .selectFrom('embedding_models')
          .select(['n', 'id', 'dimensions'])
          .orderBy('n')
          .execute();
        let used = known.find((m) => m.id === id && m.dimensions === dimensions);
        if (used === undefined) {
          used = { n: (known.at(-1)?.n ?? 0) + 1, id, dimensions };
          await tx
            .insertInto('embedding_models')
            .values({ ...used, created_at: now })
            .execute();
          known.push(used);
        }
        await index.prepare(tx, used);
        models = known;
        return used;
      });
      return model;
    },

    /** Drops vectors of models that no document has any more. */
    async dropUnusedModels(current: EmbeddingModel): Promise<void> {
      await db.write(async (tx) => {
        const used = await tx.selectFrom('documents').select('model_n').distinct().execute();
        const kept = new Set([current.n, ...used.map((row) => row.model_n)]);
        for (const model of models.filter((m) => !kept.has(m.n))) {
          await index.drop(tx, model);
          await tx.deleteFrom('embedding_models').where('n', '=', model.n).execute();
        }
        models = models.filter((m) => kept.has(m.n));
      });
    },

    async findByBytes(tenantId: string, userId: string, sha256: string) {
      const row = await db.read
        .selectFrom('documents')
        .select([...COLUMNS, 'documents.status'])
        .where('tenant_id', '=', tenantId)
        .where('user_id', '=', userId)
        .where('sha256', '=', sha256)
        .where('status', '<>', 'deleting')
        .executeTakeFirst();
      return row ? { ready: row.status === 'ready', document: toDocument(row) } : null;
    },

    /** False when the owner has these bytes already; nothing is written then. */
    async add(model: EmbeddingModel, document: NewDocument, now: () => number): Promise<boolean> {
      const [first = [], ...rest] = batches(document.chunks);
      const whole = rest.length === 0;
      const created = await db.write(async (tx) => {
        const inserted = await tx
          .insertInto('documents')
          .values({
            id: document.id,
            tenant_id: document.tenantId,
            user_id: document.userId,
            status: whole ? 'ready' : 'indexing',
            title: document.title,
            filename: document.filename,
            content_type: document.contentType,
            size_bytes: document.sizeBytes,
            sha256: document.sha256,
            language: document.language,
            page_count: document.pageCount,
            chunk_count: document.chunks.length,
            visibility: document.visibility,
            metadata: JSON.stringify(document.metadata),
            folded_name: foldedName(document.title, document.filename),
            text: document.text,
            model_n: model.n,
            chunking_version: document.chunkingVersion,
            created_at: document.createdAt,
            indexed_at: whole ? now() : null,
          })
          .onConflict((c) => c.doNothing())
          .executeTakeFirst();
        if (inserted.numInsertedOrUpdatedRows !== 1n) return false;
        await writeFacts(tx, document.id, document.metadata);
        await addChunks(tx, model, document, first);
        return true;
      });
      if (!created || whole) return created;
      try {
        for (const batch of rest) await db.write((tx) => addChunks(tx, model, document, batch));
        await db.write(async (tx) => {
          await tx
            .updateTable('documents')
            .set({ status: 'ready', indexed_at: now() })
            .where('id', '=', document.id)
            .execute();
        });
        return true;
      } catch (error) {
        await setStatus(document.id, ['indexing'], 'deleting');
        await purge(document.id);
        throw error;
      }
    },

    /**
     * Puts other chunks in the place of a document's, batch by batch, so that search never misses it. Chunks at the same
     * place with the same text keep their ids. Throws NOT_FOUND when the document goes meanwhile.
     */
    async replaceChunks(
      model: EmbeddingModel,
      id: string,
      content: { text: string; chunks: readonly EmbeddedChunk[]; chunkingVersion: number; title: string },
    ): Promise<void> {
      const parts = batches(content.chunks);
      for (const [n, batch] of parts.entries()) {
        const isLast = n === parts.length - 1;
        await db.write(async (tx) => {
          const document = await tx
            .selectFrom('documents')
            .select(['id', 'tenant_id', 'user_id', 'visibility', 'filename'])
            .where('id', '=', id)
            .where('status', '=', 'ready')
            .executeTakeFirst();
          if (document === undefined) throw notFound('document');
          const from = batch[0]?.chunk.ordinal ?? 0;
          let old = tx
            .selectFrom('chunks')
            .select(['seq', 'id', 'ordinal', 'text'])
            .where('document_id', '=', id)
            .where('ordinal', '>=', from);
          if (!isLast) old = old.where('ordinal', '<', from + batch.length);
          const rows = await old.execute();
          const ids = new Map(rows.map((row) => [`${row.ordinal}\n${row.text}`, row.id]));
          await removeChunks(
            tx,
            rows.map((row) => row.seq),
          );
          const owner = {
            id,
            tenantId: document.tenant_id,
            userId: document.user_id,
            visibility: toVisibility(document.visibility),
          };
          await addChunks(
            tx,
            model,
            owner,
            batch.map((b) => ({ ...b, id: ids.get(`${b.chunk.ordinal}\n${b.chunk.text}`) })),
          );
          if (!isLast) return;
          await tx
            .updateTable('documents')
            .set({
              text: content.text,
              chunk_count: content.chunks.length,
              model_n: model.n,
              chunking_version: content.chunkingVersion,
              title: content.title,
              folded_name: foldedName(content.title, document.filename),
            })
            .where('id', '=', id)
            .execute();
        });
      }
    },

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

    /**
     * Visibility and metadata in one step; the indexes follow visibility batch by batch, and until they have, the
     * document counts as one to be indexed again (which a start after a crash then does).
     */
    async change(
      id: string,
      changes: { visibility?: Visibility; metadata?: Record<string, unknown> },
    ): Promise<void> {
      const { visibility, metadata } = changes;
      const before = await db.write(async (tx) => {
        const row = await tx
          .selectFrom('documents')
          .select(['tenant_id', 'user_id', 'visibility', 'chunking_version'])
          .where('id', '=', id)
          .where('status', '=', 'ready')
          .executeTakeFirst();
        if (row === undefined) throw notFound('document');
        const moves = visibility !== undefined && visibility !== row.visibility;
        await tx
          .updateTable('documents')
          .set({
            ...(moves ? { visibility, chunking_version: 0 } : {}),
            ...(metadata === undefined ? {} : { metadata: JSON.stringify(metadata) }),
            // Never empty.
            status: 'ready',
          })
          .where('id', '=', id)
          .execute();
        if (metadata !== undefined) {
          await tx.deleteFrom('document_facts').where('document_id', '=', id).execute();
          await writeFacts(tx, id, metadata);
        }
        return moves ? row : null;
      });
      if (before === null || visibility === undefined) return;
      let from = 0;
      for (;;) {
        const count = await db.write(async (tx) => {
          const rows = await tx
            .selectFrom('chunks')
            .select(['seq', 'heading_path', 'table_head', 'text'])
            .where('document_id', '=', id)
            .where('ordinal', '>=', from)
            .where('ordinal', '<', from + BATCH)
            .execute();
          const owner = { tenantId: before.tenant_id, userId: before.user_id, visibility };
          for (const row of rows) {
            const words = wordsOf({
              headingPath: json(row.heading_path),
              text: row.text,
              tableHead: row.table_head,
            });
            await index.share(tx, models, { ...owner, ...words, seq: row.seq });
          }
          if (rows.length === 0) {
            await tx
              .updateTable('documents')
              .set({ chunking_version: before.chunking_version })
              .where('id', '=', id)
              .execute();
          }
          return rows.length;
        });
        if (count === 0) return;
        from += BATCH;
      }
    },

    /** True when it was there; from then on nobody sees it, and `purge` may take its time. */
    startDeleting: (id: string, note?: Along): Promise<boolean> => setStatus(id, ['ready'], 'deleting', note),

    purge,

    /** What an earlier process left half in or half out. On PostgreSQL other nodes may be at work: only older ones. */
    async abandoned(now: number): Promise<{ id: string; sha256: string }[]> {
      const before = db.dialect === 'sqlite' ? Number.MAX_SAFE_INTEGER : now - 15 * 60_000;
      const rows = await db.read
        .selectFrom('documents')
        .select(['id', 'sha256'])
        .where('status', '<>', 'ready')
        .where('created_at', '<', before)
        .execute();
      for (const row of rows) await setStatus(row.id, ['indexing'], 'deleting');
      return rows;
    },

    async exists(id: string): Promise<boolean> {
      const row = await db.read.selectFrom('documents').select('id').where('id', '=', id).executeTakeFirst();
      return row !== undefined;
    },
  };
};
