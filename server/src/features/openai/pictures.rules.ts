import { newId } from '../../kernel/ids.ts';
import { type NewPicture, pictureName } from '../../kernel/picture.ts';
import { bytesOfText, readPicture } from '../../kernel/pictures/read.ts';
import { PictureFault } from '../../kernel/pictures/size.ts';
import { refusal } from './refusal.rules.ts';

/** Pictures of the doors' requests: the bytes themselves, since the platform goes to no address that a message names. */

export const IMAGE_ALONE = '[image]';

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Base64 or a `data:` URL. Throws VALIDATION_ERROR by the name of the parameter. */
export const readImage = (text: unknown, param: string): NewPicture => {
  if (typeof text !== 'string' || text === '')
    throw refusal(param, 'images must be sent as base64, or as a data: URL of it', 'invalid_value');
  if (/^https?:/i.test(text))
    throw refusal(
      param,
      'images are not fetched from addresses: send the image itself as a data: URL (data:image/png;base64,…)',
      'unsupported_value',
    );
  try {
    const read = readPicture(bytesOfText(text));
    return { id: newId(), name: pictureName(undefined, read.mediaType), ...read };
  } catch (error) {
    if (!(error instanceof PictureFault)) throw error;
    throw refusal(param, `the image ${error.message}`, 'invalid_image');
  }
};

/** Of a part of the type image_url. */
export const imageOfPart = (part: { image_url?: unknown }, param: string): NewPicture => {
  const url = isRecord(part.image_url) ? part.image_url.url : part.image_url;
  return readImage(url, param);
};
