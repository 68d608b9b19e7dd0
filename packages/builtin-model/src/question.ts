import { bounded } from 'pentarch-prose';
import { contentTerms, stem, type Term } from './words.ts';

/** Pure: what a question asks for. */

export type AnswerKind =
  | 'person'
  | 'time'
  | 'place'
  | 'quantity'
  | 'money'
  | 'reason'
  | 'manner'
  | 'name'
  | 'any';

/** What a number must be of, where the question says it ("how heavy", "what age"). */
export interface Measure {
  /** Stems of the question's words that a number with such a unit answers. */
  stems: ReadonlySet<string>;
  units: RegExp;
}

export interface Question {
  terms: Term[];
  /** Of the message before, where the question leans on it. */
  contextTerms: Term[];
  kind: AnswerKind;
  /** Asks for the date of something that was. */
  past: boolean;
  measure: Measure | null;
  /** Stem of what is counted, after "how many". */
  counted: string | null;
}

/** What of a message is read: its two ends, with a line break between them. */
const MAX_UNITS = 2_000;
const MAX_MESSAGE = 2_001;
/** A longer sentence shows no sign of what is asked for. */
const MAX_SENTENCE = 2_000;

const KINDS: [AnswerKind, RegExp][] = [
  [
    'money',
    bounded(
      MAX_MESSAGE,
      /\b(how much (?:does|do|did|is|are|was|were|will|would|has|have)\b.*\b(?:cost|pay|paid|earn|charge|price|fee|owe|spend|spent)|what (?:does|do|did|will)\b.*\b(?:cost|pay|earn|charge)|how much (?:money|is the (?:fee|price|cost|fine|rent|salary|budget))|what (?:is|was|are|were|will) the (?:\w+ ){0,4}(?:price|fee|salary|wage|fine|cost|budget|pay|rent|fare|deposit)s?\b|was kostet|wie teuer|combien co[uû]te|cu[aá]nto cuesta)/i,
    ),
  ],
  [
    'quantity',
    /\b(how (?:many|much|high|tall|long|far|deep|wide|big|large|old|heavy|fast|often|hot|cold)|what (?:percentage|share|number|age|size|weight|height|temperature|distance|range)|wie (?:viele?|hoch|lange?|weit|oft|alt|gro(?:ß|ss)|schwer|schnell)|combien|cu[aá]nt[oa]s?)\b/i,
  ],
  [
    'time',
    /\b(when|what (?:year|date|day|month|time)|which (?:year|day|month|date)|until when|since when|by when|what is the deadline|wann|quand|cu[aá]ndo)\b/i,
  ],
  [
    'person',
    /\b(who|whom|whose|which (?:person|engineer|author|keeper|manager)|wer|wem|wen|qui a|qui est|qui[eé]n)\b/i,
  ],
  [
    'place',
    /\b(where|which (?:city|town|country|place|room|building|island)|what (?:city|town|country|place)|wo|wohin|woher|o[uù]|d[oó]nde)\b/i,
  ],
  ['reason', /\b(why|what for|for what reason|warum|wieso|weshalb|pourquoi|por qu[eé])\b/i],
  [
    'name',
    bounded(
      MAX_MESSAGE,
      /\b(what\b.*\b(?:called|named)|what (?:is|was) the name|how .*\bcalled|wie hei(?:ß|ss)t)\b/i,
    ),
  ],
  ['manner', /^\s*(?:\w+,? )?how\b/i],
];

const COUNT = String.raw`(?:\d[\d.,]*|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|\w+ty|hundred|thousand|million|half))[\s-]?(?:(?:and|to|or|at)\s\w+\s)?`;
const measure = (asks: RegExp, words: string, units: string): [RegExp, Measure] => [
  asks,
  {
    stems: new Set(words.split(' ').map(stem)),
    units: bounded(MAX_SENTENCE, new RegExp(`${COUNT}(?:${units})(?![\\p{L}])`, 'iu')),
  },
];
const LENGTH =
  'millimet(?:re|er)s?|centimet(?:re|er)s?|kilomet(?:re|er)s?|met(?:re|er)s?|mm|cm|km|m|miles?|nautical miles|feet|foot|inch(?:es)?|yards?';
const DURATION =
  'seconds?|minutes?|hours?|days?|weeks?|months?|years?|quarters?|Sekunden?|Minuten?|Stunden?|Tagen?|Wochen?|Monaten?|Jahren?';
