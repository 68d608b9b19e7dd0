/**
 * A regular expression that looks at texts of up to `maxCharacters` (UTF-16 code units); in a longer one it finds nothing.
 * For expressions whose time grows faster than the text: `npm run check` requires it there, and a small enough bound.
 */
export const bounded = (maxCharacters: number, expression: RegExp): RegExp => {
  const exec = expression.exec.bind(expression);
  const within = (text: string): RegExpExecArray | null => (text.length <= maxCharacters ? exec(text) : null);
  // `split` and `matchAll` work on a copy, which is made by this constructor.
  const species = function copy(source: RegExp, flags: string): RegExp {
    return bounded(maxCharacters, new RegExp(source, flags));
  };
  return Object.defineProperties(expression, {
    exec: { value: within },
    constructor: { value: { [Symbol.species]: species } },
  });
};

/** Longest piece of a text that is searched at once. */
export const PIECE = 4_000;
/** What two pieces share: more than the longest sign that is searched for. */
const SHARED = 800;

/** A long text in pieces that overlap, so that a sign of up to 800 characters stands whole in one of them. */
export const pieces = (text: string): { text: string; start: number }[] => {
  const found = [{ text: text.slice(0, PIECE), start: 0 }];
  for (let start = PIECE - SHARED; start + SHARED < text.length; start += PIECE - SHARED)
    found.push({ text: text.slice(start, start + PIECE), start });
  return found;
};
