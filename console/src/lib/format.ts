/** Figures as people read them. null is a figure without data and is shown as a dash. */

export const NO_DATA = '–';

const number = (options: Intl.NumberFormatOptions): ((value: number) => string) => {
  const format = new Intl.NumberFormat('en', options);
  return (value) => format.format(value);
};

const whole = number({ maximumFractionDigits: 0 });
const compact = number({ notation: 'compact', maximumFractionDigits: 1 });
const percent = number({ style: 'percent', maximumFractionDigits: 1 });
const cents = number({
  style: 'currency',
  currency: 'USD',
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
});
const fine = number({
  style: 'currency',
  currency: 'USD',
  minimumFractionDigits: 2,
  maximumSignificantDigits: 3,
});

export const formatNumber = (value: number | null): string => (value === null ? NO_DATA : whole(value));
/** 1.2K, 3.4M: where the exact figure is in the tooltip. */
export const formatCompact = (value: number | null): string => (value === null ? NO_DATA : compact(value));
/** A share of 0–1. */
export const formatPercent = (share: number | null): string => (share === null ? NO_DATA : percent(share));

/** US dollars. Below ten cents three digits count: an answer costs fractions of a cent. */
export const formatMoney = (usd: number | null): string => {
  if (usd === null) return NO_DATA;
  return usd === 0 || Math.abs(usd) >= 0.1 ? cents(usd) : fine(usd);
};

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];
export const formatBytes = (sizeBytes: number | null): string => {
  if (sizeBytes === null) return NO_DATA;
  const step = sizeBytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(sizeBytes) / 3));
  const value = sizeBytes / 1000 ** step;
  return `${step === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[step]}`;
};

export const formatDuration = (durationMs: number | null): string => {
  if (durationMs === null) return NO_DATA;
  if (durationMs < 1000) return `${Math.round(durationMs)} ms`;
  // What would round to the next unit is said in it.
  if (durationMs < 59_950) return `${(durationMs / 1000).toFixed(1)} s`;
  const seconds = Math.round(durationMs / 1000);
  const minutes = Math.floor(seconds / 60);
  const [first, rest] =
    minutes < 60 ? [`${minutes} min`, seconds % 60] : [`${Math.floor(minutes / 60)} h`, minutes % 60];
  return rest === 0 ? first : `${first} ${rest} ${minutes < 60 ? 's' : 'min'}`;
};

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];
const DAY_MS = 86_400_000;
/** Days of the calendar of who looks: "tomorrow" is not what comes in 40 hours, where that is the day after. */
const daysBetween = (fromMs: number, toMs: number): number => {
  const from = new Date(fromMs);
  const to = new Date(toMs);
  const midnight = (date: Date): number => Date.UTC(date.getFullYear(), date.getMonth(), date.getDate());
  return Math.round((midnight(to) - midnight(from)) / DAY_MS);
};
/** "3 minutes ago", "in 2 days". */
export const formatRelative = (epochMs: number, nowMs: number): string => {
  const seconds = Math.round((epochMs - nowMs) / 1000);
  for (const [unit, length] of STEPS) {
    if (Math.abs(seconds) < length) continue;
    return relative.format(unit === 'day' ? daysBetween(nowMs, epochMs) : Math.trunc(seconds / length), unit);
  }
  return Math.abs(seconds) < 10 ? 'just now' : relative.format(seconds, 'second');
};

const absolute = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });
export const formatDateTime = (iso: string): string => absolute.format(new Date(iso));

const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });
/** A date without a time, `2026-11-28`, the same in every time zone. */
export const formatDay = (date: string): string => day.format(new Date(`${date}T00:00:00Z`));

const languages = new Intl.DisplayNames('en', { type: 'language', fallback: 'code' });
/** The name of a language by its code (`de`), or the code. */
export const formatLanguage = (code: string): string => {
  try {
    return languages.of(code) ?? code;
  } catch {
    return code;
  }
};
