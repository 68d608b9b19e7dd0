import { crc32 } from './crc32.ts';
import { orientationAlone, orientationOf } from './exif.ts';
import { broken, type CleanPicture, type Orientation, PictureFault, shownSize } from './size.ts';

/** PNG (W3C, third edition): a signature, then chunks of length, type, data and checksum. */

export const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** What the pixels need; texts, times, profiles and private chunks are left out. */
const KEPT = new Set(['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND', 'gAMA', 'sRGB', 'cHRM', 'sBIT']);

/** Bits of a sample by the type of colour: grey, red with green and blue, palette, and the first two with alpha. */
const DEPTHS: Readonly<Record<number, readonly number[]>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
};
const PALETTE = 3;

/** What follows the size in the header: depth, colour, compression, filter, interlace. Gives the type of colour. */
const colourOf = (header: Buffer): number => {
  const [depth = 0, colour = 0, compression, filter, interlace = 0] = header.subarray(8);
  if (DEPTHS[colour]?.includes(depth) !== true || compression !== 0 || filter !== 0 || interlace > 1)
    throw broken('its header names a form that there is not');
  return colour;
};

/** RFC 1950: deflate with a window of up to 32 KiB, without a dictionary, and a check of both bytes. */
const isZlib = (method = 0, flags = 0): boolean =>
  (method & 0x0f) === 8 && method >> 4 <= 7 && (flags & 0x20) === 0 && (method * 256 + flags) % 31 === 0;

const chunk = (type: string, data: Buffer): Buffer => {
  const bytes = Buffer.alloc(data.length + 12);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(type, 4, 'latin1');
  data.copy(bytes, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, data.length + 8)), data.length + 8);
  return bytes;
};

export const cleanPng = (file: Buffer, checkSize: (width: number, height: number) => void): CleanPicture => {
  const parts: Buffer[] = [PNG_SIGNATURE];
  let width = 0;
  let height = 0;
  let orientation: Orientation = 1;
  let colour = 0;
  let palette = false;
  /** The first two bytes of the pixels, which may stand in two chunks. */
  const begin: number[] = [];
  for (let at = PNG_SIGNATURE.length; ; ) {
    if (at + 12 > file.length) throw broken('it ends before its last chunk');
    const length = file.readUInt32BE(at);
    const end = at + 12 + length;
    if (length > 0x7fffffff || end > file.length) throw broken('a chunk is longer than the file');
    const type = file.toString('latin1', at + 4, at + 8);
    if (at === PNG_SIGNATURE.length) {
      if (type !== 'IHDR' || length !== 13) throw broken('it does not begin with its header');
      width = file.readUInt32BE(at + 8);
      height = file.readUInt32BE(at + 12);
      checkSize(width, height);
    } else if (type === 'IHDR') throw broken('it has two headers');
    if (crc32(file.subarray(at + 4, end - 4)) !== file.readUInt32BE(end - 4))
      throw broken(`the checksum of a chunk is wrong`);
    if (type === 'IHDR') colour = colourOf(file.subarray(at + 8, end - 4));
    palette ||= type === 'PLTE';
    if (type === 'IDAT') {
      if (colour === PALETTE && !palette) throw broken('it has no palette before its pixels');
      begin.push(...file.subarray(at + 8, Math.min(end - 4, at + 8 + 2 - begin.length)));
    }
    if (type === 'eXIf') orientation = orientationOf(file.subarray(at + 8, end - 4));
    // Critical by its capital letter: nothing could show the picture without knowing it.
    if (/^[A-Z]/.test(type) && !KEPT.has(type)) throw broken('it has a critical chunk of an unknown kind');
    if (KEPT.has(type) && type !== 'IEND') parts.push(file.subarray(at, end));
    at = end;
    if (type !== 'IEND') continue;
    if (at !== file.length) throw new PictureFault('has something else behind its end');
    break;
  }
  if (begin.length === 0) throw broken('it has no pixels');
  if (!isZlib(...begin)) throw broken('its pixels are not packed as they should be');
  if (orientation !== 1) parts.splice(2, 0, chunk('eXIf', orientationAlone(orientation)));
  parts.push(chunk('IEND', Buffer.alloc(0)));
  return { ...shownSize(width, height, orientation), bytes: Buffer.concat(parts) };
};
