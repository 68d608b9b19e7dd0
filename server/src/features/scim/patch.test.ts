import { expect, it } from 'vitest';
import { ENTERPRISE_SCHEMA, GROUP, type Resource, USER } from './attributes.ts';
import { operationsOf, patched } from './patch.ts';

const before: Resource = {
  userName: 'ada',
  name: { givenName: 'Ada' },
  emails: [
    { value: 'w@x', type: 'work', primary: true },
    { value: 'h@x', type: 'home' },
  ],
};
const apply = (...Operations: unknown[]) => patched(USER, before, operationsOf({ Operations }));

it('adds, replaces and removes values of many by a filter', () => {
  expect(apply({ op: 'replace', path: 'emails[type eq "home"].value', value: 'n@x' }).emails).toEqual([
    { value: 'w@x', type: 'work', primary: true },
    { value: 'n@x', type: 'home' },
  ]);
  expect(apply({ op: 'Add', path: 'emails[type eq "other"].value', value: 'o@x' }).emails).toContainEqual({
    value: 'o@x',
    type: 'other',
  });
  expect(apply({ op: 'remove', path: 'emails[type eq "work"]' }).emails).toEqual([
    { value: 'h@x', type: 'home' },
  ]);
  expect(apply({ op: 'remove', path: 'emails[type eq "work"].value' }).emails).toEqual([
    { value: 'h@x', type: 'home' },
  ]);
  expect(apply({ op: 'remove', path: 'emails' })).not.toHaveProperty('emails');
});

it('keeps one primary value: the last that says so', () => {
  const value = [{ value: 'p@x', type: 'other', primary: true }];
  const emails = apply({ op: 'add', path: 'emails', value }).emails;
  expect(emails).toEqual([
    { value: 'w@x', type: 'work', primary: false },
    { value: 'h@x', type: 'home' },
    { value: 'p@x', type: 'other', primary: true },
  ]);
});

it('takes values without a path under whole, dotted and extended names', () => {
  expect(
    apply({
      op: 'REPLACE',
      value: {
        displayName: 'A',
        'name.familyName': 'L',
        [`${ENTERPRISE_SCHEMA}:department`]: 'D',
        [ENTERPRISE_SCHEMA]: { division: 'V' },
        nothingKnown: 1,
        groups: [{ value: 'x' }],
        schemas: [],
      },
    }),
  ).toEqual({
    ...before,
    displayName: 'A',
    name: { givenName: 'Ada', familyName: 'L' },
    [ENTERPRISE_SCHEMA]: { department: 'D', division: 'V' },
  });
});

it('clears what is set to nothing', () => {
  expect(apply({ op: 'replace', path: 'name.givenName', value: null })).not.toHaveProperty('name');
  expect(apply({ op: 'replace', path: 'emails', value: [] })).not.toHaveProperty('emails');
  const made = apply({ op: 'add', path: `${ENTERPRISE_SCHEMA}:department`, value: 'D' });
  const gone = patched(USER, made, operationsOf({ Operations: [{ op: 'remove', path: ENTERPRISE_SCHEMA }] }));
  expect(gone).toEqual(before);
});

it.each([
  [{ op: 'remove' }, 'noTarget'],
  [{ op: 'add', value: 'x' }, 'invalidValue'],
  [{ op: 'replace', path: 'groups', value: [] }, 'mutability'],
  [{ op: 'replace', path: 'emails[type', value: 'x' }, 'invalidPath'],
  [{ op: 'replace', path: 'emails[type eq "x"]y', value: 'x' }, 'invalidPath'],
  [{ op: 'replace', path: 'userName[x eq "y"]', value: 'x' }, 'invalidPath'],
  [{ op: 'replace', path: 'active', value: 'perhaps' }, 'invalidValue'],
  [{ op: 'remove', path: 'userName' }, 'invalidValue'],
  [{ op: 'turn' }, 'invalidSyntax'],
])('refuses %j as %s', (operation, scim_type) => {
  expect(() => apply(operation)).toThrowError(
    expect.objectContaining({ details: expect.objectContaining({ scim_type }) }),
  );
});

it('bounds what one request may look at, and has room for what directories send', () => {
  const people = (count: number) => Array.from({ length: count }, (_, i) => ({ value: `person-${i}` }));
  const group = (operations: unknown[], members: Resource[]) =>
    patched(GROUP, { displayName: 'G', members }, operationsOf({ Operations: operations }));
  const left = Array.from({ length: 100 }, (_, i) => ({
    op: 'remove',
    path: `members[value eq "person-${i}"]`,
  }));
  expect(group(left, people(1_000)).members).toHaveLength(900);
  expect(group([{ op: 'add', path: 'members', value: people(20_000) }], []).members).toHaveLength(20_000);
  const many = Array.from({ length: 900 }, () => ({ op: 'remove', path: 'members[value eq "z"]' }));
  expect(() => group(many, people(10_000))).toThrow(
    expect.objectContaining({ details: expect.objectContaining({ scim_type: 'tooMany' }) }),
  );
});
