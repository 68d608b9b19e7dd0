import type { Along } from '../../db/db.ts';
import { within } from '../../db/scope.ts';
import { createTicker } from '../../jobs/index.ts';
import type { NewEvent } from '../../kernel/events.ts';
import { newId } from '../../kernel/ids.ts';
import { blobKey } from './blob-key.ts';
import type { Arrival } from './ingest-steps.ts';
import type { KnowledgeDocument, WaitingUpload } from './ports.ts';
import { createBeat } from './upload-beat.ts';
import type { Uploader, UploadsDeps } from './upload-deps.ts';
import { asAnswer, mayPass, toFault } from './upload-faults.ts';
import { nextTenant } from './upload-order.rules.ts';
import { createUploadTask, type UploadTask } from './upload-task.ts';
import { type HeldUpload, UploadLost } from './uploads.store.ts';

/** The work in the background: whose turn it is, how far it is, and how it ends. */

/** Files at once, and how many more of tenants of which none is at work. */
const AT_ONCE = 2;
const BESIDE = 2;
const LOOK_MS = 1_000;
const RETRY_DELAYS_MS = [5_000, 30_000, 120_000, 600_000];

class Stopping extends Error {}

const failedEvent = (upload: Arrival, task: UploadTask, message: string): NewEvent => ({
  type: 'document.failed',
  tenantId: upload.owner.tenantId,
  userId: upload.owner.userId,
  reach: 'own',
  permission: 'knowledge:read',
  data: {
    document_id: task.documentId,
    title: upload.input.title ?? upload.input.filename ?? '',
    error: message,
  },
  requestId: upload.requestId,
});

