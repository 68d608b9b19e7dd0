import { createHash } from 'node:crypto';
import type { Along } from '../../db/db.ts';
import { type Caller, ownScope, readScope, type Scope } from '../../kernel/caller.ts';
import { AppError, conflict, forbidden, notFound } from '../../kernel/errors.ts';
import { ModelError } from '../../kernel/model.ts';
import { ParseError } from '../../kernel/parser.ts';
import { throttled } from '../../kernel/throttled.ts';
import { blobKey } from './blob-key.ts';
import { createIndexing, type IndexingDeps } from './indexing.ts';
import { createIngest, type IngestDeps } from './ingest.ts';
import type { DocumentChanges, KnowledgeDocument, UploadInput } from './ports.ts';
import { mayChangeDocument } from './rules.ts';

export interface DocumentsDeps extends IndexingDeps, IngestDeps {
  /** The row of the audit chain when an administrator vouches for a document, or no longer does. */
  noteTrust(caller: Caller, documentId: string, trusted: boolean): Along;
}

const unreadable = (error: ParseError, field: string): AppError =>
  new AppError('VALIDATION_ERROR', error.message, {
    details: { reason: error.fault, fields: [{ field, reason: error.message }] },
    cause: error,
  });

/** Faults of the parser and of the embedding provider as answers of the contract. */
const asAnswer = (error: unknown, field: string): unknown => {
  if (error instanceof ParseError) return unreadable(error, field);
  if (!(error instanceof ModelError)) return error;
  if (error.status === 429) return throttled(error);
  const code = error.kind === 'timeout' ? 'UPSTREAM_TIMEOUT' : 'UPSTREAM_ERROR';
  return new AppError(code, 'the embedding provider did not answer as it should', {
    details: { provider: error.provider },
    cause: error,
  });
};

export type DocumentsService = ReturnType<typeof createDocumentsService>;

/**
 * Documents in, changed and out. A document's bytes are a blob of its own (named by their hash and its id), so that
 * deleting one never touches what another owner has.
 */
export const createDocumentsService = (deps: DocumentsDeps) => {
  const { store, blobs, clock } = deps;
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
      throw new AppError('FORBIDDEN', 'only its owner or an admin may change this document', {
        details: { required: 'admin' },
      });
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
  const trust = async (caller: Caller, document: KnowledgeDocument, trusted: boolean): Promise<void> => {
    if (!caller.permissions.has('knowledge:manage')) throw forbidden('knowledge:manage');
    if (document.trusted === trusted) return;
    if (!(await store.trust(document, trusted, deps.noteTrust(caller, document.id, trusted))))
      throw conflict('the document has changed since it was looked at');
  };

  return {
    /**
     * Indexed and searchable when it resolves. The same bytes of the same owner give the first document unchanged, also
     * when both come at once; what is told of it carries `requestId`. Throws VALIDATION_ERROR with a reason for what cannot be read; nothing is kept then.
     */
    async upload(caller: Caller, input: UploadInput, requestId: string): Promise<KnowledgeDocument> {
      const owner = ownScope(caller);
      if (input.trusted !== null && !caller.permissions.has('knowledge:manage'))
        throw forbidden('knowledge:manage');
      const sha256 = createHash('sha256').update(input.bytes).digest('hex');
      try {
        // A name is one line of versions; without one, the bytes are the document.
        const name = input.externalId === null ? sha256 : `name/${input.externalId}`;
        const document = await locked(`${owner.tenantId}/${owner.userId}/${name}`, () =>
          ingest({ owner, input, sha256, requestId }),
        );
        if (input.trusted === null) return document;
        await trust(caller, { ...document, sha256 }, input.trusted);
        return { ...document, trusted: input.trusted };
      } catch (error) {
        throw asAnswer(error, input.field);
      }
    },

    read: readOf,

    async bytes(scope: Scope, id: string): Promise<{ document: KnowledgeDocument; bytes: Uint8Array }> {
      const document = await readOf(scope, id);
      const bytes = await blobs.read(blobKey(document));
      if (bytes !== null) return { document, bytes };
      // Replaced or deleted between the two reads, most likely.
      const now = await readOf(scope, id);
      const replaced = await blobs.read(blobKey(now));
      if (replaced === null) throw notFound('document');
      return { document: now, bytes: replaced };
    },

    async change(caller: Caller, id: string, changes: DocumentChanges): Promise<KnowledgeDocument> {
      await changeable(caller, id);
      return locked(id, async () => {
        const document = await changeable(caller, id);
        const { title, metadata, sharing, trusted, seenVersion } = changes;
        if (seenVersion !== undefined && seenVersion !== document.version)
          throw conflict('the document has another version now', { version: document.version });
        if (trusted !== undefined && !caller.permissions.has('knowledge:manage'))
          throw forbidden('knowledge:manage');
        if (title !== undefined && title !== document.title) {
          await reindex(document, title).catch((error: unknown) => {
            throw asAnswer(error, '/title');
          });
        }
        if (metadata !== undefined || sharing !== undefined) {
          await store.change(id, {
            ...(metadata === undefined ? {} : { metadata }),
            ...(sharing === undefined ? {} : { sharing }),
          });
        }
        if (trusted !== undefined) {
          const now = await readOf(readScope(caller), id);
          const { sha256, version } = document;
          await trust(caller, { ...now, sha256, version, title: title ?? document.title }, trusted);
        }
        return readOf(readScope(caller), id);
      });
    },

    /** Gone from every answer when it resolves. NOT_FOUND the second time. `note` is written with the step that ends it. */
    async remove(caller: Caller, id: string, note: Along): Promise<void> {
      const document = await changeable(caller, id);
      if (!(await locked(id, () => destroy(document, note)))) throw notFound('document');
    },

    async idsOf(tenantId: string, userId: string): Promise<string[]> {
      return (await store.ofUser(tenantId, userId)).map((document) => document.id);
    },

    async erase(tenantId: string, userId: string): Promise<number> {
      const documents = await store.ofUser(tenantId, userId);
      for (const document of documents) await locked(document.id, () => destroy(document));
      return documents.length;
    },

    /** After a start: finishes or undoes what the last process left half done. */
    async recover(): Promise<void> {
      for (const document of await store.abandoned(clock.now())) {
        await blobs.unsettle(blobKey(document));
        await store.purge(document.id);
        await blobs.remove(blobKey(document));
      }
      await store.settleGenerations(clock.now());
      await store.dropPages(null, clock.now());
      for (const key of await blobs.staged()) {
        const [, sha256, id] = /^([0-9a-f]{64})\.([0-9a-f-]{36})$/.exec(key) ?? [];
        if (id !== undefined && sha256 !== undefined && (await store.holds(id, sha256)))
          await blobs.settle(key);
        else await blobs.remove(key);
      }
    },

    refresh: indexing.refresh,

    close: indexing.close,
  };
};
