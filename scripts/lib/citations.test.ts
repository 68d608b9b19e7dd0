import { describe, expect, it } from 'vitest';
import { anchorsOf, citationsIn, linksIn, sectionsOf } from './citations.ts';

describe('citations', () => {
  const targets = (text: string): string[] => citationsIn(text).map(({ target }) => target);

  it('are sections of the contract, one or several', () => {
    expect(targets('// refused (contract, section 7)')).toEqual(['section 7']);
    expect(targets('/** Wire types (contract, sections 7 and 14). */')).toEqual(['section 7', 'section 14']);
    expect(targets('/** The list envelope of the contract, section 1. */')).toEqual(['section 1']);
    expect(targets("// in the contract's order of refusals, RFC 6455 section 7.4.1")).toEqual([]);
  });

  it('are pages, with a heading by its anchor or its words', () => {
    expect(targets('// see docs/costs.md')).toEqual(['docs/costs.md']);
    expect(targets('// see docs/costs.md#what-counts')).toEqual(['docs/costs.md#what-counts']);
    expect(targets('// ARCHITECTURE.md, "A chat run"')).toEqual([
      'ARCHITECTURE.md#a-chat-run',
      'ARCHITECTURE.md',
    ]);
    expect(targets('// https://example.org/docs/costs.md')).toEqual([]);
  });

  it('are links of pages, from where the page lies', () => {
    expect(
      linksIn('docs/decisions/0001.md', '[a](../costs.md) [b](0002.md#x) [c](https://example.org/a.md)'),
    ).toEqual([
      { line: 1, target: 'docs/costs.md' },
      { line: 1, target: 'docs/decisions/0002.md#x' },
    ]);
  });

  it('lead to headings and numbered sections', () => {
    expect([...anchorsOf('# One page\n\n## What *is* it, then?')]).toEqual(['one-page', 'what-is-it-then']);
    expect([...sectionsOf('## 1. Surfaces\n## 12. Events\n## Other')]).toEqual(['1', '12']);
  });
});
