import { expect, it } from 'vitest';
import { licenceFaults } from './lib/licences.ts';

const of = (licence: string, name = 'some-package') => licenceFaults([{ name, version: '1.0.0', licence }]);

it.each(['MIT', 'ISC', 'Apache-2.0', '(MIT OR GPL-3.0-or-later)', '(MIT AND Zlib)', 'BSD-3-Clause'])(
  'takes %s',
  (licence) => {
    expect(of(licence)).toEqual([]);
  },
);

it.each([
  'GPL-3.0-only',
  'AGPL-3.0-or-later',
  'MIT AND GPL-2.0-only',
  'SSPL-1.0',
  'MPL-2.0',
  'UNLICENSED',
  '',
])('refuses %j', (licence) => {
  expect(of(licence)).toHaveLength(1);
});

it('takes an exception for its own package alone', () => {
  expect(of('MPL-2.0', 'lightningcss-linux-x64-gnu')).toEqual([]);
  expect(of('MPL-2.0', 'lightningcssx')).toHaveLength(1);
  expect(of('GPL-3.0-only', 'lightningcss')).toHaveLength(1);
});
