import { sql } from 'kysely';
import type { Db, Queryable } from '../../db/db.ts';
import type { DocumentRow } from '../../db/tables/knowledge.ts';
import type { Scope } from '../../kernel/caller.ts';
import { notFound } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { PageRequest } from '../../kernel/pagination.ts';
import { type Chunk, embedText } from './chunks.ts';
import { filtered, readable } from './filters.store.ts';
import type { EmbeddingModel, PassageIndex } from './passage-index.ts';
import type { KnowledgeDocument, Passage, SearchFilters, StoredChunk } from './ports.ts';
import { factsOf, type Visibility } from './rules.ts';
import { fold, indexText } from './terms.rules.ts';

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

const COLUMNS = [
  'documents.id',
  'documents.tenant_id',
  'documents.user_id',
  'documents.title',
  'documents.filename',
  'documents.content_type',
  'documents.size_bytes',
  'documents.sha256',
  'documents.language',
  'documents.page_count',
  'documents.chunk_count',
  'documents.visibility',
  'documents.metadata',
  'documents.created_at',
  'documents.indexed_at',
] as const;

type ListedRow = Omit<DocumentRow, 'status' | 'folded_name' | 'text' | 'model_n' | 'chunking_version'>;

const json = <T>(text: string): T => JSON.parse(text) as T;

const toVisibility = (text: string): Visibility => (text === 'tenant' ? 'tenant' : 'private');

const toDocument = (row: ListedRow): KnowledgeDocument => ({
  id: row.id,
  tenantId: row.tenant_id,
  userId: row.user_id,
  title: row.title,
  filename: row.filename,
  contentType: row.content_type,
  sizeBytes: row.size_bytes,
  sha256: row.sha256,
  language: row.language,
  pageCount: row.page_count,
  chunkCount: row.chunk_count,
  visibility: toVisibility(row.visibility),
  metadata: json(row.metadata),
  createdAt: row.created_at,
  indexedAt: row.indexed_at,
});

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

export interface DocumentQuery {
  /** Any of them. */
  tags?: readonly string[];
  contentTypes?: readonly string[];
  /** Part of title or file name, in any case. */
  q?: string;
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
          text: chunk.text,
        })
        .returning('seq')
        .executeTakeFirstOrThrow();
      const words = indexText(embedText(chunk));
      await index.add(tx, model, [{ ...document, seq, words, vector }]);
    }
  };

  const removeChunks = async (tx: Queryable, seqs: readonly number[]): Promise<void> => {
    if (seqs.length === 0) return;
    await index.remove(tx, models, seqs);
    await tx.deleteFrom('chunks').where('seq', 'in', seqs).execute();
  };

  const get = async (scope: Scope, id: string): Promise<KnowledgeDocument | null> => {
    const row = await readable(db.read, scope)
      .select(COLUMNS)
      .where('documents.id', '=', id)
      .executeTakeFirst();
    return row ? toDocument(row) : null;
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

  const setStatus = (id: string, from: readonly string[], to: string): Promise<boolean> =>
    db.write(async (tx) => {
      const result = await tx
        .updateTable('documents')
        .set({ status: to })
        .where('id', '=', id)
        .where('status', 'in', [...from])
        .executeTakeFirst();
      return result.numUpdatedRows === 1n;
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

    get,

    async text(scope: Scope, id: string): Promise<string | null> {
      const row = await readable(db.read, scope)
        .select('documents.text')
        .where('documents.id', '=', id)
        .executeTakeFirst();
      return row?.text ?? null;
    },

    async list(scope: Scope, page: PageRequest, query: DocumentQuery) {
      const filters: SearchFilters = {
        ...(query.tags ? { tags: query.tags } : {}),
        ...(query.contentTypes ? { contentTypes: query.contentTypes } : {}),
      };
      let matching = filtered(db.read, scope, filters);
      if (query.q !== undefined) {
        const pattern = `%${fold(query.q).replaceAll(/[\\%_]/g, '\\$&')}%`;
        matching = matching.where(sql<boolean>`documents.folded_name like ${pattern} escape '\\'`);
      }
      const { total } = await matching
        .select((w) => w.fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow();
      let rows = matching.select(COLUMNS);
      const { after } = page;
      if (after !== null) {
        rows = rows.where((w) =>
          w.or([
            w('documents.created_at', '<', after.createdAt),
            w.and([w('documents.created_at', '=', after.createdAt), w('documents.id', '<', after.id)]),
          ]),
        );
      } else rows = rows.offset((page.page - 1) * page.limit);
      const found = await rows
        .orderBy('documents.created_at', 'desc')
        .orderBy('documents.id', 'desc')
        .limit(page.limit + 1)
        .execute();
      return { documents: found.map(toDocument), total: Number(total) };
    },

    /** In reading order; the cursor's place is the ordinal. */
    async chunks(id: string, page: PageRequest): Promise<StoredChunk[]> {
      let rows = db.read.selectFrom('chunks').selectAll().where('document_id', '=', id);
      if (page.after !== null) rows = rows.where('ordinal', '>', page.after.createdAt);
      else rows = rows.offset((page.page - 1) * page.limit);
      const found = await rows
        .orderBy('ordinal')
        .limit(page.limit + 1)
        .execute();
      return found.map((row) => ({
        id: row.id,
        documentId: row.document_id,
        ordinal: row.ordinal,
        start: row.start_offset,
        end: row.end_offset,
        page: row.page,
        headingPath: json(row.heading_path),
        text: row.text,
      }));
    },

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
            .select(['seq', 'heading_path', 'text'])
            .where('document_id', '=', id)
            .where('ordinal', '>=', from)
            .where('ordinal', '<', from + BATCH)
            .execute();
          const owner = { tenantId: before.tenant_id, userId: before.user_id, visibility };
          for (const row of rows) {
            const words = indexText(embedText({ headingPath: json(row.heading_path), text: row.text, tableHead: null }));
            await index.share(tx, models, { ...owner, seq: row.seq, words });
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
    startDeleting: (id: string): Promise<boolean> => setStatus(id, ['ready'], 'deleting'),

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

    async ofUser(tenantId: string, userId: string): Promise<(KnowledgeDocument & { text: string })[]> {
      const rows = await db.read
        .selectFrom('documents')
        .select([...COLUMNS, 'documents.text'])
        .where('tenant_id', '=', tenantId)
        .where('user_id', '=', userId)
        .where('status', '=', 'ready')
        .orderBy('created_at')
        .execute();
      return rows.map((row) => ({ ...toDocument(row), text: row.text }));
    },

    /** Passages by row number that `scope` may (still) read; the second wall behind the indexes. */
    async passages(scope: Scope, seqs: readonly number[]): Promise<Map<number, Passage>> {
      if (seqs.length === 0) return new Map();
      const rows = await readable(db.read, scope)
        .innerJoin('chunks', 'chunks.document_id', 'documents.id')
        .select([
          'chunks.seq',
          'chunks.id as chunk_id',
          'chunks.page',
          'chunks.heading_path',
          'chunks.ordinal',
          'chunks.text',
          'documents.id',
          'documents.title',
          'documents.content_type',
          'documents.metadata',
        ])
        .where('chunks.seq', 'in', seqs)
        .execute();
      return new Map(
        rows.map((row) => [
          row.seq,
          {
            seq: row.seq,
            chunkId: row.chunk_id,
            documentId: row.id,
            title: row.title,
            contentType: row.content_type,
            metadata: json<Record<string, unknown>>(row.metadata),
            page: row.page,
            headingPath: json<string[]>(row.heading_path),
            ordinal: row.ordinal,
            text: row.text,
          },
        ]),
      );
    },
  };
};