export const createUploadWork = (deps: UploadsDeps) => {
  const { uploads, blobs, clock, warn } = deps;
  const retryDelaysMs = deps.retryDelaysMs ?? RETRY_DELAYS_MS;
  const running = new Map<
    string,
    { task: UploadTask; tenantId: string; fromQueue: boolean; ended: Promise<void> }
  >();
  /** When each tenant last had a turn here. */
  const served = new Map<string, number>();
  let stopping = false;

  const run = (arrival: Arrival, by: Uploader): Promise<KnowledgeDocument> => {
    const { owner, sha256, input } = arrival;
    // A name is one line of versions; without one, the bytes are the document.
    const name = input.externalId === null ? sha256 : `name/${input.externalId}`;
    return deps.locked(`${owner.tenantId}/${owner.userId}/${name}`, async () => {
      const document = await deps.ingest(arrival);
      const { trusted } = arrival.input;
      return trusted === null ? document : deps.vouch(by, { ...document, sha256 }, trusted);
    });
  };

  const beating = createBeat(deps);

  const dropBytes = async (task: UploadTask, sha256: string): Promise<void> => {
    const key = blobKey({ id: task.id, sha256 });
    await blobs.unsettle(key);
    await uploads.remove(task.id);
    await blobs.remove(key);
  };

  /** `attempt` counts from 1. */
  const fault = async (arrival: Arrival, held: HeldUpload, attempt: number, error: unknown) => {
    const { task, input } = arrival;
    const key = blobKey({ id: task.id, sha256: arrival.sha256 });
    // Taken back, whole a moment ago, or another's: the row says it.
    const isThere = await uploads.holds(task.id, arrival.sha256);
    await (isThere ? blobs.settle(key) : blobs.remove(key));
    if (error instanceof UploadLost) return;
    if (stopping || error instanceof Stopping)
      return uploads.requeue(held, { runAt: clock.now(), counts: false });
    const answer = asAnswer(error, input.field);
    const wait = retryDelaysMs[attempt - 1];
    if (mayPass(answer) && wait !== undefined)
      return uploads.requeue(held, { runAt: clock.now() + wait, counts: true });
    if (mayPass(answer)) warn(error, `upload ${task.id} could not be read`);
    const kept = toFault(answer);
    const along: Along = async (tx) => void (await tx.emit(failedEvent(arrival, task, kept.message)));
    await uploads.fail(held, kept, clock.now(), along);
  };

  const untilAborted = (signal: AbortSignal): Promise<never> =>
    new Promise((_, reject) => {
      if (signal.aborted) reject(signal.reason);
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });

  const finishing = async (
    arrival: Arrival,
    held: HeldUpload,
    attempt: number,
    done: Promise<KnowledgeDocument>,
  ): Promise<void> => {
    const stop = beating(arrival, held);
    try {
      // What nobody wants any more is not waited for: it can write nothing without its lease.
      await Promise.race([done, untilAborted(arrival.task.signal)]);
      await dropBytes(arrival.task, arrival.sha256);
    } catch (error) {
      await fault(arrival, held, attempt, error);
    } finally {
      stop();
    }
  };

  const follow = (
    arrival: Arrival,
    attempt: number,
    done: Promise<KnowledgeDocument>,
    fromQueue: boolean,
  ): void => {
    const { task, owner } = arrival;
    const held = task.held();
    if (held === null) throw new Error('nothing holds this upload');
    done.catch(() => undefined);
    const ended = finishing(arrival, held, attempt, done)
      .catch((error: unknown) => warn(error, `upload ${task.id} could not be settled`))
      .finally(() => {
        running.delete(task.id);
        ticker.poke();
      });
    running.set(task.id, { task, tenantId: owner.tenantId, fromQueue, ended });
  };

  const begin = async (upload: WaitingUpload, lease: string): Promise<void> => {
    const held = { id: upload.id, lease };
    const { callerType, patched: _, changed: __, ...request } = upload.request;
    const owner = { tenantId: upload.tenantId, userId: upload.userId };
    const task = createUploadTask({
      uploads,
      dimensions: deps.dimensions,
      id: upload.id,
      createdAt: upload.createdAt,
      present: { held, documentId: upload.documentId },
    });
    const key = blobKey(upload);
    const work = async (): Promise<KnowledgeDocument> => {
      if (upload.attempts > retryDelaysMs.length + 2)
        throw new Error('the process that read this file has ended again and again');
      const bytes = await blobs.read(key);
      if (bytes === null) throw new Error(`the bytes of upload ${upload.id} are missing`);
      await blobs.settle(key);
      // What an attempt before this one has written of it in part.
      if (upload.attempts > 1) await deps.store.dropUnfinished(upload.documentId);
      arrival.input = { ...arrival.input, bytes };
      return run(arrival, { ...owner, type: callerType });
    };
    const arrival: Arrival = {
      owner,
      input: { ...request, externalId: upload.externalId, bytes: new Uint8Array() },
      sha256: upload.sha256,
      requestId: upload.requestId,
      task,
    };
    within(upload.tenantId, () => follow(arrival, upload.attempts, work(), true));
  };

  const look = async (): Promise<void> => {
    // Those that their requests have begun take none of the places of the queue.
    while (!stopping && [...running.values()].filter((one) => one.fromQueue).length < AT_ONCE + BESIDE) {
      const here = [...running.values()].map(({ tenantId }) => tenantId);
      const lease = newId();
      const upload = await uploads.claim(
        (tenants) => nextTenant(tenants, { here, served, room: running.size < AT_ONCE }),
        lease,
        clock.now(),
      );
      if (upload === null) return;
      served.set(upload.tenantId, performance.now());
      await begin(upload, lease);
    }
  };

  const ticker = createTicker({
    everyMs: LOOK_MS,
    tick: look,
    onError: (error) => warn(error, 'the uploads that wait could not be read'),
  });

  return {
    run,
    /** Of an upload whose request has waited long enough. */
    follow: (arrival: Arrival, done: Promise<KnowledgeDocument>) => follow(arrival, 1, done, false),
    poke: () => ticker.poke(),

    /** Takes an upload back, wherever it is worked on; whether it was there. `note` is written with it. */
    async cancel(upload: Pick<WaitingUpload, 'id' | 'sha256'>, note?: Along): Promise<boolean> {
      const key = blobKey(upload);
      await blobs.unsettle(key);
      const removed = await uploads.remove(upload.id, note);
      running.get(upload.id)?.task.abort(new UploadLost());
      await blobs.remove(key);
      return removed;
    },

    start: () => ticker.start(),

    /** What is not done goes back into the queue, for this process after its next start or for another one. */
    async stop(): Promise<void> {
      stopping = true;
      await ticker.stop();
      for (const { task } of running.values()) task.abort(new Stopping('the server is stopping'));
      await Promise.all([...running.values()].map(({ ended }) => ended));
    },
  };
};
