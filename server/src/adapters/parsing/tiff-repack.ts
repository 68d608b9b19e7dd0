import { createRequire } from 'node:module';
import { inflateSync, zstdDecompressSync } from 'node:zlib';
import { fail } from './fault.ts';

/**
 * Pages of TIFF in packings that the recogniser's reader was built without (JPEG, Deflate, Zstandard), as pages that it reads. All
 * others (none, LZW, PackBits, CCITT) it reads itself.
 */

interface Jpeg {
  width: number;
  height: number;
  parse(bytes: Uint8Array): void;
  getData(options: { width: number; height: number; forceRGB: boolean }): Uint8ClampedArray | Uint8Array;
}
const require = createRequire(import.meta.url);
const newJpeg = (): Jpeg =>
  new (
    require('pdfjs-dist/legacy/image_decoders/pdf.image_decoders.mjs') as { JpegImage: new () => Jpeg }
  ).JpegImage();

const TAG = {
  width: 256,
  height: 257,
  bits: 258,
  packing: 259,
  stripOffsets: 273,
  samples: 277,
  stripRows: 278,
  stripBytes: 279,
  planes: 284,
  predictor: 317,
  tileWidth: 322,
  tileHeight: 323,
  tileOffsets: 324,
  tileBytes: 325,
  oldJpeg: 513,
  oldJpegBytes: 514,
  format: 339,
  jpegTables: 347,
} as const;

const OLD_JPEG = 6;
const JPEG = 7;
const INFLATE: ReadonlyMap<number, (packed: Uint8Array, size: number) => Uint8Array> = new Map([
  [8, (packed: Uint8Array, maxOutputLength: number) => inflateSync(packed, { maxOutputLength })],
  [32946, (packed: Uint8Array, maxOutputLength: number) => inflateSync(packed, { maxOutputLength })],
  [50000, (packed: Uint8Array, maxOutputLength: number) => zstdDecompressSync(packed, { maxOutputLength })],
]);
const FLOAT = 3;
const MAX_BYTES = 256 * 1024 * 1024;
const ENTRY_BYTES = 12;
const SHORT = 3;
const LONG = 4;
const SIZES: Readonly<Record<number, number>> = { 1: 1, 2: 1, [SHORT]: 2, [LONG]: 4, 6: 1, 7: 1 };

interface Page {
  bytes: Uint8Array;
  little: boolean;
  /** Where each field of its list stands. */
  entries: ReadonlyMap<number, number>;
  /** Numbers of a field; empty where it is not there. */
  all(tag: number): number[];
  one(tag: number, otherwise: number): number;
}

function pageAt(bytes: Uint8Array, at: number, little: boolean): Page {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const entries = new Map<number, number>();
  const fields = view.getUint16(at, little);
  for (let n = 0; n < fields; n++) {
    const entry = at + 2 + n * ENTRY_BYTES;
    entries.set(view.getUint16(entry, little), entry);
  }
  const all = (tag: number): number[] => {
    const entry = entries.get(tag);
    if (entry === undefined) return [];
    const type = view.getUint16(entry + 2, little);
    const size = SIZES[type];
    const count = view.getUint32(entry + 4, little);
    if (size === undefined || count * size > bytes.length) return [];
    const start = count * size <= 4 ? entry + 8 : view.getUint32(entry + 8, little);
    return Array.from({ length: count }, (_, i) => {
      const place = start + i * size;
      if (size === 1) return view.getUint8(place);
      return size === 2 ? view.getUint16(place, little) : view.getUint32(place, little);
    });
  };
  return { bytes, little, entries, all, one: (tag, otherwise) => all(tag)[0] ?? otherwise };
}

