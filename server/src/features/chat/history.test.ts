import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { estimateTokens } from '../../kernel/tokens.ts';
import {
  type HistoryTurn,
  historyBudget,
  historyTokens,
  LONGEST_SUMMARY_BYTES,
  messageRoom,
  shorten,
  splitTurns,
  summaryTokens,
  turnTokens,
} from './history.rules.ts';
import { extractSummary } from './summary.rules.ts';

const turns = fc
  .array(fc.record({ content: fc.string({ maxLength: 200, unit: 'grapheme' }) }))
  .map((all) =>
    all.map(({ content }, i): HistoryTurn => ({ role: i % 2 === 0 ? 'user' : 'assistant', content })),
  );

describe('history', () => {
  it('is split into what fits, from a question on, and what came before', () => {
    fc.assert(
      fc.property(turns, fc.integer({ min: 0, max: 500 }), (all, budget) => {
        const { older, kept } = splitTurns(all, budget);
        expect([...older, ...kept]).toEqual(all);
        expect(historyTokens(kept)).toBeLessThanOrEqual(budget);
        expect(kept[0]?.role ?? 'user').toBe('user');
      }),
    );
  });

  it('keeps as many turns as are wanted, beginning with a question', () => {
    const all: HistoryTurn[] = Array.from({ length: 6 }, (_, i) => ({
      role: i % 2 === 0 ? 'user' : 'assistant',
      content: `turn ${i}`,
    }));
    const kept = (most: number) => splitTurns(all, 10_000, most).kept.map(({ content }) => content);
    expect(kept(2)).toEqual(['turn 4', 'turn 5']);
    expect(kept(3)).toEqual(['turn 4', 'turn 5']);
    expect(kept(4)).toEqual(['turn 2', 'turn 3', 'turn 4', 'turn 5']);
    expect(kept(0)).toEqual([]);
    const exact = historyTokens(all.slice(4));
    expect(splitTurns(all, exact).kept).toHaveLength(2);
    expect(splitTurns(all, exact - 1).kept).toHaveLength(0);
  });

  it('is summarised in a quarter of its budget, within bounds', () => {
    expect([0, 127, 128, 132, 400, 3_200, 10_000].map(summaryTokens)).toEqual([
      32, 32, 32, 33, 100, 800, 800,
    ]);
  });

  it('has the room that the window leaves, at most what the setting allows', () => {
    const given = { windowTokens: 10_000, fixedTokens: 2_000, outputTokens: 1_000, maxHistoryTokens: 50_000 };
    expect(historyBudget(given)).toBe(6_000);
    expect(historyBudget({ ...given, maxHistoryTokens: 500 })).toBe(500);
    expect(historyBudget({ ...given, outputTokens: 100_000 })).toBe(4_500);
    expect(historyBudget({ ...given, fixedTokens: 20_000 })).toBe(0);
  });

  it('counts the calls that came before an answer’s words', () => {
    const before = [{ role: 'tool' as const, toolCallId: 'c', name: 'add', content: 'x'.repeat(400) }];
    const turn: HistoryTurn = { role: 'assistant', content: 'Five.' };
    expect(turnTokens(turn)).toBe(6);
    // Their text, and four for each message.
    expect(turnTokens({ ...turn, before })).toBe(6 + 100 + 4);
  });

  it('has whole tokens: what a share leaves over stays free', () => {
    const given = { windowTokens: 10_003, fixedTokens: 0, outputTokens: 5_000, maxHistoryTokens: 50_000 };
    expect(historyBudget(given)).toBe(9_002 - 2_500);
    expect(messageRoom({ ...given, fixedTokens: 9_000 })).toBe(2_500);
    expect(summaryTokens(135)).toBe(33);
    // A summary of the most tokens, half as long again, in bytes.
    expect(LONGEST_SUMMARY_BYTES).toBe(800 * 1.5 * 8);
  });

  it('is cut only where it has to be', () => {
    const two: HistoryTurn[] = [
      { role: 'user', content: 'a'.repeat(40) },
      { role: 'assistant', content: 'b'.repeat(80) },
    ];
    const exact = historyTokens(two);
    expect(exact).toBe(10 + 20 + 8);
    expect(shorten(two, exact)).toEqual(two);
    // 14 for each with its 4: the first has exactly its share.
    expect(shorten(two, 29)).toEqual([two[0], { role: 'assistant', content: `${'b'.repeat(40)} …` }]);
    expect(shorten([], 0)).toEqual([]);
    const uneven: HistoryTurn[] = [{ role: 'user', content: 'c'.repeat(41) }];
    expect(shorten(uneven, 14)).toEqual([{ role: 'user', content: `${'c'.repeat(37)} …` }]);
  });

  it('is cut evenly where it is too long to be read for a summary', () => {
    const long: HistoryTurn[] = [
      { role: 'user', content: 'a'.repeat(4_000) },
      { role: 'assistant', content: 'short' },
      { role: 'user', content: '🐉'.repeat(2_000) },
    ];
    const cut = shorten(long, 300);
    expect(historyTokens(cut)).toBeLessThanOrEqual(320);
    expect(cut[1]).toEqual(long[1]);
    // Each gets its share, no more and hardly less.
    expect(historyTokens(cut.slice(0, 1))).toBeGreaterThan(95);
    expect(shorten(long, 100_000)).toEqual(long);
    for (const turn of shorten(long, 3)) expect(turn.content.length).toBeLessThanOrEqual(18);
    for (const turn of shorten([{ role: 'user', content: 'word '.repeat(100) }], 1))
      expect(turn.content.length).toBeGreaterThanOrEqual(10);
    // One unit longer before each dragon: half of these cuts would divide a pair of surrogates.
    for (const before of ['', 'a', 'aa', 'aaa']) {
      const [turn] = shorten([{ role: 'user', content: `${before}${'🐉'.repeat(2_000)}` }], 300);
      expect([before, turn?.content.isWellFormed()]).toEqual([before, true]);
    }
  });
});

