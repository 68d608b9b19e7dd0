import fc from 'fast-check';
import { estimateTokens } from 'pentarch-prose';
import { describe, expect, test } from 'vitest';
import type { DocumentBlock, ParsedDocument } from '../../kernel/parser.ts';
import { type Chunk, chunkDocument, documentText, embedText } from './chunks.ts';

const make = (blocks: DocumentBlock[], title: string | null = null): ParsedDocument => ({
  contentType: 'text/plain',
  title,
  language: null,
  pageCount: null,
  blocks,
});
const b = (kind: DocumentBlock['kind'], text: string, extra: Partial<DocumentBlock> = {}): DocumentBlock => ({
  kind,
  text,
  page: null,
  ...extra,
});
const sentence = (n: number) => `Sentence number ${n} says something about the sea and its lights.`;
const prose = (count: number) => Array.from({ length: count }, (_, i) => sentence(i)).join(' ');

describe('chunks', () => {
  test('a short document is one chunk with its title path', () => {
    const [chunk, ...rest] = chunkDocument(
      make([b('heading', 'Light', { level: 2 }), b('text', 'It flashes.')], 'Handbook'),
    );
    expect(rest).toEqual([]);
    expect(chunk).toEqual({
      ordinal: 0,
      text: 'Light\n\nIt flashes.',
      page: null,
      headingPath: ['Handbook', 'Light'],
      start: 0,
      end: 18,
      tableHead: null,
    });
    expect(embedText(chunk!)).toBe('Handbook\nLight\n\nIt flashes.');
  });

  test('long prose is cut between sentences, with one sentence in common', () => {
    const chunks = chunkDocument(make([b('text', prose(60))]));
    expect(chunks.length).toBeGreaterThan(4);
    for (const chunk of chunks) {
      expect(chunk.text).toMatch(/^Sentence number .* lights\.$/s);
      expect(estimateTokens(chunk.text)).toBeLessThanOrEqual(180 + 60);
      expect(estimateTokens(chunk.text)).toBeGreaterThan(60);
    }
    chunks.slice(1).forEach((chunk, i) => {
      const lastSentence = chunks[i]!.text.split(/(?<=\.) /).at(-1)!;
      expect(chunk.text.startsWith(lastSentence)).toBe(true);
      expect(chunk.text).not.toBe(lastSentence);
    });
  });

  test('sections and pages begin new chunks; a heading stays with its text, also over a page', () => {
    const chunks = chunkDocument(
      make([
        b('heading', 'A', { level: 1, page: 1 }),
        b('heading', 'A.1', { level: 2, page: 1 }),
        b('text', 'First.', { page: 1 }),
        b('text', 'On page two.', { page: 2 }),
        b('heading', 'B', { level: 1, page: 2 }),
        b('text', prose(40), { page: 3 }),
        b('heading', 'C', { level: 1, page: 3 }),
      ]),
    );
    expect(chunks[0]).toMatchObject({ text: 'A\n\nA.1\n\nFirst.', page: 1, headingPath: ['A', 'A.1'] });
    expect(chunks[1]).toMatchObject({ text: 'On page two.', page: 2, headingPath: ['A', 'A.1'] });
    expect(chunks[2]).toMatchObject({ page: 3, headingPath: ['B'] });
    expect(chunks[2]!.text).toMatch(/^B\n\nSentence number 0/);
    expect(chunks.at(-1)).toMatchObject({ text: 'C', headingPath: ['C'] });
  });

  test('fences stay whole, rows stay whole, and a huge fence is cut between lines', () => {
    const fence = `\`\`\`js\n${'  call(1); // a. B\n\n'.repeat(60)}\`\`\``;
    const rows = Array.from({ length: 80 }, (_, i) => `row ${i} | value. Another ${i} | x`);
    const huge = Array.from({ length: 3000 }, (_, i) => `  line ${i}`);
    const chunks = chunkDocument(
      make([b('text', prose(9)), b('code', fence), b('table', rows.join('\n')), b('code', huge.join('\n'))]),
    );
    expect(chunks.some((c) => c.text.includes(fence))).toBe(true);
    const tableChunks = chunks.filter((c) => c.text.includes(' | '));
    expect(tableChunks.length).toBeGreaterThan(1);
    expect(tableChunks[0]?.tableHead).toBeNull();
    expect(tableChunks[1]?.tableHead).toBe(rows[0]);
    for (const chunk of tableChunks) expect(chunk.text.split('\n')[0]).toBe(rows[0]);
    expect(embedText(tableChunks[1]!)).toBe(tableChunks[1]!.text);
    for (const row of rows) expect(chunks.some((c) => c.text.split('\n').includes(row))).toBe(true);
    for (const line of huge) expect(chunks.some((c) => c.text.split('\n').includes(line))).toBe(true);
  });

  test('scripts without spaces are cut after their own full stops', () => {
    const text = 'これは灯台についての文章です。光は十五秒ごとに二回点滅します。'.repeat(40);
    const chunks = chunkDocument(make([b('text', text)]));
    expect(chunks.length).toBeGreaterThan(5);
    for (const chunk of chunks) {
      expect(chunk.text.endsWith('。')).toBe(true);
      expect(estimateTokens(chunk.text)).toBeLessThanOrEqual(240);
    }
  });

  test('an unbroken run is cut, quickly, and never inside a character', () => {
    const startMs = performance.now();
    const chunks = chunkDocument(make([b('text', '😀'.repeat(100_000)), b('text', 'x'.repeat(500_000))]));
    expect(performance.now() - startMs).toBeLessThan(5_000);
    for (const chunk of chunks) expect(chunk.text.isWellFormed()).toBe(true);
  });
});

