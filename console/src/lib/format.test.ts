import { describe, expect, it } from 'vitest';
import {
  formatBytes,
  formatDay,
  formatDuration,
  formatLanguage,
  formatMoney,
  formatPercent,
  formatRelative,
  NO_DATA,
} from './format.ts';

describe('figures', () => {
  it('shows money to the cent, and small sums to three digits', () => {
    expect(formatMoney(12.5)).toBe('$12.50');
    expect(formatMoney(0)).toBe('$0.00');
    expect(formatMoney(0.000123456)).toBe('$0.000123');
    expect(formatMoney(null)).toBe(NO_DATA);
  });
  it('shows sizes in steps of 1000', () => {
    expect([0, 999, 1000, 25_400_000, 123_456].map((size) => formatBytes(size))).toEqual([
      '0 B',
      '999 B',
      '1.0 KB',
      '25.4 MB',
      '123 KB',
    ]);
  });
  it('shows durations in the unit that is read best', () => {
    expect([12.4, 1500, 59_980, 60_000, 90_000, 119_700, 3_900_000].map((ms) => formatDuration(ms))).toEqual([
      '12 ms',
      '1.5 s',
      '1 min',
      '1 min',
      '1 min 30 s',
      '2 min',
      '1 h 5 min',
    ]);
  });
  it('says when, seen from now', () => {
    expect(formatRelative(0, 3_000)).toBe('just now');
    expect(formatRelative(0, 180_000)).toBe('3 minutes ago');
    expect(formatRelative(2 * 86_400_000, 0)).toBe('in 2 days');
    const at = (day: number, hour: number): number => new Date(2026, 10, day, hour).getTime();
    // On Saturday evening, Monday morning is not tomorrow, though less than two days off; nor was Thursday yesterday.
    expect(formatRelative(at(30, 9), at(28, 14))).toBe('in 2 days');
    expect(formatRelative(at(26, 20), at(28, 14))).toBe('2 days ago');
    expect(formatRelative(at(29, 20), at(28, 14))).toBe('tomorrow');
    expect(formatRelative(at(27, 9), at(28, 14))).toBe('yesterday');
  });
  it('names days and languages', () => {
    expect(formatDay('2026-11-28')).toBe('Nov 28, 2026');
    expect([formatLanguage('de'), formatLanguage('x-?'), formatLanguage('la')]).toEqual([
      'German',
      'x-?',
      'Latin',
    ]);
  });
  it('shows a share as percent', () => {
    expect(formatPercent(0.9876)).toBe('98.8%');
  });
});
