import * as ts from 'typescript6';
import { describe, expect, it } from 'vitest';
import { faultsOf, MAX_ATTACK_MS, MAX_UNDECIDED, type Verdict } from './lib/expression-verdicts.ts';
import { createFinder, type Found } from './lib/expressions.ts';

const finderOf = (files: Record<string, string>) => createFinder(ts, new Map(Object.entries(files)));
const sourcesIn = (files: Record<string, string>): string[] =>
  finderOf(files)
    .find()
    .found.map(({ source, flags, max }) => `/${source}/${flags}${max === null ? '' : ` ${max}`}`);

describe('expressions of the sources', () => {
  it('are literals, and constants put together, over modules and calls', () => {
    expect(
      sourcesIn({
        'a.ts': `import { B, LIST } from './b.ts';
const rule = (text: string) => new RegExp(\`^\${B}\${text}$\`, 'u');
export const found = [/x+/g, rule('c'), rule('d'), new RegExp(LIST.join('|') + B, 'i'), new RegExp(/y/.source)];`,
        'b.ts': `export const B = 'b'; export const LIST = ['e', 'f'] as const;`,
      }),
    ).toEqual(['/^bc$/u', '/^bd$/u', '/x+/g', '/e|fb/i', '/y/', '/y/']);
  });

  it('carry the bound that they are wrapped in', () => {
    expect(
      sourcesIn({ 'a.ts': 'const MAX = 1_000; bounded(MAX, /a/); bounded(20, new RegExp("b"));' }),
    ).toEqual(['/a/ 1000', '/b/ 20']);
  });

  it('take constants of our own packages, by what their index exports', () => {
    expect(
      sourcesIn({
        'a.ts': `import { bounded, PIECE } from 'pentarch-prose'; bounded(PIECE, /a/);`,
        'packages/prose/src/index.ts': `export { bounded, PIECE } from './bounded.ts';`,
        'packages/prose/src/bounded.ts': 'export const PIECE = 4_000;',
      }),
    ).toEqual(['/a/ 4000']);
  });

  it('are patterns of schemas too', () => {
    expect(sourcesIn({ 'a.ts': `Type.String({ pattern: '^[a-z]+$' });` })).toEqual(['/^[a-z]+$/u']);
  });

  it('are named where their text is not constant', () => {
    expect(
      finderOf({ 'a.ts': 'export const f = (x: string[]) => x.map((one) => new RegExp(one));' }).find()
        .unread,
    ).toHaveLength(1);
  });

  it('count as limited only in modules that nothing else loads', () => {
    const finder = finderOf({
      'main.ts': `import { a } from './shared.ts'; import type { B } from './child.ts';`,
      'child.ts': `import { a } from './shared.ts'; import './own.ts';`,
      'own.ts': '',
      'shared.ts': '',
    });
    expect([...finder.onlyFrom(['child.ts'])].sort()).toEqual(['child.ts', 'own.ts']);
  });
});

describe('verdicts', () => {
  const check = (verdict: Verdict | undefined, one: Partial<Found> = {}, limited: string[] = []): string[] =>
    faultsOf({
      found: [{ file: 'a.ts', line: 1, source: 'x', flags: '', max: null, ...one }],
      limited: new Set(limited),
      verdicts: { analyser: 'recheck 1', expressions: verdict === undefined ? {} : { '/x/': verdict } },
      analyser: 'recheck 1',
      keyOf: ({ source, flags }) => `/${source}/${flags}`,
    });

  it('pass what is safe, and what is slow only in a process with a deadline', () => {
    expect(check({ verdict: 'safe' })).toEqual([]);
    expect(check({ verdict: 'polynomial 2' }, {}, ['a.ts'])).toEqual([]);
  });

  it.each([
    ['new', undefined, {}],
    ['exponential, however short its text is', { verdict: 'exponential' }, { max: 10 }],
    ['polynomial without a bound', { verdict: 'polynomial 2' }, {}],
    ['undecided without a bound', { verdict: 'undecided' }, {}],
    ['undecided with a wide bound', { verdict: 'undecided' }, { max: MAX_UNDECIDED + 1 }],
    ['measured for a narrower bound', { verdict: 'polynomial 2', max: 10, attack_ms: 1 }, { max: 11 }],
    ['slow at its bound', { verdict: 'polynomial 2', max: 10, attack_ms: MAX_ATTACK_MS + 1 }, { max: 10 }],
  ] as [string, Verdict | undefined, Partial<Found>][])('refuse what is %s', (_name, verdict, one) => {
    expect(check(verdict, one)).toHaveLength(1);
  });

  it('refuse an exponential one in every process, stale ones, and those of another analyser', () => {
    expect(check({ verdict: 'exponential' }, {}, ['a.ts'])).toHaveLength(1);
    expect(check({ verdict: 'safe' }, { source: 'y' })).toHaveLength(2);
    expect(
      faultsOf({
        found: [],
        limited: new Set(),
        verdicts: { analyser: 'recheck 0', expressions: {} },
        analyser: 'recheck 1',
        keyOf: () => '',
      }),
    ).toHaveLength(1);
  });
});
