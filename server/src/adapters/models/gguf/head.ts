import { open } from 'node:fs/promises';

/** Version 2 came in 2023; what is older is no longer read. */
const VERSIONS = new Set([2, 3]);
const MAX_ENTRIES = 1_000_000n;
const HEAD_BYTES = 24;

/**
 * Looks at the head of a file before a reader believes its counts: one of a broken file would be read for ever. Throws with what is wrong.
 */
export const checkHead = async (file: string): Promise<void> => {
  const handle = await open(file, 'r');
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    const { bytesRead } = await handle.read(head, 0, HEAD_BYTES, 0);
    if (bytesRead < HEAD_BYTES || head.toString('latin1', 0, 4) !== 'GGUF')
      throw new Error('it is no GGUF file');
    const version = head.readUInt32LE(4);
    if (!VERSIONS.has(version)) throw new Error(`it is of the GGUF version ${version}, which is not read`);
    if (head.readBigUInt64LE(8) > MAX_ENTRIES || head.readBigUInt64LE(16) > MAX_ENTRIES)
      throw new Error('it is damaged: its head names more parts than a model has');
  } finally {
    await handle.close();
  }
};
