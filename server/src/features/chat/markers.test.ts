import { describe, expect, it } from 'vitest';
import { createMarkerFilter, withoutUnknownMarkers } from './markers.rules.ts';

const KNOWN = new Set([1, 2, 12]);

const CASES: [what: string, text: string, expected: string][] = [
  ['keeps markers of passages', 'Six [1], seven [2, 12].', 'Six [1], seven [2, 12].'],
  ['takes out one without a passage, with the space before it', 'Six months [7].', 'Six months.'],
  [
    'takes out the wrong one of several',
    'Six [1, 7] and [7,2].',
    'Six [1, 7] and [7,2].'.replace('1, 7', '1').replace('7,2', '2'),
  ],
  ['takes out two beside each other', 'Six [7][8] [1] [9]', 'Six [1]'],
  ['takes out one at the end of a text', 'Six [3]', 'Six'],
  [
    'leaves brackets that are no markers',
    'a[i], [x], [], [1234], [see 7] [',
    'a[i], [x], [], [1234], [see 7] [',
  ],
  [
    'leaves links',
    '[7](https://x.test) and\n[7]: https://x.test',
    '[7](https://x.test) and\n[7]: https://x.test',
  ],
  ['leaves code', 'Use `a [7]` or\n```\nb [8]\n```\nbut [7] not', 'Use `a [7]` or\n```\nb [8]\n```\nbut not'],
  ['is not misled by a lonely backtick', 'A ` is a tick.\nSix [7].', 'A ` is a tick.\nSix.'],
  ['leaves a marker that never ends', 'Six [7, 8', 'Six [7, 8'],
  ['leaves spaces', '  a  b \n c ', '  a  b \n c '],
  [
    'leaves an index and a range with a nought',
    'a[0] is 1; within [0, 100] or [0, 1].',
    'a[0] is 1; within [0, 100] or [0, 1].',
  ],
  [
    'leaves links by reference',
    'See [the site][7] and [1][8].\n\n[7]: https://x.test',
    'See [the site][7] and [1].\n\n[7]: https://x.test',
  ],
  ['takes out one before a colon', 'According to [7]: six.', 'According to: six.'],
  ['leaves brackets in brackets, and escaped ones', '[[7]] \\[8] \\[9\\]', '[[7]] \\[8] \\[9\\]'],
  ['leaves no space at the start of a line', '[7] Six.\n[8] [9] Seven.', 'Six.\nSeven.'],
  ['leaves code between waves', '~~~\na[7]\n~~~\nb [7]', '~~~\na[7]\n~~~\nb'],
  [
    'ends code where it ends',
    '````\n```\na[7]\n````\nb[7] ``c`d[7]`` e[7]',
    '````\n```\na[7]\n````\nb ``c`d[7]`` e',
  ],
  ['leaves numbers of four digits, and takes out those of three', 'a [1234] b [123] c [999]', 'a [1234] b c'],
  ['leaves a list with a part that is no number', 'a [1, , 7] b [,] c [7,x]', 'a [1, , 7] b [,] c [7,x]'],
  ['leaves a marker of more than 60 characters', `a [${'7, '.repeat(21)}7] b`, `a [${'7, '.repeat(21)}7] b`],
  ['takes out one of 60 characters', `a [${'7, '.repeat(19)}77] b`, 'a b'],
  [
    'knows code within code by the number of its marks',
    'a ``x ` [7]`` b [7] `y [7]` [8]',
    'a ``x ` [7]`` b `y [7]`',
  ],
  ['ends a fence by marks of its kind alone', '```\n~~~\n[7]\n```\n[8] b', '```\n~~~\n[7]\n```\nb'],
  ['takes waves within a line for text', 'a ~~~ b [7]', 'a ~~~ b'],
  ['takes two waves for text', '~~a [7]~~ b', '~~a~~ b'],
  [
    'begins a fence of waves behind spaces, and none behind words',
    '  ~~~\n[7]\n  ~~~\nb ~~~ [8]',
    '  ~~~\n[7]\n  ~~~\nb ~~~',
  ],
  ['ends inline code with its line', 'a ``b\n[7] c', 'a ``b\nc'],
  ['takes a link by reference behind a known marker for one', '[1][7] [x][8]', '[1] [x][8]'],
  ['takes out one behind one that is gone', 'a [7][8][1]', 'a[1]'],
  [
    'keeps the address of a link at the start of a line, also behind spaces',
    'a\n[7]: b\n [8]: c',
    'a\n[7]: b\n [8]: c',
  ],
];

describe('markers without a passage', () => {
  it.each(CASES)('%s', (_what, text, expected) => {
    expect(withoutUnknownMarkers(text, KNOWN)).toBe(expected);
  });

  it.each(CASES)('%s, in pieces of every size', (_what, text, expected) => {
    for (let size = 1; size <= text.length; size++) {
      const filter = createMarkerFilter(KNOWN);
      let out = '';
      for (let at = 0; at < text.length; at += size) out += filter.push(text.slice(at, at + size));
      expect(out + filter.end(), `pieces of ${size}`).toBe(expected);
    }
  });

  it('does the same work for each piece of a long row of spaces or brackets', () => {
    for (const piece of [' ', '[', '[1', '[ ']) {
      const filter = createMarkerFilter(KNOWN);
      let out = '';
      const startedAt = performance.now();
      // By the square of the pieces it would take minutes.
      for (let i = 0; i < 100_000; i++) out += filter.push(piece);
      expect(out + filter.end()).toBe(piece.repeat(100_000));
      expect(performance.now() - startedAt).toBeLessThan(20_000);
    }
  });

  it('holds back no more than a marker that has begun, and the spaces before it', () => {
    const filter = createMarkerFilter(KNOWN);
    expect(filter.push('Six months ')).toBe('Six months');
    expect(filter.push('[')).toBe('');
    expect(filter.push('7')).toBe('');
    expect(filter.push(']')).toBe('');
    expect(filter.push(', then ')).toBe(', then');
    expect(filter.push('more')).toBe(' more');
    expect(filter.end()).toBe('');
  });
});