const MONEY = 'euros?|dollars?|pounds?|pence|francs?|crowns?|cents?|EUR|USD|GBP|€|\\$|£';
const MEASURES: [RegExp, Measure][] = [
  measure(/\bwie hoch\b/i, 'hoch', `${LENGTH}|${MONEY}`),
  measure(
    bounded(MAX_MESSAGE, /\b(?:how heavy|how much\b.*\bweigh|what\b.*\bweight|wie schwer)\b/i),
    'heavy weigh weight much schwer',
    'tonn?e?s?|kilograms?|kilos?|grams?|kg|g|t|pounds|lbs?|ounces?',
  ),
  measure(
    bounded(MAX_MESSAGE, /\b(?:how fast|what\b.*\bspeed|wie schnell)\b/i),
    'fast speed schnell',
    'km/h|kmh|m/s|mph|knots|kilomet(?:re|er)s (?:an|per) hour|miles (?:an|per) hour|mbit\\S*|gbit\\S*',
  ),
  measure(
    bounded(
      MAX_MESSAGE,
      /\b(?:how (?:high|tall|deep|wide|far|large|big)|what\b.*\b(?:height|depth|width|distance|diameter)|wie (?:tief|breit|weit))\b/i,
    ),
    'high height tall deep depth wide width far distance away large big size reach hoch tief breit weit',
    LENGTH,
  ),
  measure(
    /\b(?:how long|for how many (?:days|weeks|months|years)|wie lang)/i,
    'long length take last lang',
    `${DURATION}|${LENGTH}`,
  ),
  measure(/\b(?:how old|(?:what|which) age|wie alt)\b/i, 'old age alt', DURATION),
  measure(
    /\b(?:how (?:hot|cold|warm)|(?:what|which) temperature)\b/i,
    'hot cold warm temperature',
    'degrees?|°\\s?[CF]?',
  ),
  measure(
    bounded(
      MAX_MESSAGE,
      /\b(?:how much (?:does|do|did|is|has)|what (?:does|do|is)\b.*\b(?:cost|pay|price|fee|fine|earn|rent)|was kostet)\b/i,
    ),
    'cost pay price fee much kostet',
    MONEY,
  ),
];

const REFERS_BACK =
  /\b(it|its|they|them|their|he|him|his|she|her|this|that|these|those|there|one|ones|er|sie|ihn|ihr|ihre|dort|davon|dazu)\b/i;
const GOES_ON = /^\s*(and|or|but|what about|how about|und|aber|et|y)\b/i;

/** A question stands at the start or the end of what is pasted with it. */
const ends = (message: string): string =>
  message.length <= MAX_UNITS
    ? message
    : `${message.slice(0, MAX_UNITS / 2)}\n${message.slice(-MAX_UNITS / 2)}`;

/** `earlier`: the person's messages before this one, oldest first. */
export function readQuestion(whole: string, earlier: readonly string[]): Question {
  const message = ends(whole);
  // How long something lasts is told by a span of time, with or without that word.
  const terms = contentTerms(message.replace(/\b(?:takes?|took) place\b/gi, ' ')).filter(
    (term) =>
      term.stem !== 'last' || !bounded(MAX_MESSAGE, /\b(?:do|does|did|will|can)\b.*\blast\b/i).test(message),
  );
  const kind = KINDS.find(([, pattern]) => pattern.test(message))?.[0] ?? 'any';
  const leans = GOES_ON.test(message) || REFERS_BACK.test(message) || terms.length < 2;
  const own = new Set(terms.map((term) => term.stem));
  const before = leans ? contentTerms(ends(earlier.at(-1) ?? '')) : [];
  const past = /\bwhen (?:was|were|did|had)\b|\b(?:what|which) year\b|\bwann (?:wurden?|war|hat)\b/i.test(
    message,
  );
  const asked = MEASURES.find(([pattern]) => pattern.test(message))?.[1] ?? null;
  const after = /\b(?:how many|wie viele)\s+(.*)/is.exec(message)?.[1] ?? '';
  const counted = contentTerms(after).find((term) => terms.some((t) => t.stem === term.stem))?.stem ?? null;
  return {
    terms,
    kind,
    past,
    measure: asked,
    counted,
    contextTerms: before.filter((term) => !own.has(term.stem)),
  };
}

const NUMBER =
  /\p{N}|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|dozen|half|hundred|thousand|million|once|twice|none|no|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|zwölf|deux|trois|quatre|cinq|dos|tres|cuatro|cinco)\b/iu;
/** A point in time, as against a span or a repetition. */
const DATE =
  /\b(?:1[0-9]|20)\d\d\b|\b\d{1,2}[:.]\d\d\b|\b(?:January|February|March|April|(?<=(?:in|by|of|until|since|\d\.?|\d(?:st|nd|rd|th))\s)May|May(?=\s\d)|June|July|August|September|October|November|December|Januar|Februar|März|Mai|Juni|Juli|Oktober|Dezember|yesterday|ago|century)\b|\d年/i;
