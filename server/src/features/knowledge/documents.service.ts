import type { Along } from '../../db/db.ts';
import { type Caller, readScope, type Scope } from '../../kernel/caller.ts';
import { AppError, conflict, forbidden, notFound } from '../../kernel/errors.ts';
import type { PassingEvent } from '../../kernel/events.ts';
import { newId } from '../../kernel/ids.ts';
import { blobKey } from './blob-key.ts';
import { createIndexing, type IndexingDeps } from './indexing.ts';
import { createIngest } from './ingest.ts';
import type { IngestDeps } from './ingest-steps.ts';
import type { DocumentChanges, KnowledgeDocument, UploadInput, WaitingUpload } from './ports.ts';
import { createDocumentRecovery } from './recovery.ts';
import { mayChangeDocument } from './rules.ts';
import { createShownDocuments, type Shown, unready } from './shown-documents.ts';
import type { Uploader } from './upload-deps.ts';
import { asAnswer } from './upload-faults.ts';
import { createUploads, type Uploaded } from './uploads.service.ts';

export interface DocumentsDeps extends IndexingDeps, IngestDeps {
  /** The row of the audit chain when an administrator vouches for a document, or no longer does. */
  noteTrust(caller: Uploader, documentId: string, trusted: boolean): Along;
  /** To open connections alone. */
  publish(event: PassingEvent): void;
  retryDelaysMs?: readonly number[] | undefined;
}

const ownersAlone = (): AppError =>
  new AppError('FORBIDDEN', 'only its owner or an admin may change this document', {
    details: { required: 'admin' },
  });

export type DocumentsService = ReturnType<typeof createDocumentsService>;

/**
 * Documents in, changed and out. A document's bytes are a blob of its own (named by their hash and its id), so that
 * deleting one never touches what another owner has.
 */
