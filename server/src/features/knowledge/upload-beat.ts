import type { Arrival } from './ingest-steps.ts';
import type { UploadsDeps } from './upload-deps.ts';
import { type HeldUpload, LEASE_MS, UploadLost } from './uploads.store.ts';

const TELL_MS = 1_000;

/** Keeps the lease of an upload and says how far it is, until what is given back is called. */
export const createBeat = ({
  uploads,
  clock,
  publish,
  warn,
}: Pick<UploadsDeps, 'clock' | 'publish' | 'uploads' | 'warn'>) => {
  const tell = (arrival: Arrival): void => {
    const { owner, task } = arrival;
    const { pagesDone, pages, chunksDone, chunks } = task.progress;
    publish({
      type: 'document.progress',
      tenantId: owner.tenantId,
      userId: owner.userId,
      reach: 'own',
      permission: 'knowledge:read',
      data: {
        document_id: task.documentId,
        progress: { pages_done: pagesDone, pages, chunks_done: chunksDone, chunks },
      },
    });
  };

  return (arrival: Arrival, held: HeldUpload): (() => void) => {
    const { task } = arrival;
    let last = JSON.stringify(task.progress);
    let saidAt = performance.now();
    const timer = setInterval(() => {
      const now = JSON.stringify(task.progress);
      const changed = now !== last;
      if (!changed && performance.now() - saidAt < LEASE_MS / 3) return;
      last = now;
      saidAt = performance.now();
      if (changed) tell(arrival);
      uploads.renew(held, task.progress, clock.now()).then(
        (kept) => {
          if (!kept) task.abort(new UploadLost());
        },
        (fault: unknown) => warn(fault, 'the lease of an upload could not be renewed'),
      );
    }, TELL_MS);
    timer.unref();
    return () => clearInterval(timer);
  };
};
