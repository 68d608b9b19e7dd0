import { orientationAlone, orientationOf } from './exif.ts';
import { broken, type CleanPicture, type Orientation, PictureFault, shownSize } from './size.ts';

/** WebP (RFC 9649): a RIFF file of chunks, each of a name, a length, data and a byte to an even length. */

const KEPT = new Set(['VP8 ', 'VP8L', 'ALPH', 'ANIM', 'ANMF']);
const HAS_ICC = 0x20;
const HAS_EXIF = 0x08;
const HAS_XMP = 0x04;

const chunk = (name: string, data: Buffer): Buffer => {
  const bytes = Buffer.alloc(8 + data.length + (data.length % 2));
  bytes.write(name, 0, 'latin1');
  bytes.writeUInt32LE(data.length, 4);
  data.copy(bytes, 8);
  return bytes;
};

const sizeOfFrame = (name: string, data: Buffer): { width: number; height: number } => {
  if (name === 'VP8 ') {
    if (data.length < 10 || data.readUIntBE(3, 3) !== 0x9d012a) throw broken('its frame has no header');
    return { width: data.readUInt16LE(6) & 0x3fff, height: data.readUInt16LE(8) & 0x3fff };
  }
  if (data.length < 5 || data[0] !== 0x2f) throw broken('its frame has no header');
  const bits = data.readUInt32LE(1);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
};

export const cleanWebp = (file: Buffer, checkSize: (width: number, height: number) => void): CleanPicture => {
  const end = 8 + file.readUInt32LE(4);
  if (end > file.length) throw broken('it is shorter than it says');
  if (end + (end % 2) < file.length) throw new PictureFault('has something else behind its end');
  const parts: Buffer[] = [];
  let canvas: { width: number; height: number; flags: number } | null = null;
  let frame: { width: number; height: number } | null = null;
  let orientation: Orientation = 1;
  for (let at = 12; at < end; ) {
    if (at + 8 > end) throw broken('it ends within a chunk');
    const name = file.toString('latin1', at, at + 4);
    const length = file.readUInt32LE(at + 4);
    if (at + 8 + length > end) throw broken('a chunk is longer than the file');
    const data = file.subarray(at + 8, at + 8 + length);
    if (name === 'VP8X') {
      if (at !== 12 || length !== 10) throw broken('its header is not where it should be');
      const size = { width: data.readUIntLE(4, 3) + 1, height: data.readUIntLE(7, 3) + 1 };
      canvas = { ...size, flags: data[0] ?? 0 };
      checkSize(size.width, size.height);
    } else if (name === 'VP8 ' || name === 'VP8L') {
      const size = sizeOfFrame(name, data);
      checkSize(size.width, size.height);
      if (canvas !== null && (size.width !== canvas.width || size.height !== canvas.height))
        throw broken('its frame has another size than its header says');
      frame = size;
    } else if (name === 'ANMF') {
      if (canvas === null || length < 24) throw broken('a frame has no header');
      const size = { width: data.readUIntLE(6, 3) + 1, height: data.readUIntLE(9, 3) + 1 };
      if (size.width > canvas.width || size.height > canvas.height)
        throw broken('a frame is larger than the picture');
      frame ??= { width: canvas.width, height: canvas.height };
    } else if (name === 'EXIF') {
      const tiff = data.toString('latin1', 0, 6) === 'Exif\0\0' ? data.subarray(6) : data;
      orientation = orientationOf(tiff);
    }
    if (KEPT.has(name)) parts.push(chunk(name, data));
    at += 8 + length + (length % 2);
  }
  if (frame === null) throw broken('it has no pixels');
  if (canvas !== null) {
    const head = Buffer.alloc(10);
    head[0] = (canvas.flags & ~(HAS_ICC | HAS_EXIF | HAS_XMP)) | (orientation === 1 ? 0 : HAS_EXIF);
    head.writeUIntLE(canvas.width - 1, 4, 3);
    head.writeUIntLE(canvas.height - 1, 7, 3);
    parts.unshift(chunk('VP8X', head));
    if (orientation !== 1) parts.push(chunk('EXIF', orientationAlone(orientation)));
  } else orientation = 1;
  const body = Buffer.concat([Buffer.from('WEBP', 'latin1'), ...parts]);
  const head = Buffer.from('RIFF\0\0\0\0', 'latin1');
  head.writeUInt32LE(body.length, 4);
  return { ...shownSize(frame.width, frame.height, orientation), bytes: Buffer.concat([head, body]) };
};
