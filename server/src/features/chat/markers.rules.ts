/**
 * Citation markers that name no passage, like a [7] where six were shown, taken out of a text while it is being written. What is
 * held back meanwhile is a marker that has begun and the spaces before it. Code, links and everything else in brackets stay.
 */
interface MarkerFilter {
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

/** Passages are counted from one: an index or a range with a nought is no marker. */
const numbersIn = (inner: string): number[] | null => {
  const parts = inner.split(',').map((part) => part.trim());
  if (!parts.every((part) => part.length >= 1 && part.length <= 3 && /^\d+$/.test(part))) return null;
  const numbers = parts.map(Number);
  return numbers.includes(0) ? null : numbers;
};

/** What begins with the bracket at `at`: a marker, nothing of the kind, or (`open`) not to be told yet. */
const markerAt = (
  text: string,
  at: number,
  { over, lineStart }: { over: boolean; lineStart: boolean },
): Marker | 'open' | null => {
  let end = at + 1;
  while (end < text.length && end - at <= MAX_MARKER && MARKER_CHARACTERS.has(text[end] ?? '')) end++;
  if (end - at > MAX_MARKER) return null;
  if (end >= text.length) return over ? null : 'open';
  if (text[end] !== ']') return null;
  const numbers = numbersIn(text.slice(at + 1, end));
  if (numbers === null) return null;
  // Behind it may come what makes it a link, or at the start of a line the address of one.
  const next = text[end + 1];
  if (next === undefined && !over) return 'open';
  return next === '(' || (next === ':' && lineStart) ? null : { text: text.slice(at, end + 1), numbers };
};

/** Whether a character stands in code. Inline code ends with its line, where nobody has closed it. */
const createCodeWatch = () => {
  let fence: { mark: string; length: number } | null = null;
  let inline = 0;
  let lineStart = true;
  let run = { mark: '', length: 0, lineStart: false };
  const settle = (): void => {
    const { mark, length } = run;
    if (length === 0) return;
    if (fence !== null) {
      if (mark === fence.mark && length >= fence.length) fence = null;
    } else if (length >= 3 && (mark === '`' || run.lineStart)) {
      fence = { mark, length };
      inline = 0;
    } else if (mark === '`') {
      if (inline === 0) inline = length;
      else if (inline === length) inline = 0;
    }
    run = { mark: '', length: 0, lineStart: false };
  };
  return (character: string): boolean => {
    if (character === '`' || character === '~') {
      if (run.mark !== character) {
        settle();
        run = { mark: character, length: 0, lineStart };
      }
      run.length++;
      lineStart = false;
      return true;
    }
    settle();
    if (character === '\n') {
      inline = 0;
      lineStart = true;
    } else if (character !== ' ') lineStart = false;
    return fence !== null || inline > 0;
  };
};

export const createMarkerFilter = (known: ReadonlySet<number>): MarkerFilter => {
  const inCode = createCodeWatch();
  /** A bracket that has begun. */
  let held = '';
  /** Those before what comes next: of a marker without a passage, they go as well. */
  let spaces = '';
  /** What was told last, apart from spaces. */
  let last = '\n';
  let behindMarker = false;
  let out = '';

  const tell = (text: string, isMarker: boolean): void => {
    out += spaces + text;
    spaces = '';
    last = text.at(-1) ?? last;
    behindMarker = isMarker;
  };
  /** Behind what makes it the second half of a link, a list in a list, or plain text. */
  const isNone = (): boolean =>
    spaces === '' && (last === '[' || last === '\\' || (last === ']' && !behindMarker));
  const takeMarker = (marker: Marker): void => {
    const kept = marker.numbers.filter((number) => known.has(number));
    if (kept.length === marker.numbers.length) tell(marker.text, true);
    else if (kept.length > 0) tell(`[${kept.join(', ')}]`, true);
    else {
      spaces = '';
      behindMarker = true;
    }
  };

  const take = (piece: string, over: boolean): string => {
    const text = held + piece;
    held = '';
    out = '';
    let i = 0;
    while (i < text.length) {
      const character = text[i] ?? '';
      const code = inCode(character);
      const opens = character === '[' && !code && !isNone();
      const marker = opens ? markerAt(text, i, { over, lineStart: last === '\n' }) : null;
      if (marker === 'open') {
        held = text.slice(i);
        break;
      }
      if (marker !== null) takeMarker(marker);
      // A line does not begin with the space behind a marker that is gone.
      else if (character !== ' ') tell(character, false);
      else if (last !== '\n' || !behindMarker) spaces += character;
      i += marker?.text.length ?? 1;
    }
    if (over) tell('', false);
    return out;
  };

  return { push: (text) => take(text, false), end: () => take('', true) };
};

/** The same for a text that is there as a whole. */
export const withoutUnknownMarkers = (text: string, known: ReadonlySet<number>): string => {
  const filter = createMarkerFilter(known);
  return filter.push(text) + filter.end();
};