const SIGNS: Record<AnswerKind, RegExp> = {
  quantity: NUMBER,
  money: bounded(
    MAX_SENTENCE,
    /[$€£¥]\s?\d|\d\s?(?:[$€£¥]|%)|\d[\d.,]*\s(?:[A-Z]{3}\b|(?:\w+\s)?(?:dollars?|euros?|pounds?|crowns?|cents?|francs?|percent|yen|million|thousand))|\bfree\b|\bno (?:charge|fee)/i,
  ),
  time: bounded(
    MAX_SENTENCE,
    /\b(?:1[0-9]|20)\d\d\b|\b\d{1,2}[:.]\d\d\b|\b\d{1,2}\s?[ap]\.?m\b|\b\d{4}-\d\d-\d\d\b|\b(?:January|February|March|April|(?<=(?:in|by|of|until|since|\d\.?|\d(?:st|nd|rd|th))\s)May|May(?=\s\d)|June|July|August|September|October|November|December|Januar|Februar|März|Mai|Juni|Juli|Oktober|Dezember)\b|\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?\b|\b(?:sunset|sunrise|noon|midnight|morning|evening|daily|weekly|monthly|yearly|annually|tomorrow|today|spring|summer|autumn|winter)\b|\b(?:within|after|before|until|every|each|when|as soon as)\b|\d\s?(?:Uhr|heures?|時|年|月|日)|\b(?:mon|diens|donners|frei|sams|sonn)tags?\b|\b(?:first|second|third|fourth|last)\s(?:day|week|month|quarter)|\d+\s(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?)/i,
  ),
  person: bounded(
    MAX_SENTENCE,
    /\p{Lu}[\p{L}.'’-]+\s\p{Lu}[\p{L}'’-]+|\b(?:Mr|Mrs|Ms|Dr|Prof)\.?\s\p{Lu}|\b(?:keeper|manager|director|engineer|officer|team|department|chair(?:man|woman|person)?|president|founder|author|owner|administrator|captain|secretary|treasurer|committee|board|administration|teacher|doctor|nurse|customer|tenant|landlord|employee)\b|(?<=[\p{Ll},:] )\p{Lu}\p{Ll}+/u,
  ),
  place:
    /\b(?:in|at|on|near|from|to|of|behind|beside|under|left|right|between|above|inside|outside|im|am|bei|nach|dans|à|en)\s(?:the\s|der\s|dem\s|la\s|le\s)?[\p{Lu}\p{Ll}]|\b(?:street|road|room|floor|building|city|island|harbour|north|south|east|west)\b/iu,
  reason:
    /\b(?:because|since|so that|so the|due to|therefore|in order to|to (?:avoid|prevent|reduce|keep|make|protect|ensure)|as it|caused?|reason|weil|da|damit|denn|car|parce que|porque)\b|\bso\b/i,
  name: /\b(?:called|named|names?|hei(?:ß|ss)t)\b|(?<=[\p{Ll},:] )\p{Lu}\p{Ll}+/u,
  manner: /./,
  any: /./,
};

/** Whether a sentence holds the kind of thing that is asked for, apart from what the question itself brings. */
export function answersKind(kind: AnswerKind, sentence: string, question: Question): boolean {
  if (kind === 'any' || kind === 'manner') return true;
  // A number or name that stands in the question is no answer to it.
  // A role that is asked about is no answer either ("Who is the team lead?").
  const known = [...question.terms, ...question.contextTerms]
    .filter((term) => term.isName || kind === 'person')
    .map((term) => term.word);
  const rest = known.reduce((text, word) => replaceWord(text, word), sentence);
  return (question.past && kind === 'time' ? DATE : SIGNS[kind]).test(rest);
}

const FULL_NAME = bounded(
  MAX_SENTENCE,
  /\p{Lu}[\p{L}.'’-]+\s\p{Lu}[\p{L}'’-]+|\b(?:Mr|Mrs|Ms|Dr|Prof|Captain|Frau|Herr)\.?\s\p{Lu}/u,
);

/** Whether it says so plainly: of a person, a full name. */
export function answersPlainly(question: Question, sentence: string): boolean {
  if (question.kind !== 'person') return true;
  const names = [...question.terms, ...question.contextTerms].map((term) => term.word);
  return FULL_NAME.test(names.reduce((text, word) => replaceWord(text, word), sentence));
}

/** Without regard to case; a plain search, since the word may hold any character. */
function replaceWord(text: string, word: string): string {
  const lower = text.toLowerCase();
  const needle = word.toLowerCase();
  // Some letters change their length with their case.
  if (needle === '' || lower.length !== text.length) return text.replaceAll(word, '_');
  let out = '';
  let from = 0;
  for (let at = lower.indexOf(needle); at >= 0; at = lower.indexOf(needle, from)) {
    out += `${text.slice(from, at)}_`;
    from = at + needle.length;
  }
  return out + text.slice(from);
}
