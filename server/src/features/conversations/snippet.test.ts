import { describe, expect, it } from 'vitest';
import { snippetOf } from './snippet.rules.ts';

describe('the snippet of a hit', () => {
  const long = `${'before '.repeat(30)}the Lighthouse stands ${'after '.repeat(60)}`;

  it('has some words around, on one line', () => {
    const snippet = snippetOf(long, 'lighthouse');
    expect(snippet).toMatch(/^… (before )+the Lighthouse stands (after )+…$/u);
    expect(snippet.length).toBeLessThan(210);
    expect(snippetOf('one\n\n two', 'two')).toBe('one two');
  });

  it('is the beginning where the words are not found by themselves', () => {
    expect(snippetOf('short', 'x')).toBe('short');
    expect(snippetOf('', 'x')).toBe('');
  });

  it('is short of a text without spaces too', () => {
    expect(snippetOf(`${'a'.repeat(500)}needle${'b'.repeat(500)}`, 'needle')).toContain('needle');
  });
});
