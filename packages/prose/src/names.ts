/** A name or type as it is stored: one line, since it stands in lists and prompts. */
export const cleanName = (name: string): string =>
  name
    .replaceAll(/[ \u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, (run) => (/[^ ]/.test(run) ? ' ' : run))
    .trim();

/**
 * What names (and types, and texts) compare by: NFC, trimmed, white space folded to one blank, case folded. Upper and
 * then lower case comes out as Unicode's full case folding for what people write: `STRASSE` is `straße`, `ΟΔΟΣ` is `οδος`.
 */
export const foldName = (name: string): string =>
  cleanName(name)
    .normalize('NFC')
    .trim()
    .replaceAll(/\s+/gu, ' ')
    .toUpperCase()
    .toLowerCase()
    .normalize('NFC');

/** One line without control characters. */
export const singleLine = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
    .replaceAll(/\s+/gu, ' ')
    .trim();
