import type { Queryable } from '../../db/db.ts';
import type { BlobStore } from '../../kernel/blobs.ts';
import type { Scope } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { NewEvent } from '../../kernel/events.ts';
import { blobKey } from './blob-key.ts';
import type { WriteSteps } from './document-write.store.ts';
import type { IndexedContent } from './indexing.ts';
import type { EmbeddingModel } from './passage-index.ts';
import type { KnowledgeDocument, UploadInput, UploadRequest } from './ports.ts';
import type { KnowledgeStore } from './store.ts';
import type { UploadTask } from './upload-task.ts';
import { UploadChanged, type UploadStore } from './uploads.store.ts';

/** What bringing in a new document and a new version have in common. */

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

export const indexed = (
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
export const foundIn = ({ parsed }: IndexedContent) => ({
  contentType: parsed.contentType,
  language: parsed.language,
  pageCount: parsed.pageCount,
});

export const gapsOf = ({ parsed }: IndexedContent) => ({
  unreadPages: parsed.unreadPages ?? [],
  leftOut: parsed.leftOut ?? [],
});

export const createIngestSteps = ({ uploads, blobs }: Pick<IngestDeps, 'blobs' | 'uploads'>) => {
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

  /**
   * The steps of the task, which is its request's to the end or has its row from here on. Uploads of before it end with them, as
   * they were when `before` was read of them: they throw `UploadChanged` where one has been changed or has come or gone since.
   */
  const stepsOf = async (
    arrival: Arrival,
    { seen, before }: { seen?: string | null; before?: readonly UploadRequest[] } = {},
  ) => {
    const { sha256, task, owner, input } = arrival;
    const { end, settle } = overtaking(arrival);
    const { guard, shown } = await task.steps(seen);
    const unchanged = async (tx: Queryable, externalId: string): Promise<void> => {
      if (before === undefined) return;
      const now = await uploads.requestsBefore(tx, owner, externalId, task.id);
      if (JSON.stringify(now) !== JSON.stringify(before)) throw new UploadChanged();
    };
    // Its row goes with the step that shows the document: staged, the bytes go after a crash right behind it.
    if (task.held() !== null) await blobs.unsettle(blobKey({ id: task.id, sha256 }));
    const withEvent = (event: NewEvent): WriteSteps => ({
      async guard(tx) {
        if (input.externalId !== null) {
          await uploads.lockName(tx, owner, input.externalId);
          await unchanged(tx, input.externalId);
        }
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

  return { overtaking, stepsOf };
};
