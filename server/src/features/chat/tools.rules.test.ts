import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentTool } from '../../kernel/tools.ts';
import { modelToolName, withDistinctNames } from './tools.rules.ts';

const named = (server: string, name: string) => modelToolName({ server, name });

describe('names of tools for a model', () => {
  it('are the names themselves where a provider takes them', () => {
    expect(named('pentarch', 'search_documents')).toBe('search_documents');
    expect(named('my-server', 'read_file')).toBe('my-server__read_file');
    expect(named('s', 'x'.repeat(61))).toBe(`s__${'x'.repeat(61)}`);
  });

  it('differ where the names do, and are always such as a provider takes', () => {
    const long = 'n'.repeat(70);
    const names = ['a.b', 'a_b', 'a/b', 'a b', 'ü', 'ö', long, `${long}_A`, `${long}_B`];
    expect(new Set(names.map((name) => named('s', name))).size).toBe(names.length);
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, unit: 'grapheme' }),
        fc.string({ minLength: 1 }),
        (one, other) => {
          expect(named('s', one)).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
          if (one !== other) expect(named('s', one)).not.toBe(named('s', other));
        },
      ),
    );
  });

  it('that are one all the same stand for the first tool alone', () => {
    const tool = (name: string) => ({ server: 's', name }) as AgentTool;
    const list = [tool('a.b'), tool(named('s', 'a.b').slice(3)), tool('c')];
    expect(withDistinctNames(list).map(({ name }) => name)).toEqual(['a.b', 'c']);
  });
});
