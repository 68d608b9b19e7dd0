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
import type { KnowledgeStore } from './store.ts';
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

  /** The steps of the task; the event goes along with the one that shows the document, and uploads of before it end with it. */
  const stepsOf = async (arrival: Arrival, event: NewEvent) => {
    const { sha256, task } = arrival;
    const { end, settle } = overtaking(arrival);
    const { guard, shown } = await task.steps();
    // Its row goes with the step that shows the document: staged, the bytes go after a crash right behind it.
    if (task.held() !== null) await blobs.unsettle(blobKey({ id: task.id, sha256 }));
    const steps: WriteSteps = {
      guard,
      async shown(tx) {
        await shown(tx);
        await end(tx);
        await tx.emit(event);
      },
    };
    return { steps, settle };
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
  const replaceBytes = async (arrival: Arrival, known: KnowledgeDocument): Promise<void> => {
    const { owner, input, sha256, requestId, task } = arrival;
    const { id } = known;
    const content = await indexing.contentOf(owner, input, task);
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
      };
      const { contentType } = parsed;
      const { visibility } = input.sharing ?? known;
      const now = { ...known, visibility, title, contentType, chunkCount: chunks.length };
      const { steps, settle } = await stepsOf(arrival, indexed(now, requestId));
      await store.replaceChunks(
        model,
        id,
        { text, chunks, chunkingVersion, title, ...gapsOf(content), source },
        clock.now,
        steps,
      );
      await settle();
    } finally {
      await settleBytes(id, new Set([sha256, known.sha256]));
      await store.dropPages(known.sha256, clock.now());
    }
  };

  /**
   * Other bytes in the place of a document's. Search finds the earlier or the new passages all the while, and the earlier
   * bytes can be read until the row names the new ones.
   */
  const replace = (arrival: Arrival, known: KnowledgeDocument): Promise<KnowledgeDocument> =>
    indexing.locked(known.id, async () => {
      const { owner, input, sha256, requestId } = arrival;
      const { id } = known;
      const same = known.sha256 === sha256;
      if (!same) await replaceBytes(arrival, known);
      if (same && input.title !== null && input.title !== known.title)
        await indexing.reindex(known, input.title);
      const { metadata, sharing } = input;
      if (metadata !== null || sharing !== null) {
        await store.change(id, {
          ...(metadata === null ? {} : { metadata }),
          ...(sharing === null ? {} : { sharing }),
        });
      }
      const document = await store.get({ ...owner, reach: 'own' }, id);
      if (document === null) throw notFound('document');
      if (same) {
        const { end, settle } = overtaking(arrival);
        await deps.emit(indexed(document, requestId), end);
        await settle();
      }
      return document;
    });

  /** Null where another node was first. */
  const create = async (arrival: Arrival): Promise<KnowledgeDocument | null> => {
    const { owner, input, sha256, requestId, task } = arrival;
    const content = await indexing.contentOf(owner, input, task);
    const { text, title, chunks, chunkingVersion } = content;
    const sharing: Sharing = input.sharing ?? { visibility: 'private', readerRoles: [] };
    const promised =
      task.held() === null && input.externalId !== null
        ? await uploads.documentOfName(owner.tenantId, owner.userId, input.externalId)
        : null;
    const row = {
      id: promised ?? task.documentId,
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
      createdAt: clock.now(),
      text,
      chunks,
      chunkingVersion,
    };
    const key = blobKey(row);
    await blobs.stage(key, input.bytes);
    let created: KnowledgeDocument | null = null;
    try {
      const event = indexed({ ...row, chunkCount: chunks.length }, requestId);
      const { steps, settle } = await stepsOf(arrival, event);
      created = await store.add(model, row, clock.now, steps);
      if (created === null) task.stepsOver();
      else await settle();
    } finally {
      // Without a row the bytes are nobody's.
      await (created !== null ? blobs.settle(key) : blobs.remove(key));
    }
    return created;
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