const blockArbitrary: fc.Arbitrary<DocumentBlock> = fc.record({
  kind: fc.constantFrom('heading', 'text', 'list', 'table', 'code'),
  text: fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 60 }),
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc
      .array(
        fc.constantFrom(
          'Dr. Who ',
          'ends. ',
          'word ',
          '。',
          '漢字',
          '\n',
          '\n\n',
          '| a | ',
          '!',
          'x'.repeat(900),
        ),
        { maxLength: 60 },
      )
      .map((parts) => parts.join('')),
  ),
  page: fc.option(fc.integer({ min: 1, max: 3 })),
  level: fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined }),
});

describe('for any document', () => {
  const check = (verify: (document: ParsedDocument, chunks: Chunk[], text: string) => void) =>
    fc.assert(
      fc.property(fc.array(blockArbitrary, { maxLength: 12 }), (blocks) => {
        const document = make(blocks, 'T');
        verify(document, chunkDocument(document), documentText(document));
      }),
      { numRuns: 300 },
    );

  test('offsets are exact, ordinals run, starts rise', () =>
    check((_, chunks, text) => {
      chunks.forEach((chunk, i) => {
        const head = chunk.tableHead === null ? '' : `${chunk.tableHead}\n`;
        expect(`${head}${text.slice(chunk.start, chunk.end)}`).toBe(chunk.text);
        expect(chunk.text.trim()).not.toBe('');
        expect(chunk.ordinal).toBe(i);
        if (i > 0) {
          expect(chunk.start).toBeGreaterThan(chunks[i - 1]!.start);
          expect(chunk.end).toBeGreaterThan(chunks[i - 1]!.end);
        }
      });
    }));

  test('nothing but white space is left out', () =>
    check((_, chunks, text) => {
      let at = 0;
      for (const chunk of chunks) {
        expect(text.slice(at, Math.max(at, chunk.start)).trim()).toBe('');
        at = Math.max(at, chunk.end);
      }
      expect(text.slice(at).trim()).toBe('');
    }));

  test('chunks are bounded, and headings never stand at their end before text', () =>
    check((document, chunks) => {
      const kept = document.blocks.filter((block) => block.text.trim() !== '');
      chunks.forEach((chunk, i) => {
        expect(estimateTokens(chunk.text)).toBeLessThan(180 + 600 + 60 * 15 + 100);
        const next = chunks[i + 1];
        const following = next && kept.find((block) => next.text.startsWith(block.text.trim()));
        const last = kept.find((block) => block.kind === 'heading' && chunk.text === block.text.trim());
        if (last && following && kept.indexOf(following) === kept.indexOf(last) + 1)
          expect(following.kind).toBe('heading');
      });
    }));
});
