import { createHash } from 'node:crypto';
import type { BlobStore } from '../../kernel/blobs.ts';
import type { Clock } from '../../kernel/clock.ts';
import { type DocumentParser, type ParsedDocument, ParseError } from '../../kernel/parser.ts';
import { blobKey } from './blob-key.ts';
import { CHUNKING_VERSION, chunkDocument, documentText, embedText } from './chunks.ts';
import type { ChargedEmbedder } from './embedding.ts';
import type { EmbeddedChunk } from './generations.store.ts';
import { createKeyedLock } from './keyed-lock.ts';
import type { EmbeddingModel } from './passage-index.ts';
import type { UploadInput } from './ports.ts';
import { titleOf } from './rules.ts';
import type { KnowledgeStore, StaleDocument } from './store.ts';
import type { UploadTask } from './upload-task.ts';

/** From bytes to passages with their vectors, at an upload and whenever a document is read anew. */

export interface IndexingDeps {
  store: KnowledgeStore;
  blobs: BlobStore;
  parser: DocumentParser;
  embedder: ChargedEmbedder;
  model: EmbeddingModel;
  clock: Clock;
  /** Gets faults of background work. */
  warn(fault: unknown, message: string): void;
}

/** What is written of a document that has been read. */
export interface IndexedContent {
  parsed: ParsedDocument;
  title: string;
  text: string;
  chunks: readonly EmbeddedChunk[];
  chunkingVersion: number;
}

/**
 * Longer than what the built-in embedder reads at its best (256 of its tokens are about 300 by our estimate): measured,
 * fewer and longer passages find more (docs/knowledge.md).
 */
const CHUNK_OPTIONS = { targetTokens: 300 };
/** Passages whose vectors are kept together while their upload is on its way: those of one call, which is paid once. */
const BATCH = 32;
/** What is stored with each document; another number has it indexed again. */
const INDEXING_VERSION = CHUNKING_VERSION * 1000 + CHUNK_OPTIONS.targetTokens;

export type Indexing = ReturnType<typeof createIndexing>;

export const createIndexing = (deps: IndexingDeps) => {
  const { store, blobs, parser, embedder, model, clock } = deps;
  /** Work on one document, or on one name that documents come in by, runs one after another. */
  const locked = createKeyedLock();
  let closing = false;

  /** Batch by batch; of an upload what is done is kept, and what an earlier attempt has done is taken over. */
  const vectorsOf = async (
    owner: { tenantId: string; userId: string },
    texts: readonly string[],
    task: UploadTask | null,
  ): Promise<Float32Array[]> => {
    if (task === null) return embedder.embed(owner, texts, { purpose: 'document' });
    const made: Float32Array[][] = [];
    let next = 0;
    let done = 0;
    const one = async (n: number): Promise<void> => {
      task.signal.throwIfAborted();
      const batch = texts.slice(n * BATCH, (n + 1) * BATCH);
      const digest = createHash('sha256')
        .update(JSON.stringify([model.id, batch]))
        .digest('hex');
      const known = await task.known(n, digest);
      const vectors = known ?? (await embedder.embed(owner, batch, { purpose: 'document' }));
      if (known === null) await task.keep(n, digest, vectors);
      made[n] = vectors;
      done += vectors.length;
      task.report({ chunksDone: done });
    };
    const oneByOne = async (): Promise<void> => {
      try {
        for (let n = next++; n * BATCH < texts.length; n = next++) await one(n);
      } catch (error) {
        next = texts.length;
        throw error;
      }
    };
    await Promise.all(Array.from({ length: embedder.atOnce }, oneByOne));
    return made.flat();
  };

  const embedded = async (
    owner: { tenantId: string; userId: string },
    parsed: ParsedDocument,
    title: string,
    task: UploadTask | null = null,
  ): Promise<EmbeddedChunk[]> => {
    // The title that readers see is the one that is searched.
    const chunks = chunkDocument({ ...parsed, title }, CHUNK_OPTIONS);
    if (chunks.length === 0) throw new ParseError('no_text', 'the document has no text');
    task?.report({ chunksDone: 0, chunks: chunks.length });
    const vectors = await vectorsOf(owner, chunks.map(embedText), task);
    return chunks.map((chunk, i) => ({ chunk, vector: vectors[i] ?? new Float32Array(model.dimensions) }));
  };

  /** What was uploaded, read and embedded; nothing is kept yet. */
  const contentOf = async (
    owner: { tenantId: string; userId: string },
    input: UploadInput,
    task: UploadTask,
  ): Promise<IndexedContent> => {
    task.signal.throwIfAborted();
    const parsed = await parser.parse(input.bytes, {
      ...input,
      tenantId: owner.tenantId,
      signal: task.signal,
      onPages: (pagesDone, pages) => task.report({ pagesDone, pages }),
    });
    const text = documentText(parsed);
    const title = titleOf(input.title, parsed.title, input.filename, text);
    task.report({ pagesDone: parsed.pageCount, pages: parsed.pageCount });
    const chunks = await embedded(owner, parsed, title, task);
    return { parsed, title, text, chunks, chunkingVersion: INDEXING_VERSION };
  };

  /** The same under another title, which its passages are searched by. */
  const titled = async (
    owner: { tenantId: string; userId: string },
    content: IndexedContent,
    title: string,
    task: UploadTask,
  ): Promise<IndexedContent> => ({
    ...content,
    title,
    chunks: await embedded(owner, content.parsed, title, task),
  });

  /** Reads the kept bytes anew, into chunks of the present model and chunking. */
  const reindex = async (
    document: StaleDocument & { sha256: string; filename: string | null; contentType: string },
    title: string,
  ) => {
    const bytes = await blobs.read(blobKey(document));
    if (bytes === null) throw new Error(`the bytes of document ${document.id} are missing`);
    const parsed = await parser.parse(bytes, {
      tenantId: document.tenantId,
      filename: document.filename,
      declaredType: document.contentType,
    });
    const chunks = await embedded(document, parsed, title);
    await store.replaceChunks(
      model,
      document.id,
      {
        text: documentText(parsed),
        chunks,
        chunkingVersion: INDEXING_VERSION,
        title,
        unreadPages: parsed.unreadPages ?? [],
        leftOut: parsed.leftOut ?? [],
      },
      clock.now,
    );
  };

  /** As it is now, if it still is. */
  const reindexPresent = async ({ id, tenantId, userId }: Omit<StaleDocument, 'title'>): Promise<void> => {
    const document = closing ? null : await store.get({ tenantId, userId, reach: 'own' }, id);
    if (document !== null) await reindex(document, document.title);
  };

  return {
    locked,
    contentOf,
    titled,
    reindex,

    /**
     * Indexes again what was indexed with another model or an older chunking, one after another. Words find such a
     * document all the while; vectors find it again once it is done.
     */
    async refresh(): Promise<void> {
      let after = '';
      for (;;) {
        const stale = await store.stale(model, INDEXING_VERSION, after);
        for (const document of stale) {
          if (closing) return;
          after = document.id;
          await locked(document.id, () => reindexPresent(document)).catch((fault: unknown) =>
            deps.warn(fault, `document ${document.id} could not be indexed again`),
          );
        }
        if (stale.length === 0) break;
      }
      await store.dropUnusedModels(model);
    },

    close(): void {
      closing = true;
    },
  };
};
