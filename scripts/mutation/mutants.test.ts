import { stripTypeScriptTypes } from 'node:module';
import { describe, expect, it } from 'vitest';
import { instrument } from './mutants.ts';

/** What the faults make of a source: each by its number, as the source that it stands for. */
const changes = (text: string): string[] =>
  instrument('x.ts', text, 'on', 1).mutants.map(
    ({ original, replacement }) => `${original} → ${replacement}`,
  );

/** Runs a function of a source with one fault on. */
const value = (text: string, active: number, ...args: unknown[]): unknown => {
  const { text: written } = instrument('x.ts', text, 'on', 1);
  const body = `${stripTypeScriptTypes(written)}; return f(...args);`;
  return new Function('on', 'args', body)((id: number) => id === active, args);
};

describe('the faults of a source', () => {
  it('turn comparisons, operators, negations and texts without blanks', () => {
    expect(changes('const x = a < b;')).toEqual(['a < b → a <= b', 'a < b → a >= b']);
    expect(changes('const x = a && b;')).toEqual(['a && b → (a) || (b)']);
    expect(changes('const x = a - b;')).toEqual(['a - b → (a) + (b)']);
    expect(changes('const x = !a;')).toEqual(['!a → a']);
    expect(changes("const x = 'state';")).toEqual(["'state' → ''"]);
    expect(changes("const x = 'it is said';")).toEqual([]);
    expect(changes("const x = 'a' + b;")).toEqual(["'a' → ''"]);
  });

  it('fix conditions, but never make a loop endless', () => {
    expect(changes('if (a) b = 1;')).toEqual(['a → true', 'a → false']);
    expect(changes('while (a) b = 1;')).toEqual(['a → false']);
  });

  it('leave out calls, bodies, elements of a list and steps of a chain', () => {
    expect(changes('f();')).toEqual(['f() → undefined']);
    expect(changes('const f = () => a;')).toEqual(['a → undefined']);
    expect(changes('function f() { a = 1; }')).toEqual(['{…} → {}']);
    expect(changes('const x = [a];')).toEqual(['[a] → []']);
    expect(changes('const x = a.filter(f).length;')).toEqual(['a.filter(f) → a']);
  });

  it('take a chain that may be skipped as one', () => {
    expect(changes('const x = a?.b.c;')).toEqual(['a?.b.c → a.b.c']);
    expect(value('const f = (a?: { b: { c: number } }) => a?.b.c;', 0)).toBeUndefined();
  });

  it('leave types, names, imports and targets alone', () => {
    expect(changes("import { a } from 'a'; type T = 'x' | 'y'; const o = { 'b-c': 1 }; [x] = y;")).toEqual(
      [],
    );
  });

  it('are off unless their number is asked for, also one within another', () => {
    const text = 'const f = (a: number, b: number): boolean => a > 1 && b > 1;';
    const numbered = changes(text);
    expect(value(text, 0, 2, 2)).toBe(true);
    expect(value(text, 0, 1, 2)).toBe(false);
    expect(value(text, 1 + numbered.indexOf('a > 1 && b > 1 → (a > 1) || (b > 1)'), 1, 2)).toBe(true);
    expect(value(text, 1 + numbered.indexOf('a > 1 → a >= 1'), 1, 2)).toBe(true);
    expect(value(text, 1 + numbered.indexOf('a > 1 && b > 1 → undefined'), 2, 2)).toBeUndefined();
  });
});
