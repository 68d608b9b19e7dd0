import { createHash, type Hash } from 'node:crypto';
import { once } from 'node:events';
import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { encrypting } from './cipher.ts';
import type { Manifest, TableEntry } from './manifest.ts';
import { TAR_END, tarHeader, tarPadding } from './tar.ts';

/**
 * Writes an archive under another name and gives it its own when it is whole and on the disk: whoever is killed in
 * between leaves `FILE.partial`, which the next run replaces, and never half a file under the name.
 */
export interface ArchiveWriter {
  add(name: string, bytes: Uint8Array): Promise<void>;
  /** A file of the disk; its hash. Throws ENOENT when it is not there. */
  addFile(name: string, file: string): Promise<{ bytes: number; sha256: string }>;
  table(name: string, columns: string[], rows: AsyncIterable<string>): Promise<TableEntry>;
  /** Writes the manifest and gives the file its name; its size in bytes. */
  finish(manifest: Manifest): Promise<number>;
  /** Leaves nothing behind. */
  abandon(): Promise<void>;
}

const PART_BYTES = 1024 * 1024;

export const partialName = (file: string): string => `${file}.partial`;

const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

export const createArchiveWriter = async (
  file: string,
  options: { passphrase: string | null; now(): number },
): Promise<ArchiveWriter> => {
  const partial = partialName(file);
  await rm(partial, { force: true });
  const handle = await open(partial, 'wx', 0o600);
  const tar = new PassThrough({ highWaterMark: 4 * PART_BYTES });
  const out = new Writable({
    write(chunk: Buffer, _encoding, done) {
      handle.writeFile(chunk).then(() => done(), done);
    },
  });
  const layers = options.passphrase === null ? [] : [encrypting(options.passphrase)];
  let fault: unknown = null;
  const written = pipeline([tar, createGzip({ level: 5 }), ...layers, out]).catch((error: unknown) => {
    fault = error;
    tar.destroy();
  });
  const now = options.now();

  const push = async (bytes: Uint8Array): Promise<void> => {
    if (fault !== null) throw fault;
    if (bytes.byteLength === 0 || tar.write(bytes)) return;
    await Promise.race([once(tar, 'drain'), written]);
    if (fault !== null) throw fault;
  };

  const add = async (name: string, bytes: Uint8Array): Promise<void> => {
    await push(tarHeader(name, bytes.byteLength, now));
    await push(bytes);
    await push(tarPadding(bytes.byteLength));
  };

  return {
    add,
    async addFile(name, source) {
      // Open before its head is written: a file that goes meanwhile can still be read to its end.
      const opened = await open(source, 'r');
      try {
        const { size } = await opened.stat();
        await push(tarHeader(name, size, now));
        const hash = createHash('sha256');
        let bytes = 0;
        while (bytes < size) {
          const { bytesRead, buffer } = await opened.read({
            buffer: Buffer.allocUnsafe(Math.min(PART_BYTES, size - bytes)),
          });
          if (bytesRead === 0) throw new Error(`${source} became shorter while it was read`);
          const part = buffer.subarray(0, bytesRead);
          hash.update(part);
          bytes += bytesRead;
          await push(part);
        }
        await push(tarPadding(size));
        return { bytes, sha256: hash.digest('hex') };
      } finally {
        await opened.close();
      }
    },
    async table(name, columns, lines) {
      const hash: Hash = createHash('sha256');
      let rows = 0;
      let part = 0;
      let held: string[] = [];
      let heldBytes = 0;
      const flush = async (): Promise<void> => {
        if (held.length === 0) return;
        part += 1;
        const bytes = Buffer.from(held.join(''));
        held = [];
        heldBytes = 0;
        hash.update(bytes);
        await add(`tables/${name}/${String(part).padStart(6, '0')}.jsonl`, bytes);
      };
      for await (const line of lines) {
        rows += 1;
        held.push(`${line}\n`);
        heldBytes += line.length;
        if (heldBytes >= PART_BYTES) await flush();
      }
      await flush();
      return { name, columns, rows, sha256: hash.digest('hex') };
    },
    async finish(manifest) {
      await add('manifest.json', Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`));
      await push(TAR_END);
      tar.end();
      await written;
      if (fault !== null) throw fault;
      await handle.sync();
      const { size } = await handle.stat();
      await handle.close();
      await rename(partial, file);
      await syncFolder(path.dirname(path.resolve(file)));
      return size;
    },
    async abandon() {
      tar.destroy();
      await written;
      await handle.close().catch(() => {});
      await rm(partial, { force: true });
    },
  };
};
