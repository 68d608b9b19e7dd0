import { describe, expect, it } from 'vitest';
import { uploadPreference } from './prefer.ts';

describe('Prefer of an upload', () => {
  it.each([
    [undefined, 10, null],
    ['wait=5', 5, 'wait=5'],
    ['wait=5; foo=7', 5, 'wait=5'],
    ['wait = "5" ;foo="1,wait=9"', 5, 'wait=5'],
    ['foo="a, wait=9", wait=3', 3, 'wait=3'],
    ['foo="a\\", wait=9", Wait=3', 3, 'wait=3'],
    ['wait=3, wait=9', 3, 'wait=3'],
    ['foo; wait=9', 10, null],
    ['wait=soon', 10, null],
    ['wait=-1', 10, null],
    ['wait=1000', 300, 'wait=300'],
    ['respond-async', 0, 'respond-async'],
    ['Respond-Async;x, wait=2', 2, 'respond-async, wait=2'],
    ['foo="respond-async"', 10, null],
    ['return=minimal', 10, null],
  ])('%s', (prefer, seconds, applied) => {
    expect(uploadPreference(prefer, 10)).toEqual({ waitMs: seconds * 1000, applied });
  });
});
