import { describe, expect, test } from 'vitest';
import { cursorOf, cutOf, placeOf, readUri, uriOf } from './resource-uri.rules.ts';

describe('addresses of resources', () => {
  test('are read as they are written', () => {
    expect(readUri(uriOf('documents', 'x'))).toEqual({ kind: 'documents', id: 'x', from: 0 });
    expect(readUri('pentarch://documents/x?from=20')).toEqual({ kind: 'documents', id: 'x', from: 20 });
  });

  test('that are others are none', () => {
    for (const uri of [
      'file:///etc/passwd',
      'pentarch://documents',
      'pentarch://documents/',
      'pentarch:///x',
      'pentarch://documents/x/y',
      'pentarch://documents/x?from=',
      'pentarch://documents/x?from=-1',
      'pentarch://documents/x?from=1.5',
      'pentarch://documents/x?to=1',
      'pentarch://documents/x?from=1&to=2',
      'pentarch://documents/x?from=1?from=2',
    ])
      expect(readUri(uri), uri).toBeNull();
  });
});

test('a cursor names the list and the place within it', () => {
  for (const place of [
    { kind: 'documents', within: null },
    { kind: 'conversations', within: 'MTc.x' },
  ])
    expect(placeOf(cursorOf(place))).toEqual(place);
  expect([placeOf('x'), placeOf('.x')]).toEqual([null, null]);
});

describe('a part of a text', () => {
  test('follows on to the end without a loss', () => {
    const text = 'a🐉b🐉🐉c';
    for (let max = 2; max <= text.length; max++) {
      const parts: string[] = [];
      for (let from: number | null = 0; from !== null; ) {
        const part = cutOf(text, from, max);
        parts.push(part.text);
        expect(part.text.isWellFormed()).toBe(true);
        from = part.next;
      }
      expect(parts.join('')).toBe(text);
    }
  });

  test('past the end is empty, and from within a character begins with it', () => {
    expect(cutOf('abc', 9, 2)).toEqual({ text: '', next: null, of: 3 });
    expect(cutOf('🐉b', 1, 5).text).toBe('🐉b');
  });
});
