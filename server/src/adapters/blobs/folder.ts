import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { BlobStore } from '../../kernel/blobs.ts';
import { checkedKey } from './key.ts';

const ifMissing = <T>(fallback: T) => {
  return (error: unknown): T => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return fallback;
    throw error;
  };
};

const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** Blobs as files: `<root>/<first two of the key>/<key>`, staged ones in `<root>/staged/<key>`. */
export const createFolderBlobs = (root: string): BlobStore => {
  const stagedFolder = path.join(root, 'staged');
  const stagedFile = (key: string): string => path.join(stagedFolder, checkedKey(key));
  const settledFolder = (key: string): string => path.join(root, checkedKey(key).slice(0, 2).toLowerCase());
  const settledFile = (key: string): string => path.join(settledFolder(key), key);

  return {
    async stage(key, bytes) {
      const file = stagedFile(key);
      await mkdir(stagedFolder, { recursive: true, mode: 0o700 });
      // Under another name until it is whole: a torn file would look like the document's bytes.
      const part = `${file}.part`;
      const handle = await open(part, 'w', 0o600);
      try {
        await handle.writeFile(bytes);
        await handle.sync();
      } catch (error) {
        await rm(part, { force: true });
        throw error;
      } finally {
        await handle.close();
      }
      await rename(part, file);
      await syncFolder(stagedFolder);
    },
    async settle(key) {
      await mkdir(settledFolder(key), { recursive: true, mode: 0o700 });
      await rename(stagedFile(key), settledFile(key)).catch(ifMissing(undefined));
    },
    async unsettle(key) {
      await mkdir(stagedFolder, { recursive: true, mode: 0o700 });
      await rename(settledFile(key), stagedFile(key)).catch(ifMissing(undefined));
    },
    async read(key) {
      // It may move between the two looks, so the first place is looked at twice.
      for (const file of [settledFile(key), stagedFile(key), settledFile(key)]) {
        const bytes = await readFile(file).catch(ifMissing(null));
        if (bytes !== null) return bytes;
      }
      return null;
    },
    async remove(key) {
      await rm(stagedFile(key), { force: true });
      await rm(settledFile(key), { force: true });
    },
    async staged() {
      const names = await readdir(stagedFolder).catch(ifMissing<string[]>([]));
      return names;
    },
  };
};
