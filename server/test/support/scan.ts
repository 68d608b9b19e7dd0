import { createRequire } from 'node:module';
import { deflateSync, zstdCompressSync } from 'node:zlib';
import { type Canvas, createCanvas, GlobalFonts } from '@napi-rs/canvas';

/** PDFs and pictures of text, as scanners and cameras make them. */

const require = createRequire(import.meta.url);
GlobalFonts.registerFromPath(
  require.resolve('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'),
  'Scan',
);

export interface ScanLine {
  x: number;
  /** From the top of an A4 page of 595 × 842 points. */
  y: number;
  text: string;
  size?: number;
}

export interface ScanPage {
  lines: readonly ScanLine[];
  /** Drawn as letters over the picture. */
  text?: string;
  dpi?: number;
  /** One bit a pixel, as a mask that is painted black. */
  mask?: boolean;
  /** The picture lies on its side, and the page is turned to show it upright. */
  turned?: boolean;
}

const WIDTH = 595;
const HEIGHT = 842;

/** Lines one below the other. */
export const linesFrom = (y: number, texts: readonly string[], size = 12): ScanLine[] =>
  texts.map((text, i) => ({ x: 72, y: y + i * size * 1.4, text, size }));

function canvasOf(page: ScanPage): Canvas {
  const scale = (page.dpi ?? 200) / 72;
  const [width, height] = [Math.round(WIDTH * scale), Math.round(HEIGHT * scale)];
  const canvas = page.turned ? createCanvas(height, width) : createCanvas(width, height);
  const pen = canvas.getContext('2d');
  pen.fillStyle = 'white';
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.fillStyle = 'black';
  if (page.turned) {
    pen.translate(0, width);
    pen.rotate(-Math.PI / 2);
  }
  for (const { x, y, text, size = 12 } of page.lines) {
    pen.font = `${size * scale}px Scan`;
    pen.fillText(text, x * scale, y * scale);
  }
  return canvas;
}

function drawn(page: ScanPage): { grey: Uint8Array; width: number; height: number } {
  const canvas = canvasOf(page);
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  const grey = Uint8Array.from({ length: canvas.width * canvas.height }, (_, i) => data[i * 4] ?? 255);
  return { grey, width: canvas.width, height: canvas.height };
}

