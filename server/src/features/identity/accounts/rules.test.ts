import { expect, it } from 'vitest';
import { greeting } from './rules.ts';

it.each([
  ['Ada Kowalska', 'Hello Ada Kowalska,'],
  [' Ada\n\u0000 K.\u2028', 'Hello Ada K.,'],
  ['Dr. Ada', 'Hello Dr. Ada,'],
  ['', 'Hello,'],
  [' \n', 'Hello,'],
  ['win.example', 'Hello,'],
  ['https://x', 'Hello,'],
  ['a@b', 'Hello,'],
  ['C:\\x', 'Hello,'],
])('a mail to %j begins with %j: no link, no line of its own', (name, line) => {
  expect(greeting(name)).toBe(line);
});
