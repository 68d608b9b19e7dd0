/** Which licences production dependencies may have: those that ask for no more than their notice. */

export interface LockPackage {
  name: string;
  version: string;
  /** An SPDX expression, or what the package has in its place; empty where it says nothing. */
  licence: string;
}

const TAKEN: ReadonlySet<string> = new Set([
  'MIT',
  'MIT-0',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'BlueOak-1.0.0',
  'Unlicense',
  'CC0-1.0',
  'Zlib',
]);

/** Licences outside of the list, by package, and why each is right here. */
const EXCEPTIONS: readonly { name: RegExp; licence: string; why: string }[] = [
  { name: /^@fontsource-variable\/inter$/, licence: 'OFL-1.1', why: 'a typeface, handed on as it is' },
  {
    name: /^lightningcss(-|$)/,
    licence: 'MPL-2.0',
    why: 'builds the console’s styles, unchanged; nothing of it is in what a browser or the image gets',
  },
  {
    name: /^sqlite-vec(-|$)/,
    licence: 'MIT OR Apache',
    why: 'MIT or Apache-2.0, written without the version',
  },
  { name: /^duck$/, licence: 'BSD', why: 'the two-clause text stands in its LICENSE file' },
];

const strip = (text: string): string => text.trim().replace(/^\((.*)\)$/, '$1');

/** Of a choice one taken licence is enough; of several at once each must be. */
const isTaken = (expression: string): boolean => {
  const text = strip(expression);
  if (text.includes(' AND ')) return text.split(' AND ').every(isTaken);
  if (text.includes(' OR ')) return text.split(' OR ').some(isTaken);
  return TAKEN.has(text);
};

/** One line for each package whose licence is not taken. */
export const licenceFaults = (packages: readonly LockPackage[]): string[] =>
  packages
    .filter(
      ({ name, licence }) =>
        !isTaken(licence) && !EXCEPTIONS.some((known) => known.licence === licence && known.name.test(name)),
    )
    .map(
      ({ name, version, licence }) =>
        `${name}@${version}: ${licence === '' ? 'no licence is named' : licence}`,
    );
