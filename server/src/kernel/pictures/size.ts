/** A picture of the formats that are taken, without anything that is not of the picture itself. */
export interface CleanPicture {
  width: number;
  height: number;
  bytes: Buffer;
}

/** Why bytes are no picture that can be taken; the reason goes on behind "the picture". */
export class PictureFault extends Error {}

export const broken = (what: string): PictureFault => new PictureFault(`is broken: ${what}`);

/** What a page must not be told: where a camera was is in its EXIF, how it was held has to stay. */
export type Orientation = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

/** Quarter turns exchange the sides. */
export const shownSize = (
  width: number,
  height: number,
  orientation: Orientation,
): { width: number; height: number } =>
  orientation > 4 ? { width: height, height: width } : { width, height };
