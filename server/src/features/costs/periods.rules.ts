/**
 * Days, weeks and months in a tenant's time zone. A day begins at the first instant whose local date is that day, so
 * it is right where clocks change at midnight too.
 */
export interface Span {
  /** Epoch ms, inclusive. */
  start: number;
  /** Epoch ms, exclusive. */
  end: number;
}

export interface LocalDate {
  year: number;
  /** 1–12. */
  month: number;
  day: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();

const formatOf = (zone: string): Intl.DateTimeFormat => {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
    });
    formats.set(zone, format);
  }
  return format;
};

/** True for an IANA zone that this runtime knows. */
export const isBudgetTimeZone = (zone: string): boolean => {
  try {
    formatOf(zone);
    return true;
  } catch {
    return false;
  }
};

export const localDate = (zone: string, at: number): LocalDate => {
  const date = { year: 0, month: 0, day: 0 };
  for (const part of formatOf(zone).formatToParts(at)) {
    if (part.type === 'year' || part.type === 'month' || part.type === 'day')
      date[part.type] = Number(part.value);
  }
  return date;
};

const two = (n: number): string => String(n).padStart(2, '0');

export const dateText = (date: LocalDate): string =>
  `${String(date.year).padStart(4, '0')}-${two(date.month)}-${two(date.day)}`;

/** Calendar arithmetic alone, without a zone: day 0 is the last of the month before, month 13 the next January. */
const normal = (year: number, month: number, day: number): LocalDate => {
  const utc = new Date(Date.UTC(year, month - 1, day));
  return { year: utc.getUTCFullYear(), month: utc.getUTCMonth() + 1, day: utc.getUTCDate() };
};

const asNumber = (date: LocalDate): number => date.year * 10_000 + date.month * 100 + date.day;

const HOUR_MS = 3_600_000;

/** First instant of a local date: the earliest at which the zone's date is not before it. */
export const startOfDate = (zone: string, date: LocalDate): number => {
  const wanted = asNumber(date);
  const utc = Date.UTC(date.year, date.month - 1, date.day);
  // Offsets lie between -12 and +14 hours.
  let before = utc - 15 * HOUR_MS;
  let after = utc + 13 * HOUR_MS;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (asNumber(localDate(zone, middle)) < wanted) before = middle;
    else after = middle;
  }
  return after;
};

export type PeriodName = 'day' | 'week' | 'month';

/** The period around `at`; weeks begin on Monday (ISO 8601). */
export const periodAround = (zone: string, name: PeriodName, at: number): Span => {
  const { year, month, day } = localDate(zone, at);
  if (name === 'month') {
    return {
      start: startOfDate(zone, normal(year, month, 1)),
      end: startOfDate(zone, normal(year, month + 1, 1)),
    };
  }
  const weekday = (new Date(Date.UTC(year, month - 1, day)).getUTCDay() + 6) % 7;
  const first = name === 'week' ? day - weekday : day;
  const length = name === 'week' ? 7 : 1;
  return {
    start: startOfDate(zone, normal(year, month, first)),
    end: startOfDate(zone, normal(year, month, first + length)),
  };
};
