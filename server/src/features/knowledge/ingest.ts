import { setTimeout as delay } from 'node:timers/promises';
import type { Queryable } from '../../db/db.ts';
import type { BlobStore } from '../../kernel/blobs.ts';
import type { Scope } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { AppError, conflict, notFound } from '../../kernel/errors.ts';
import type { NewEvent } from '../../kernel/events.ts';
import { blobKey } from './blob-key.ts';
import type { WriteSteps } from './document-write.store.ts';
import type { IndexedContent, Indexing } from './indexing.ts';
import type { EmbeddingModel } from './passage-index.ts';
import type { KnowledgeDocument, Sharing, UploadInput } from './ports.ts';
import { isPatched } from './rules.ts';
import type { KnowledgeStore } from './store.ts';
import { NamePromised } from './upload-names.store.ts';
import type { UploadTask } from './upload-task.ts';
import type { UploadStore } from './uploads.store.ts';

/** What an upload becomes: a new document, the one that has these bytes, or a new version of the one of this name. */

export interface IngestDeps {
  store: KnowledgeStore;
  uploads: UploadStore;
  blobs: BlobStore;
  model: EmbeddingModel;
  /** In a transaction of its own, with `along`: for what a client has asked for and no row of its document had to change. */
  emit(event: NewEvent, along: (tx: Queryable) => Promise<void>): Promise<unknown>;
  clock: Clock;
}

/** One upload on its way. */
export interface Arrival {
  owner: Pick<Scope, 'tenantId' | 'userId'>;
  input: UploadInput;
  readonly sha256: string;
  readonly requestId: string;
  readonly task: UploadTask;
}

/** Longest wait for another node that indexes the same bytes. */
const PEER_WAIT_MS = 120_000;

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

/** What the parser found out about the document beside its text. */
const foundIn = ({ parsed }: IndexedContent) => ({
  contentType: parsed.contentType,
  language: parsed.language,
  pageCount: parsed.pageCount,
});

const gapsOf = ({ parsed }: IndexedContent) => ({
  unreadPages: parsed.unreadPages ?? [],
  leftOut: parsed.leftOut ?? [],
});

export const createIngest = (deps: IngestDeps, indexing: Indexing) => {
  const { store, uploads, blobs, model, clock } = deps;

  /** Uploads of before end with a transaction of this one; their bytes go after it. */
  const overtaking = ({ owner, input, task }: Arrival) => {
    let overtaken: { id: string; sha256: string }[] = [];
    return {
      async end(tx: Queryable): Promise<void> {
        overtaken = await uploads.overtake(tx, owner, input.externalId, task.id);
      },
      async settle(): Promise<void> {
        for (const upload of overtaken) await blobs.remove(blobKey(upload));
      },
    };
  };

  /** The steps of the task, which is its request's to the end or has its row from here on. Uploads of before it end with them. */
  const stepsOf = async (arrival: Arrival) => {
    const { sha256, task, owner, input } = arrival;
    const { end, settle } = overtaking(arrival);
    const { guard, shown } = await task.steps();
    // Its row goes with the step that shows the document: staged, the bytes go after a crash right behind it.
    if (task.held() !== null) await blobs.unsettle(blobKey({ id: task.id, sha256 }));
    const withEvent = (event: NewEvent): WriteSteps => ({
      async guard(tx) {
        if (input.externalId !== null) await uploads.lockName(tx, owner, input.externalId);
        await guard(tx);
      },
      async shown(tx) {
        await shown(tx);
        await end(tx);
        await tx.emit(event);
      },
    });
    return { withEvent, settle };
  };

  /** The owner's document with this name, or without one with these bytes; waits while another node brings it in. */
  const present = async (
    owner: Arrival['owner'],
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

  /** Null where another node was first. */
  const createAs = async (
    id: string,
    arrival: Arrival,
    content: IndexedContent,
  ): Promise<KnowledgeDocument | null> => {
    const { owner, input, sha256, requestId, task } = arrival;
    const { text, title, chunks, chunkingVersion } = content;
    const sharing: Sharing = input.sharing ?? { visibility: 'private', readerRoles: [] };
    const row = {
      id,
      tenantId: owner.tenantId,
      userId: owner.userId,
      title,
      filename: input.filename,
      ...foundIn(content),
      ...gapsOf(content),
      sizeBytes: input.bytes.byteLength,
      sha256,
      ...sharing,
      metadata: input.metadata ?? {},
      externalId: input.externalId,
      createdAt: task.createdAt,
      text,
      chunks,
      chunkingVersion,
    };
    const key = blobKey(row);
    await blobs.stage(key, input.bytes);
    let created: KnowledgeDocument | null = null;
    try {
      const { withEvent, settle } = await stepsOf(arrival);
      created = await store.add(
        model,
        row,
        clock.now,
        withEvent(indexed({ ...row, chunkCount: chunks.length }, requestId)),
      );
      if (created !== null) await settle();
    } finally {
      // Without a row the bytes are nobody's.
      await (created !== null ? blobs.settle(key) : blobs.remove(key));
    }
    return created;
  };

  /** Null where another node was first. */
  const create = async (arrival: Arrival): Promise<KnowledgeDocument | null> => {
    const { task } = arrival;
    const content = await indexing.contentOf(arrival.owner, arrival.input, task);
    // Its row may give it another id until here, and no longer.
    await task.steps();
    for (let id = task.documentId; ; ) {
      try {
        const created = await createAs(id, arrival, content);
        if (created === null) task.stepsOver();
        return created;
      } catch (error) {
        if (!(error instanceof NamePromised)) throw error;
        id = error.documentId;
      }
    }
  };

  const ingest = async (arrival: Arrival): Promise<KnowledgeDocument> => {
    const { owner, input, sha256, task } = arrival;
    task.signal.throwIfAborted();
    const known = await present(owner, sha256, input.externalId);
    if (known === null) {
      // Another node was first: its document is the one that this becomes, or a new version of.
      return (await create(arrival)) ?? ingest(arrival);
    }
    if (input.externalId === null) return known;
    const replaced = await replace(arrival, known).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'NOT_FOUND') return null;
      throw error;
    });
    // Deleted in the middle: its name is free, and what was uploaded is a new document.
    return replaced ?? ingest(arrival);
  };

  return ingest;
};
