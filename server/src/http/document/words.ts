/** Names of schemas: from camelCase, snake_case and kebab-case into words, and from words into PascalCase. */

export const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase());

export const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

export const pascal = (name: string): string => wordsOf(name).map(capital).join('');

export const singular = (word: string): string => {
  if (word === 'ms' || /(ss|us|is)$/.test(word)) return word;
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (/(ches|shes|xes|sses)$/.test(word)) return word.slice(0, -2);
  return word.endsWith('s') ? word.slice(0, -1) : word;
};

/** Only the last word is put into the singular: `tool_calls` → `tool_call`. */
export const singularName = (name: string): string => {
  const words = wordsOf(name);
  const last = words.pop() ?? '';
  return [...words, singular(last)].join('_');
};
