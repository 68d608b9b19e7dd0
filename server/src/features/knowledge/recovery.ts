import type { BlobStore } from '../../kernel/blobs.ts';
import type { Clock } from '../../kernel/clock.ts';
import { blobKey } from './blob-key.ts';
import type { KnowledgeStore } from './store.ts';
import type { UploadStore } from './uploads.store.ts';

export interface RecoveryDeps {
  store: KnowledgeStore;
  uploads: UploadStore;
  blobs: BlobStore;
  clock: Clock;
  cancel(upload: { id: string; sha256: string }): Promise<boolean>;
}

/** After a start: finishes or undoes what the last process left half done. */
export const createDocumentRecovery =
  ({ store, uploads, blobs, clock, cancel }: RecoveryDeps) =>
  async (): Promise<void> => {
    for (const document of await store.abandoned(clock.now())) {
      await blobs.unsettle(blobKey(document));
      await store.purge(document.id);
      await blobs.remove(blobKey(document));
    }
    for (const upload of await uploads.outdated(clock.now())) await cancel(upload);
    await uploads.freeLeases();
    await store.settleGenerations(clock.now());
    await store.dropPages(null, clock.now());
    for (const key of await blobs.staged()) {
      const [, sha256, id] = /^([0-9a-f]{64})\.([0-9a-f-]{36})$/.exec(key) ?? [];
      const isHeld =
        id !== undefined &&
        sha256 !== undefined &&
        ((await store.holds(id, sha256)) || (await uploads.holds(id, sha256)));
      if (isHeld) await blobs.settle(key);
      else await blobs.remove(key);
    }
  };