describe('a summary of sentences', () => {
  const said: HistoryTurn[] = [
    { role: 'user', content: 'Hello there! My name is Ada Kowalska and I run the lighthouse on Hel.' },
    { role: 'assistant', content: 'Nice to meet you. How can I help?' },
    {
      role: 'user',
      content: 'The lamp of the lighthouse must be replaced before 14 March. Budget is 2,300 euros.',
    },
    {
      role: 'assistant',
      content: 'I noted the lamp, the deadline of 14 March and the budget of 2,300 euros.',
    },
    { role: 'user', content: 'Thanks. Nothing else.' },
  ];

  it('keeps names, numbers and what was decided, in order and word for word', () => {
    const text = extractSummary(null, said, 60);
    expect(estimateTokens(text)).toBeLessThanOrEqual(60);
    expect(text).toContain('Person: My name is Ada Kowalska');
    expect(text).toContain('14 March');
    expect(text.indexOf('Ada')).toBeLessThan(text.indexOf('14 March'));
    for (const line of text.split('\n')) {
      const words = line.replace(/^(Person|Agent): /, '');
      expect(said.some((turn) => turn.content.includes(words))).toBe(true);
    }
  });

  it('carries an earlier summary on', () => {
    const earlier = extractSummary(null, said, 60);
    const text = extractSummary(earlier, [{ role: 'user', content: 'What about the weather today?' }], 80);
    expect(text).toContain('Ada Kowalska');
    expect(text).toContain('2,300 euros');
  });

  it('cuts a long sentence between characters, wherever the cut falls', () => {
    for (const before of ['lighthouse', 'lighthouses']) {
      const said = extractSummary(null, [{ role: 'user', content: `${before} ${'🐉'.repeat(400)}` }], 2_000);
      expect([before, said.endsWith(' …'), said.isWellFormed()]).toEqual([before, true, true]);
    }
  });

  it('never passes its size, whatever was said', () => {
    fc.assert(
      fc.property(turns, fc.integer({ min: 8, max: 200 }), (all, max) => {
        expect(estimateTokens(extractSummary(null, all, max))).toBeLessThanOrEqual(max);
      }),
    );
  });
});
