import { describe, expect, test } from 'vitest';
import { numberText, tableOf, tablesOf } from './table.rules.ts';

describe('tables of documents', () => {
  test.each([
    ['1,234.50', '1234.50'],
    ['$ 12', '12'],
    ['45%', '45'],
    ['1.234,56', '1234.56'],
    ['12,5', '12.5'],
    ['(300)', '-300'],
    ['1e3', '1e3'],
    ['n/a', null],
    ['', null],
    ['12 apples', null],
    ['.', null],
  ])('%s is %s', (cell, number) => expect(numberText(cell)).toBe(number));

  test('columns get plain distinct names and types', () => {
    const table = tableOf(
      'data',
      'Region | Net Amount ($) | Day | Code | Region\nNorth | 1,200 | 2026-01-02 | 007 | x\nSouth |  | 2026-01-03 | 008 | y',
    );
    expect(table?.columns).toEqual([
      { name: 'region', type: 'text' },
      { name: 'net_amount', type: 'number' },
      { name: 'day', type: 'date' },
      { name: 'code', type: 'text' },
      { name: 'region_2', type: 'text' },
    ]);
    expect(table?.rows).toEqual([
      ['North', '1200', '2026-01-02', '007', 'x'],
      ['South', null, '2026-01-03', '008', 'y'],
    ]);
  });

  test('sheets are named by their heading; a head alone is no table', () => {
    const tables = tablesOf([
      { kind: 'heading', text: 'Sales 2026', page: null },
      { kind: 'table', text: 'a | b\n1 | 2', page: null },
      { kind: 'heading', text: 'Empty', page: null },
      { kind: 'table', text: 'a | b', page: null },
    ]);
    expect(tables.map((table) => table.name)).toEqual(['sales_2026']);
  });
});
