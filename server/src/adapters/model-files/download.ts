import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, readFile, rm, stat, statfs, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Answer, type Fetcher, RefusedAnswer, refuse } from './fetcher.ts';
import type { Checksum, RemoteFile } from './hub.ts';

/** One file from the network to the disk, going on where an earlier try was cut off. */

export interface Progress {
  name: string;
  doneBytes: number;
  /** Null where nobody has said it. */
  totalBytes: number | null;
}

export interface DownloadParts {
  fetcher: Fetcher;
  onProgress(progress: Progress): void;
  sleep(ms: number): Promise<void>;
  /** Bytes that may still be written in a folder. */
  freeBytes?(folder: string): Promise<number>;
}

/** What came is not what was named. Its bytes are gone. */
export class WrongFile extends Error {}

export class NoSpace extends Error {}

const TRIES_WITHOUT_PROGRESS = 5;
const FIRST_DELAY_MS = 500;
/** What the disk keeps for others. */
const SPARE_BYTES = 64 * 1024 * 1024;

/** What is known of the file at the other end, kept beside the bytes that have come: it may be another one next time. */
interface Seen {
  url: string;
  validator: string | null;
}

interface Part {
  file: string;
  bytes: number;
  sums: { sha256: Hash; git: Hash | null };
  /** How often what had come was of no use. */
  restarts: number;
}

const diskFree = async (folder: string): Promise<number> => {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
};

const sizeOf = async (file: string): Promise<number> => {
  try {
    return (await stat(file)).size;
  } catch {
    return 0;
  }
};

/** Git hashes a head with the size in front of the content, so the size must be known at the start. */
const sumsFor = (totalBytes: number | null, checksum: Checksum | null): Part['sums'] => ({
  sha256: createHash('sha256'),
  git:
    checksum?.kind === 'git' && totalBytes !== null
      ? createHash('sha1').update(`blob ${totalBytes}\0`)
      : null,
});

const take = (part: Part, bytes: Uint8Array): void => {
  part.sums.sha256.update(bytes);
  part.sums.git?.update(bytes);
  part.bytes += bytes.byteLength;
};

const seenOf = async (file: string): Promise<Seen | null> => {
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'));
    if (typeof value !== 'object' || value === null || !('url' in value) || !('validator' in value))
      return null;
    if (typeof value.url !== 'string') return null;
    return { url: value.url, validator: typeof value.validator === 'string' ? value.validator : null };
  } catch {
    return null;
  }
};

/** Weak tags say that two files mean the same, not that their bytes are. */
const validatorOf = (answer: Answer): string | null => {
  const etag = answer.header('etag');
  return etag?.startsWith('"') === true ? etag : answer.header('last-modified');
};

const totalOf = (answer: Answer): number | null => {
  const length = Number(answer.header('content-length') ?? Number.NaN);
  return Number.isSafeInteger(length) && length >= 0 ? length : null;
};

/** `bytes 10-99/100` → from 10 of 100. */
const rangeOf = (answer: Answer): { from: number; total: number } | null => {
  const match = /^bytes (\d{1,15})-\d{1,15}\/(\d{1,15})$/.exec(answer.header('content-range') ?? '');
  return match === null ? null : { from: Number(match[1]), total: Number(match[2]) };
};

export const addressOf = (url: URL): string => `${url.origin}${url.pathname}`;

/**
 * Loads `remote` into `target`, which holds the whole file when this ends, and gives its SHA-256. A checksum that does not fit throws
 * `WrongFile`, after what came is deleted; an interruption leaves the bytes for the next call.
 */
export const download = async (
  remote: RemoteFile,
  target: string,
  parts: DownloadParts,
): Promise<{ sha256: string; bytes: number }> => {
  const seenFile = `${target}.seen`;
  const forget = async (): Promise<void> => {
    await rm(target, { force: true });
    await rm(seenFile, { force: true });
  };
  const part = await resumed(remote, target, seenFile);
  const room = async (missing: number): Promise<void> => {
    const free = await (parts.freeBytes ?? diskFree)(path.dirname(target));
    if (missing + SPARE_BYTES > free)
      throw new NoSpace(
        `${Math.ceil(missing / 1024 / 1024)} MiB are to come and ${Math.floor(free / 1024 / 1024)} MiB are free on the disk of ${path.dirname(target)}`,
      );
  };
  for (let failures = 0; ; ) {
    const before = { ...part };
    try {
      const total = await once(remote, part, seenFile, { ...parts, room });
      if (total !== null && part.bytes !== total)
        throw new Error(`the connection ended after ${part.bytes} of ${total} bytes`);
      break;
    } catch (error) {
      if (error instanceof WrongFile) await forget();
      const final = error instanceof WrongFile || error instanceof NoSpace || error instanceof RefusedAnswer;
      const further = part.bytes > before.bytes && part.restarts === before.restarts;
      failures = further ? 1 : failures + 1;
      if (final || isOfTheDisk(error) || failures >= TRIES_WITHOUT_PROGRESS) throw error;
      await parts.sleep(FIRST_DELAY_MS * 2 ** (failures - 1));
    }
  }
  const sha256 = part.sums.sha256.copy().digest('hex');
  const found = remote.checksum?.kind === 'git' ? part.sums.git?.copy().digest('hex') : sha256;
  if (remote.checksum !== null && found !== remote.checksum.hex) {
    await forget();
    throw new WrongFile(
      `${path.basename(remote.url.pathname)} has the checksum ${found ?? 'unknown'} and should have ${remote.checksum.hex}: it was deleted`,
    );
  }
  await rm(seenFile, { force: true });
  return { sha256, bytes: part.bytes };
};