/** Strips or tiles, in the order in which they stand in the file. */
function piecesOf(page: Page) {
  const isTiled = page.entries.has(TAG.tileWidth);
  const [width, height] = [page.one(TAG.width, 0), page.one(TAG.height, 0)];
  const offsets = page.all(isTiled ? TAG.tileOffsets : TAG.stripOffsets);
  const counts = page.all(isTiled ? TAG.tileBytes : TAG.stripBytes);
  const stripRows = Math.min(page.one(TAG.stripRows, height), height);
  return {
    isTiled,
    width,
    height,
    /** Of one piece. */
    across: isTiled ? page.one(TAG.tileWidth, 0) : width,
    down: isTiled ? page.one(TAG.tileHeight, 0) : stripRows,
    packed: offsets.map((offset, i) => page.bytes.subarray(offset, offset + (counts[i] ?? 0))),
  };
}
type Pieces = ReturnType<typeof piecesOf>;

/** Each value stands as its difference to the one on its left. */
function addUp(
  data: Uint8Array,
  row: { bytes: number; samples: number; bits: number; little: boolean },
): void {
  const { bytes, samples, bits, little } = row;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  for (let start = 0; start + bytes <= data.length; start += bytes) {
    if (bits === 8)
      for (let x = start + samples; x < start + bytes; x++)
        data[x] = ((data[x] ?? 0) + (data[x - samples] ?? 0)) & 0xff;
    else if (bits === 16)
      for (let x = start + samples * 2; x + 1 < start + bytes; x += 2)
        view.setUint16(
          x,
          (view.getUint16(x, little) + view.getUint16(x - samples * 2, little)) & 0xffff,
          little,
        );
    else return fail('unsupported_type', `TIFF of ${bits} bits with differences cannot be read`);
  }
}

/** The same file with this page first, and its data unpacked behind it. */
function inflated(page: Page, pieces: Pieces, inflate: (packed: Uint8Array, size: number) => Uint8Array) {
  const bits = page.one(TAG.bits, 1);
  const samples = page.one(TAG.planes, 1) === 2 ? 1 : page.one(TAG.samples, 1);
  const rowBytes = Math.ceil((pieces.across * samples * bits) / 8);
  const predictor = page.one(TAG.predictor, 1);
  if (predictor > 2) return fail('unsupported_type', 'TIFF with differences of this kind cannot be read');
  const data = pieces.packed.map((packed) => {
    const unpacked = Uint8Array.from(inflate(packed, rowBytes * pieces.down));
    if (predictor === 2) addUp(unpacked, { bytes: rowBytes, samples, bits, little: page.little });
    return unpacked;
  });
  return withData(page, pieces.isTiled, data);
}

function withData(page: Page, isTiled: boolean, data: readonly Uint8Array[]): Uint8Array {
  const { bytes, little } = page;
  let end = bytes.length + (bytes.length % 2);
  const lists = end;
  end += data.length * 8;
  const places = data.map((piece) => {
    const place = end;
    end += piece.length + (piece.length % 2);
    return place;
  });
  const kept = [...page.entries].filter(([tag]) => tag !== TAG.predictor);
  const file = new Uint8Array(end + 2 + kept.length * ENTRY_BYTES + 4);
  const view = new DataView(file.buffer);
  file.set(bytes);
  data.forEach((piece, i) => {
    file.set(piece, places[i]);
    view.setUint32(lists + i * 4, places[i] ?? 0, little);
    view.setUint32(lists + (data.length + i) * 4, piece.length, little);
  });
  const set = (entry: number, value: number, count = 1, type = LONG) => {
    view.setUint16(entry + 2, type, little);
    view.setUint32(entry + 4, count, little);
    view.setUint32(entry + 8, value, little);
  };
  // One number stands in the field itself.
  const listOf = (at: number) => (data.length === 1 ? view.getUint32(at, little) : at);
  view.setUint16(end, kept.length, little);
  kept.forEach(([tag, from], i) => {
    const entry = end + 2 + i * ENTRY_BYTES;
    file.set(bytes.subarray(from, from + ENTRY_BYTES), entry);
    if (tag === TAG.packing) set(entry, 1);
    if (tag === (isTiled ? TAG.tileOffsets : TAG.stripOffsets)) set(entry, listOf(lists), data.length);
    if (tag === (isTiled ? TAG.tileBytes : TAG.stripBytes))
      set(entry, listOf(lists + data.length * 4), data.length);
  });
  view.setUint32(4, end, little);
  return file;
}

