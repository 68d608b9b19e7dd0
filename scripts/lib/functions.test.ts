import { describe, expect, it } from 'vitest';
import { functionFault, functionsOf } from './functions.ts';

const body = (lines: number): string => '  f();\n'.repeat(lines - 2);
const faultsOf = (text: string): (string | null)[] =>
  functionsOf('made-up.ts', text)
    .map((one) => functionFault(one))
    .filter((fault) => fault !== null);

describe('the size of functions', () => {
  it('is 80 lines at the most, wherever the function stands', () => {
    expect(faultsOf(`const f = () => {\n${body(80)}};\n`)).toEqual([]);
    expect(faultsOf(`const f = () => {\n${body(81)}};\n`)).toEqual(['81 lines, 80 at the most']);
    expect(faultsOf(`const o = {\n  async f() {\n${body(90)}},\n};\n`)).toEqual(['90 lines, 80 at the most']);
    expect(faultsOf(`g(() => {\n${body(81)}});\n`)).toEqual(['81 lines, 80 at the most']);
  });

  it('is 200 lines for a factory, whose functions are counted by themselves', () => {
    expect(faultsOf(`export const createThing = () => {\n${body(200)}};\n`)).toEqual([]);
    expect(faultsOf(`export function createThing() {\n${body(201)}}\n`)).toEqual([
      '201 lines, 200 at the most',
    ]);
    expect(faultsOf(`const createThing = () => {\n  const inner = () => {\n${body(81)}};\n};\n`)).toEqual([
      '81 lines, 80 at the most',
    ]);
    expect(faultsOf(`const created = () => {\n${body(81)}};\n`)).toEqual(['81 lines, 80 at the most']);
  });

  it('is five parameters at the most', () => {
    expect(faultsOf('const f = (a, b, c, d, e) => a;\n')).toEqual([]);
    expect(faultsOf('const f = (a, b, c, d, e, g) => a;\n')).toEqual(['6 parameters, 5 at the most']);
  });

  it('names the function and its line', () => {
    expect(functionsOf('made-up.ts', '\nconst f = (a: number) => a;\n')).toEqual([
      { name: 'f', line: 2, lines: 1, parameters: 1 },
    ]);
  });
});
