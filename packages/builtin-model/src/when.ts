import { createRequire } from 'node:module';
import type * as Chrono from 'chrono-node';

const require = createRequire(import.meta.url);
/** Loaded with the first text: hundreds of files, for the built-in model alone. */
const chrono = (): typeof Chrono => require('chrono-node');

/** Pure: moments, repetitions and past periods in a short text, for a person's time zone. */

export interface When {
  /** A moment (ISO 8601 UTC) or a repetition (five-field cron in `zone`). */
  at?: string;
  cron?: string;
  /** The text without the words that say when. */
  rest: string;
}

const NUMBERS = [
  'zero',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
];
const NUMBER_WORD = NUMBERS.slice(1).join('|');

/** `at nine` → `at 9`; `half past eight` → `8:30`. */
const withDigits = (text: string): string =>
  text
    .replaceAll(
      new RegExp(`\\bhalf past (${NUMBER_WORD}|\\d{1,2})\\b`, 'gi'),
      (_all, word: string) => `${digit(word)}:30`,
    )
    .replaceAll(
      new RegExp(`\\bquarter past (${NUMBER_WORD}|\\d{1,2})\\b`, 'gi'),
      (_all, word: string) => `${digit(word)}:15`,
    )
    .replaceAll(
      new RegExp(
        `\\b(at|by|around|before|until|from) (${NUMBER_WORD})\\b(?! (?:days?|weeks?|months?|people|places))`,
        'gi',
      ),
      (_all, at: string, word: string) => `${at} ${digit(word)}`,
    )
    .replaceAll(new RegExp(`\\b(${NUMBER_WORD})(?= ?(?:o['’]?clock|[ap]\\.?m\\b))`, 'gi'), (word) =>
      digit(word),
    )
    .replaceAll(/\b(\d{1,2}) ?o['’]?clock\b/gi, '$1:00');

const digit = (word: string): string => {
  const n = NUMBERS.indexOf(word.toLowerCase());
  return n < 0 ? word : String(n);
};

/** Minutes that the zone is ahead of UTC at a moment. */
const offsetMinutes = (at: number, zone: string): number => {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  }).formatToParts(at);
  const read = (type: Intl.DateTimeFormatPartTypes): number =>
    Number(parts.find((part) => part.type === type)?.value ?? 0);
  const local = Date.UTC(
    read('year'),
    read('month') - 1,
    read('day'),
    read('hour'),
    read('minute'),
    read('second'),
  );
  return Math.round((local - Math.floor(at / 1000) * 1000) / 60_000);
};

/** The moment at which clocks of the zone show this; two rounds, since the offset depends on the moment. */
const momentOf = (wallMs: number, zone: string): number => {
  const first = wallMs - offsetMinutes(wallMs, zone) * 60_000;
  return wallMs - offsetMinutes(first, zone) * 60_000;
};

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const DAY = '(sunday|monday|tuesday|wednesday|thursday|friday|saturday)s?';
const CLOCK = '(?:\\s+(?:at|around|by)\\s+(?:(noon|midnight)|(\\d{1,2})(?::(\\d{2}))?\\s?([ap]\\.?m\\.?)?))?';

const clockOf = (
  groups: readonly (string | undefined)[],
  fallbackHour: number,
): { hour: number; minute: number } => {
  const [word, hourText, minuteText, meridiem] = groups;
  if (word?.toLowerCase() === 'noon') return { hour: 12, minute: 0 };
  if (word?.toLowerCase() === 'midnight') return { hour: 0, minute: 0 };
  if (hourText === undefined) return { hour: fallbackHour, minute: 0 };
  let hour = Number(hourText);
  if (meridiem !== undefined) hour = (hour % 12) + (/^p/i.test(meridiem) ? 12 : 0);
  return { hour: Math.min(hour, 23), minute: Math.min(Number(minuteText ?? 0), 59) };
};

const HOUR_OF: Readonly<Record<string, number>> = {
  morning: 8,
  noon: 12,
  afternoon: 14,
  evening: 18,
  night: 22,
};

type Repetition = { of: RegExp; cron(match: RegExpExecArray): string | null };

