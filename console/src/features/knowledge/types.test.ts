import { expect, it } from 'vitest';
import { labelOfType, stretchesOf } from './types.ts';

it('names types as people say them, and unknown ones as they are', () => {
  expect(labelOfType('application/pdf')).toBe('PDF');
  expect(labelOfType('application/x-other')).toBe('application/x-other');
});

it('marks highlights in order, overlapping ones once, and loses no text', () => {
  const content = 'the lease ends in May and the rent is due in June';
  const cut = stretchesOf(content, ['rent is due', 'lease ends', 'ends in May', 'not there']);
  expect(cut.map(({ text }) => text).join('')).toBe(content);
  expect(cut.filter(({ marked }) => marked).map(({ text }) => text)).toEqual([
    'lease ends',
    ' in May',
    'rent is due',
  ]);
  expect(stretchesOf(content, [])).toEqual([{ text: content, marked: false }]);
});
