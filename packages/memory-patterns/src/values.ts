/** What kind of value words are, and where such values stand in a text: a correction replaces like by like. */

export type ValueKind = 'date' | 'time' | 'number' | 'name';

export interface ValueSpan {
  kind: ValueKind;
  start: number;
  end: number;
  text: string;
}

const MONTHS =
  'january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec januar februar märz mai juni juli oktober dezember janvier février mars avril juin juillet août septembre octobre novembre décembre enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre';
const DAYS =
  'monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays montag dienstag mittwoch donnerstag freitag samstag sonntag lundi mardi mercredi jeudi vendredi samedi dimanche lunes martes miércoles jueves viernes sábado domingo';
const DATE_WORDS = new Set(`${MONTHS} ${DAYS}`.split(' '));
const BETWEEN = new Set(['of', 'the', 'de', 'du', 'den', 'der', 'del', 'le', 'el']);
const CLOCK = new Set(['am', 'pm', 'uhr', 'h', "o'clock", 'heures', 'horas', 'noon', 'midnight']);

/** Capitalised only because a sentence begins with them. */
const FIRST = new Set(
  'the a an my our your his her their its this that these those it he she they we you there some all der die das ein eine mein meine unser unsere er sie es wir le la les un une mon ma mes notre nos il elle nous el los las una mi mis nuestro nuestra said noted'.split(
    ' ',
  ),
);

interface Word {
  text: string;
  bare: string;
  start: number;
  end: number;
}

export const wordsOf = (text: string): Word[] => {
  const words: Word[] = [];
  for (const match of text.matchAll(/\S+/gu)) {
    const bare = match[0]
      .replace(/^[^\p{L}\p{N}€$£]+/u, '')
      .replace(/(?<![^\p{L}\p{N}%€$£])[^\p{L}\p{N}%€$£]+$/u, '');
    const at = match.index + Math.max(0, match[0].indexOf(bare));
    if (bare !== '') words.push({ text: match[0], bare, start: at, end: at + bare.length });
  }
  return words;
};

const NUMBER_WORDS = new Set(
  'two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred thousand million zwei drei vier fünf sechs sieben acht neun zehn zwölf hundert tausend deux trois quatre cinq sept huit neuf dix dos tres cuatro cinco seis siete ocho nueve diez'.split(
    ' ',
  ),
);
const ISO_DATE = /^(?:\d{4}-\d{2}-\d{2}|\d{1,2}[./]\d{1,2}(?:[./]\d{2,4})?\.?)$/;
const DAY_OF_MONTH = /^\d{1,2}(?:st|nd|rd|th|\.)?$/;
const YEAR = /^(?:19|20)\d{2}$/;
const TIME = /^\d{1,2}(?:[:.h]\d{2})?(?:am|pm|h)$|^\d{1,2}:\d{2}$/i;

const isDateWord = (word: Word | undefined): boolean =>
  word !== undefined && (DATE_WORDS.has(word.bare.toLowerCase()) || ISO_DATE.test(word.bare));

const kindOf = (words: readonly Word[], i: number): ValueKind | null => {
  const word = words[i];
  if (word === undefined) return null;
  const lower = word.bare.toLowerCase();
  const next = words[i + 1]?.bare.toLowerCase() ?? '';
  // `may` and `mars` are words besides: only the capitalised ones are months.
  if (
    DATE_WORDS.has(lower) &&
    (lower !== word.bare || !/^(?:may|mar|mars|jun|dec|sep|sept|oct|mai)$/.test(lower))
  )
    return 'date';
  if (TIME.test(word.bare) || CLOCK.has(lower) || (/^\d/.test(word.bare) && CLOCK.has(next))) return 'time';
  if (ISO_DATE.test(word.bare)) return 'date';
  if (DAY_OF_MONTH.test(word.bare)) {
    const ahead = BETWEEN.has(next) ? words[i + 2] : words[i + 1];
    if (isDateWord(ahead) || isDateWord(words[i - 1])) return 'date';
  }
  if (YEAR.test(word.bare)) return 'date';
  if (/\d/.test(word.bare) || NUMBER_WORDS.has(lower)) return 'number';
  return /^\p{Lu}/u.test(word.bare) && !(i === 0 && FIRST.has(lower)) && word.bare !== 'I' ? 'name' : null;
};

/** The values of a text; a run of words of one kind is one. The first word's capital letter makes no name by itself. */
export const valuesOf = (text: string): ValueSpan[] => {
  const words = wordsOf(text);
  const spans: ValueSpan[] = [];
  for (const [i, word] of words.entries()) {
    const kind = kindOf(words, i);
    if (kind === null) continue;
    const last = spans.at(-1);
    const gap = last === undefined ? '' : text.slice(last.end, word.start);
    const joins =
      gap.trim() === '' ||
      (last?.kind === 'date' && /^[ ,.]{0,3}(?:(?:of|the|de|den|du)[ ,.]{0,3})?$/i.test(gap));
    if (last !== undefined && last.kind === kind && joins) {
      last.end = word.end;
      last.text = text.slice(last.start, last.end);
    } else spans.push({ kind, start: word.start, end: word.end, text: word.bare });
  }
  return spans;
};

/** The kind of a value that stands alone; null where it is words of no kind. */
export const kindOfValue = (value: string): ValueKind | null => {
  const [first] = valuesOf(value);
  return first === undefined || value.slice(0, first.start).trim().split(/\s+/).length > 2
    ? null
    : first.kind;
};
