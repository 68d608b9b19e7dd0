/** Texts for a terminal: what a server sent must not steer it, and columns are counted as they are seen. */

const ESCAPES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** Without escape sequences, control characters (line break and tab stay) and marks that turn the direction. */
export const safe = (text: string): string =>
  text.replace(ESCAPES, '').replace(/\r\n?/g, '\n').replace(CONTROLS, '');

export const oneLine = (text: string): string => safe(text).replace(/\s+/g, ' ').trim();

/** East Asian wide and emoji, which take two columns (Unicode Standard Annex 11, shortened to whole blocks). */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}]|[\u{20000}-\u{3fffd}]/u;
const MARK = /\p{Mark}|\u200b|\u200c|\u200d|\u200e|\u200f/u;

const widthOfCharacter = (character: string): number => {
  if (MARK.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
};

export const widthOf = (text: string): number => {
  let width = 0;
  for (const character of text) width += widthOfCharacter(character);
  return width;
};

/** Cut to a number of columns, the last one an ellipsis. */
export const shorten = (text: string, columns: number): string => {
  if (widthOf(text) <= columns) return text;
  let used = 0;
  let kept = '';
  for (const character of text) {
    const width = widthOfCharacter(character);
    if (used + width > columns - 1) break;
    kept += character;
    used += width;
  }
  return `${kept}…`;
};

export const pad = (text: string, columns: number): string =>
  text + ' '.repeat(Math.max(0, columns - widthOf(text)));
