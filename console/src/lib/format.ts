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
  if (durationMs < 60_000) return `${(durationMs / 1000).toFixed(1)} s`;
  const minutes = Math.floor(durationMs / 60_000);
  if (minutes < 60) return `${minutes} min ${Math.round((durationMs % 60_000) / 1000)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
};

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];
/** "3 minutes ago", "in 2 days". */
export const formatRelative = (epochMs: number, nowMs: number): string => {
  const seconds = Math.round((epochMs - nowMs) / 1000);
  for (const [unit, length] of STEPS) {
    if (Math.abs(seconds) >= length) return relative.format(Math.trunc(seconds / length), unit);
  }
  return Math.abs(seconds) < 10 ? 'just now' : relative.format(seconds, 'second');
};

const absolute = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });
export const formatDateTime = (iso: string): string => absolute.format(new Date(iso));
