import { bounded, PIECE, pieces } from '../../kernel/bounded.ts';

/**
 * Signs that a text tries to steer whoever reads it. One signal for the vote of AEGIS, never the wall: the wall is that
 * a proposal is data to the voters and that only a decision runs a tool.
 */
const SIGNS: readonly { name: string; pattern: RegExp }[] = [
  {
    name: 'asks to ignore instructions',
    pattern:
      /\b(ignore|disregard|forget|override|bypass)\b.{0,40}\b(previous|prior|above|earlier|system|all|your)\b.{0,30}\b(instructions?|prompts?|rules|messages?|guidelines)\b/is,
  },
  {
    name: 'speaks to the voters',
    pattern:
      /\b(approve (this|it)|vote (to )?approve|pre-?approved|already (been )?approved|no (approval|vote) (is )?(needed|required)|you are now)\b/i,
  },
  {
    name: 'imitates a system message',
    pattern:
      /<\|[a-z_]+\|>|<\s*(?:\/\s*)?(system|important|instructions?|admin|assistant)\s*>|\[\/?(INST|SYS)\]/i,
  },
  {
    name: 'asks for secrecy',
    pattern:
      /\b(do not|don't|never)\b.{0,30}\b(tell|mention|inform|reveal|notify)\b.{0,30}\b(user|human|operator|anyone)\b/is,
  },
  {
    name: 'has invisible characters',
    pattern: /[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\ufeff]|[\u{e0000}-\u{e007f}]/u,
  },
];

const MAX_CHARACTERS = 50_000;

/** Names of the signs found in a text. */
export const injectionSigns = (text: string): string[] => {
  const parts = pieces(text.slice(0, MAX_CHARACTERS));
  return SIGNS.filter(({ pattern }) => parts.some((part) => pattern.test(part.text))).map(({ name }) => name);
};

/** All texts inside a JSON value, keys included. */
export const textsIn = (value: unknown, depth = 0): string[] => {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || depth > 20) return [];
  return Object.entries(value).flatMap(([key, inner]) => [key, ...textsIn(inner, depth + 1)]);
};

const ADDRESS = bounded(PIECE, /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+/g);

/** E-mail addresses and hosts that the texts name: whom the action reaches. */
export const audienceIn = (texts: readonly string[]): string[] => {
  const found = new Set<string>();
  for (const text of texts) {
    for (const part of pieces(text.slice(0, MAX_CHARACTERS)))
      for (const [address] of part.text.matchAll(ADDRESS)) found.add(address.toLowerCase());
    for (const [, host] of text.slice(0, MAX_CHARACTERS).matchAll(/\bhttps?:\/\/([^\s/:?#"'<>@]{1,253})/gi)) {
      if (host !== undefined) found.add(host.toLowerCase());
    }
  }
  return [...found];
};
