import { RE2JS } from 're2js';

const MAX_PATTERN_CHARACTERS = 2_000;

export type LinearPattern = { ok: true; compiled: RE2JS } | { ok: false; advice: string };

const isExpression = (pattern: string): boolean => {
  for (const flags of ['', 'u']) {
    try {
      RegExp(pattern, flags);
      return true;
    } catch {
      // Tried with the other rules of escapes.
    }
  }
  return false;
};

/** An expression of a stranger for the engine of linear time, which knows no look-arounds and no back references. */
export const linearPattern = (pattern: string): LinearPattern => {
  if (pattern.length > MAX_PATTERN_CHARACTERS)
    return { ok: false, advice: `is longer than ${MAX_PATTERN_CHARACTERS} characters: make it shorter` };
  if (!isExpression(pattern)) return { ok: false, advice: 'is no valid regular expression' };
  try {
    // The engine takes a named back reference for something else.
    if (!pattern.includes('\\k'))
      return { ok: true, compiled: RE2JS.compile(RE2JS.translateRegExp(pattern)) };
  } catch {
    // Told below.
  }
  return {
    ok: false,
    advice:
      'cannot be run: write it without lookaheads, lookbehinds, back references and repeats of more than 1,000, or leave it out and check this part yourself',
  };
};
