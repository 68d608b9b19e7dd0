import fc from 'fast-check';
import { expect, it } from 'vitest';
import { req } from '../../../../test/requirements.ts';
import { SEATS, VETO_REASONS, VOTES } from '../types.ts';
import { isStrictest, withFloor } from './written.rules.ts';

const strictness = ({ vote, veto }: { vote: string; veto: string | null }): number =>
  vote === 'approve' ? 0 : vote === 'abstain' ? 1 : veto === null ? 2 : 3;
const vote = fc.record({
  vote: fc.constantFrom(...VOTES),
  reason: fc.string(),
  confidence: fc.double({ min: 0, max: 1, noNaN: true }),
  veto: fc.constantFrom(null, ...VETO_REASONS),
});

it(
  req(
    'GOV-14',
    'no vote of a model makes a rejection of the rule milder, and none is made milder than it was',
  ),
  () => {
    fc.assert(
      fc.property(vote, vote, (rule, model) => {
        const both = withFloor(rule, model);
        expect(strictness(both)).toBeGreaterThanOrEqual(Math.min(strictness(model), 2));
        if (rule.vote === 'reject') expect(strictness(both)).toBeGreaterThanOrEqual(strictness(rule));
        else expect(both).toBe(model);
      }),
    );
  },
);

it('a seat is asked as long as its model could be stricter than its rule', () => {
  for (const seat of SEATS) {
    const rule = { vote: 'reject' as const, reason: 'r', confidence: 1, veto: null };
    expect(isStrictest(seat, rule)).toBe(seat !== 'aegis');
    expect(isStrictest(seat, { ...rule, veto: 'compliance' })).toBe(true);
    expect(isStrictest(seat, { ...rule, vote: 'abstain' })).toBe(false);
  }
});
