/**
 * Text of others (answers of models, results of tools, documents, claims) as every store can hold it: PostgreSQL takes no
 * NUL, and UTF-8 has no lone surrogates. Each becomes U+FFFD, one code unit for one, so that offsets into the text hold.
 */

export const isStorable = (text: string): boolean => !text.includes('\u0000') && text.isWellFormed();

export const storable = (text: string): string =>
  isStorable(text) ? text : text.toWellFormed().replaceAll('\u0000', '\uFFFD');

/** As `storable`, of all strings and keys of plain data; what is clean comes back as it is. */
export const storableDeep = <T>(value: T): T => cleaned(value) as T;

const cleaned = (value: unknown): unknown => {
  if (typeof value === 'string') return storable(value);
  if (Array.isArray(value)) {
    const items = value.map(cleaned);
    return items.some((item, i) => item !== value[i]) ? items : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  const kind: unknown = Object.getPrototypeOf(value);
  if (kind !== Object.prototype && kind !== null) return value;
  let same = true;
  const entries = Object.entries(value).map(([key, inner]) => {
    const pair = [storable(key), cleaned(inner)] as const;
    same &&= pair[0] === key && pair[1] === inner;
    return pair;
  });
  return same ? value : Object.fromEntries(entries);
};

/** For text that arrives in pieces: a pair of surrogates may be divided between two of them. */
export const createStorablePieces = (take: (text: string) => void) => {
  let held = '';
  const give = (text: string): void => {
    if (text !== '') take(storable(text));
  };
  return {
    push(piece: string): void {
      const text = held + piece;
      const last = text.charCodeAt(text.length - 1);
      const divided = last >= 0xd800 && last <= 0xdbff;
      held = divided ? text.slice(-1) : '';
      give(divided ? text.slice(0, -1) : text);
    },
    end(): void {
      give(held);
      held = '';
    },
  };
};
