/** What authors wrote of a picture for those who do not see it. */

const FILE_NAME = /\.(png|jpe?g|gif|bmp|emf|wmf|tiff?|svg|webp|ico|eps|pdf)$/i;
const DEFAULT_NAME =
  /^(picture|image|img|graphic|grafik|bild|photo|foto|figure|object|objekt|icon|logo|spacer|shape|chart|diagram)[\s_-]*\d*$/i;
const ADDRESS = /^(https?:|data:|file:|[a-z]:\\)/i;
const MAX_UNITS = 2_000;

/** As it stands in the text; '' for names of files, names that programs give, and what has no word in it. */
export function altText(given: string | null | undefined): string {
  const text = (given ?? '').replace(/\s+/g, ' ').trim();
  const says =
    /\p{L}/u.test(text) && !FILE_NAME.test(text) && !DEFAULT_NAME.test(text) && !ADDRESS.test(text);
  return says ? `[Picture: ${text.slice(0, MAX_UNITS)}]` : '';
}

/** A text without what `altText` has put into it. */
export const withoutAltTexts = (text: string): string =>
  text
    .split('[Picture: ')
    .map((part, i) => (i === 0 ? part : part.slice(part.indexOf(']') + 1)))
    .join('')
    .replace(/\s+/g, ' ')
    .trim();
