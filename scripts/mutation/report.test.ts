import { describe, expect, it } from 'vitest';
import { drawn, rulesAmong } from './plan.ts';
import { isEquivalent, type PartResult, scoreOf, weightedScore, withMutationSection } from './report.ts';

const part = (more: Partial<PartResult>): PartResult => ({
  feature: 'costs',
  part: 'rules',
  possible: 100,
  tried: 50,
  killed: 40,
  timedOut: 1,
  equivalent: 10,
  survivors: [],
  suites: { unit: 3, blackBox: [] },
  seed: '1',
  date: '2026-11-29',
  commit: 'abc',
  ...more,
});

describe('the score of mutation testing', () => {
  it('leaves out what cannot be killed, and weights parts by what is possible', () => {
    expect(scoreOf(part({}))).toBe(100);
    expect(scoreOf(part({ equivalent: 0 }))).toBe(80);
    expect(weightedScore([part({}), part({ part: 'rest', possible: 300, equivalent: 0 })])).toBe(85);
  });

  it('is one section of the page, written again in its place', () => {
    const once = withMutationSection('# Evidence\n\ntext\n', [part({})]);
    expect(once).toContain('| costs | rules | 100 | 50 | 3 + 0 | 40 | 10 | 100 % |');
    expect(withMutationSection(once, [part({})])).toBe(once);
    expect(withMutationSection(once, [])).toBe('# Evidence\n\ntext\n');
  });

  it('knows an equivalent fault by its place and both texts', () => {
    const known = [{ file: 'a.ts', original: 'a < b', replacement: 'a <= b', reason: 'never equal' }];
    expect(isEquivalent({ file: 'a.ts', original: 'a < b', replacement: 'a <= b' }, known)).toBe(true);
    expect(isEquivalent({ file: 'a.ts', original: 'a < b', replacement: 'a >= b' }, known)).toBe(false);
  });
});

describe('the plan of mutation testing', () => {
  const mutants = Array.from({ length: 50 }, (_, line) => ({
    file: 'a.ts',
    line,
    kind: 'text',
    replacement: '',
  }));

  it('draws the same for the same seed and others for another', () => {
    expect(drawn(mutants, 5, 'a')).toEqual(drawn(mutants, 5, 'a'));
    expect(drawn(mutants, 5, 'a')).not.toEqual(drawn(mutants, 5, 'b'));
    expect(drawn(mutants, 50, 'a')).toHaveLength(50);
  });

  it('takes as rules what says so, and what loads such files and the kernel alone', () => {
    const imports: Record<string, string[]> = {
      'x/a.rules.ts': ['kysely'],
      'x/b.ts': ['x/a.rules.ts', 'server/src/kernel/money.ts'],
      'x/c.ts': ['x/b.ts'],
      'x/d.ts': ['node:fs'],
      'x/e.ts': [],
    };
    expect([
      ...rulesAmong(
        Object.keys(imports),
        (file) => imports[file] ?? [],
        (file) => (file === 'x/e.ts' ? 'await' : ''),
      ),
    ]).toEqual(['x/a.rules.ts', 'x/b.ts', 'x/c.ts']);
  });
});