const REPETITIONS: readonly Repetition[] = [
  {
    of: /\bevery (\d{1,2})? ?min(?:ute)?s?\b/i,
    cron: (m) => (Number(m[1] ?? 1) < 60 ? `*/${Math.max(1, Number(m[1] ?? 1))} * * * *` : null),
  },
  {
    of: /\b(?:every (\d{1,2})? ?hours?|hourly)\b/i,
    cron: (m) => {
      const n = Number(m[1] ?? 1);
      return n <= 1 ? '0 * * * *' : n < 24 ? `0 */${n} * * *` : null;
    },
  },
  {
    of: new RegExp(`\\b(?:every|each) (?:working ?day|workday|weekday|business day)s?${CLOCK}`, 'i'),
    cron: (m) => daily(clockOf(m.slice(1), 9), '1-5'),
  },
  {
    of: new RegExp(
      `\\b(?:every|each|weekly on|on) (?:(morning|afternoon|evening|night) (?:of|on) )?${DAY}(?:(?:,| and| or) (?:on )?${DAY})?( morning| afternoon| evening| night)?${CLOCK}`,
      'i',
    ),
    cron(m) {
      // `on Monday` is one day, `on Mondays` and `every Monday` are all of them.
      if (/^on /i.test(m[0]) && !new RegExp(`${DAY.slice(0, -2)}s\\b`, 'i').test(m[0])) return null;
      const part = (m[1] ?? m[4])?.trim().toLowerCase();
      const days = [m[2], m[3]].flatMap((day) =>
        day === undefined ? [] : [WEEKDAYS.indexOf(day.toLowerCase())],
      );
      return daily(clockOf(m.slice(5), part === undefined ? 9 : (HOUR_OF[part] ?? 9)), days.join(','));
    },
  },
  {
    of: new RegExp(
      `\\b(?:(?:every|each) (day|morning|noon|afternoon|evening|night)|daily|nightly)${CLOCK}`,
      'i',
    ),
    cron: (m) => daily(clockOf(m.slice(2), HOUR_OF[m[1]?.toLowerCase() ?? ''] ?? 9), '*'),
  },
  {
    of: new RegExp(
      `\\b(?:every month|monthly|each month)(?: on the (\\d{1,2})(?:st|nd|rd|th)?)?${CLOCK}`,
      'i',
    ),
    cron(m) {
      const { hour, minute } = clockOf(m.slice(2), 9);
      const day = Number(m[1] ?? 1);
      return day >= 1 && day <= 31 ? `${minute} ${hour} ${day} * *` : null;
    },
  },
  {
    of: new RegExp(`\\bon the (\\d{1,2})(?:st|nd|rd|th) of (?:every|each) month${CLOCK}`, 'i'),
    cron(m) {
      const { hour, minute } = clockOf(m.slice(2), 9);
      return Number(m[1]) >= 1 && Number(m[1]) <= 31 ? `${minute} ${hour} ${Number(m[1])} * *` : null;
    },
  },
  {
    of: new RegExp(`\\b(?:every week|weekly)${CLOCK}`, 'i'),
    cron: (m) => daily(clockOf(m.slice(1), 9), '1'),
  },
];

const daily = ({ hour, minute }: { hour: number; minute: number }, days: string): string =>
  `${minute} ${hour} * * ${days}`;

const squeeze = (text: string): string =>
  text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ([,.;!?])/g, '$1')
    .trim();

