/** A picture of a message: what is known of it without its bytes. */
export interface Picture {
  id: string;
  name: string;
  mediaType: PictureType;
  /** As it is shown, in pixels. */
  width: number;
  height: number;
  /** Of its bytes. */
  size: number;
  /** Of a turn before the message: where it cannot be looked at, its name goes along in its place. */
  earlier?: true;
}

/** Pictures that come with a message, and with the turns that its client has kept. */
export interface SentPictures {
  /** Of the message. One without bytes is stored already. */
  own: readonly Picture[];
  /** Of the turns before it. */
  brought: readonly NewPicture[];
}

export const PICTURE_TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] as const;
export type PictureType = (typeof PICTURE_TYPES)[number];

/** With its bytes, which hold no metadata any more. */
export interface NewPicture extends Picture {
  bytes: Buffer;
}

/** A provider takes 5 MiB of base64 (Anthropic, "Vision"): three quarters of that as bytes. */
export const MAX_PICTURE_BYTES = 3_932_160;
/** Longest side (Anthropic refuses more). */
export const MAX_PICTURE_SIDE = 8_000;
export const MAX_PICTURE_PIXELS = 40_000_000;
/** Of one message, and of the turns before it. */
export const MAX_PICTURES = 10;
export const MAX_PICTURES_BYTES = 12 * 1024 * 1024;
/** Of requests that carry them as base64. */
export const PICTURE_BODY_BYTES = 20 * 1024 * 1024;

export const isNewPicture = (picture: Picture): picture is NewPicture => 'bytes' in picture;

export const withoutBytes = ({ id, name, mediaType, width, height, size }: Picture): Picture => ({
  id,
  name,
  mediaType,
  width,
  height,
  size,
});

const EXTENSIONS: Readonly<Record<PictureType, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'image/gif': 'gif',
};
const MAX_NAME = 120;

/** A file's name as it may stand in a prompt and on a page: one line, without its folders. */
export const pictureName = (given: string | undefined, mediaType: PictureType): string => {
  const name = (given ?? '')
    .toWellFormed()
    .replaceAll(/[\p{C}\p{Z}[\]]+/gu, ' ')
    .split(/[\\/]/)
    .at(-1)
    ?.trim()
    .slice(0, MAX_NAME)
    .toWellFormed();
  return name || `image.${EXTENSIONS[mediaType]}`;
};

/** Stands in a prompt where a picture does not go along. */
export const pictureNote = ({ name }: Pick<Picture, 'name'>): string => `[image: ${name}]`;

/** Words with the names of pictures behind them. */
export const withPictureNotes = (content: string, pictures: readonly Pick<Picture, 'name'>[]): string =>
  [content, ...pictures.map(pictureNote)].filter((line) => line.trim() !== '').join('\n');
