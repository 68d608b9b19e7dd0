import { capital, pascal, wordsOf } from '../../server/src/http/document/words.ts';

/** Names: from the document's camelCase, snake_case and kebab-case into the form of each language. */

const INITIALISMS = new Set([
  'api',
  'csv',
  'http',
  'id',
  'ids',
  'json',
  'mcp',
  'ms',
  'sha256',
  'uri',
  'url',
  'usd',
]);

export const camel = (name: string): string => {
  const text = pascal(name);
  return text.charAt(0).toLowerCase() + text.slice(1);
};

export const snake = (name: string): string => wordsOf(name).join('_');

/** Exported Go name with the initialisms that golint asks for (`id` → `ID`, `ids` → `IDs`). */
export const goName = (name: string): string =>
  wordsOf(name)
    .map((word) => {
      if (word === 'ids') return 'IDs';
      return INITIALISMS.has(word) ? word.toUpperCase() : capital(word);
    })
    .join('');

/** Unexported Go name. */
export const goLocal = (name: string): string => {
  const [first = '', ...rest] = wordsOf(name);
  return first + goName(rest.join('_'));
};
