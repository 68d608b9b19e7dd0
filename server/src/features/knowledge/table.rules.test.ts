import { describe, expect, test } from 'vitest';
import { measureOf, numberText, tableOf, tablesOf } from './table.rules.ts';

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

  test.each([
    ['12.5 kg', '12.5', 'kg'],
    ['1,200 km/h', '1200', 'km/h'],
    ['3 m²', '3', 'm²'],
    ['45%', '45', '%'],
    ['-4 °C', '-4', '°C'],
    ['EUR 1.234,50', '1234.50', 'EUR'],
    ['$ 12', '12', '$'],
    ['12 €', '12', '€'],
    ['7 days', '7', 'days'],
    ['1e3', '1e3', ''],
    ['12', '12', ''],
    ['Room 12', null, null],
    ['kg', null, null],
    ['2026-01-02 x', null, null],
  ])('%s is %s in %s', (cell, number, unit) =>
    expect(measureOf(cell)).toEqual(number === null ? null : { number, unit }),
  );

  test('numbers with one unit are numbers, and the column says the unit', () => {
    const table = tableOf(
      'data',
      'Item | Weight | Length (cm) | Price | Stay | Mixed | Share\nNuts | 12.5 kg | 3 cm | 4 € | 1 day | 1 kg | 5%\nBolts | 3 kg | 40 cm | 1.234,50 € | 2 days | 1 g | 7%\nOil | 0 |  |  | 3 days | 2 kg | ',
    );
    expect(table?.columns).toEqual([
      { name: 'item', type: 'text' },
      { name: 'weight_kg', type: 'number', unit: 'kg' },
      { name: 'length_cm', type: 'number', unit: 'cm' },
      { name: 'price', type: 'number', unit: '€' },
      { name: 'stay_days', type: 'number', unit: 'days' },
      { name: 'mixed', type: 'text' },
      { name: 'share', type: 'number', unit: '%' },
    ]);
    expect(table?.rows[1]).toEqual(['Bolts', '3', '40', '1234.50', '2', '1 g', '7']);
  });

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
