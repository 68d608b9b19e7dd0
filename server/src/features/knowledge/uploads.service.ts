import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Caller, ownScope } from '../../kernel/caller.ts';
import { conflict } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { atMost } from '../../kernel/races.ts';
import { blobKey } from './blob-key.ts';
import type { Arrival } from './ingest.ts';
import type { KnowledgeDocument, UploadInput, UploadRequest, WaitingUpload } from './ports.ts';
import type { UploadsDeps } from './upload-deps.ts';
import { asAnswer, toError } from './upload-faults.ts';
import { createUploadTask, type UploadTask } from './upload-task.ts';
import { createUploadWork } from './upload-work.ts';
import type { UploadStore } from './uploads.store.ts';

/**
 * Files on their way in. One is read while its request waits for it; what takes longer gets a row of its own and goes on in the
 * background, where its process may end and another one goes on with it.
 */

/** The document, or the upload that it will come of. */
export type Uploaded =
  | { document: KnowledgeDocument; waiting: WaitingUpload | null }
  | { document: null; waiting: WaitingUpload };

export interface UploadAsk {
  caller: Caller;
  input: UploadInput;
  requestId: string;
  /** How long the request waits at most. */
  waitMs: number;
}

/** Between two looks at an upload that somebody else works on. */
const LOOK_MS = 250;

const requestOf = ({ bytes: _, externalId: __, ...rest }: UploadInput, caller: Caller): UploadRequest => ({
  ...rest,
  callerType: caller.type,
});

/** Whether a request names something that an upload on its way is not to have. */
const asksElse = (input: UploadInput, { request }: WaitingUpload): boolean =>
  (['title', 'metadata', 'sharing', 'trusted'] as const).some(
    (field) => input[field] !== null && JSON.stringify(input[field]) !== JSON.stringify(request[field]),
  );

export const createUploads = (deps: UploadsDeps) => {
  const { store, uploads, blobs, clock } = deps;
  const work = createUploadWork(deps);

  const waitingOf = async (upload: WaitingUpload): Promise<Uploaded> => {
    const scope = { tenantId: upload.tenantId, userId: upload.userId, reach: 'own' as const };
    const document = await store.get(scope, upload.documentId);
    return document === null ? { document, waiting: upload } : { document, waiting: upload };
  };

  const documentIdFor = async (ask: UploadAsk, own: string): Promise<string> => {
    const { tenantId, userId } = ask.caller;
    const { externalId } = ask.input;
    if (externalId === null) return own;
    const known = await store.findByExternalId(tenantId, userId, externalId);
    return known?.document.id ?? (await uploads.documentOfName(tenantId, userId, externalId)) ?? own;
  };

  const rowOf = (
    ask: UploadAsk,
    sha256: string,
    task: Pick<UploadTask, 'id' | 'documentId' | 'progress'>,
  ) => ({
    id: task.id,
    tenantId: ask.caller.tenantId,
    userId: ask.caller.userId,
    documentId: task.documentId,
    externalId: ask.input.externalId,
    sha256,
    sizeBytes: ask.input.bytes.byteLength,
    request: requestOf(ask.input, ask.caller),
    requestId: ask.requestId,
    progress: task.progress,
    createdAt: clock.now(),
  });

  /** The bytes first, so that the row never names what is not there. */
  const kept = async (
    row: ReturnType<typeof rowOf>,
    bytes: Uint8Array,
    held: Parameters<UploadStore['add']>[1],
  ): Promise<boolean> => {
    const key = blobKey(row);
    await blobs.stage(key, bytes);
    const added = await uploads.add(row, held, clock.now());
    await (added ? blobs.settle(key) : blobs.remove(key));
    return added;
  };

  const fresh = (row: ReturnType<typeof rowOf>): WaitingUpload => ({
    ...row,
    progress: { ...row.progress },
    failed: false,
    error: null,
    attempts: 0,
  });

  /** Somebody else has it in hand: null once it is whole. */
  const followed = async (upload: WaitingUpload, until: number): Promise<WaitingUpload | null> => {
    if (upload.failed && (await uploads.retry(upload.id, clock.now()))) work.poke();
    for (;;) {
      const now = await uploads.byId(upload.id);
      if (now === null) return null;
      if (now.failed && now.error !== null) throw toError(now.error);
      const left = until - performance.now();
      if (left <= 0) return now;
      await delay(Math.min(LOOK_MS, left));
    }
  };

  const enqueue = async (ask: UploadAsk, sha256: string, until: number): Promise<Uploaded> => {
    const { tenantId, userId } = ask.caller;
    if (ask.input.externalId === null) {
      const known = await store.findByBytes(tenantId, userId, sha256);
      if (known?.ready) return { document: known.document, waiting: null };
    }
    const documentId = await documentIdFor(ask, newId());
    const progress = { pagesDone: null, pages: null, chunksDone: 0, chunks: null };
    const row = rowOf(ask, sha256, { id: newId(), documentId, progress });
    if (!(await kept(row, ask.input.bytes, null))) return begin(ask, sha256, until);
    work.poke();
    return waitingOf(fresh(row));
  };

  const inline = async (ask: UploadAsk, sha256: string, until: number): Promise<Uploaded> => {
    const { input, requestId } = ask;
    const task = createUploadTask({ uploads, dimensions: deps.dimensions });
    const arrival: Arrival = { owner: ownScope(ask.caller), input, sha256, requestId, task };
    const done = work.run(arrival, ask.caller);
    const whole = done.then((document): Uploaded => ({ document, waiting: null }));
    whole.catch(() => undefined);
    const ended = await atMost(
      whole.then(
        () => true,
        () => true,
      ),
      Math.max(0, until - performance.now()),
    );
    if (ended === true) return whole;
    let row: ReturnType<typeof rowOf> | null = null;
    const parked = await task.park(async (held) => {
      task.documentId = await documentIdFor(ask, task.documentId);
      row = rowOf(ask, sha256, task);
      return kept(row, input.bytes, held);
    });
    if (parked === 'writing' || row === null) return whole;
    if (parked === 'held') {
      work.follow(arrival, done);
      return waitingOf(fresh(row));
    }
    task.abort(new Error('there is such an upload already'));
    return begin(ask, sha256, until);
  };

  const begin = async (ask: UploadAsk, sha256: string, until: number): Promise<Uploaded> => {
    const { tenantId, userId } = ask.caller;
    const there = await uploads.same(tenantId, userId, { sha256, externalId: ask.input.externalId });
    if (there !== null) {
      // Without a name the same bytes are the first document, unchanged; under a name the newest request counts, and is not dropped.
      if (ask.input.externalId !== null && asksElse(ask.input, there))
        throw conflict(
          'these bytes are on their way under this name with other fields: delete that upload first',
          {
            document_id: there.documentId,
          },
        );
      const now = await followed(there, until);
      if (now !== null) return waitingOf(now);
    }
    return ask.waitMs > 0 ? inline(ask, sha256, until) : enqueue(ask, sha256, until);
  };

  return {
    async upload(ask: UploadAsk): Promise<Uploaded> {
      const until = performance.now() + ask.waitMs;
      const sha256 = createHash('sha256').update(ask.input.bytes).digest('hex');
      try {
        return await begin(ask, sha256, until);
      } catch (error) {
        throw asAnswer(error, ask.input.field);
      }
    },

    /** Whether it had failed. */
    async retry(upload: WaitingUpload): Promise<boolean> {
      const again = await uploads.retry(upload.id, clock.now());
      if (again) work.poke();
      return again;
    },

    cancel: work.cancel,

    start: work.start,
    stop: work.stop,
  };
};