export const createDocumentsService = (deps: DocumentsDeps) => {
  const { store, uploads, blobs, clock } = deps;
  const indexing = createIndexing(deps);
  const { locked, reindex } = indexing;
  const ingest = createIngest(deps, indexing);

  const readOf = async (scope: Scope, id: string): Promise<KnowledgeDocument> => {
    const document = await store.get(scope, id);
    if (document === null) throw notFound('document');
    return document;
  };

  /** The document, when the caller may change it: 404 for what they cannot see, 403 for what they can. */
  const changeable = async (caller: Caller, id: string): Promise<KnowledgeDocument> => {
    const document = await readOf(readScope(caller), id);
    if (!mayChangeDocument(caller, document)) {
      throw ownersAlone();
    }
    return document;
  };

  const destroy = async (document: { id: string; sha256: string }, note?: Along): Promise<boolean> => {
    const key = blobKey(document);
    // Staged first: after a crash between the two steps, the start finds it by its place.
    await blobs.unsettle(key);
    const started = await store.startDeleting(document.id, note);
    await store.purge(document.id);
    await store.dropPages(document.sha256, clock.now());
    await blobs.remove(key);
    return started;
  };

  /** Of the document as it was read: other content that came meanwhile is nobody's word. */
  const trust = async (caller: Uploader, document: KnowledgeDocument, trusted: boolean): Promise<void> => {
    if (document.trusted === trusted) return;
    if (!(await store.trust(document, trusted, deps.noteTrust(caller, document.id, trusted))))
      throw conflict('the document has changed since it was looked at');
  };

  const mayVouch = (caller: Caller): void => {
    if (!caller.permissions.has('knowledge:manage')) throw forbidden('knowledge:manage');
  };

  const background = createUploads({
    ...deps,
    dimensions: deps.model.dimensions,
    locked,
    ingest,
    async vouch(by, document, trusted) {
      await trust(by, document, trusted);
      return { ...document, trusted };
    },
  });

  const reads = createShownDocuments({ store, uploads });
  const { shown } = reads;

  /** Of what is no document yet; false where it has become one, or is gone. */
  const changeWaiting = (
    caller: Caller,
    waiting: WaitingUpload,
    changes: DocumentChanges,
  ): Promise<boolean> => {
    if (!mayChangeDocument(caller, waiting)) throw ownersAlone();
    if (changes.seenVersion !== undefined && changes.seenVersion !== 1)
      throw conflict('the document has another version now', { version: 1 });
    if (changes.trusted !== undefined) mayVouch(caller);
    if (changes.trusted) throw unready(waiting);
    return uploads.change(waiting, changes, newId());
  };

  const cancelAll = async (waiting: readonly WaitingUpload[]): Promise<void> => {
    for (const upload of waiting) await background.cancel(upload);
  };

  return {
    /**
     * Indexed and searchable when it resolves with the document; what takes longer than `waitMs` goes on in the background. The
     * same bytes of the same owner give the first document unchanged, also when both come at once; what is told of it carries
     * `requestId`. Throws VALIDATION_ERROR with a reason for what cannot be read; nothing is kept then.
     */
    upload(
      caller: Caller,
      input: UploadInput,
      how: { requestId: string; waitMs: number },
    ): Promise<Uploaded> {
      if (input.trusted !== null) mayVouch(caller);
      return background.upload({ caller, input, ...how });
    },

    ...reads,

    /** A failed upload goes back into the queue. CONFLICT where none has failed. */
    async retry(caller: Caller, id: string): Promise<Shown> {
      const { document, waiting } = await shown(readScope(caller), id);
      if (waiting !== null && !mayChangeDocument(caller, waiting)) throw ownersAlone();
      if (waiting === null || !(await background.retry(waiting)))
        throw conflict('no upload of this document has failed');
      return { document, waiting: { ...waiting, failed: false, error: null } };
    },

    read: readOf,

    async bytes(scope: Scope, id: string): Promise<{ document: KnowledgeDocument; bytes: Uint8Array }> {
      const { document, waiting } = await shown(scope, id);
      if (document === null) throw unready(waiting);
      const bytes = await blobs.read(blobKey(document));
      if (bytes !== null) return { document, bytes };
      // Replaced or deleted between the two reads, most likely.
      const now = await readOf(scope, id);
      const replaced = await blobs.read(blobKey(now));
      if (replaced === null) throw notFound('document');
      return { document: now, bytes: replaced };
    },

    async change(caller: Caller, id: string, changes: DocumentChanges): Promise<Shown> {
      const { document: there, waiting } = await shown(readScope(caller), id);
      if (there === null && (await changeWaiting(caller, waiting, changes)))
        return shown(readScope(caller), id);
      await changeable(caller, id);
      const document = await locked(id, async () => {
        const document = await changeable(caller, id);
        const { title, metadata, sharing, trusted, seenVersion } = changes;
        if (seenVersion !== undefined && seenVersion !== document.version)
          throw conflict('the document has another version now', { version: document.version });
        if (trusted !== undefined) mayVouch(caller);
        if (title !== undefined && title !== document.title) {
          await reindex(document, title).catch((error: unknown) => {
            throw asAnswer(error, '/title');
          });
        }
        const set = {
          ...(title === undefined ? {} : { title }),
          ...(metadata === undefined ? {} : { metadata }),
          ...(sharing === undefined ? {} : { sharing }),
        };
        if (Object.keys(set).length > 0) await store.change(id, set, { patch: newId() });
        if (trusted !== undefined) {
          const now = await readOf(readScope(caller), id);
          const { sha256, version } = document;
          await trust(caller, { ...now, sha256, version, title: title ?? document.title }, trusted);
        }
        return readOf(readScope(caller), id);
      });
      return { document, waiting: null };
    },

    /**
     * Gone from every answer when it resolves, with what is to become its next version; an upload that is no document yet is taken
     * back. NOT_FOUND the second time. `note` is written with the step that ends it.
     */
    async remove(caller: Caller, id: string, note: Along): Promise<void> {
      const { document, waiting } = await shown(readScope(caller), id);
      if (document === null) {
        if (!mayChangeDocument(caller, waiting)) throw ownersAlone();
        if (await background.cancel(waiting, note)) return cancelAll(await uploads.ofDocument(id));
      }
      const present = await changeable(caller, id);
      await cancelAll(await uploads.ofDocument(id));
      if (!(await locked(id, () => destroy(present, note)))) throw notFound('document');
    },

    async idsOf(tenantId: string, userId: string): Promise<string[]> {
      const waiting = await uploads.ofUser(tenantId, userId);
      const documents = await store.ofUser(tenantId, userId);
      return [
        ...new Set([...documents.map(({ id }) => id), ...waiting.flatMap((w) => [w.id, w.documentId])]),
      ];
    },

    uploadsOf: (tenantId: string, userId: string) => uploads.ofUser(tenantId, userId),

    async erase(tenantId: string, userId: string): Promise<number> {
      const waiting = await uploads.ofUser(tenantId, userId);
      await cancelAll(waiting);
      const documents = await store.ofUser(tenantId, userId);
      for (const document of documents) await locked(document.id, () => destroy(document));
      const known = new Set(documents.map(({ id }) => id));
      return documents.length + waiting.filter(({ documentId }) => !known.has(documentId)).length;
    },

    recover: createDocumentRecovery({ store, uploads, blobs, clock, cancel: background.cancel }),

    refresh: indexing.refresh,

    startReading: background.start,

    async close(): Promise<void> {
      indexing.close();
      await background.stop();
    },
  };
};
