import type { BlobStore } from './blobs.ts';

/**
 * A store that took the place of an earlier one: everything new goes into it; what the earlier one still has is read there and
 * removed from there, never written.
 */
export const withEarlier = (blobs: BlobStore, earlier: BlobStore): BlobStore => {
  const both = async (work: (one: BlobStore) => Promise<void>): Promise<void> => {
    await work(blobs);
    await work(earlier);
  };
  return {
    stage: blobs.stage,
    settle: (key) => both((one) => one.settle(key)),
    unsettle: (key) => both((one) => one.unsettle(key)),
    read: async (key) => (await blobs.read(key)) ?? earlier.read(key),
    remove: (key) => both((one) => one.remove(key)),
    staged: async () => [...new Set([...(await blobs.staged()), ...(await earlier.staged())])],
  };
};
