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
    '[7](https://x.test) and [7]: https://x.test',
    '[7](https://x.test) and [7]: https://x.test',
  ],
  ['leaves code', 'Use `a [7]` or\n```\nb [8]\n```\nbut [7] not', 'Use `a [7]` or\n```\nb [8]\n```\nbut not'],
  ['is not misled by a lonely backtick', 'A ` is a tick.\nSix [7].', 'A ` is a tick.\nSix.'],
  ['leaves a marker that never ends', 'Six [7, 8', 'Six [7, 8'],
  ['leaves spaces', '  a  b \n c ', '  a  b \n c '],
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
