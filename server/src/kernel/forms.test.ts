import fc from 'fast-check';
import { expect, test } from 'vitest';
import { iso } from './clock.ts';
import { isUuid, madeAtMs, newId } from './ids.ts';
import { MAX_NANO_USD, nanoToUsd, usdToNano } from './money.ts';

test('a time is written as Date writes it', () => {
  fc.assert(
    fc.property(fc.integer({ min: -8_640_000_000_000_000, max: 8_640_000_000_000_000 }), (ms) => {
      expect(iso(ms)).toBe(new Date(ms).toISOString());
    }),
  );
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4 * 86_400_000 }), (offset) => {
      const ms = 1_796_000_000_000 + offset;
      expect(iso(ms)).toBe(new Date(ms).toISOString());
    }),
  );
});

test('nano-dollars become the double nearest to their decimal', () => {
  fc.assert(
    fc.property(fc.integer({ min: -MAX_NANO_USD, max: MAX_NANO_USD }), (nano) => {
      const text = String(Math.abs(nano)).padStart(10, '0');
      const decimal = Number(`${nano < 0 ? '-' : ''}${text.slice(0, -9)}.${text.slice(-9)}`);
      expect(nanoToUsd(nano) - decimal).toBe(0);
      if (Math.abs(nano) < 1e15) expect(usdToNano(nanoToUsd(nano)) - nano).toBe(0);
    }),
    { numRuns: 1000 },
  );
});

test('ids are UUIDv7, unlike each other, and sort as they were made', () => {
  const before = Date.now();
  const ids = Array.from({ length: 20_000 }, newId);
  expect(new Set(ids).size).toBe(ids.length);
  expect([...ids].sort()).toEqual(ids);
  expect(new Set(ids.map((id) => id.slice(-12))).size).toBe(ids.length);
  for (const id of ids) {
    expect(isUuid(id)).toBe(true);
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }
  const made = madeAtMs(ids[0] ?? '');
  expect(made).toBeGreaterThanOrEqual(before);
  expect(made).toBeLessThanOrEqual(Date.now());
});
