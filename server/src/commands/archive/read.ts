import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { decrypting, HEAD_BYTES, isEncrypted } from './cipher.ts';
import { type Manifest, parseManifest } from './manifest.ts';
import { bytesOf, readTar, type TarEntry } from './tar.ts';

/** An archive on the disk, read front to back. */
export interface Archive {
  encrypted: boolean;
  entries(): AsyncGenerator<TarEntry>;
}

export const openArchive = async (file: string, passphrase: string | null): Promise<Archive> => {
  const handle = await open(file, 'r');
  const head = Buffer.alloc(HEAD_BYTES);
  await handle.read(head, 0, HEAD_BYTES, 0);
  await handle.close();
  const encrypted = isEncrypted(head);
  if (encrypted && passphrase === null) {
    throw new Error('the archive is encrypted: give the file with its passphrase, --passphrase-file FILE');
  }
  return {
    encrypted,
    entries() {
      const source = createReadStream(file);
      const gunzip = createGunzip();
      const fail = (error: Error): void => void gunzip.destroy(error);
      let plain: Readable = source.on('error', fail);
      if (encrypted && passphrase !== null) plain = plain.pipe(decrypting(passphrase)).on('error', fail);
      return readTar(plain.pipe(gunzip));
    },
  };
};

/** `tables/<name>/<part>.jsonl` */
export const tableOf = (entry: TarEntry): string | null =>
  /^tables\/(\w+)\/\d{6}\.jsonl$/.exec(entry.name)?.[1] ?? null;

/** `blobs/<sha256>/<document id>` */
export const blobOf = (entry: TarEntry): { sha256: string; id: string } | null => {
  const match = /^blobs\/([0-9a-f]{64})\/([0-9a-f-]{36})$/.exec(entry.name);
  return match?.[1] === undefined || match[2] === undefined ? null : { sha256: match[1], id: match[2] };
};

/** `files/<n>` */
export const fileOf = (entry: TarEntry): number | null => {
  const n = /^files\/(\d{1,9})$/.exec(entry.name)?.[1];
  return n === undefined ? null : Number(n);
};

/** Room for the names of some hundred thousand files. */
const MAX_MANIFEST_BYTES = 64 * 1024 * 1024;

const hashOf = async (entry: TarEntry, hash: Hash): Promise<void> => {
  for await (const part of entry.parts()) hash.update(part);
};

/**
 * Reads the archive from front to back and compares everything with its manifest: nothing of it is believed before.
 * Throws with the first thing that does not fit.
 */
export const verifyArchive = async (archive: Archive): Promise<Manifest> => {
  const tables = new Map<string, { hash: Hash; rows: number }>();
  const files = new Map<number, string>();
  let blobs = 0;
  let blobBytes = 0;
  let manifest: Manifest | null = null;
  for await (const entry of archive.entries()) {
    if (manifest !== null) throw new Error('the archive goes on behind its manifest');
    const table = tableOf(entry);
    const blob = blobOf(entry);
    const file = fileOf(entry);
    if (table !== null) {
      const seen = tables.get(table) ?? { hash: createHash('sha256'), rows: 0 };
      tables.set(table, seen);
      for await (const part of entry.parts()) {
        seen.hash.update(part);
        for (let at = part.indexOf(10); at >= 0; at = part.indexOf(10, at + 1)) seen.rows += 1;
      }
    } else if (blob !== null) {
      const hash = createHash('sha256');
      await hashOf(entry, hash);
      if (hash.digest('hex') !== blob.sha256)
        throw new Error(`the bytes of document ${blob.id} in the archive are damaged`);
      blobs += 1;
      blobBytes += entry.sizeBytes;
    } else if (file !== null) {
      if (files.has(file)) throw new Error(`the archive holds the file ${file} twice`);
      const hash = createHash('sha256');
      await hashOf(entry, hash);
      files.set(file, hash.digest('hex'));
    } else if (entry.name === 'manifest.json') {
      manifest = parseManifest((await bytesOf(entry, MAX_MANIFEST_BYTES)).toString('utf8'));
    } else if (entry.name !== 'README.txt') {
      throw new Error(`the archive holds a file that belongs to none: ${JSON.stringify(entry.name)}`);
    }
  }
  if (manifest === null)
    throw new Error('the archive has no manifest: it is cut off, or no archive of Pentarch');
  const empty = createHash('sha256').digest('hex');
  for (const table of manifest.tables) {
    const seen = tables.get(table.name);
    const sha256 = seen === undefined ? empty : seen.hash.digest('hex');
    if ((seen?.rows ?? 0) !== table.rows || sha256 !== table.sha256) {
      throw new Error(
        `the table ${table.name} in the archive is damaged: ${seen?.rows ?? 0} of ${table.rows} rows, hash ${sha256.slice(0, 12)}, expected ${table.sha256.slice(0, 12)}`,
      );
    }
    tables.delete(table.name);
  }
  if (tables.size > 0)
    throw new Error(`the manifest does not name the table ${[...tables.keys()].join(', ')}`);
  if (blobs !== manifest.blobs.count || blobBytes !== manifest.blobs.bytes) {
    throw new Error(`${blobs} of ${manifest.blobs.count} documents’ bytes are in the archive`);
  }
  if (files.size !== manifest.files.length)
    throw new Error(`${files.size} of ${manifest.files.length} files are in the archive`);
  for (const file of manifest.files) {
    if (files.get(file.n) !== file.sha256) throw new Error(`the file ${file.path} in the archive is damaged`);
  }
  return manifest;
};
