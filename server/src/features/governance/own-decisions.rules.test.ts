import { expect, test } from 'vitest';
import { decidesAlone } from './own-decisions.rules.ts';

const who = (permissions: string[], more: { userId?: string; type?: 'person' | 'service' } = {}) => ({
  userId: 'me',
  type: 'person' as const,
  permissions: new Set(permissions),
  ...more,
});
const ALL = ['governance:propose', 'governance:vote'];
const asked = { status: 'awaiting_human', decider: 'requester', requestedBy: 'me' } as const;
const human = { ...asked, decider: null };

test('who asked answers the question that is theirs, with the permission of its route', () => {
  expect(decidesAlone(asked, who(ALL), false)).toBe('confirm');
  expect(decidesAlone(asked, who(['governance:vote']), true)).toBeNull();
  expect(decidesAlone(asked, who(ALL, { userId: 'other' }), true)).toBeNull();
});

test('what a person must approve is theirs only where self-approval is allowed and they may vote', () => {
  expect(decidesAlone(human, who(ALL), true)).toBe('vote');
  expect(decidesAlone(human, who(ALL), false)).toBeNull();
  expect(decidesAlone(human, who(['governance:propose']), true)).toBeNull();
  expect(decidesAlone(human, who(ALL, { userId: 'other' }), true)).toBeNull();
});

test('nobody is asked while the five vote, of what is decided, or for a service account', () => {
  for (const status of ['voting', 'approved', 'rejected', 'expired'] as const)
    expect(decidesAlone({ ...human, status }, who(ALL), true)).toBeNull();
  expect(decidesAlone(asked, who(ALL, { type: 'service' }), true)).toBeNull();
});
