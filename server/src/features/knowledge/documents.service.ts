import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Along } from '../../db/db.ts';
import type { BlobStore } from '../../kernel/blobs.ts';
import { type Caller, ownScope, readScope, type Scope } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { AppError, conflict, forbidden, notFound } from '../../kernel/errors.ts';
import type { NewEvent } from '../../kernel/events.ts';
import { newId } from '../../kernel/ids.ts';
import { ModelError } from '../../kernel/model.ts';
import { type DocumentParser, type ParsedDocument, ParseError } from '../../kernel/parser.ts';
import { throttled } from '../../kernel/throttled.ts';
import { CHUNKING_VERSION, chunkDocument, documentText, embedText } from './chunks.ts';
import type { ChargedEmbedder } from './embedding.ts';
import type { EmbeddedChunk } from './generations.store.ts';
import { createKeyedLock } from './keyed-lock.ts';
import type { EmbeddingModel } from './passage-index.ts';
import type { DocumentChanges, KnowledgeDocument, Sharing } from './ports.ts';
import { mayChangeDocument, titleOf } from './rules.ts';
import type { KnowledgeStore, StaleDocument } from './store.ts';

export interface UploadInput {
  bytes: Uint8Array;
  /** Cleaned by `cleanFilename`. */
  filename: string | null;
  /** What the client says it is; decides among text formats only. */
  declaredType: string | null;
  title: string | null;
  /** Null: none, or what the document that is replaced has. */
  metadata: Record<string, unknown> | null;
  /** Null: private, or what the document that is replaced has. */
  sharing: Sharing | null;
  /** Name in its source; the same again replaces the content. */
  externalId: string | null;
  /** What an administrator says of it; null: nothing. */
  trusted: boolean | null;
  /** Where in the request the bytes were, for error details: `/file`, `/content` or `/url`. */
  field: string;
}

export interface DocumentsDeps {
  store: KnowledgeStore;
  blobs: BlobStore;
  parser: DocumentParser;
  embedder: ChargedEmbedder;
  model: EmbeddingModel;
  /** In a transaction of its own: for what a client has asked for and no row had to change. */
  emit(event: NewEvent): Promise<unknown>;
  clock: Clock;
  /** The row of the audit chain when an administrator vouches for a document, or no longer does. */
  noteTrust(caller: Caller, documentId: string, trusted: boolean): Along;
  /** Gets faults of background work. */
  warn(fault: unknown, message: string): void;
}

/**
 * Longer than what the built-in embedder reads at its best (256 of its tokens are about 300 by our estimate): measured,
 * fewer and longer passages find more (docs/knowledge.md).
 */
const CHUNK_OPTIONS = { targetTokens: 300 };
/** What is stored with each document; another number has it indexed again. */
const INDEXING_VERSION = CHUNKING_VERSION * 1000 + CHUNK_OPTIONS.targetTokens;

/** One that was not read to its end is read again. */
const versionOf = (parsed: ParsedDocument): number => (parsed.partial ? 0 : INDEXING_VERSION);

/** Longest wait for another node that indexes the same bytes. */
const PEER_WAIT_MS = 120_000;

