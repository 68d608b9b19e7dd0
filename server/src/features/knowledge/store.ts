import type { Along, Db, Queryable, Tx } from '../../db/db.ts';
import type { Cluster } from '../../kernel/cluster.ts';
import { notFound } from '../../kernel/errors.ts';
import type { LeftOut } from '../../kernel/parser.ts';
import { createDocumentChanges, writeFacts } from './change.store.ts';
import { COLUMNS, toDocument, toVisibility } from './document-rows.store.ts';
import {
  createGenerations,
  type EmbeddedChunk,
  keepChunkIds,
  registeredModels,
} from './generations.store.ts';
import type { EmbeddingModel, PassageIndex } from './passage-index.ts';
import type { KnowledgeDocument } from './ports.ts';
import { createKnowledgeReads } from './read.store.ts';
import { dropRecognizedPages } from './recognized.store.ts';
import { roleSet } from './rules.ts';
import { fold } from './terms.rules.ts';

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

/** Chunks written in one transaction: on SQLite other writers wait that long (about 10 ms). */
const BATCH = 64;

const foldedName = (title: string, filename: string | null): string => fold(`${title}\n${filename ?? ''}`);

export interface NewDocument
  extends Omit<KnowledgeDocument, 'chunkCount' | 'indexedAt' | 'version' | 'trusted'> {
  text: string;
  chunks: readonly EmbeddedChunk[];
  chunkingVersion: number;
}

/** What is new about a document whose bytes are replaced. */
export type NewSource = Pick<
  KnowledgeDocument,
  'filename' | 'contentType' | 'sizeBytes' | 'sha256' | 'language' | 'pageCount'
