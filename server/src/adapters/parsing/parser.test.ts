import { afterAll, describe, expect, test } from 'vitest';
import { makeDocx, makePdf } from '../../../test/support/documents.ts';
import { createDocumentParser } from './parser.ts';

const text = (value: string) => new TextEncoder().encode(value);
const hints = { filename: null, declaredType: null, tenantId: 't' };

describe('the pool of limited processes', () => {
  const parser = createDocumentParser({ processes: 2 });
  afterAll(() => parser.close());

  test('reads many at once, each its own', async () => {
    const documents = await Promise.all(
      Array.from({ length: 12 }, (_, i) => parser.parse(makePdf([[`Document number ${i}`]]), hints)),
    );
    expect(documents.map((d) => d.blocks[0]?.text)).toEqual(
      Array.from({ length: 12 }, (_, i) => `Document number ${i}`),
    );
  });

  test('a bad file is a ParseError, and the next one is read', async () => {
    await expect(parser.parse(text('%PDF-1.4 cut'), hints)).rejects.toMatchObject({
      name: 'ParseError',
      fault: 'broken',
    });
    await expect(parser.parse(makeDocx(' '.repeat(70_000_000)), hints)).rejects.toMatchObject({
      fault: 'too_large',
    });
    await expect(parser.parse(text(''), hints)).rejects.toMatchObject({ fault: 'empty' });
    expect((await parser.parse(text('still here'), hints)).blocks).toEqual([
      { kind: 'text', text: 'still here', page: null },
    ]);
  });

  test('a file that multiplies in memory hits the limit and nothing else', async () => {
    const other = createDocumentParser({ processes: 1, memoryMib: 48 });
    const big = text(`[${'{"a":[1,2,3]},'.repeat(1_500_000)}1]`);
    await expect(other.parse(big, hints)).rejects.toMatchObject({ name: 'ParseError', fault: 'too_large' });
    expect((await other.parse(text('after'), hints)).blocks[0]?.text).toBe('after');
    await other.close();
  });

  test('what takes too long is ended', async () => {
    const hasty = createDocumentParser({ processes: 1, timeoutMs: 1 });
    const pages = Array.from({ length: 200 }, () => ['word '.repeat(20), 'word '.repeat(20)]);
    await expect(hasty.parse(makePdf(pages), hints)).rejects.toMatchObject({
      name: 'ParseError',
      fault: 'timeout',
    });
    await hasty.close();
  });

  test('closing ends what waits and what runs', async () => {
    const closing = createDocumentParser({ processes: 1 });
    const waiting = [0, 1, 2].map(() => closing.parse(makePdf([['text']]), hints));
    const ends = Promise.allSettled(waiting);
    await closing.close();
    expect((await ends).map((end) => end.status)).toEqual(['rejected', 'rejected', 'rejected']);
    await expect(closing.parse(text('late'), hints)).rejects.toThrow('closed');
  });
});