const blobKey = (document: { id: string; sha256: string }): string => `${document.sha256}.${document.id}`;

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
  const { store, blobs, parser, embedder, model, clock } = deps;
  const locked = createKeyedLock();
  let closing = false;

  const embedded = async (
    owner: { tenantId: string; userId: string },
    parsed: ParsedDocument,
    title: string,
  ): Promise<EmbeddedChunk[]> => {
    // The title that readers see is the one that is searched.
    const chunks = chunkDocument({ ...parsed, title }, CHUNK_OPTIONS);
    if (chunks.length === 0) throw new ParseError('no_text', 'the document has no text');
    const vectors = await embedder.embed(owner, chunks.map(embedText), { purpose: 'document' });
    return chunks.map((chunk, i) => ({ chunk, vector: vectors[i] ?? new Float32Array(model.dimensions) }));
  };

  const indexed = (
    document: Pick<
      KnowledgeDocument,
      'id' | 'tenantId' | 'userId' | 'visibility' | 'title' | 'contentType' | 'chunkCount'
    >,
    requestId: string,
  ): NewEvent => ({
    type: 'document.indexed',
    tenantId: document.tenantId,
    userId: document.userId,
    reach: document.visibility === 'tenant' ? 'tenant' : 'own',
    permission: 'knowledge:read',
    data: {
      document_id: document.id,
      title: document.title,
      content_type: document.contentType,
      chunk_count: document.chunkCount,
    },
    requestId,
  });

  /** To go along with the step that shows the document. */
  const emitting =
    (event: NewEvent): Along =>
    async (tx) =>
      void (await tx.emit(event));

  /** The owner's document with this name, or without one with these bytes; waits while another node brings it in. */
  const present = async (
    owner: Scope,
    sha256: string,
    externalId: string | null,
  ): Promise<KnowledgeDocument | null> => {
    for (let waitedMs = 0; waitedMs < PEER_WAIT_MS; waitedMs += 200) {
      const found =
        externalId === null
          ? await store.findByBytes(owner.tenantId, owner.userId, sha256)
          : await store.findByExternalId(owner.tenantId, owner.userId, externalId);
      if (found === null) return null;
      if (found.ready) return found.document;
      await delay(200);
    }
    throw conflict('the same bytes are being indexed by another request');
  };

  /**
   * Other bytes in the place of a document's. Search finds the earlier or the new passages all the while, and the earlier
   * bytes can be read until the row names the new ones.
   */
  const replace = (
    owner: Scope,
    known: KnowledgeDocument,
    input: UploadInput,
    sha256: string,
    requestId: string,
  ): Promise<KnowledgeDocument> =>
    locked(known.id, async () => {
      const { id } = known;
      let left = false;
      if (known.sha256 !== sha256) {
        const parsed = await parser.parse(input.bytes, { ...input, tenantId: owner.tenantId });
        left = parsed.partial === true;
        const text = documentText(parsed);
        const title = titleOf(input.title, parsed.title, input.filename, text);
        const chunks = await embedded(owner, parsed, title);
        await blobs.stage(blobKey({ id, sha256 }), input.bytes);
        // Staged as well: whichever of the two the row names after a crash is kept, the other one goes.
        await blobs.unsettle(blobKey(known));
        try {
          const content = {
            text,
            chunks,
            chunkingVersion: versionOf(parsed),
            title,
            unreadPages: parsed.unreadPages ?? [],
            leftOut: parsed.leftOut ?? [],
            source: {
              filename: input.filename,
              contentType: parsed.contentType,
              sizeBytes: input.bytes.byteLength,
              sha256,
              language: parsed.language,
              pageCount: parsed.pageCount,
              indexedAt: clock.now(),
            },
          };
          const { contentType } = parsed;
          const { visibility } = input.sharing ?? known;
          const chunkCount = chunks.length;
          const now = { ...known, visibility, title, contentType, chunkCount };
          await store.replaceChunks(model, id, content, clock.now, emitting(indexed(now, requestId)));
        } finally {
          // The row says which bytes are its own; on PostgreSQL another node may have replaced them as well.
          for (const one of new Set([sha256, known.sha256])) {
            const its = blobKey({ id, sha256: one });
            await ((await store.holds(id, one)) ? blobs.settle(its) : blobs.remove(its));
          }
          await store.dropPages(known.sha256, clock.now());
        }
      } else if (input.title !== null && input.title !== known.title) {
        await reindex(known, input.title);
      }
      const { metadata, sharing } = input;
      if (metadata !== null || sharing !== null) {
        await store.change(id, {
          ...(metadata === null ? {} : { metadata }),
          ...(sharing === null ? {} : { sharing }),
        });
      }
      const document = await readOf(owner, id);
      if (left) readOn(document);
      if (known.sha256 === sha256) await deps.emit(indexed(document, requestId));
      return document;
    });

  const ingest = async (
    owner: Scope,
    input: UploadInput,
    sha256: string,
    requestId: string,
  ): Promise<KnowledgeDocument> => {
    const known = await present(owner, sha256, input.externalId);
    if (known !== null) {
      if (input.externalId === null) return known;
      const replaced = await replace(owner, known, input, sha256, requestId).catch((error: unknown) => {
        if (error instanceof AppError && error.code === 'NOT_FOUND') return null;
        throw error;
      });
      // Deleted in the middle: its name is free, and what was uploaded is a new document.
      return replaced ?? ingest(owner, input, sha256, requestId);
    }
    const parsed = await parser.parse(input.bytes, { ...input, tenantId: owner.tenantId });
    const text = documentText(parsed);
    const title = titleOf(input.title, parsed.title, input.filename, text);
    const chunks = await embedded(owner, parsed, title);
    const id = newId();
    const key = blobKey({ id, sha256 });
    await blobs.stage(key, input.bytes);
    const sharing: Sharing = input.sharing ?? { visibility: 'private', readerRoles: [] };
    const { contentType } = parsed;
    const along = emitting(
      indexed(
        {
          id,
          tenantId: owner.tenantId,
          userId: owner.userId,
          visibility: sharing.visibility,
          title,
          contentType,
          chunkCount: chunks.length,
        },
        requestId,
      ),
    );
    let created: KnowledgeDocument | null = null;
    try {
      created = await store.add(
        model,
        {
          id,
          tenantId: owner.tenantId,
          userId: owner.userId,
          title,
          filename: input.filename,
          contentType,
          sizeBytes: input.bytes.byteLength,
          sha256,
          language: parsed.language,
          pageCount: parsed.pageCount,
          unreadPages: parsed.unreadPages ?? [],
          leftOut: parsed.leftOut ?? [],
          ...sharing,
          metadata: input.metadata ?? {},
          externalId: input.externalId,
          createdAt: clock.now(),
          text,
          chunks,
          chunkingVersion: versionOf(parsed),
        },
        clock.now,
        along,
      );
    } finally {
      // Without a row the bytes are nobody's.
      await (created !== null ? blobs.settle(key) : blobs.remove(key));
    }
    // Another node was first: its document is the one that this becomes, or a new version of.
    if (created === null) return ingest(owner, input, sha256, requestId);
    if (parsed.partial) readOn(created);
    return created;
  };

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
      unhurried: true,
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

  /** The rest of a document whose upload was answered before all its pages were recognised; after a restart `refresh` does it. */
  const readOn = ({ id, tenantId, userId }: KnowledgeDocument): void => {
    locked(id, async () => {
      const document = closing ? null : await store.get({ tenantId, userId, reach: 'own' }, id);
      if (document !== null) await reindex(document, document.title);
    }).catch((fault: unknown) => {
      if (!closing) deps.warn(fault, `document ${id} could not be read to its end`);
    });
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
          ingest(owner, input, sha256, requestId),
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

    /**
     * Indexes again what was indexed with another model or an older chunking, one after another. Words find such a
     * document all the while; vectors find it again once it is done.
     */
    async refresh(): Promise<void> {
      let after = '';
      for (;;) {
        const stale = await store.stale(model, INDEXING_VERSION, after);
        for (const { id, tenantId, userId } of stale) {
          if (closing) return;
          after = id;
          await locked(id, async () => {
            const document = await store.get({ tenantId, userId, reach: 'own' }, id);
            if (document !== null) await reindex(document, document.title);
          }).catch((fault: unknown) => deps.warn(fault, `document ${id} could not be indexed again`));
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
