import { describe, expect, it } from 'vitest';
import {
  formatBytes,
  formatDuration,
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
    expect([12.4, 1500, 90_000, 3_900_000].map((ms) => formatDuration(ms))).toEqual([
      '12 ms',
      '1.5 s',
      '1 min 30 s',
      '1 h 5 min',
    ]);
  });
  it('says when, seen from now', () => {
    expect(formatRelative(0, 3_000)).toBe('just now');
    expect(formatRelative(0, 180_000)).toBe('3 minutes ago');
    expect(formatRelative(2 * 86_400_000, 0)).toBe('in 2 days');
  });
  it('shows a share as percent', () => {
    expect(formatPercent(0.9876)).toBe('98.8%');
  });
});