/** When something shall happen, or null where the text says nothing of it (or only something past). */
export const readWhen = (message: string, now: number, zone: string): When | null => {
  const text = withDigits(message);
  for (const { of, cron } of REPETITIONS) {
    const match = of.exec(text);
    const found = match === null ? null : cron(match);
    if (match !== null && found !== null)
      return {
        cron: found,
        rest: squeeze(text.slice(0, match.index) + text.slice(match.index + match[0].length)),
      };
  }
  const [result] = chrono().parse(
    text,
    { instant: new Date(now), timezone: offsetMinutes(now, zone) },
    { forwardDate: true },
  );
  if (result === undefined) return null;
  const { start } = result;
  const read = (part: 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second'): number =>
    start.get(part) ?? 0;
  // `in 20 minutes` counts from now; a day without an hour means its morning.
  const hour =
    start.isCertain('hour') ||
    /\b(?:morning|noon|afternoon|evening|night|tonight|midnight|minutes?|hours?)\b/i.test(result.text)
      ? read('hour')
      : 9;
  const wall = Date.UTC(
    read('year'),
    read('month') - 1,
    read('day'),
    hour,
    start.isCertain('hour') ? read('minute') : 0,
    start.isCertain('second') ? read('second') : 0,
  );
  const at = momentOf(wall, zone);
  if (at <= now) return null;
  return {
    at: new Date(at).toISOString(),
    rest: squeeze(text.slice(0, result.index) + text.slice(result.index + result.text.length)),
  };
};

/** A clock time in a text (`3pm`, `14:30`, `noon`), as minutes after midnight. */
export const clockIn = (message: string): { minutes: number; at: number } | null => {
  const text = withDigits(message);
  const word = /\b(noon|midday|midnight)\b/i.exec(text);
  if (word !== null) return { minutes: /midnight/i.test(word[0]) ? 0 : 720, at: word.index };
  const match = /\b(\d{1,2})(?::(\d{2}))?\s?([ap])\.?m\b\.?|\b(\d{1,2}):(\d{2})\b/i.exec(text);
  if (match === null) return null;
  const hour =
    match[1] === undefined
      ? Number(match[4])
      : (Number(match[1]) % 12) + (/p/i.test(match[3] ?? '') ? 12 : 0);
  const minute = Number(match[2] ?? match[5] ?? 0);
  return hour > 23 || minute > 59 ? null : { minutes: hour * 60 + minute, at: match.index };
};

/** The local date, `2026-11-28`. */
export const dateIn = (at: number, zone: string): string =>
  new Date(at + offsetMinutes(at, zone) * 60_000).toISOString().slice(0, 10);

const DAY_MS = 86_400_000;

/** A past or running period: `days` back from now, and its calendar bounds where it is one (dates, inclusive). */
export const readPeriod = (
  text: string,
  now: number,
  zone: string,
): { name: 'day' | 'week' | 'month' | 'custom'; days: number; from?: string; to?: string } | null => {
  const back = (days: number): string => dateIn(now - days * DAY_MS, zone);
  const today = dateIn(now, zone);
  const weekday = (new Date(`${today}T00:00:00Z`).getUTCDay() + 6) % 7;
  if (/\btoday|\bthis day\b|\bheute\b/i.test(text)) return { name: 'day', days: 1 };
  if (/\byesterday\b|\bgestern\b/i.test(text)) return { name: 'custom', days: 2, from: back(1), to: back(1) };
  if (/\bthis week\b|\bdiese woche\b/i.test(text)) return { name: 'week', days: 7 };
  if (/\b(?:last|previous|past) week\b|\bletzte woche\b/i.test(text))
    return { name: 'custom', days: 14, from: back(weekday + 7), to: back(weekday + 1) };
  if (/\bthis month\b|\bdiesen monat\b|\bmonth so far\b/i.test(text)) return { name: 'month', days: 31 };
  if (/\b(?:last|previous) month\b|\bletzten monat\b/i.test(text)) {
    const [year = 0, month = 1] = today.split('-').map(Number);
    return {
      name: 'custom',
      days: 62,
      from: new Date(Date.UTC(year, month - 2, 1)).toISOString().slice(0, 10),
      to: new Date(Date.UTC(year, month - 1, 0)).toISOString().slice(0, 10),
    };
  }
  const counted = new RegExp(
    `\\b(?:last|past) (\\d{1,3}|${NUMBER_WORD})? ?(hour|day|week|month)s?\\b`,
    'i',
  ).exec(text);
  if (counted !== null) {
    const n = Number(digit(counted[1] ?? '1'));
    const unit = { hour: 1 / 24, day: 1, week: 7, month: 30 }[(counted[2] ?? 'day').toLowerCase()] ?? 1;
    const days = Math.min(365, Math.max(1 / 24, n * unit));
    return { name: 'custom', days, from: back(Math.floor(days)), to: today };
  }
  return null;
};
