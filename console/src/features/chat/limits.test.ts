import { describe, expect, it } from 'vitest';
import { attachedNames, limitOf, withoutAttached } from './limits.ts';

describe('a question that is asked again', () => {
  const text = 'What does it say?\n\nAttached: lease.pdf, plan.md';
  it('is edited without the line that names its files', () => {
    expect(withoutAttached(text)).toBe('What does it say?');
    expect(withoutAttached('Attached: nothing')).toBe('Attached: nothing');
  });
  it('keeps the names of its files, or counts them where a name cannot be told', () => {
    expect(attachedNames(text, 2)).toEqual(['lease.pdf', 'plan.md']);
    expect(attachedNames(text, 3)).toEqual(['Document 1', 'Document 2', 'Document 3']);
    expect(attachedNames('', 0)).toEqual([]);
  });
  it('meets no limit in an error of another kind', () => expect(limitOf(new Error('x'), 0)).toBeNull());
});
