/**
 * Citation markers that name no passage, like a [7] where six were shown, taken out of a text while it is being written. What is
 * held back meanwhile is a marker that has begun and the spaces before it. Code, links and everything else in brackets stay.
 */
export interface MarkerFilter {
  /** The next piece; gives what can be told by now. */
  push(text: string): string;
  /** What was held back; the text is over. */
  end(): string;
}

/** Longer than this, nothing in brackets is a marker. */
const MAX_MARKER = 60;
const MARKER_CHARACTERS = new Set('0123456789, ');

interface Marker {
  text: string;
  numbers: readonly number[];
}

const numbersIn = (inner: string): number[] | null => {
  const parts = inner.split(',').map((part) => part.trim());
  return parts.every((part) => part.length >= 1 && part.length <= 3 && /^\d+$/.test(part))
    ? parts.map(Number)
    : null;
};

/** What begins with the bracket at `at`: a marker, nothing of the kind, or (`open`) not to be told yet. */
const markerAt = (text: string, at: number, over: boolean): Marker | 'open' | null => {
  let end = at + 1;
  while (end < text.length && MARKER_CHARACTERS.has(text[end] ?? '')) end++;
  if (end - at > MAX_MARKER) return null;
  if (end >= text.length) return over ? null : 'open';
  if (text[end] !== ']') return null;
  const numbers = numbersIn(text.slice(at + 1, end));
  if (numbers === null) return null;
  // Behind it may come what makes it a link.
  const next = text[end + 1];
  if (next === undefined && !over) return 'open';
  return next === '(' || next === ':' ? null : { text: text.slice(at, end + 1), numbers };
};

/** Inline code ends with its line, where nobody has closed it. */
const createCodeWatch = () => {
  let fenced = false;
  let inline = false;
  let ticks = 0;
  return (character: string): boolean => {
    if (character === '`') ticks++;
    else {
      if (ticks >= 3) fenced = !fenced;
      else if (ticks > 0 && !fenced) inline = !inline;
      ticks = 0;
      if (character === '\n') inline = false;
    }
    return fenced || inline || ticks > 0;
  };
};

export const createMarkerFilter = (known: ReadonlySet<number>): MarkerFilter => {
  const inCode = createCodeWatch();
  let held = '';

  const take = (over: boolean): string => {
    const text = held;
    let out = '';
    let spaces = '';
    let i = 0;
    while (i < text.length) {
      const character = text[i] ?? '';
      const marker = character === '[' ? markerAt(text, i, over) : null;
      if (marker === 'open') break;
      const code = inCode(character);
      if (character === ' ') {
        spaces += character;
        i++;
        continue;
      }
      if (marker === null || code) {
        out += spaces + character;
        spaces = '';
        i++;
        continue;
      }
      const kept = marker.numbers.filter((number) => known.has(number));
      const whole = kept.length === marker.numbers.length;
      // Of one without a passage, the spaces before it go as well.
      if (kept.length > 0) out += spaces + (whole ? marker.text : `[${kept.join(', ')}]`);
      spaces = '';
      i += marker.text.length;
    }
    held = spaces + text.slice(i);
    if (!over) return out;
    const rest = held;
    held = '';
    return out + rest;
  };

  return {
    push(text) {
      held += text;
      return take(false);
    },
    end: () => take(true),
  };
};

/** The same for a text that is there as a whole. */
export const withoutUnknownMarkers = (text: string, known: ReadonlySet<number>): string => {
  const filter = createMarkerFilter(known);
  return filter.push(text) + filter.end();
};
