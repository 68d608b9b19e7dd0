import { notFound } from '../../kernel/errors.ts';
import { blobKey } from './blob-key.ts';
import type { IndexedContent, Indexing } from './indexing.ts';
import {
  type Arrival,
  createIngestSteps,
  foundIn,
  gapsOf,
  type IngestDeps,
  indexed,
} from './ingest-steps.ts';
import type { KnowledgeDocument } from './ports.ts';
import { isPatched } from './rules.ts';

/** An upload that becomes a new version of its document, or says something else of the bytes that it has. */

export const createReplacing = (deps: IngestDeps, indexing: Indexing) => {
  const { store, blobs, model, clock } = deps;
  const { overtaking, stepsOf } = createIngestSteps(deps);

  /** The row says which bytes are its own; on PostgreSQL another node may have replaced them as well. */
  const settleBytes = async (id: string, hashes: ReadonlySet<string>): Promise<void> => {
    for (const sha256 of hashes) {
      const key = blobKey({ id, sha256 });
      await ((await store.holds(id, sha256)) ? blobs.settle(key) : blobs.remove(key));
    }
  };

  /** Other bytes in the place of a document's. */
  const replaceBytes = async (
    arrival: Arrival,
    known: KnowledgeDocument,
    content: IndexedContent,
  ): Promise<void> => {
    const { input, sha256, requestId, task } = arrival;
    const { id } = known;
    const { text, title, chunks, chunkingVersion, parsed } = content;
    await blobs.stage(blobKey({ id, sha256 }), input.bytes);
    // Staged as well: whichever of the two the row names after a crash is kept, the other one goes.
    await blobs.unsettle(blobKey(known));
    try {
      const source = {
        ...foundIn(content),
        filename: input.filename,
        sizeBytes: input.bytes.byteLength,
        sha256,
        indexedAt: clock.now(),
        uploadId: task.id,
        metadata: input.metadata,
        sharing: input.sharing,
      };
      const { contentType } = parsed;
      const asked = isPatched(known.patched, 'sharing', task.id) ? null : input.sharing;
      const { visibility } = asked ?? known;
      const now = { ...known, visibility, title, contentType, chunkCount: chunks.length };
      const { withEvent, settle } = await stepsOf(arrival);
      await store.replaceChunks(
        model,
        id,
        { text, chunks, chunkingVersion, title, ...gapsOf(content), source },
        clock.now,
        withEvent(indexed(now, requestId)),
      );
      await settle();
    } finally {
      await settleBytes(id, new Set([sha256, known.sha256]));
      await store.dropPages(known.sha256, clock.now());
    }
  };

  /** The bytes are those that it has; the rest may be new. */
  const keepBytes = async (arrival: Arrival, known: KnowledgeDocument): Promise<void> => {
    const { input, task } = arrival;
    const { title, metadata, sharing } = input;
    const retitled = title !== null && title !== known.title && !isPatched(known.patched, 'title', task.id);
    if (retitled) await indexing.reindex(known, title);
    if (metadata === null && sharing === null) return;
    const asked = { ...(metadata === null ? {} : { metadata }), ...(sharing === null ? {} : { sharing }) };
    await store.change(known.id, asked, { upload: task.id });
  };

  /** Null while what has been read is not what is to be written: the document has changed since. */
  const renewed = async (
    arrival: Arrival,
    id: string,
    content: IndexedContent | null,
  ): Promise<{ document: KnowledgeDocument; done: boolean }> => {
    const { owner, sha256, requestId } = arrival;
    const scope = { ...owner, reach: 'own' as const };
    const known = await store.get(scope, id);
    if (known === null) throw notFound('document');
    const same = known.sha256 === sha256;
    if (!same && content?.title !== wantedTitle(arrival, known, content))
      return { document: known, done: false };
    if (same) await keepBytes(arrival, known);
    else if (content !== null) await replaceBytes(arrival, known, content);
    else return { document: known, done: false };
    const document = await store.get(scope, id);
    if (document === null) throw notFound('document');
    if (same) {
      const { end, settle } = overtaking(arrival);
      await deps.emit(indexed(document, requestId), end);
      await settle();
    }
    return { document, done: true };
  };

  /** What a PATCH has called it since the upload came, or what it is called by itself. */
  const wantedTitle = (
    { task }: Arrival,
    known: KnowledgeDocument,
    content: IndexedContent | null,
  ): string | undefined => (isPatched(known.patched, 'title', task.id) ? known.title : content?.title);

  /**
   * Other bytes in the place of a document's. They are read before its turn, so that changes of the document do not wait for
   * them. Search finds the earlier or the new passages all the while, and the earlier bytes can be read until the row names the
   * new ones.
   */
  const replace = async (arrival: Arrival, present: KnowledgeDocument): Promise<KnowledgeDocument> => {
    const { owner, input, sha256, task } = arrival;
    let content: IndexedContent | null = null;
    for (let known = present; ; ) {
      if (known.sha256 !== sha256) {
        content ??= await indexing.contentOf(owner, input, task);
        const title = wantedTitle(arrival, known, content) ?? content.title;
        if (title !== content.title) content = await indexing.titled(owner, content, title, task);
      }
      const { document, done } = await indexing.locked(known.id, () => renewed(arrival, known.id, content));
      if (done) return document;
      known = document;
    }
  };

  return { replace };
};
