/**
 * Names by glob: `*` stands for any characters, `?` for one. No regular expression is made of what people write, since
 * a few stars would be enough to keep one busy for hours.
 */

/** Longest glob that the API takes. */
export const MAX_GLOB_CHARACTERS = 200;
/** Most globs in one policy or access rule. */
export const MAX_GLOBS = 200;

/** Where `part` (`?` for any one character) begins in `name` at or after `from`; -1 for nowhere. */
const find = (name: string, part: string, from: number): number => {
  if (!part.includes('?')) return name.indexOf(part, from);
  for (let at = from; at + part.length <= name.length; at++) if (isAt(name, part, at)) return at;
  return -1;
};

const isAt = (name: string, part: string, at: number): boolean => {
  if (at < 0 || at + part.length > name.length) return false;
  for (let i = 0; i < part.length; i++) {
    if (part[i] !== '?' && part[i] !== name[at + i]) return false;
  }
  return true;
};

/**
 * Whether the whole name is of the glob. Each part between stars is taken at the first place where it fits: what follows
 * has the most room then, so no choice is ever taken back, and the work stays within glob × name.
 */
export const globMatches = (glob: string, name: string): boolean => {
  const parts = glob.split('*');
  const first = parts[0] ?? '';
  if (parts.length === 1) return first.length === name.length && isAt(name, first, 0);
  const last = parts[parts.length - 1] ?? '';
  if (!isAt(name, first, 0)) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = find(name, part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && isAt(name, last, name.length - last.length);
};

/** How much of a glob is literal: the more, the more it says. */
export const literalLength = (glob: string): number => glob.replaceAll(/[*?]/g, '').length;
