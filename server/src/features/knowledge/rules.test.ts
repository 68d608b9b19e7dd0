import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contentDisposition } from '../../http/content-disposition.ts';
import {
  canonicalJson,
  cleanFilename,
  factsOf,
  fullContentType,
  highlight,
  mayChangeDocument,
  rankPassages,
  titleOf,
} from './rules.ts';
import { fold, indexText, queryTerms, termMatches } from './terms.rules.ts';

const passage = (seq: number, documentId: string) => ({ seq, documentId });

describe('rankPassages', () => {
  it('gives 1 to what is first in both lists, and orders by both', () => {
    const ranked = rankPassages([
      [passage(1, 'a'), passage(2, 'b'), passage(3, 'c')],
      [passage(1, 'a'), passage(3, 'c')],
    ]);
    expect(ranked.map((r) => r.seq)).toEqual([1, 3, 2]);
    expect(ranked[0]?.score).toBe(1);
  });

  it('does not let one document crowd out the others, and fills up from it when it is alone', () => {
    const long = Array.from({ length: 50 }, (_, i) => passage(i, 'long'));
    const ranked = rankPassages([[...long, passage(100, 'short')]]);
    expect(ranked.findIndex((r) => r.documentId === 'short')).toBe(1);
    expect(rankPassages([long]).map((r) => r.seq)).toEqual(long.map((p) => p.seq));
  });

  it('keeps every passage once, scores from 0 to 1 and in order', () => {
    const list = fc.uniqueArray(fc.integer({ min: 0, max: 60 }), { maxLength: 60 });
    fc.assert(
      fc.property(list, list, fc.integer({ min: 1, max: 9 }), (a, b, documents) => {
        const of = (seqs: number[]) => seqs.map((seq) => passage(seq, `d${seq % documents}`));
        const ranked = rankPassages([of(a), of(b)]);
        expect(new Set(ranked.map((r) => r.seq))).toEqual(new Set([...a, ...b]));
        expect(ranked.length).toBe(new Set([...a, ...b]).size);
        ranked.forEach((r, i) => {
          expect(r.score > 0 && r.score <= 1).toBe(true);
          expect(r.score <= (ranked[i - 1]?.score ?? 1)).toBe(true);
        });
      }),
    );
  });
});

describe('words', () => {
  it('folds case, accents and widths', () => {
    expect(fold('ÉCOLE Straße ｆｕｌｌ Ωμέγα')).toBe('ecole strasse full ωμεγα');
    expect(indexText('C3-PO: naïve, re-use')).toBe('c3 po naive re use');
  });

  it('pairs characters of scripts without spaces, and takes one as a prefix', () => {
    expect(indexText('東京都 abc')).toBe('東京 京都 都 abc');
    expect(indexText('Node東京2026年版')).toBe('node 東京 京 2026 年版 版');
    expect(queryTerms('京都')).toEqual([{ text: '京都', prefix: false, count: 1 }]);
    expect(queryTerms('京')).toEqual([{ text: '京', prefix: true, count: 1 }]);
  });

  it('drops words that say nothing unless there are no others, and counts repeated ones', () => {
    expect(queryTerms('what is the wing of the wing').map((t) => [t.text, t.count])).toEqual([['wing', 2]]);
    expect(queryTerms('to be or not to be').map((t) => t.text)).toEqual(['not']);
    expect(queryTerms('who is it').map((t) => t.text)).toEqual(['who', 'is', 'it']);
  });

  it('leaves nothing that an index could read as syntax', () => {
    expect([indexText('⺀'), queryTerms('⺀')]).toEqual(['', []]);
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        expect(indexText(text.toWellFormed())).toMatch(/^[\p{L}\p{N}\p{M}\u3005\u30fc ]*$/u);
        for (const term of queryTerms(text.toWellFormed())) {
          expect(term.text).toMatch(/^[\p{L}\p{N}\p{M}\u3005\u30fc]+$/u);
        }
      }),
    );
  });

  it('shows where a text matches, inflected forms too', () => {
    const text = 'The bees danced. 東京都です。';
    const matches = termMatches(text, queryTerms('dancing bee 京都'));
    expect(matches.map((m) => text.slice(m.start, m.end))).toEqual(['bees', 'danced', '京都']);
  });

  it('highlights stretches of the text, never more than it has', () => {
    fc.assert(
      fc.property(fc.lorem({ maxCount: 60 }), fc.lorem({ maxCount: 4 }), (text, query) => {
        const { highlights, coverage } = highlight(text, queryTerms(query));
        expect(coverage >= 0 && coverage <= 1).toBe(true);
        for (const part of highlights) expect(text.replaceAll(/\s+/g, ' ')).toContain(part);
      }),
    );
  });
});

describe('names', () => {
  it('keeps the last part of a path without control characters', () => {
    expect(cleanFilename('C:\\secret\\a\u0000b\u202e.txt')).toBe('ab.txt');
    expect(cleanFilename('../..')).toBeNull();
    expect(cleanFilename(undefined)).toBeNull();
    expect([...(cleanFilename(`${'😀'.repeat(300)}.txt`) ?? '')]).toHaveLength(255);
  });

  it('makes a header that no name can leave', () => {
    expect(contentDisposition('a b.pdf')).toBe('attachment; filename="a b.pdf"');
    expect(contentDisposition('naïve "x".pdf')).toBe(
      `attachment; filename="na_ve _x_.pdf"; filename*=UTF-8''na%C3%AFve%20%22x%22.pdf`,
    );
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        const header = contentDisposition(name);
        expect(header).toMatch(/^attachment; filename="[ -!#-[\]-~]*"(; filename\*=UTF-8''[\w.!~%-]*)?$/);
        const encoded = header.split("UTF-8''")[1];
        if (encoded !== undefined) expect(decodeURIComponent(encoded)).toBe(name.toWellFormed());
      }),
    );
  });

  it('takes the first title that there is', () => {
    expect(titleOf(null, null, 'report.final.pdf', 'Text')).toBe('report.final');
    expect(titleOf(null, ' ', null, 'First line\nsecond')).toBe('First line');
    expect(titleOf('Given', 'Own', 'x.pdf', '')).toBe('Given');
    expect(titleOf(null, null, null, '')).toBe('Untitled');
  });
});

describe('metadata', () => {
  it('has one fact for each value and each element of a list', () => {
    expect(factsOf({ tags: ['a', 'b'], n: 1, o: { b: 1, a: null } })).toEqual([
      { key: 'tags', value: '["a","b"]' },
      { key: 'tags', value: '"a"' },
      { key: 'tags', value: '"b"' },
      { key: 'n', value: '1' },
      { key: 'o', value: '{"a":null,"b":1}' },
    ]);
    expect(factsOf({ long: 'x'.repeat(600) })).toEqual([]);
  });

  it('has equal text for equal values', () => {
    expect(canonicalJson({ b: [1, { d: 1, c: 2 }], a: 1 })).toBe(
      canonicalJson({ a: 1, b: [1, { c: 2, d: 1 }] }),
    );
  });
});

it('knows who may change a document', () => {
  expect(mayChangeDocument({ userId: 'a', roles: ['user'] }, { userId: 'a' })).toBe(true);
  expect(mayChangeDocument({ userId: 'b', roles: ['operator'] }, { userId: 'a' })).toBe(false);
  expect(mayChangeDocument({ userId: 'b', roles: ['admin'] }, { userId: 'a' })).toBe(true);
});

it('takes short names of types', () => {
  expect([fullContentType('PDF'), fullContentType('Text/HTML')]).toEqual(['application/pdf', 'text/html']);
});
