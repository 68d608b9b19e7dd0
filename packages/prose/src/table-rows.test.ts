import { expect, test } from 'vitest';
import { isHeadRow } from './table-rows.ts';

test.each([
  ['Item | Ordered', 'Nuts | 156', true],
  ['Revenue | 2023 | 2024', 'North | 120 | 130', true],
  ['Region | Q1 2024 | Q2 2024', 'North | 1 | 2', true],
  ['Region | FY 2023/24', 'North | 5', true],
  ['Nuts | 156', 'Bolts | 12', false],
  ['Founded | 1911', 'Closed | 1950', false],
  ['2023 | 2024', '1 | 2', false],
  ['Revenue | 2023', undefined, false],
])('%s over %s', (head, next, is) => {
  expect(isHeadRow(head.split(' | '), next?.split(' | '))).toBe(is);
});
