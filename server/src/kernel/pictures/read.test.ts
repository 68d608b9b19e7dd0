import { createCanvas, loadImage } from '@napi-rs/canvas';
import { describe, expect, it } from 'vitest';
import { MAX_PICTURE_BYTES } from '../picture.ts';
import { crc32 } from './crc32.ts';
import { orientationOf } from './exif.ts';
import { bytesOfText, pictureTypeOf, readPicture } from './read.ts';
import { estimatePictureTokens, pictureTokensBound } from './tokens.ts';

/** Files that another program has written (Skia's encoders), with metadata put into them as cameras do. */

const SECRET = 'N 52.5200 E 13.4050';

const drawn = (width = 40, height = 20) => {
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  context.fillStyle = '#c02020';
  context.fillRect(0, 0, width / 2, height);
  context.fillStyle = '#2020c0';
  context.fillRect(width / 2, 0, width / 2, height);
  return canvas;
};
const jpeg = (): Buffer => drawn().toBuffer('image/jpeg', 90);
const webp = (): Buffer => drawn().toBuffer('image/webp', 90);
const png = (width?: number, height?: number): Buffer => drawn(width, height).toBuffer('image/png');

/** Little-endian EXIF: an orientation and a text, as a camera writes them. */
const exif = (orientation: number): Buffer => {
  const text = Buffer.from(`${SECRET}\0`, 'latin1');
  const tiff = Buffer.alloc(8 + 2 + 24 + 4);
  tiff.write('II*\0', 0, 'latin1');
  tiff.writeUInt32LE(8, 4);
  tiff.writeUInt16LE(2, 8);
  tiff.set([0x0e, 0x01, 2, 0], 10);
  tiff.writeUInt32LE(text.length, 14);
  tiff.writeUInt32LE(tiff.length, 18);
  tiff.set([0x12, 0x01, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0], 22);
  return Buffer.concat([tiff, text]);
};
const segment = (marker: number, data: Buffer): Buffer =>
  Buffer.concat([Buffer.from([0xff, marker, (data.length + 2) >> 8, (data.length + 2) & 255]), data]);
const photo = (orientation: number): Buffer => {
  const file = jpeg();
  return Buffer.concat([
    file.subarray(0, 2),
    segment(0xe1, Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), exif(orientation)])),
    segment(0xfe, Buffer.from(SECRET)),
    segment(0xed, Buffer.from(`Photoshop 3.0\0${SECRET}`)),
    file.subarray(2),
  ]);
};
const riff = (...chunks: [string, Buffer][]): Buffer => {
  const parts = chunks.map(([name, data]) => {
    const head = Buffer.alloc(8);
    head.write(name, 0, 'latin1');
    head.writeUInt32LE(data.length, 4);
    return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
  });
  const body = Buffer.concat([Buffer.from('WEBP'), ...parts]);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(body.length);
  return Buffer.concat([Buffer.from('RIFF'), size, body]);
};
const chunksOf = (file: Buffer): [string, Buffer][] => {
  const chunks: [string, Buffer][] = [];
  for (let at = 12; at + 8 <= file.length; ) {
    const length = file.readUInt32LE(at + 4);
    chunks.push([file.toString('latin1', at, at + 4), file.subarray(at + 8, at + 8 + length)]);
    at += 8 + length + (length % 2);
  }
  return chunks;
};
/** One pixel, with a comment and a loop (GIF89a). */
const gif = (more: readonly number[] = [], screen: readonly number[] = [1, 0, 1, 0]): Buffer =>
  Buffer.from([
    ...Buffer.from('GIF89a'),
    ...screen,
    0x80,
    0,
    0,
    255,
    0,
    0,
    0,
    0,
    0,
    ...more,
    0x2c,
    0,
    0,
    0,
    0,
    1,
    0,
    1,
    0,
    0,
    2,
    2,
    0x44,
    1,
    0,
    0x3b,
  ]);
const comment = [0x21, 0xfe, SECRET.length, ...Buffer.from(SECRET), 0];

const colourAt = async (bytes: Buffer, x: number, y: number): Promise<number[]> => {
  const image = await loadImage(bytes);
  const canvas = createCanvas(image.width, image.height);
  const context = canvas.getContext('2d');
  context.drawImage(image, 0, 0);
  return [...context.getImageData(x, y, 1, 1).data];
};