/** Rows of bits; one that is set is white, or not painted. */
function bitsOf({ grey, width, height }: ReturnType<typeof drawn>): Uint8Array {
  const row = (width + 7) >> 3;
  const bits = new Uint8Array(row * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      if ((grey[y * width + x] ?? 255) > 127) bits[y * row + (x >> 3)]! |= 0x80 >> (x & 7);
  return bits;
}

export function makeScan(pages: readonly ScanPage[]): Uint8Array {
  const parts: Buffer[] = [];
  const offsets: number[] = [];
  let at = 0;
  const write = (data: Buffer | string) => {
    const bytes = Buffer.from(data);
    parts.push(bytes);
    at += bytes.length;
  };
  const add = (head: string, stream?: Uint8Array) => {
    offsets.push(at);
    write(`${offsets.length} 0 obj\n${head}`);
    if (stream) {
      write('stream\n');
      write(Buffer.from(stream));
      write('\nendstream');
    }
    write('\nendobj\n');
  };
  write('%PDF-1.7\n');
  const kids = pages.map((_, i) => `${4 + i * 3} 0 R`).join(' ');
  add('<</Type/Catalog/Pages 2 0 R>>');
  add(`<</Type/Pages/Kids[${kids}]/Count ${pages.length}>>`);
  add('<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>');
  pages.forEach((page, i) => {
    const first = 4 + i * 3;
    const picture = drawn(page);
    const packed = deflateSync(page.mask ? bitsOf(picture) : picture.grey);
    const [w, h] = page.turned ? [HEIGHT, WIDTH] : [WIDTH, HEIGHT];
    const text = page.text ? `BT /F1 9 Tf 72 20 Td (${page.text}) Tj ET` : '';
    const content = `q ${w} 0 0 ${h} 0 0 cm /I Do Q ${text}`;
    add(
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${w} ${h}]${page.turned ? '/Rotate 90' : ''}/Resources<</XObject<</I ${first + 2} 0 R>>/Font<</F1 3 0 R>>>>/Contents ${first + 1} 0 R>>`,
    );
    add(`<</Length ${content.length}>>`, Buffer.from(content));
    const kind = page.mask
      ? '/ImageMask true/BitsPerComponent 1'
      : '/ColorSpace/DeviceGray/BitsPerComponent 8';
    add(
      `<</Type/XObject/Subtype/Image/Width ${picture.width}/Height ${picture.height}${kind}/Filter/FlateDecode/Length ${packed.length}>>`,
      packed,
    );
  });
  const start = at;
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  write(
    `xref\n0 ${offsets.length + 1}\n0000000000 65535 f \n${table}trailer<</Size ${offsets.length + 1}/Root 1 0 R>>\nstartxref\n${start}\n%%EOF\n`,
  );
  return Buffer.concat(parts);
}

export const makePicture = (type: 'png' | 'jpeg' | 'webp', page: ScanPage): Uint8Array => {
  const canvas = canvasOf(page);
  switch (type) {
    case 'png':
      return canvas.toBuffer('image/png');
    case 'jpeg':
      return canvas.toBuffer('image/jpeg', 90);
    case 'webp':
      return canvas.toBuffer('image/webp', 90);
  }
};

/** As a camera says it that was held so: the note goes behind the mark that a JPEG begins with. */
export function turnedJpeg(jpeg: Uint8Array, orientation: number): Uint8Array {
  const note = Buffer.alloc(36);
  note.writeUInt16BE(0xffe1, 0);
  note.writeUInt16BE(34, 2);
  note.write('Exif\0\0MM\0*', 4, 'latin1');
  note.writeUInt32BE(8, 14);
  note.writeUInt16BE(1, 18);
  note.writeUInt16BE(0x0112, 20);
  note.writeUInt16BE(3, 22);
  note.writeUInt32BE(1, 24);
  note.writeUInt16BE(orientation, 28);
  return Buffer.concat([jpeg.subarray(0, 2), note, jpeg.subarray(2)]);
}

type Pack = (grey: Buffer, width: number, page: ScanPage) => Buffer;

/** Each value as its difference to the one on its left. */
const differences: Pack = (grey, width) =>
  Buffer.from(grey.map((value, i) => (i % width === 0 ? value : value - (grey[i - 1] ?? 0))));
const asJpeg: Pack = (_, __, page) => Buffer.from(makePicture('jpeg', page));

/** Number, what packs a page, and whether differences are packed (2). */
const TIFF_PACKINGS = {
  none: [1, (grey) => grey, 1],
  'old JPEG': [6, asJpeg, 1],
  JPEG: [7, asJpeg, 1],
  Deflate: [8, (grey) => deflateSync(grey), 1],
  'Deflate of differences': [8, (...of) => deflateSync(differences(...of)), 2],
  Zstandard: [50000, (grey) => zstdCompressSync(grey), 1],
} satisfies Record<string, [number: number, pack: Pack, predictor: 1 | 2]>;

/** Pages of eight bits a pixel, unpacked. */
export function makeTiff(
  pages: readonly ScanPage[],
  packing: keyof typeof TIFF_PACKINGS = 'none',
): Uint8Array {
  const parts: Buffer[] = [];
  let at = 8;
  const first: number[] = [];
  const directories = pages.map((page) => {
    const { grey, width, height } = drawn(page);
    const [number, pack, predictor] = TIFF_PACKINGS[packing];
    const packed = pack(Buffer.from(grey), width, page);
    const data = Buffer.concat([packed, Buffer.alloc(packed.length % 2)]);
    const fields: [tag: number, type: 3 | 4, value: number][] = [
      [256, 4, width],
      [257, 4, height],
      [258, 3, 8],
      [259, 3, number],
      [262, 3, 1],
      [273, 4, at],
      [277, 3, 1],
      [278, 4, height],
      [279, 4, packed.length],
      ...(predictor === 2 ? [[317, 3, 2] as [number, 3, number]] : []),
      ...(packing === 'old JPEG'
        ? ([
            [513, 4, at],
            [514, 4, packed.length],
          ] as [number, 4, number][])
        : []),
    ];
    const directory = Buffer.alloc(2 + fields.length * 12 + 4);
    directory.writeUInt16LE(fields.length, 0);
    fields.forEach(([tag, type, value], i) => {
      directory.writeUInt16LE(tag, 2 + i * 12);
      directory.writeUInt16LE(type, 4 + i * 12);
      directory.writeUInt32LE(1, 6 + i * 12);
      if (type === 3) directory.writeUInt16LE(value, 10 + i * 12);
      else directory.writeUInt32LE(value, 10 + i * 12);
    });
    first.push(at + data.length);
    at += data.length + directory.length;
    parts.push(data, directory);
    return directory;
  });
  for (const [i, directory] of directories.entries())
    directory.writeUInt32LE(first[i + 1] ?? 0, directory.length - 4);
  const head = Buffer.alloc(8);
  head.write('II*\0', 0, 'latin1');
  head.writeUInt32LE(first[0] ?? 0, 4);
  return Buffer.concat([head, ...parts]);
}
