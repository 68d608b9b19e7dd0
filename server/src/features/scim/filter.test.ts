import { expect, it } from 'vitest';
import { equalities, matches, parseFilter } from './filter.ts';

const ada = {
  id: 'A1',
  userName: 'Ada',
  active: true,
  emails: [
    { type: 'work', value: 'ada@corp.example', primary: true },
    { type: 'home', value: 'ada@home.example' },
  ],
  name: { familyName: 'Lovelace' },
  meta: { lastModified: '2026-01-02T00:00:00.000Z' },
  'urn:x:extension:y:2.0:User': { department: 'Engines' },
};

it.each([
  ['userName eq "ADA"', true],
  ['id eq "a1"', false],
  ['USERNAME EQ "ada"', true],
  ['userName ne "ada"', false],
  ['nickName ne "x"', true],
  ['active eq true', true],
  ['active eq "True"', true],
  ['active eq false', false],
  ['nickName pr', false],
  ['name pr', true],
  ['emails pr', true],
  ['nickName eq null', true],
  ['name.familyName sw "love" and emails.type eq "home"', true],
  ['emails[type eq "work" and value co "@home"]', false],
  ['emails[type eq "home" and value co "@home"]', true],
  ['emails[type eq "home"].value eq "ada@corp.example"', false],
  ['emails eq "ada@home.example"', true],
  ['not (userName eq "ada") or userName ew "a"', true],
  ['userName eq "x" or userName eq "y" and userName eq "ada"', false],
  ['(userName eq "x" or userName eq "ada") and active eq true', true],
  ['meta.lastModified gt "2026-01-01T00:00:00Z"', true],
  ['urn:x:extension:y:2.0:User:department eq "engines"', true],
  ['userName eq "a\\u0064a"', true],
])('%s is %s', (filter, expected) => {
  expect(matches(parseFilter(filter), ada)).toBe(expected);
});

it.each([
  '',
  'userName',
  'userName is "x"',
  'userName eq',
  'userName eq x',
  'userName eq "x',
  'userName eq "x" and',
  'userName eq "x" "y"',
  '(userName eq "x"',
  'not userName eq "x"',
  'emails[type eq "x"',
  'a.b.c eq "x"',
  '1a eq "x"',
  `${'('.repeat(30)}id pr${')'.repeat(30)}`,
  Array.from({ length: 41 }, () => 'id pr').join(' or '),
  `userName eq "${'x'.repeat(2_000)}"`,
])('refuses %s', (filter) => {
  expect(() => parseFilter(filter)).toThrowError(
    expect.objectContaining({ details: { scim_type: 'invalidFilter' } }),
  );
});

it('tells what a store can look by', () => {
  expect([...equalities(parseFilter('userName eq "x" and (active eq true or id eq "y")'))]).toEqual([
    ['username', 'x'],
  ]);
  expect(equalities(parseFilter('userName eq "x" or id eq "y"')).size).toBe(0);
});
