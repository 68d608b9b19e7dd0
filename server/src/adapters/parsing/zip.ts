import { crc32, inflateRawSync } from 'node:zlib';
import { fail, LIMITS } from './fault.ts';

/**
 * Reading of zip archives (APPNOTE 6.3, without zip64: uploads are far below 4 GiB). Sizes in the archive are
 * not believed: what comes out is bounded while it is inflated.
 */
export interface Zip {
  names: string[];
  has(name: string): boolean;
  /** Throws `ParseError` broken or too_large; null when there is no such part. */
  read(name: string): Uint8Array | null;
  readText(name: string): string | null;
}

interface Entry {
  method: number;
  encrypted: boolean;
  crc: number;
  packedBytes: number;
  headerAt: number;
}

const END = 0x06054b50;
const CENTRAL = 0x02014b50;
const LOCAL = 0x04034b50;

export function openZip(
  bytes: Uint8Array,
  limits: { partBytes: number; unzippedBytes: number } = LIMITS,
): Zip {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const entries = readDirectory(bytes, view);
  let totalBytes = 0;

  function read(name: string): Uint8Array | null {
    const entry = entries.get(name);
    if (!entry) return null;
    if (entry.encrypted) return fail('encrypted', 'the file is protected by a password');
    const room = Math.min(limits.partBytes, limits.unzippedBytes - totalBytes);
    const data = inflate(packed(bytes, view, entry), entry.method, room);
    totalBytes += data.byteLength;
    if (crc32(data) !== entry.crc) return fail('broken', 'a part of the file is damaged');
    return data;
  }

  return {
    names: [...entries.keys()],
    has: (name) => entries.has(name),
    read,
    readText(name) {
      const data = read(name);
      return (
        data && new TextDecoder(data[0] === 0xff && data[1] === 0xfe ? 'utf-16le' : 'utf-8').decode(data)
      );
    },
  };
}

function readDirectory(bytes: Uint8Array, view: DataView): Map<string, Entry> {
  const broken = 'the file is cut off or damaged: its directory is missing';
  let end = bytes.byteLength - 22;
  const lowest = Math.max(0, end - 65_535);
  while (end >= lowest && view.getUint32(end, true) !== END) end--;
  if (end < lowest || end < 0) return fail('broken', broken);
  const count = view.getUint16(end + 10, true);
  let at = view.getUint32(end + 16, true);
  const entries = new Map<string, Entry>();
  for (let i = 0; i < count; i++) {
    if (at + 46 > bytes.byteLength || view.getUint32(at, true) !== CENTRAL) return fail('broken', broken);
    const nameBytes = view.getUint16(at + 28, true);
    const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + nameBytes));
    entries.set(name.replaceAll('\\', '/'), {
      encrypted: (view.getUint16(at + 8, true) & 1) === 1,
      method: view.getUint16(at + 10, true),
      crc: view.getUint32(at + 16, true),
      packedBytes: view.getUint32(at + 20, true),
      headerAt: view.getUint32(at + 42, true),
    });
    at += 46 + nameBytes + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return entries;
}

function packed(bytes: Uint8Array, view: DataView, entry: Entry): Uint8Array {
  const { headerAt, packedBytes } = entry;
  if (headerAt + 30 > bytes.byteLength || view.getUint32(headerAt, true) !== LOCAL) {
    return fail('broken', 'a part of the file is missing');
  }
  const start = headerAt + 30 + view.getUint16(headerAt + 26, true) + view.getUint16(headerAt + 28, true);
  if (start + packedBytes > bytes.byteLength) return fail('broken', 'a part of the file is cut off');
  return bytes.subarray(start, start + packedBytes);
}

function inflate(data: Uint8Array, method: number, maxBytes: number): Uint8Array {
  const tooLarge = () => fail('too_large', 'the file unpacks to more than is allowed');
  if (method === 0) return data.byteLength > maxBytes ? tooLarge() : data;
  if (method !== 8) return fail('broken', 'the file uses an unknown compression');
  if (maxBytes <= 0) return tooLarge();
  try {
    return inflateRawSync(data, { maxOutputLength: maxBytes });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    return code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge() : fail('broken', 'a part of the file is damaged');
  }
}
