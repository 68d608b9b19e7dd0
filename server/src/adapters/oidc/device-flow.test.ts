import { expect, it } from 'vitest';
import { programIn } from './device-flow.ts';

it.each([
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox, Linux'],
  ['Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0', 'Edge, Windows'],
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605 Safari/604', 'Safari, iOS'],
  ['pentarch-cli/2.0.0 linux', 'Pentarch, Linux'],
  ['the IT department, please say yes', ''],
  ['curl/8 - your colleague Anna asks, call +49 170 1', 'curl'],
  ['', ''],
])('of "%s" the page shows known words alone: "%s"', (header, shown) => {
  expect(programIn(header)).toBe(shown);
});
