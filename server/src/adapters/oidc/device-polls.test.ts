import { expect, it } from 'vitest';
import { createPolls } from './device-polls.ts';

it('a device that asks sooner than its interval is told so, and has to wait longer each time', () => {
  let now = 0;
  const polls = createPolls(() => now);
  const askAfter = (seconds: number, code = 'one'): boolean => {
    now += seconds * 1000;
    return polls.isTooSoon(code);
  };
  expect(askAfter(0)).toBe(false);
  expect(askAfter(5)).toBe(false);
  expect(askAfter(4)).toBe(true);
  expect(askAfter(9)).toBe(true);
  expect(askAfter(15)).toBe(false);
  expect(askAfter(0, 'another')).toBe(false);
});
