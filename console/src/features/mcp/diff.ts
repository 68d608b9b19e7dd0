/** What differs between two texts, as parts in order. */

export interface Part {
  kind: 'same' | 'old' | 'new';
  text: string;
}

/** Beyond so many pieces on a side the two are shown whole, one after the other: the table grows with their product. */
const MAX_PIECES = 1_500;

const join = (parts: readonly Part[]): Part[] => {
  const joined: Part[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (last?.kind === part.kind) last.text += part.text;
    else joined.push({ ...part });
  }
  return joined;
};

/** Longest common subsequence of pieces. */
const diffPieces = (before: readonly string[], after: readonly string[]): Part[] => {
  const whole: Part[] = [
    { kind: 'old', text: before.join('') },
    { kind: 'new', text: after.join('') },
  ];
  if (before.length > MAX_PIECES || after.length > MAX_PIECES) return whole;
  const width = after.length + 1;
  const table = new Uint16Array((before.length + 1) * width);
  const at = (i: number, j: number): number => table[i * width + j] ?? 0;
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      table[i * width + j] =
        before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const parts: Part[] = [];
  let i = 0;
  let j = 0;
  while (i < before.length || j < after.length) {
    const old = before[i];
    const next = after[j];
    if (old !== undefined && old === next) {
      parts.push({ kind: 'same', text: old });
      i++;
      j++;
    } else if (old !== undefined && (next === undefined || at(i + 1, j) >= at(i, j + 1))) {
      parts.push({ kind: 'old', text: old });
      i++;
    } else if (next !== undefined) {
      parts.push({ kind: 'new', text: next });
      j++;
    }
  }
  return join(parts);
};

/** Words and the space between them. */
export const diffWords = (before: string, after: string): Part[] =>
  diffPieces(before.match(/\s+|[^\s]+/g) ?? [], after.match(/\s+|[^\s]+/g) ?? []);

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
};
export const stableJson = (value: unknown): string => JSON.stringify(sorted(value), null, 2);

/** JSON by lines; the order of keys does not count. */
export const diffJson = (before: unknown, after: unknown): Part[] => {
  const lines = (value: unknown): string[] =>
    value === null ? [] : (stableJson(value).match(/.+\n?/g) ?? []);
  return diffPieces(lines(before), lines(after));
};
