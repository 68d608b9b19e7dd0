const MAX_FORMS = 200;
const MAX_ROUNDS = 4;

const stringsIn = (value: unknown, found: string[]): string[] => {
  if (typeof value === 'string') found.push(value);
  else if (typeof value === 'object' && value !== null)
    for (const [name, one] of Object.entries(value)) {
      found.push(name);
      stringsIn(one, found);
    }
  return found;
};

const jsonStrings = (text: string): string[] => {
  try {
    return stringsIn(JSON.parse(text), []);
  } catch {
    return [];
  }
};

const percentDecoded = (text: string): string =>
  text.replaceAll(/(%[0-9a-f]{2})+/gi, (coded) => {
    try {
      return decodeURIComponent(coded);
    } catch {
      return coded;
    }
  });

const unescaped = (text: string): string =>
  text.replaceAll(/\\(u[0-9a-f]{4}|x[0-9a-f]{2})/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code.slice(1), 16)),
  );

const nextForms = (text: string): string[] => [
  ...jsonStrings(text),
  percentDecoded(text),
  unescaped(text),
  text.replaceAll(/["'`\\]/g, ''),
  text.replaceAll(/\$(HOME\b|\{HOME\})/g, '~').replaceAll(/\$(PWD\b|\{PWD\})/g, '.'),
];

/**
 * What a program may read out of a text: the strings of JSON, without quotes, with escapes undone, also one in the other.
 * Null where there are too many to look at.
 */
export const textForms = (text: string): string[] | null => {
  const forms = new Set([text]);
  let fresh = [text];
  for (let round = 0; round < MAX_ROUNDS && fresh.length > 0; round += 1) {
    fresh = [...new Set(fresh.flatMap(nextForms))].filter((form) => !forms.has(form));
    for (const form of fresh) forms.add(form);
    if (forms.size > MAX_FORMS) return null;
  }
  return [...forms];
};
