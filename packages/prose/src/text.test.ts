import { describe, expect, test } from 'vitest';
import { estimateTokens, sentenceSpans } from './text.ts';

const sentences = (text: string) => sentenceSpans(text).map((s) => text.slice(s.start, s.end));

describe('sentences', () => {
  test.each([
    ['One here. Two there! Three? Yes.', ['One here.', 'Two there!', 'Three?', 'Yes.']],
    ['Dr. Smith met J. R. Tolkien. They left.', ['Dr. Smith met J. R. Tolkien.', 'They left.']],
    [
      'It costs 3.50 today. It was built in 1874. The lamp shone.',
      ['It costs 3.50 today.', 'It was built in 1874.', 'The lamp shone.'],
    ],
    ['Am 3. Mai ist Umzug. Danach Ruhe.', ['Am 3. Mai ist Umzug.', 'Danach Ruhe.']],
    ['1. Wind the clock. 2. Wipe it.', ['1. Wind the clock.', '2. Wipe it.']],
    ['He left at 7. Then I came.', ['He left at 7.', 'Then I came.']],
    ['He said "stop." Then he left.', ['He said "stop."', 'Then he left.']],
    ['これは文です。次の文です！', ['これは文です。', '次の文です！']],
    ['no end', ['no end']],
    ['see e.g. the lamp. It works', ['see e.g. the lamp.', 'It works']],
    ['  ', []],
  ])('%s', (text, expected) => expect(sentences(text)).toEqual(expected));
});

test('tokens by script', () => {
  expect(estimateTokens('')).toBe(0);
  expect(estimateTokens('four letters')).toBe(3);
  expect(estimateTokens('灯台')).toBe(2);
});

test('long runs of one sign cost no time', () => {
  const before = process.cpuUsage();
  for (const run of ['.', '. ', '!?', '\n', '\n ', '。', '1. ', 'Dr. ']) sentenceSpans(run.repeat(200_000));
  // Of this process alone: what else the machine does counts for nothing.
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(5_000);
});
