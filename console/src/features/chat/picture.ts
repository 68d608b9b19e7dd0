/** Pictures on their way to a model that can see: made small enough here, since a phone's are larger than any model looks at. */

const TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];
/** Larger ones are drawn anew. */
const MAX_SIDE = 2_048;
const MAX_BYTES = 3_000_000;
const QUALITY = 0.85;

export const isPicture = (file: File): boolean => TYPES.includes(file.type);

const urlOf = (blob: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(new Error('the picture could not be read'));
    reader.readAsDataURL(blob);
  });

/** As it is shown, turned as its camera was held. */
const drawn = async (bitmap: ImageBitmap): Promise<Blob> => {
  const scale = Math.min(1, MAX_SIDE / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/jpeg', QUALITY));
  if (blob === null) throw new Error('the picture could not be made smaller');
  return blob;
};

/** A `data:` URL of at most what the server takes. */
export const preparePicture = async (file: File): Promise<string> => {
  const bitmap = await createImageBitmap(file).catch(() => {
    throw new Error('this is no picture that can be shown');
  });
  try {
    const fits = file.size <= MAX_BYTES && Math.max(bitmap.width, bitmap.height) <= MAX_SIDE;
    return await urlOf(fits ? file : await drawn(bitmap));
  } finally {
    bitmap.close();
  }
};
