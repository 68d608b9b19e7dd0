import { describe, expect, it } from 'vitest';
import type { ToolPassage } from '../../kernel/tools.ts';
import { preferAttached } from './attached-passages.rules.ts';

const passage = (chunkId: string, score: number): ToolPassage => ({
  documentId: chunkId.slice(0, 1),
  chunkId,
  title: chunkId,
  page: null,
  text: chunkId,
  score,
  trusted: false,
});
const some = (word: string, count: number, score: number): ToolPassage[] =>
  Array.from({ length: count }, (_, n) => passage(`${word}${n}`, score));
const chosen = (found: Parameters<typeof preferAttached>[0]): string[] =>
  preferAttached(found).map(({ chunkId }) => chunkId);

describe('passages where documents are attached', () => {
  it('are of the message’s own documents first, however they fit, and two of all documents', () => {
    const own = some('o', 6, 0.1);
    expect(chosen({ own, earlier: [], all: some('a', 6, 0.9) })).toEqual([
      'o0',
      'o1',
      'o2',
      'o3',
      'a0',
      'a1',
    ]);
  });
  it('are of earlier documents where these fit half as well as the best of all', () => {
    const all = some('a', 6, 0.8);
    expect(chosen({ own: [], earlier: some('e', 2, 0.4), all }).slice(0, 3)).toEqual(['e0', 'e1', 'a0']);
    expect(chosen({ own: [], earlier: some('e', 2, 0.39), all })).toEqual(all.map((one) => one.chunkId));
  });
  it('stand there once, and fill all places where there is enough', () => {
    const own = some('o', 6, 0.5);
    expect(chosen({ own, earlier: [], all: own })).toEqual(own.map((one) => one.chunkId));
    expect(chosen({ own: some('o', 1, 0.5), earlier: [], all: [] })).toEqual(['o0']);
  });
});
