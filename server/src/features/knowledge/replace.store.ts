import type { Db, Queryable, Tx } from '../../db/db.ts';
import { notFound } from '../../kernel/errors.ts';
import type { LeftOut } from '../../kernel/parser.ts';
import { replaceMetadata } from './change.store.ts';
import { patchedIn, toVisibility } from './document-rows.store.ts';
import { batches, type WriteSteps, writeVersion } from './document-write.store.ts';
import { type EmbeddedChunk, type Generations, keepChunkIds } from './generations.store.ts';
import type { EmbeddingModel } from './passage-index.ts';
import type { KnowledgeDocument, Sharing } from './ports.ts';
import { isPatched, roleSet } from './rules.ts';
import { foldedName } from './terms.rules.ts';

/** Other content in the place of a document's. */

/** What is new about a document whose bytes are replaced. */
export type NewSource = Pick<
  KnowledgeDocument,
  'filename' | 'contentType' | 'sizeBytes' | 'sha256' | 'language' | 'pageCount'
> & {
  indexedAt: number;
  /** Id of the upload: what a PATCH has set after it stays. */
  uploadId: string;
  /** Null: as the document has it. */
  metadata: Record<string, unknown> | null;
  sharing: Sharing | null;
};

export interface NewContent {
  text: string;
  chunks: readonly EmbeddedChunk[];
  chunkingVersion: number;
  title: string;
  unreadPages: readonly number[];
  leftOut: readonly LeftOut[];
  /** Where the bytes themselves are others, what is new about them. */
  source?: NewSource;
}

interface PresentRow {
  visibility: string;
  reader_roles: number;
  patched: string | null;
  id: string;
  title: string;
  filename: string | null;
  version: number;
  generation: number;
}

/** Who reads it once it is shown. */
const readersOf = (
  { source }: NewContent,
  row: Pick<PresentRow, 'visibility' | 'reader_roles' | 'patched'>,
) =>
  source === undefined ||
  source.sharing === null ||
  isPatched(patchedIn(row.patched), 'sharing', source.uploadId)
    ? { visibility: toVisibility(row.visibility), readerRoles: row.reader_roles }
    : { visibility: source.sharing.visibility, readerRoles: roleSet(source.sharing.readerRoles) };

/** What is to stand beside it; null: what does already. */
const newMetadata = ({ source }: NewContent, { patched }: PresentRow): Record<string, unknown> | null =>
  source === undefined || isPatched(patchedIn(patched), 'metadata', source.uploadId) ? null : source.metadata;

const changedRow = (content: NewContent, row: PresentRow, generation: number, modelN: number) => {
  const { source } = content;
  const { visibility, readerRoles } = readersOf(content, row);
  const metadata = newMetadata(content, row);
  return {
    text: content.text,
    visibility,
    reader_roles: readerRoles,
    ...(metadata === null ? {} : { metadata: JSON.stringify(metadata) }),
    generation,
    chunk_count: content.chunks.length,
    model_n: modelN,
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
  };
};

const nextGeneration = async (tx: Queryable, row: PresentRow): Promise<number> => {
  const newest = await tx
    .selectFrom('hidden_generations')
    .select((w) => w.fn.max('generation').as('n'))
    .where('document_id', '=', row.id)
    .executeTakeFirst();
  return Math.max(row.generation, Number(newest?.n ?? 0)) + 1;
};

const NOTHING_BESIDE: WriteSteps = { guard: () => Promise.resolve(), shown: () => Promise.resolve() };

export const createReplace = (db: Db, generations: Generations) => {
  const { addChunks, hide, unhide, purgeGeneration } = generations;

  const present = async (tx: Queryable, id: string) => {
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
        'patched',
      ])
      .where('id', '=', id)
      .where('status', '=', 'ready');
    // Nobody deletes it between this and the end of the transaction.
    const row = await (db.dialect === 'postgres' ? query.forUpdate() : query).executeTakeFirst();
    if (row === undefined) throw notFound('document');
    return row;
  };
  /**
   * Puts other chunks in the place of a document's: at each instant readers find the earlier ones or the new ones, all
   * of them. Chunks at the same place with the same text keep their ids. Gives the hash of the bytes that were replaced.
   * Throws NOT_FOUND when the document goes meanwhile.
   */
  return async (
    model: EmbeddingModel,
    id: string,
    content: NewContent,
    now: () => number,
    steps: WriteSteps = NOTHING_BESIDE,
  ): Promise<{ replacedSha256: string }> => {
    const write = async (tx: Tx, batch: readonly EmbeddedChunk[], generation: number) => {
      await steps.guard(tx);
      const row = await present(tx, id);
      const owner = {
        id,
        tenantId: row.tenant_id,
        userId: row.user_id,
        ...readersOf(content, row),
      };
      await addChunks(tx, model, owner, batch, generation);
    };
    const swap = async (tx: Tx, generation: number) => {
      await steps.guard(tx);
      const row = await present(tx, id);
      const { source } = content;
      await hide(tx, id, row.generation, now());
      await unhide(tx, id, generation);
      await keepChunkIds(tx, id, row.generation, generation);
      await tx
        .updateTable('documents')
        .set(changedRow(content, row, generation, model.n))
        .where('id', '=', id)
        .execute();
      const metadata = newMetadata(content, row);
      if (metadata !== null) await replaceMetadata(tx, id, metadata);
      if (source !== undefined) {
        await writeVersion(tx, {
          sha256: source.sha256,
          sizeBytes: source.sizeBytes,
          id,
          title: content.title,
          version: row.version + 1,
          createdAt: source.indexedAt,
        });
      }
      await steps.shown(tx);
      return { earlier: row.generation, replacedSha256: row.sha256 };
    };

    const [first = [], ...rest] = batches(content.chunks);
    const begun = await db.write(async (tx) => {
      const row = await present(tx, id);
      const generation = await nextGeneration(tx, row);
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
  };
};
