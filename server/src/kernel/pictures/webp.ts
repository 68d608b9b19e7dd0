import { orientationAlone, orientationOf } from './exif.ts';
import { broken, type CleanPicture, type Orientation, PictureFault, shownSize } from './size.ts';

/** WebP (RFC 9649): a RIFF file of chunks, each of a name, a length, data and a byte to an even length. */

const KEPT = new Set(['VP8 ', 'VP8L', 'ALPH', 'ANIM']);
const PIXELS = new Set(['VP8 ', 'VP8L']);
const HAS_ICC = 0x20;
const HAS_EXIF = 0x08;
const HAS_XMP = 0x04;
const FRAME_HEAD = 16;
/** Frames are whole pictures to whoever decodes them. */
const MAX_FRAMES = 1_000;

interface Size {
  width: number;
  height: number;
}

const chunk = (name: string, data: Buffer): Buffer => {
  const bytes = Buffer.alloc(8 + data.length + (data.length % 2));
  bytes.write(name, 0, 'latin1');
  bytes.writeUInt32LE(data.length, 4);
  data.copy(bytes, 8);
  return bytes;
};

const sizeOfFrame = (name: string, data: Buffer): Size => {
  if (name === 'VP8 ') {
    if (data.length < 10 || data.readUIntBE(3, 3) !== 0x9d012a) throw broken('its frame has no header');
    return { width: data.readUInt16LE(6) & 0x3fff, height: data.readUInt16LE(8) & 0x3fff };
  }
  if (data.length < 5 || data[0] !== 0x2f) throw broken('its frame has no header');
  const bits = data.readUInt32LE(1);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
};

/** Each chunk of the bytes, in order. */
function* chunksOf(bytes: Buffer): Generator<{ name: string; data: Buffer }> {
  for (let at = 0; at < bytes.length; ) {
    if (at + 8 > bytes.length) throw broken('it ends within a chunk');
    const length = bytes.readUInt32LE(at + 4);
    if (at + 8 + length > bytes.length) throw broken('a chunk is longer than the file');
    yield { name: bytes.toString('latin1', at, at + 4), data: bytes.subarray(at + 8, at + 8 + length) };
    at += 8 + length + (length % 2);
  }
}

/** A frame of an animation with its pixels alone, whose size is what the frame and the canvas say. */
const cleanFrame = (data: Buffer, canvas: Size | null): Buffer => {
  if (canvas === null || data.length < FRAME_HEAD + 8) throw broken('a frame has no header');
  const size = { width: data.readUIntLE(6, 3) + 1, height: data.readUIntLE(9, 3) + 1 };
  const [left, top] = [data.readUIntLE(0, 3) * 2, data.readUIntLE(3, 3) * 2];
  if (left + size.width > canvas.width || top + size.height > canvas.height)
    throw broken('a frame is larger than the picture');
  const parts = [data.subarray(0, FRAME_HEAD)];
  let images = 0;
  for (const { name, data: inner } of chunksOf(data.subarray(FRAME_HEAD))) {
    if (PIXELS.has(name)) {
      const { width, height } = sizeOfFrame(name, inner);
      if (width !== size.width || height !== size.height)
        throw broken('a frame has another size than its header says');
      images += 1;
    } else if (name !== 'ALPH') continue;
    parts.push(chunk(name, inner));
  }
  if (images !== 1) throw broken('a frame does not have the pixels of one picture');
  return chunk('ANMF', Buffer.concat(parts));
};

export const cleanWebp = (file: Buffer, checkSize: (width: number, height: number) => void): CleanPicture => {
  const end = 8 + file.readUInt32LE(4);
  if (end > file.length) throw broken('it is shorter than it says');
  if (end + (end % 2) < file.length) throw new PictureFault('has something else behind its end');
  const parts: Buffer[] = [];
  let canvas: (Size & { flags: number }) | null = null;
  let still: Size | null = null;
  let orientation: Orientation = 1;
  let frames = 0;
  let first = true;
  for (const { name, data } of chunksOf(file.subarray(12, end))) {
    if (name === 'VP8X') {
      if (!first || data.length !== 10) throw broken('its header is not where it should be');
      const size = { width: data.readUIntLE(4, 3) + 1, height: data.readUIntLE(7, 3) + 1 };
      canvas = { ...size, flags: data[0] ?? 0 };
      checkSize(size.width, size.height);
    } else if (PIXELS.has(name)) {
      const size = sizeOfFrame(name, data);
      checkSize(size.width, size.height);
      if (still !== null) throw broken('it has the pixels of two pictures');
      if (canvas !== null && (size.width !== canvas.width || size.height !== canvas.height))
        throw broken('its frame has another size than its header says');
      still = size;
    } else if (name === 'ANMF') {
      parts.push(cleanFrame(data, canvas));
      frames += 1;
      if (frames > MAX_FRAMES) throw new PictureFault(`has more than ${MAX_FRAMES} frames`);
    } else if (name === 'EXIF') {
      const tiff = data.toString('latin1', 0, 6) === 'Exif\0\0' ? data.subarray(6) : data;
      orientation = orientationOf(tiff);
    }
    if (KEPT.has(name)) parts.push(chunk(name, data));
    first = false;
  }
  if (still !== null && frames > 0) throw broken('it has frames beside its pixels');
  const shown = frames > 0 ? canvas : still;
  if (shown === null) throw broken('it has no pixels');
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
  return { ...shownSize(shown.width, shown.height, orientation), bytes: Buffer.concat([head, body]) };
};