const DISK_CODES = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EACCES', 'EPERM', 'EROFS']);
const isOfTheDisk = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && DISK_CODES.has(String(error.code));

/** What an earlier try has left, read for its checksum, or nothing. */
const resumed = async (remote: RemoteFile, file: string, seenFile: string): Promise<Part> => {
  const part: Part = { file, bytes: 0, sums: sumsFor(remote.bytes, remote.checksum), restarts: 0 };
  const seen = await seenOf(seenFile);
  // Without a validator only a checksum could tell that the two halves belong together.
  const usable = seen?.url === addressOf(remote.url) && (seen.validator !== null || remote.checksum !== null);
  const left = await sizeOf(file);
  if (!usable || left === 0 || (remote.bytes !== null && left > remote.bytes)) {
    await rm(file, { force: true });
    await rm(seenFile, { force: true });
    return part;
  }
  for await (const bytes of createReadStream(file)) take(part, bytes as Buffer);
  return part;
};

type Room = DownloadParts & { room(missing: number): Promise<void> };

/** One request, from where the part ends; the whole length of the file as the server says it. */
const once = async (
  remote: RemoteFile,
  part: Part,
  seenFile: string,
  parts: Room,
): Promise<number | null> => {
  if (part.bytes > 0 && part.bytes === remote.bytes) return remote.bytes;
  const seen = part.bytes === 0 ? null : await seenOf(seenFile);
  const answer = await parts.fetcher.get(remote.url, {
    ...(part.bytes === 0 ? {} : { range: `bytes=${part.bytes}-` }),
    ...(seen?.validator ? { 'if-range': seen.validator } : {}),
  });
  const range = answer.status === 206 ? rangeOf(answer) : null;
  const same = !seen?.validator || [null, seen.validator].includes(validatorOf(answer));
  const goesOn = range !== null && range.from === part.bytes && part.bytes > 0 && same;
  if (!goesOn && answer.status !== 200) {
    if (part.bytes === 0 || (answer.status !== 206 && answer.status !== 416))
      return refuse(remote.url, answer);
    await answer.body.dump();
    await startOver(remote, part);
    throw new Error('the server would not go on where the file was cut off');
  }
  // The whole file again: the server knows no ranges, or it has another file by now.
  if (!goesOn && part.bytes > 0) await startOver(remote, part);
  const total = goesOn ? range.total : totalOf(answer);
  if (remote.bytes !== null && total !== null && total !== remote.bytes) {
    await answer.body.dump();
    throw new WrongFile(`the file has ${total} bytes and should have ${remote.bytes}: nothing was kept`);
  }
  await parts.room((total ?? remote.bytes ?? 0) - part.bytes).catch(async (error: unknown) => {
    await answer.body.dump();
    throw error;
  });
  await writeFile(seenFile, JSON.stringify({ url: addressOf(remote.url), validator: validatorOf(answer) }), {
    mode: 0o600,
  });
  await receive(answer, remote, part, { total, onProgress: parts.onProgress });
  return total ?? remote.bytes;
};

const startOver = async (remote: RemoteFile, part: Part): Promise<void> => {
  await rm(part.file, { force: true });
  part.bytes = 0;
  part.restarts += 1;
  part.sums = sumsFor(remote.bytes, remote.checksum);
};

const receive = async (
  answer: Answer,
  remote: RemoteFile,
  part: Part,
  how: { total: number | null; onProgress(progress: Progress): void },
): Promise<void> => {
  const handle: FileHandle = await open(part.file, 'a', 0o600);
  const limit = how.total ?? remote.bytes ?? Number.POSITIVE_INFINITY;
  try {
    for await (const bytes of answer.body) {
      if (part.bytes + bytes.byteLength > limit)
        throw new WrongFile('more bytes came than were told: nothing was kept');
      await handle.appendFile(bytes);
      take(part, bytes);
      how.onProgress({ name: remote.name, doneBytes: part.bytes, totalBytes: how.total ?? remote.bytes });
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
};
