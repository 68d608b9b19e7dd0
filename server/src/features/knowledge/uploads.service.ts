import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Caller, ownScope } from '../../kernel/caller.ts';
import { conflict } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { atMost } from '../../kernel/races.ts';
import { blobKey } from './blob-key.ts';
import type { Arrival } from './ingest-steps.ts';
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

/** One of them on its way. */
interface Asked extends UploadAsk {
  /** Of its upload: of when it came. */
  id: string;
  sha256: string;
  at: number;
  /** By the clock of the process. */
  until: number;
}

/** Between two looks at an upload that somebody else works on. */
const LOOK_MS = 250;

const requestOf = ({ bytes: _, externalId: __, ...rest }: UploadInput, caller: Caller): UploadRequest => ({
  ...rest,
  callerType: caller.type,
});

type Starting = Pick<UploadTask, 'documentId' | 'progress'>;

const nameOf = ({ tenantId, userId }: Caller, externalId: string): string =>
  JSON.stringify([tenantId, userId, externalId]);

/** Whether a request names something that an upload on its way is not to have. */
const asksElse = (input: UploadInput, { request }: WaitingUpload): boolean =>
  (['title', 'metadata', 'sharing', 'trusted'] as const).some(
    (field) => input[field] !== null && JSON.stringify(input[field]) !== JSON.stringify(request[field]),
  );

export const createUploads = (deps: UploadsDeps) => {
  const { store, uploads, blobs, clock } = deps;
  const work = createUploadWork(deps);
  /** Uploads that are still in their request here, by their name. */
  const asking = new Map<string, Set<string>>();

  const waitingOf = async (upload: WaitingUpload): Promise<Uploaded> => {
    const scope = { tenantId: upload.tenantId, userId: upload.userId, reach: 'own' as const };
    const document = await store.get(scope, upload.documentId);
    return document === null ? { document, waiting: upload } : { document, waiting: upload };
  };

  const rowOf = ({ caller, input, requestId, sha256, id, at }: Asked, task: Starting) => ({
    id,
    tenantId: caller.tenantId,
    userId: caller.userId,
    documentId: task.documentId,
    externalId: input.externalId,
    sha256,
    sizeBytes: input.bytes.byteLength,
    request: requestOf(input, caller),
    requestId,
    progress: task.progress,
    createdAt: at,
  });

  /** The bytes first, so that the row never names what is not there. Null where there is such an upload already. */
  const kept = async (
    row: ReturnType<typeof rowOf>,
    bytes: Uint8Array,
    held: Parameters<UploadStore['add']>[1],
  ): Promise<WaitingUpload | null> => {
    const key = blobKey(row);
    await blobs.stage(key, bytes);
    const added = await uploads.add(row, held, clock.now());
    await (added === null ? blobs.remove(key) : blobs.settle(key));
    if (added === null) return null;
    return { ...row, ...added, progress: { ...row.progress }, failed: false, error: null, attempts: 0 };
  };

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

  const enqueue = async (ask: Asked): Promise<Uploaded> => {
    const { tenantId, userId } = ask.caller;
    if (ask.input.externalId === null) {
      const known = await store.findByBytes(tenantId, userId, ask.sha256);
      if (known?.ready) return { document: known.document, waiting: null };
    }
    const progress = { pagesDone: null, pages: null, chunksDone: 0, chunks: null };
    const row = await kept(rowOf(ask, { documentId: newId(), progress }), ask.input.bytes, null);
    if (row === null) return begin(ask);
    work.poke();
    return waitingOf(row);
  };

  const inline = async (ask: Asked): Promise<Uploaded> => {
    const { input, requestId, sha256, id, at } = ask;
    const task = createUploadTask({ uploads, dimensions: deps.dimensions, id, createdAt: at });
    const arrival: Arrival = { owner: ownScope(ask.caller), input, sha256, requestId, task };
    const done = work.run(arrival, ask.caller);
    const whole = done.then((document): Uploaded => ({ document, waiting: null }));
    whole.catch(() => undefined);
    const ended = await atMost(
      whole.then(
        () => true,
        () => true,
      ),
      Math.max(0, ask.until - performance.now()),
    );
    if (ended === true) return whole;
    const added: { row: WaitingUpload | null } = { row: null };
    const parked = await task.park(async (held) => {
      added.row = await kept(rowOf(ask, task), input.bytes, held);
      if (added.row === null) return false;
      task.documentId = added.row.documentId;
      task.createdAt = added.row.createdAt;
      return true;
    });
    if (parked === 'writing') return whole;
    if (parked === 'held' && added.row !== null) {
      work.follow(arrival, done);
      return waitingOf(added.row);
    }
    task.abort(new Error('there is such an upload already'));
    return begin(ask);
  };

  /** Whether something newer stands between what is on its way and the same bytes that are sent again under its name. */
  const isOutdated = async ({ id, caller, input }: Asked, there: WaitingUpload): Promise<boolean> => {
    if (input.externalId === null) return false;
    if (there.request.changed !== undefined) return true;
    const between = [...(asking.get(nameOf(caller, input.externalId)) ?? [])].some(
      (one) => one > there.id && one < id,
    );
    if (between) return true;
    const document = await store.get(ownScope(caller), there.documentId);
    return Object.values(document?.patched ?? {}).some((when) => when > there.id);
  };

  const begin = async (ask: Asked): Promise<Uploaded> => {
    const { tenantId, userId } = ask.caller;
    const { sha256, until, input } = ask;
    const there = await uploads.same(tenantId, userId, { sha256, externalId: input.externalId });
    if (there !== null && !(await isOutdated(ask, there))) {
      // Without a name the same bytes are the first document, unchanged; under a name the newest request counts, and is not dropped.
      if (input.externalId !== null && asksElse(input, there))
        throw conflict(
          'these bytes are on their way under this name with other fields: delete that upload first',
          {
            document_id: there.documentId,
          },
        );
      const now = await followed(there, until);
      if (now !== null) return waitingOf(now);
    }
    return ask.waitMs > 0 ? inline(ask) : enqueue(ask);
  };

  /** Says of a name that an upload is in its request, as long as it is. */
  const registered = async <T>({ id, caller, input }: Asked, then: () => Promise<T>): Promise<T> => {
    if (input.externalId === null) return then();
    const name = nameOf(caller, input.externalId);
    const beside = asking.get(name) ?? new Set();
    asking.set(name, beside.add(id));
    try {
      return await then();
    } finally {
      beside.delete(id);
      if (beside.size === 0) asking.delete(name);
    }
  };

  return {
    async upload(ask: UploadAsk): Promise<Uploaded> {
      const asked: Asked = {
        ...ask,
        id: newId(),
        sha256: createHash('sha256').update(ask.input.bytes).digest('hex'),
        at: clock.now(),
        until: performance.now() + ask.waitMs,
      };
      try {
        return await registered(asked, () => begin(asked));
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