> & { indexedAt: number };

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
export const createKnowledgeStore = (db: Db, index: PassageIndex, { alone }: Pick<Cluster, 'alone'>) => {
  let models: EmbeddingModel[] = [];

  const writeVersion = async (
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

  const readIn = async (tx: Queryable, id: string): Promise<KnowledgeDocument> =>
    toDocument(
      await tx.selectFrom('documents').select(COLUMNS).where('id', '=', id).executeTakeFirstOrThrow(),
    );

  const { addChunks, hide, unhide, purge, purgeGeneration, hiddenBefore } = createGenerations(db, index);

  const setStatus = (id: string, from: readonly string[], to: string, note?: Along): Promise<boolean> =>
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

  return {
    /** The registered number of a model; vectors of different models never share a table. */
    async useModel(id: string, dimensions: number, now: number): Promise<EmbeddingModel> {
      const model = await db.write(async (tx) => {
        const known = await registeredModels(tx);
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

    /** Models other than the present one that documents still have the vectors of; empty most of the time, and then free. */
    async earlierModels(current: EmbeddingModel): Promise<EmbeddingModel[]> {
      const earlier = models.filter((m) => m.n !== current.n);
      if (earlier.length === 0) return [];
      const used = await Promise.all(
        earlier.map((m) =>
          db.read.selectFrom('documents').select('id').where('model_n', '=', m.n).limit(1).executeTakeFirst(),
        ),
      );
      return earlier.filter((_, i) => used[i] !== undefined);
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

    /**
     * Null when the owner has these bytes already; nothing is written then. `along` goes with the step that shows it, and the
     * document is as it stood then.
     */
    async add(
      model: EmbeddingModel,
      document: NewDocument,
      now: () => number,
      along: Along,
    ): Promise<KnowledgeDocument | null> {
      const [first = [], ...rest] = batches(document.chunks);
      const whole = rest.length === 0;
      const owner = { ...document, readerRoles: roleSet(document.readerRoles) };
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
            unread_pages: JSON.stringify(document.unreadPages),
            left_out: JSON.stringify(document.leftOut),
            chunk_count: document.chunks.length,
            visibility: document.visibility,
            reader_roles: roleSet(document.readerRoles),
            metadata: JSON.stringify(document.metadata),
            folded_name: foldedName(document.title, document.filename),
            text: document.text,
            model_n: model.n,
            chunking_version: document.chunkingVersion,
            created_at: document.createdAt,
            indexed_at: whole ? now() : null,
            external_id: document.externalId,
          })
          .onConflict((c) => c.doNothing())
          .executeTakeFirst();
        if (inserted.numInsertedOrUpdatedRows !== 1n) return null;
        await writeVersion(tx, { ...document, version: 1 });
        await writeFacts(tx, document.id, document.metadata);
        if (!whole) await hide(tx, document.id, 1, now());
        await addChunks(tx, model, owner, first, 1);
        if (whole) await along(tx);
        return readIn(tx, document.id);
      });
      if (created === null || whole) return created;
      try {
        for (const batch of rest) await db.write((tx) => addChunks(tx, model, owner, batch, 1));
        return await db.write(async (tx) => {
          await tx
            .updateTable('documents')
            .set({ status: 'ready', indexed_at: now() })
            .where('id', '=', document.id)
            .execute();
          await unhide(tx, document.id, 1);
          await along(tx);
          return readIn(tx, document.id);
        });
      } catch (error) {
        await setStatus(document.id, ['indexing'], 'deleting');
        await purge(document.id);
        throw error;
      }
    },

    /**
     * Puts other chunks in the place of a document's: at each instant readers find the earlier ones or the new ones, all
     * of them. Chunks at the same place with the same text keep their ids. Gives the hash of the bytes that were replaced.
     * Throws NOT_FOUND when the document goes meanwhile. `along` is written with the step that shows the new ones.
     */
    async replaceChunks(
      model: EmbeddingModel,
      id: string,
      content: {
        text: string;
        chunks: readonly EmbeddedChunk[];
        chunkingVersion: number;
        title: string;
        unreadPages: readonly number[];
        leftOut: readonly LeftOut[];
        /** Where the bytes themselves are others, what is new about them. */
        source?: NewSource;
      },
      now: () => number,
      along: Along = () => Promise.resolve(),
    ): Promise<{ replacedSha256: string }> {
      const present = async (tx: Queryable) => {
        const query = tx
          .selectFrom('documents')
          .select([
            'id',
            'tenant_id',
            'user_id',
            'visibility',
            'reader_roles',
            'title',
            'filename',
            'version',
            'generation',
            'sha256',
          ])
          .where('id', '=', id)
          .where('status', '=', 'ready');
        // Nobody deletes it between this and the end of the transaction.
        const row = await (db.dialect === 'postgres' ? query.forUpdate() : query).executeTakeFirst();
        if (row === undefined) throw notFound('document');
        return row;
      };
      const write = async (tx: Queryable, batch: readonly EmbeddedChunk[], generation: number) => {
        const row = await present(tx);
        const owner = {
          id,
          tenantId: row.tenant_id,
          userId: row.user_id,
          visibility: toVisibility(row.visibility),
          readerRoles: row.reader_roles,
        };
        await addChunks(tx, model, owner, batch, generation);
      };
      const swap = async (tx: Tx, generation: number) => {
        const row = await present(tx);
        const { source } = content;
        await hide(tx, id, row.generation, now());
        await unhide(tx, id, generation);
        await keepChunkIds(tx, id, row.generation, generation);
        await tx
          .updateTable('documents')
          .set({
            text: content.text,
            generation,
            chunk_count: content.chunks.length,
            model_n: model.n,
            chunking_version: content.chunkingVersion,
            title: content.title,
            unread_pages: JSON.stringify(content.unreadPages),
            left_out: JSON.stringify(content.leftOut),
            folded_name: foldedName(content.title, source?.filename ?? row.filename),
            // Nobody has vouched for what is new.
            ...(source === undefined && content.title === row.title ? {} : { trusted: 0 }),
            ...(source === undefined
              ? {}
              : {
                  filename: source.filename,
                  content_type: source.contentType,
                  size_bytes: source.sizeBytes,
                  sha256: source.sha256,
                  language: source.language,
                  page_count: source.pageCount,
                  version: row.version + 1,
                  indexed_at: source.indexedAt,
                }),
          })
          .where('id', '=', id)
          .execute();
        if (source !== undefined) {
          await writeVersion(tx, {
            ...source,
            id,
            title: content.title,
            version: row.version + 1,
            createdAt: source.indexedAt,
          });
        }
        await along(tx);
        return { earlier: row.generation, replacedSha256: row.sha256 };
      };

      const [first = [], ...rest] = batches(content.chunks);
      const begun = await db.write(async (tx) => {
        const row = await present(tx);
        const newest = await tx
          .selectFrom('hidden_generations')
          .select((w) => w.fn.max('generation').as('n'))
          .where('document_id', '=', id)
          .executeTakeFirst();
        const generation = Math.max(row.generation, Number(newest?.n ?? 0)) + 1;
        await hide(tx, id, generation, now());
        await write(tx, first, generation);
        return { generation, swapped: rest.length === 0 ? await swap(tx, generation) : null };
      });
      let { swapped } = begun;
      try {
        for (const batch of rest) await db.write((tx) => write(tx, batch, begun.generation));
        swapped ??= await db.write((tx) => swap(tx, begun.generation));
      } catch (error) {
        await purgeGeneration(id, begun.generation);
        throw error;
      }
      await purgeGeneration(id, swapped.earlier);
      return { replacedSha256: swapped.replacedSha256 };
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

    ...createDocumentChanges(db, index),

    /** True when it was there; from then on nobody sees it, and `purge` may take its time. */
    startDeleting: (id: string, note?: Along): Promise<boolean> => setStatus(id, ['ready'], 'deleting', note),

    purge,

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
