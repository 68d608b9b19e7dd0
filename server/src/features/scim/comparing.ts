/** How texts and versions are compared, wherever the protocol asks whether two are the same. */

/** Letters whatever their case and width; what is around a name does not count (`foldName`). */
export const foldText = (text: string): string => text.normalize('NFKC').toLowerCase();

export const foldName = (text: string): string => foldText(text).trim();

/** RFC 9110, section 8.8.3. `off`: the account does not let in; that may change without the directory. */
export const etagOf = (version: number, off = false): string => `W/"${version}${off ? '-off' : ''}"`;

const TAG = /^(?:W\/)?"([^"]*)"$/;
const opaque = (tag: string): string => TAG.exec(tag.trim())?.[1] ?? tag.trim();

/** RFC 9110, section 13.1.1: `*`, or a list of versions; all of ours are weak ones, so that these count as well. */
export const isVersion = (ifMatch: string, etag: string): boolean =>
  ifMatch.trim() === '*' || ifMatch.split(',').some((tag) => opaque(tag) === opaque(etag));
