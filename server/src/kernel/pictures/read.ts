import {
  MAX_PICTURE_BYTES,
  MAX_PICTURE_PIXELS,
  MAX_PICTURE_SIDE,
  type NewPicture,
  type PictureType,
} from '../picture.ts';
import { cleanGif } from './gif.ts';
import { cleanJpeg } from './jpeg.ts';
import { cleanPng, PNG_SIGNATURE } from './png.ts';
import { type CleanPicture, PictureFault } from './size.ts';
import { cleanWebp } from './webp.ts';

/** Before anything of the picture is read beside its header: nothing here decodes pixels, and what does has them bounded. */
const checkSize = (width: number, height: number): void => {
  if (width < 1 || height < 1) throw new PictureFault('has no size');
  if (width > MAX_PICTURE_SIDE || height > MAX_PICTURE_SIDE || width * height > MAX_PICTURE_PIXELS)
    throw new PictureFault(
      `is ${width} × ${height} pixels; at most ${MAX_PICTURE_SIDE} on a side and ${MAX_PICTURE_PIXELS / 1_000_000} million in all can be taken`,
    );
};

/** By the first bytes, whatever it is called. */
const cleanerOf = (
  file: Buffer,
): [PictureType, (file: Buffer, check: typeof checkSize) => CleanPicture] | null => {
  const begins = file.toString('latin1', 0, 12);
  if (file.subarray(0, 8).equals(PNG_SIGNATURE)) return ['image/png', cleanPng];
  if (begins.startsWith('\xff\xd8\xff')) return ['image/jpeg', cleanJpeg];
  if (begins.startsWith('GIF87a') || begins.startsWith('GIF89a')) return ['image/gif', cleanGif];
  if (begins.startsWith('RIFF') && begins.endsWith('WEBP')) return ['image/webp', cleanWebp];
  return null;
};

export const pictureTypeOf = (file: Buffer): PictureType | null => cleanerOf(file)?.[0] ?? null;

/** The picture alone: no place, no camera, no texts, no thumbnails, nothing behind its end. Throws `PictureFault`. */
export const readPicture = (file: Buffer): Omit<NewPicture, 'id' | 'name'> => {
  if (file.length > MAX_PICTURE_BYTES)
    throw new PictureFault(
      `has ${file.length} bytes; at most ${MAX_PICTURE_BYTES} can be taken: make it smaller`,
    );
  const found = cleanerOf(file);
  if (found === null) throw new PictureFault('is neither PNG, JPEG, WebP nor GIF');
  const [mediaType, clean] = found;
  try {
    const cleaned = clean(file, checkSize);
    return { mediaType, ...cleaned, size: cleaned.bytes.length };
  } catch (error) {
    if (error instanceof RangeError) throw new PictureFault('is broken: it ends too soon');
    throw error;
  }
};

/** Both alphabets of RFC 4648. */
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;
const LINE_BREAKS = /\r?\n/g;
const LONGEST_BASE64 = Math.ceil(MAX_PICTURE_BYTES / 3) * 4;

/** Base64, in lines as mail has it as well, or a `data:` URL of it. Throws `PictureFault`. */
export const bytesOfText = (text: string): Buffer => {
  const isUrl = text.slice(0, 5).toLowerCase() === 'data:';
  const at = isUrl ? text.indexOf(',') : -1;
  if (isUrl && text.slice(Math.max(0, at - 7), Math.max(0, at)).toLowerCase() !== ';base64')
    throw new PictureFault('must be a data: URL with base64');
  const encoded = text.slice(at + 1).replaceAll(LINE_BREAKS, '');
  if (encoded.length > LONGEST_BASE64)
    throw new PictureFault(`has more than ${MAX_PICTURE_BYTES} bytes: make it smaller`);
  if (encoded.length % 4 === 1 || !BASE64.test(encoded)) throw new PictureFault('is no base64');
  return Buffer.from(encoded, 'base64');
};