describe('pictures of messages', () => {
  it('keeps the pixels of each format, and nothing that was written beside them', async () => {
    const frame = webp();
    const extended = riff(
      ['VP8X', Buffer.from([0x1c, 0, 0, 0, 39, 0, 0, 19, 0, 0])],
      ...chunksOf(frame).filter(([name]) => name !== 'VP8X'),
      ['EXIF', exif(1)],
      ['XMP ', Buffer.from(SECRET)],
    );
    const files = { png: png(), jpeg: photo(1), webp: extended, plain: frame };
    for (const [what, file] of Object.entries(files)) {
      const read = readPicture(file);
      expect(read, what).toMatchObject({ width: 40, height: 20 });
      expect(read.bytes.includes(SECRET), what).toBe(false);
      expect(await colourAt(read.bytes, 3, 3), what).toEqual(await colourAt(file, 3, 3));
      expect(await colourAt(read.bytes, 36, 17), what).toEqual(await colourAt(file, 36, 17));
      expect(readPicture(read.bytes), what).toEqual(read);
    }
    const moving = readPicture(gif(comment));
    expect(moving).toMatchObject({ mediaType: 'image/gif', width: 1, height: 1 });
    expect(moving.bytes).toEqual(gif());
  });

  it('keeps how a camera was held, and no other field of its EXIF', async () => {
    for (const orientation of [1, 3, 6, 8]) {
      const file = photo(orientation);
      const read = readPicture(file);
      const turned = orientation > 4;
      expect(read).toMatchObject(turned ? { width: 20, height: 40 } : { width: 40, height: 20 });
      expect(read.bytes.includes(SECRET)).toBe(false);
      const at = read.bytes.indexOf('Exif\0\0');
      expect(at < 0 ? 1 : orientationOf(read.bytes.subarray(at + 6))).toBe(orientation);
      const [before, after] = [await loadImage(file), await loadImage(read.bytes)];
      expect([after.width, after.height]).toEqual([before.width, before.height]);
      expect(await colourAt(read.bytes, 2, 2)).toEqual(await colourAt(file, 2, 2));
    }
  });

  it('goes by the first bytes, and takes nothing that is two files at once', () => {
    expect(pictureTypeOf(jpeg())).toBe('image/jpeg');
    expect(pictureTypeOf(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'))).toBeNull();
    for (const file of [Buffer.from('<html>'), Buffer.from('%PDF-1.7'), Buffer.alloc(0), Buffer.from('RIFF')])
      expect(() => readPicture(file)).toThrow('is neither PNG, JPEG, WebP nor GIF');
    const archive = Buffer.from('PK\u0003\u0004 evil');
    for (const file of [png(), webp(), gif()])
      expect(() => readPicture(Buffer.concat([file, archive]))).toThrow('something else behind its end');
    // Phones write previews and videos there: the picture is taken without them.
    expect(readPicture(Buffer.concat([jpeg(), archive])).bytes.includes('evil')).toBe(false);
  });

  it('refuses what would be huge when it is decoded, by its header', () => {
    const bomb = png();
    bomb.writeUInt32BE(60_000, 16);
    bomb.writeUInt32BE(60_000, 20);
    expect(() => readPicture(bomb)).toThrow('is 60000 × 60000 pixels');
    expect(() => readPicture(gif([], [0xff, 0xff, 0xff, 0xff]))).toThrow('is 65535 × 65535 pixels');
    expect(() => readPicture(png(8_001, 1))).toThrow('at most 8000 on a side');
    const framed = gif();
    framed.writeUInt16LE(5_000, 19 + 5);
    expect(() => readPicture(framed)).toThrow('a frame is larger than the picture');
    const head = Buffer.from([0x10, 0, 0, 0, 9, 0, 0, 9, 0, 0]);
    const lying = riff(['VP8X', head], ...chunksOf(webp()).filter(([name]) => name !== 'VP8X'));
    expect(() => readPicture(lying)).toThrow('another size than its header says');
    expect(() => readPicture(Buffer.alloc(MAX_PICTURE_BYTES + 1))).toThrow('make it smaller');
  });

  it('takes a PNG of the forms that there are alone, with pixels that are packed', () => {
    const chunkOf = (type: string, data: Buffer): Buffer => {
      const bytes = Buffer.alloc(data.length + 12);
      bytes.writeUInt32BE(data.length, 0);
      bytes.write(type, 4, 'latin1');
      data.copy(bytes, 8);
      bytes.writeUInt32BE(crc32(bytes.subarray(4, -4)), data.length + 8);
      return bytes;
    };
    const of = (form: readonly number[], pixels: readonly (readonly number[])[], palette = false): Buffer =>
      Buffer.concat([
        png().subarray(0, 8),
        chunkOf('IHDR', Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, ...form])),
        ...(palette ? [chunkOf('PLTE', Buffer.from([0, 0, 0]))] : []),
        ...pixels.map((data) => chunkOf('IDAT', Buffer.from(data))),
        chunkOf('IEND', Buffer.alloc(0)),
      ]);
    const zlib = [0x78, 0x9c, 0x63, 0, 0, 0, 1, 0, 1];
    const pairs: Record<number, number[]> = {
      0: [1, 2, 4, 8, 16],
      2: [8, 16],
      3: [1, 2, 4, 8],
      4: [8, 16],
      6: [8, 16],
    };
    for (let colour = 0; colour < 9; colour++)
      for (let depth = 0; depth < 33; depth++) {
        const file = of([depth, colour, 0, 0, 0], [zlib], colour === 3);
        if (pairs[colour]?.includes(depth) === true)
          expect(readPicture(file)).toMatchObject({ width: 1, height: 1 });
        else
          expect(() => readPicture(file), `${depth} of ${colour}`).toThrow('names a form that there is not');
      }
    for (const form of [
      [8, 2, 1, 0, 0],
      [8, 2, 0, 1, 0],
      [8, 2, 0, 0, 2],
    ])
      expect(() => readPicture(of(form, [zlib]))).toThrow('names a form that there is not');
    const rgb = [8, 2, 0, 0, 0];
    expect(() => readPicture(of([8, 3, 0, 0, 0], [zlib]))).toThrow('no palette');
    expect(readPicture(of(rgb, [[], [0x78], zlib.slice(1)])).width).toBe(1);
    for (const pixels of [
      [[0x78]],
      [[0x79, 0x9c, 0]],
      [[0x78, 0x9d, 0]],
      [[0x88, 0x1c, 0]],
      [[0x78, 0xbb]],
      [Array(40).fill(0xff)],
    ])
      expect(() => readPicture(of(rgb, pixels as number[][]))).toThrow('not packed as they should be');
    expect(() => readPicture(of(rgb, [[]]))).toThrow('no pixels');
  });

  it('keeps of each frame of a WebP its pixels alone, in the size that it says', () => {
    const pixels = chunksOf(webp()).filter(([name]) => name === 'VP8 ' || name === 'VP8L');
    const sizes = (left: number, top: number, width: number, height: number): Buffer => {
      const head = Buffer.alloc(16);
      for (const [i, value] of [left / 2, top / 2, width - 1, height - 1].entries())
        head.writeUIntLE(value, i * 3, 3);
      return head;
    };
    const insideOf = (...chunks: [string, Buffer][]): Buffer => riff(...chunks).subarray(12);
    const canvas: [string, Buffer] = ['VP8X', Buffer.from([0x02, 0, 0, 0, 39, 0, 0, 19, 0, 0])];
    const anim: [string, Buffer] = ['ANIM', Buffer.alloc(6)];
    const frame = (head: Buffer, ...chunks: [string, Buffer][]): [string, Buffer] => [
      'ANMF',
      Buffer.concat([head, insideOf(...chunks)]),
    ];
    const full = sizes(0, 0, 40, 20);
    const plain = riff(canvas, anim, frame(full, ...pixels), frame(full, ...pixels));
    expect(readPicture(plain)).toMatchObject({ width: 40, height: 20, bytes: plain });
    const secret: [string, Buffer][] = [
      ['EXIF', Buffer.from(SECRET)],
      ['XMP ', Buffer.from(SECRET)],
      ['abcd', Buffer.from(SECRET)],
    ];
    const told = riff(canvas, anim, frame(full, ...secret, ...pixels), frame(full, ...pixels, ...secret));
    expect(told.includes(SECRET)).toBe(true);
    expect(readPicture(told).bytes).toEqual(plain);
    const refused: [string, [string, Buffer][]][] = [
      ['larger than the picture', [frame(sizes(2, 0, 40, 20), ...pixels)]],
      ['larger than the picture', [frame(sizes(0, 0, 41, 20), ...pixels)]],
      ['another size than its header says', [frame(sizes(0, 0, 20, 20), ...pixels)]],
      ['the pixels of one picture', [frame(full, ...pixels, ...pixels)]],
      ['the pixels of one picture', [frame(full, ...secret)]],
      ['longer than the file', [['ANMF', Buffer.concat([full, insideOf(...pixels).subarray(0, 20)])]]],
      ['frames beside its pixels', [...pixels, frame(full, ...pixels)]],
      ['the pixels of two pictures', [...pixels, ...pixels]],
      ['more than 1000 frames', Array.from({ length: 1_001 }, () => frame(full, ...pixels))],
    ];
    for (const [reason, chunks] of refused)
      expect(() => readPicture(riff(canvas, anim, ...chunks)), reason).toThrow(reason);
    expect(() => readPicture(riff(...pixels, ...pixels))).toThrow('the pixels of two pictures');
  });

  it('says of every cut and of changed bytes that the file is broken, and throws nothing else', () => {
    for (const file of [png(), photo(6), webp(), gif(comment)]) {
      for (let end = 0; end < file.length; end += 1 + Math.floor(end / 40))
        expect(() => readPicture(file.subarray(0, end))).toThrow(/is broken|is neither|has no size/);
      for (let at = 0; at < file.length; at++) {
        const changed = Buffer.from(file);
        changed[at] = (changed[at] ?? 0) ^ 0xff;
        try {
          readPicture(changed);
        } catch (error) {
          expect((error as Error).constructor.name).toBe('PictureFault');
        }
      }
    }
  });

  it('reads base64 and data: URLs', () => {
    const bytes = gif();
    expect(bytesOfText(bytes.toString('base64'))).toEqual(bytes);
    expect(bytesOfText(`data:image/gif;base64,${bytes.toString('base64')}`)).toEqual(bytes);
    const text = bytes.toString('base64');
    const lines = text.replaceAll(/(.{16})/g, '$1\r\n');
    expect(lines).toContain('\r\n');
    for (const same of [
      lines,
      lines.replaceAll('\r', ''),
      `DATA:image/gif;BASE64,${text}`,
      bytes.toString('base64url'),
    ])
      expect(bytesOfText(same)).toEqual(bytes);
    const all = Buffer.from([0xfb, 0xff, 0xfe]);
    expect(bytesOfText('-__-')).toEqual(all);
    expect(bytesOfText('+//+')).toEqual(all);
    for (const text of [
      '',
      'data:image/gif,abc',
      'DATA:image/gif,abc',
      'https://a.test/x.png',
      'a b',
      'abcde',
    ])
      expect(() => bytesOfText(text)).toThrow(/base64/);
  });

  it('counts a picture by the rules of the providers', () => {
    const of = (provider: string, name: string, width: number, height: number): number =>
      pictureTokensBound({ width, height }, { provider, name });
    // At least what the providers' own examples say.
    expect(of('openai', 'gpt-4o', 1024, 1024)).toBeGreaterThanOrEqual(765);
    expect(of('openai', 'gpt-4o', 2048, 4096)).toBeGreaterThanOrEqual(1105);
    expect(of('openai', 'gpt-4o-mini', 1024, 1024)).toBeGreaterThanOrEqual(25_501);
    expect(of('openai', 'gpt-4.1-nano', 4000, 1474)).toBeGreaterThanOrEqual(3_779);
    expect(of('anthropic', 'claude-haiku-4-5', 1000, 1000)).toBeGreaterThanOrEqual(1_334);
    expect(of('anthropic', 'claude-opus-4-7', 8000, 5000)).toBe(64 + 4_784);
    expect(of('google', 'gemini-2.5-flash', 960, 540)).toBeGreaterThanOrEqual(6 * 258);
    expect(of('google', 'gemini-3-pro', 100, 100)).toBeGreaterThanOrEqual(1_120);
    expect(estimatePictureTokens({ width: 750, height: 750 })).toBe(750);
  });
});
