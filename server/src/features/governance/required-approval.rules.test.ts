import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { APPROVALS, FLAGS, RISKS } from '../../kernel/tool-policy.ts';
import { governanceConfig } from './config.ts';
import { requiredApproval } from './required-approval.rules.ts';

const limits = governanceConfig(null).approvals;

describe('required approvals', () => {
  const approval = (usd: number, more: Partial<Parameters<typeof requiredApproval>[0]> = {}) =>
    requiredApproval(
      {
        estimatedNano: Math.round(usd * 1e9),
        risk: null,
        flags: [],
        approval: null,
        destructive: false,
        tainted: null,
        ...more,
      },
      limits,
    ).approval;

  it('follow cost, flags, risk, annotations and policy', () => {
    expect([0, 50, 50.000000001, 100, 100.000000001].map((usd) => approval(usd))).toEqual([
      'auto',
      'auto',
      'pentarchy',
      'pentarchy',
      'human',
    ]);
    for (const flag of FLAGS) expect(approval(0, { flags: [flag] })).toBe('human');
    expect(RISKS.map((risk) => approval(0, { risk }))).toEqual(['auto', 'auto', 'pentarchy', 'human']);
    expect(approval(0, { destructive: true })).toBe('pentarchy');
    expect(approval(0, { destructive: true, approval: 'auto' })).toBe('auto');
    expect(approval(0, { destructive: true, risk: 'low' })).toBe('auto');
    expect(approval(60, { approval: 'auto' })).toBe('pentarchy');
    expect(approval(0, { approval: 'auto', risk: 'medium', destructive: true })).toBe('auto');
    expect(approval(0, { approval: 'auto', risk: 'high' })).toBe('pentarchy');
    expect(approval(0, { approval: 'auto', risk: 'critical' })).toBe('human');
    expect(approval(0, { approval: 'human', risk: 'low' })).toBe('human');
  });

  it('are never milder than any single reason for them', () => {
    const input = fc.record({
      estimatedNano: fc.integer({ min: 0, max: 200e9 }),
      risk: fc.option(fc.constantFrom(...RISKS)),
      flags: fc.subarray([...FLAGS]),
      approval: fc.option(fc.constantFrom(...APPROVALS)),
      destructive: fc.boolean(),
      tainted: fc.constantFrom(null, 'open_world' as const, 'personal' as const),
    });
    fc.assert(
      fc.property(input, (given) => {
        const got = APPROVALS.indexOf(requiredApproval(given, limits).approval);
        if (given.flags.length > 0 || given.estimatedNano > 100e9) expect(got).toBe(2);
        else if (given.estimatedNano > 50e9) expect(got).toBeGreaterThanOrEqual(1);
        // The person's yes comes beside all other reasons, and is left out only where another person decides.
        expect(requiredApproval({ ...given, tainted: null }, limits).approval).toBe(APPROVALS[got]);
        expect(requiredApproval(given, limits).requester !== null).toBe(given.tainted !== null && got < 2);
        if (given.approval !== null) expect(got).toBeGreaterThanOrEqual(APPROVALS.indexOf(given.approval));
        const dearer = requiredApproval({ ...given, estimatedNano: given.estimatedNano + 50e9 }, limits);
        expect(APPROVALS.indexOf(dearer.approval)).toBeGreaterThanOrEqual(got);
      }),
    );
  });
});
