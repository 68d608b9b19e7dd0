import { describe, expect, it } from 'vitest';
import { changesTo, leafUnder, pathTo, siblingsOf, type TreeNode } from './tree.rules.ts';

const node = (id: string, parent: string | null, active = 0): TreeNode => ({
  id,
  parent_id: parent,
  created_at: 0,
  active,
});

/** Two first questions; under the first one two answers, of which the older one goes on. */
const TREE = [
  node('q1', null, 1),
  node('a1', 'q1', 1),
  node('a2', 'q1'),
  node('q2', 'a1', 1),
  node('r1', null),
  node('q3', 'a1'),
];

describe('the tree of a conversation', () => {
  it('gives the path to a message', () => {
    expect(pathTo(TREE, 'q2')).toEqual(['q1', 'a1', 'q2']);
    expect(pathTo(TREE, 'r1')).toEqual(['r1']);
    expect(pathTo(TREE, 'nobody')).toEqual([]);
  });

  it('ends a path where it leads back to itself, or to what is gone', () => {
    expect(pathTo([node('a', 'b'), node('b', 'a')], 'a')).toEqual(['b', 'a']);
    expect(pathTo([node('b', 'gone')], 'b')).toEqual(['b']);
  });

  it('goes down to the newest leaf', () => {
    expect(leafUnder(TREE, 'q1')).toBe('q3');
    expect(leafUnder(TREE, 'a2')).toBe('a2');
    expect(leafUnder(TREE, 'q2')).toBe('q2');
  });

  it('counts siblings, first messages too', () => {
    const siblings = siblingsOf(TREE);
    expect(siblings.get('a2')).toEqual({ index: 1, count: 2 });
    expect(siblings.get('q2')).toEqual({ index: 0, count: 2 });
    expect(siblings.get('r1')).toEqual({ index: 1, count: 2 });
  });

  it('says which marks have to change', () => {
    expect(changesTo(TREE, 'a2')).toEqual({ on: ['a2'], off: ['a1', 'q2'] });
    expect(changesTo(TREE, 'q2')).toEqual({ on: [], off: [] });
  });
});
