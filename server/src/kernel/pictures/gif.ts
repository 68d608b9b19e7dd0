import { broken, type CleanPicture, PictureFault } from './size.ts';

/** GIF89a: a screen with its colours, then pictures, each with its control block; comments and applications are left out. */

const IMAGE = 0x2c;
const EXTENSION = 0x21;
const TRAILER = 0x3b;
const GRAPHIC_CONTROL = 0xf9;
const APPLICATION = 0xff;
/** Frames are whole pictures to whoever decodes them. */
const MAX_FRAMES = 1_000;

const colours = (flags: number): number => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));

/** Behind the blocks of data that begin here. */
const behindBlocks = (file: Buffer, from: number): number => {
  for (let at = from; ; ) {
    const length = file[at];
    if (length === undefined) throw broken('it ends within a block');
    at += length + 1;
    if (length === 0) return at;
  }
};

const isLoop = (file: Buffer, at: number): boolean =>
  file[at + 2] === 11 && file.toString('latin1', at + 3, at + 14) === 'NETSCAPE2.0' && file[at + 14] === 3;

export const cleanGif = (file: Buffer, checkSize: (width: number, height: number) => void): CleanPicture => {
  if (file.length < 14) throw broken('it is too short');
  const width = file.readUInt16LE(6);
  const height = file.readUInt16LE(8);
  checkSize(width, height);
  let at = 13 + colours(file[10] ?? 0);
  const parts = [file.subarray(0, at)];
  let frames = 0;
  for (;;) {
    const kind = file[at];
    if (kind === TRAILER) break;
    if (kind === EXTENSION) {
      const end = behindBlocks(file, at + 2);
      const label = file[at + 1];
      if (label === GRAPHIC_CONTROL || (label === APPLICATION && isLoop(file, at) && end === at + 19))
        parts.push(file.subarray(at, end));
      at = end;
    } else if (kind === IMAGE) {
      if (at + 11 > file.length) throw broken('it ends within a frame');
      const [left, top] = [file.readUInt16LE(at + 1), file.readUInt16LE(at + 3)];
      const [wide, high] = [file.readUInt16LE(at + 5), file.readUInt16LE(at + 7)];
      if (left + wide > width || top + high > height) throw broken('a frame is larger than the picture');
      const end = behindBlocks(file, at + 11 + colours(file[at + 9] ?? 0));
      parts.push(file.subarray(at, end));
      frames += 1;
      if (frames > MAX_FRAMES) throw new PictureFault(`has more than ${MAX_FRAMES} frames`);
      at = end;
    } else throw broken('a block has no kind that there is');
  }
  if (frames === 0) throw broken('it has no pixels');
  if (at + 1 !== file.length) throw new PictureFault('has something else behind its end');
  parts.push(Buffer.from([TRAILER]));
  return { width, height, bytes: Buffer.concat(parts) };
};
