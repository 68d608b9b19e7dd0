import { expect, it } from 'vitest';
import { LONGEST, longestFirst, WAITING } from './lanes.ts';
import { suitesOf, suitesOnBothEngines } from './rings.ts';

it('names suites that are there, and none as both', () => {
  const services = [...suitesOf('services'), ...suitesOnBothEngines()];
  const waiting = Object.keys(WAITING);
  expect(waiting.filter((suite) => !services.includes(suite))).toEqual([]);
  const known = [...services, ...suitesOf('server')];
  expect(LONGEST.filter((suite) => !known.includes(suite))).toEqual([]);
  expect(LONGEST.filter((suite) => waiting.includes(suite))).toEqual([]);
  expect(new Set(LONGEST).size).toBe(LONGEST.length);
});

it('tells a suite that waits from every other by a part of its path, as vitest does', () => {
  const services = [...suitesOf('services'), ...suitesOnBothEngines()];
  const waiting = Object.keys(WAITING);
  expect(services.filter((suite) => waiting.some((one) => suite.includes(one)))).toHaveLength(waiting.length);
});

it('puts the longest first, and leaves the others as they were', () => {
  const [first = '', second = ''] = LONGEST;
  const files = ['/x/b.test.ts', `/x/${second}`, '/x/a.test.ts', `/x/${first}`];
  expect(longestFirst(files, (file) => file)).toEqual([
    `/x/${first}`,
    `/x/${second}`,
    '/x/b.test.ts',
    '/x/a.test.ts',
  ]);
});
