import { sql } from 'kysely';
import type { Db, Queryable } from '../../db/db.ts';
import { newId } from '../../kernel/ids.ts';
import type { Chunk } from './chunks.ts';
import type { EmbeddingModel, IndexEntry, PassageIndex } from './passage-index.ts';
import { wordsOf } from './terms.rules.ts';

/** Chunks in and out of the table and both indexes, and which of them readers do not see. */

/** Chunks taken out in one transaction. */
const BATCH = 64;

/** A chunk with its vector, ready to be written. */
export interface EmbeddedChunk {
  chunk: Chunk;
  vector: Float32Array;
}

export type ChunkOwner = Pick<IndexEntry, 'tenantId' | 'userId' | 'visibility' | 'readerRoles'> & {
  id: string;
};

/** Gives chunks of `to` the ids of those of `from` that stand at the same place with the same text. */
export const keepChunkIds = async (tx: Queryable, id: string, from: number, to: number): Promise<void> => {
  const same = sql`from chunks o where o.document_id = ${id} and o.generation = ${from}
    and o.ordinal = chunks.ordinal and o.text = chunks.text`;
  // Ids are unique: the earlier chunks, which go next, give theirs (36 characters) up first.
  await sql`update chunks set id = id || ${`~${from}`} where document_id = ${id} and generation = ${from}`.execute(
    tx,
  );
  await sql`update chunks set id = (select substr(o.id, 1, 36) ${same})
    where document_id = ${id} and generation = ${to} and exists (select 1 ${same})`.execute(tx);
};

/** From the store, since other nodes bring in and drop models too. */
export const registeredModels = (tx: Queryable): Promise<EmbeddingModel[]> =>
  tx.selectFrom('embedding_models').select(['n', 'id', 'dimensions']).orderBy('n').execute();

export type Generations = ReturnType<typeof createGenerations>;

export const createGenerations = (db: Db, index: PassageIndex) => {
  const removeChunks = async (tx: Queryable, seqs: readonly number[]): Promise<void> => {
    if (seqs.length === 0) return;
    await index.remove(tx, await registeredModels(tx), seqs);
    await tx.deleteFrom('chunks').where('seq', 'in', seqs).execute();
  };

  const unhide = async (tx: Queryable, id: string, generation: number): Promise<void> => {
    await tx
      .deleteFrom('hidden_generations')
      .where('document_id', '=', id)
      .where('generation', '=', generation)
      .execute();
  };

  /** Takes up to a batch of a document's chunks out, of one generation or of all; whether there may be more. */
  const removeSome = async (tx: Queryable, id: string, generation: number | null): Promise<boolean> => {
    let rows = tx.selectFrom('chunks').select('seq').where('document_id', '=', id);
    if (generation !== null) rows = rows.where('generation', '=', generation);
    const seqs = (await rows.limit(BATCH).execute()).map((row) => row.seq);
    await removeChunks(tx, seqs);
    return seqs.length === BATCH;
  };

  return {
    async addChunks(
      tx: Queryable,
      model: EmbeddingModel,
      document: ChunkOwner,
      chunks: readonly EmbeddedChunk[],
      generation: number,
    ): Promise<void> {
      if (chunks.length === 0) return;
      const rows = await tx
        .insertInto('chunks')
        .values(
          chunks.map(({ chunk }) => ({
            id: newId(),
            document_id: document.id,
            tenant_id: document.tenantId,
            ordinal: chunk.ordinal,
            start_offset: chunk.start,
            end_offset: chunk.end,
            page: chunk.page,
            heading_path: JSON.stringify(chunk.headingPath),
            table_head: chunk.tableHead,
            text: chunk.text,
            generation,
          })),
        )
        .returning(['seq', 'ordinal'])
        .execute();
      // Rows come back in no order that an engine promises.
      const seqs = new Map(rows.map((row) => [row.ordinal, row.seq]));
      const entries = chunks.map(({ chunk, vector }) => {
        const seq = seqs.get(chunk.ordinal);
        if (seq === undefined)
          throw new Error(`chunk ${chunk.ordinal} of document ${document.id} has no row`);
        return { ...document, ...wordsOf(chunk), seq, vector };
      });
      await index.add(tx, model, entries);
    },

    async hide(tx: Queryable, id: string, generation: number, now: number): Promise<void> {
      await tx
        .insertInto('hidden_generations')
        .values({ document_id: id, generation, created_at: now })
        .onConflict((c) => c.doNothing())
        .execute();
    },

    unhide,

    /** Removes chunks batch by batch, then the row. The document is in state `deleting` by then. */
    async purge(id: string): Promise<void> {
      for (;;) {
        const more = await db.write(async (tx) => {
          if (await removeSome(tx, id, null)) return true;
          await tx.deleteFrom('documents').where('id', '=', id).where('status', '=', 'deleting').execute();
          return false;
        });
        if (!more) return;
      }
    },

    /** Removes the chunks of a hidden generation batch by batch. */
    async purgeGeneration(id: string, generation: number): Promise<void> {
      for (;;) {
        const more = await db.write(async (tx) => {
          if (await removeSome(tx, id, generation)) return true;
          await unhide(tx, id, generation);
          return false;
        });
        if (!more) return;
      }
    },

    /** Hidden generations of ready documents. */
    async hiddenBefore(before: number): Promise<{ id: string; generation: number }[]> {
      const rows = await db.read
        .selectFrom('hidden_generations')
        .innerJoin('documents', 'documents.id', 'hidden_generations.document_id')
        .select(['hidden_generations.document_id', 'hidden_generations.generation'])
        .where('documents.status', '=', 'ready')
        .where('hidden_generations.created_at', '<', before)
        .execute();
      return rows.map((row) => ({ id: row.document_id, generation: row.generation }));
    },
  };
};
