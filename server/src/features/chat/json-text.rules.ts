/** What keeps a JSON text from being read as the value that it says: found in the text, without recursion. */

export const MAX_ANSWER_DEPTH = 100;

const isNumberPart = (char: string): boolean => (char >= '0' && char <= '9') || '+-.eE'.includes(char);

/** Digits without zeros at their ends, and the power of ten of the last one. */
const digitsOf = (token: string): { digits: string; power: number } => {
  const [mantissa = '', exponent = '0'] = token.replace(/^-/, '').toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const all = `${whole}${fraction}`;
  let first = 0;
  while (first < all.length && all[first] === '0') first++;
  let end = all.length;
  while (end > first && all[end - 1] === '0') end--;
  return { digits: all.slice(first, end), power: Number(exponent) - fraction.length + (all.length - end) };
};

/** Fractions are rounded as every reader of JSON does; whole numbers must keep each digit. */
const numberFault = (token: string): string | null => {
  const value = Number(token);
  if (Number.isNaN(value)) return null;
  const told = token.length > 40 ? `${token.slice(0, 40)}…` : token;
  if (!Number.isFinite(value)) return `the number ${told} is too large`;
  const said = digitsOf(token);
  if (said.digits === '') return null;
  if (value === 0) return `the number ${told} is too small`;
  if (said.power < 0) return null;
  const read = digitsOf(String(value));
  return read.digits === said.digits && read.power === said.power
    ? null
    : `the number ${told} has more digits than a number can hold: give it as text`;
};

/** Null for a text that may be read, which can still be no JSON. */
export const jsonFault = (text: string): string | null => {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string;
    if (char === '"') {
      for (at++; at < text.length && text[at] !== '"'; at++) if (text[at] === '\\') at++;
    } else if (char === '[' || char === '{') {
      if (++depth > MAX_ANSWER_DEPTH) return `it is nested more than ${MAX_ANSWER_DEPTH} deep`;
    } else if (char === ']' || char === '}') depth--;
    else if (char === '-' || (char >= '0' && char <= '9')) {
      const start = at;
      while (at + 1 < text.length && isNumberPart(text[at + 1] as string)) at++;
      const fault = numberFault(text.slice(start, at + 1));
      if (fault !== null) return fault;
    }
  }
  return null;
};