const START_OF_IMAGE = 2;

/** Tables that all pieces share stand in a field of their own, as a picture without data. */
function jpegOf(tables: readonly number[], packed: Uint8Array): Jpeg {
  const jpeg = newJpeg();
  const shared = Uint8Array.from(tables).subarray(START_OF_IMAGE, -2);
  jpeg.parse(Buffer.concat([packed.subarray(0, START_OF_IMAGE), shared, packed.subarray(START_OF_IMAGE)]));
  return jpeg;
}

/** A grey picture (PGM). */
function fromJpegs(page: Page, pieces: Pieces, packed: readonly Uint8Array[]): Uint8Array {
  const { width, height, across, down } = pieces;
  const tables = page.all(TAG.jpegTables);
  const head = Buffer.from(`P5\n${width} ${height}\n255\n`, 'latin1');
  const grey = new Uint8Array(width * height).fill(255);
  const inRow = Math.max(1, Math.ceil(width / Math.max(1, across)));
  packed.forEach((one, i) => {
    const jpeg = jpegOf(tables, one);
    const rgb = jpeg.getData({ width: jpeg.width, height: jpeg.height, forceRGB: true });
    const [left, top] = [(i % inRow) * across, Math.floor(i / inRow) * down];
    const columns = Math.min(jpeg.width, width - left);
    for (let y = 0; y < Math.min(jpeg.height, height - top); y++)
      for (let x = 0; x < columns; x++) {
        const from = (y * jpeg.width + x) * 3;
        const light = (rgb[from] ?? 0) * 77 + (rgb[from + 1] ?? 0) * 150 + (rgb[from + 2] ?? 0) * 29;
        grey[(top + y) * width + left + x] = light >> 8;
      }
  });
  return Buffer.concat([head, grey]);
}

/** Null for a page that is read as it is. Throws `ParseError`. */
export function repacked(bytes: Uint8Array, at: number, little: boolean): Uint8Array | null {
  const page = pageAt(bytes, at, little);
  const packing = page.one(TAG.packing, 1);
  if (page.one(TAG.format, 1) === FLOAT)
    return fail('unsupported_type', 'TIFF of floating point numbers cannot be read');
  const inflate = INFLATE.get(packing);
  if (inflate === undefined && packing !== JPEG && packing !== OLD_JPEG) return null;
  const pieces = piecesOf(page);
  const { width, height } = pieces;
  if (width * height * page.one(TAG.samples, 1) * Math.max(1, page.one(TAG.bits, 1) / 8) > MAX_BYTES)
    return fail('too_large', 'the picture is larger than is read');
  try {
    if (inflate !== undefined) return inflated(page, pieces, inflate);
    if (packing === JPEG) return fromJpegs(page, pieces, pieces.packed);
    const start = page.one(TAG.oldJpeg, 0);
    const whole = bytes.subarray(start, start + page.one(TAG.oldJpegBytes, 0));
    // Some hold no whole picture, but its tables one by one.
    if (whole[0] !== 0xff || whole[1] !== 0xd8)
      return fail('unsupported_type', 'TIFF of this packing (the first kind of JPEG) cannot be read');
    return fromJpegs(page, { ...pieces, across: width, down: height }, [whole]);
  } catch (error) {
    if (error instanceof RangeError && /memory|allocation/i.test(error.message)) throw error;
    if (error instanceof Error && error.name === 'ParseError') throw error;
    return fail('broken', 'the picture is damaged or incomplete');
  }
}
