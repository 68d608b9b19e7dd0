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

  it('say why, with the number or the word that led to them; of equals the first', () => {
    const why = (more: Partial<Parameters<typeof requiredApproval>[0]>, given = limits) =>
      requiredApproval(
        {
          estimatedNano: 0,
          risk: null,
          flags: [],
          approval: null,
          destructive: false,
          tainted: null,
          ...more,
        },
        given,
      );
    const reason = (more: Parameters<typeof why>[0]) => why(more).reason;
    expect(why({})).toEqual({ approval: 'auto', reason: 'nothing asks for an approval', requester: null });
    expect(reason({ risk: 'low' })).toBe('nothing asks for an approval');
    expect(reason({ flags: ['legal', 'security'] })).toBe('marked legal, security: a person decides');
    expect(reason({ estimatedNano: 60e9 })).toBe(
      'estimated cost 60 USD is over 50 USD: the Pentarchy decides',
    );
    expect(reason({ estimatedNano: 150e9 })).toBe('estimated cost 150 USD is over 100 USD: a person decides');
    expect(reason({ approval: 'human' })).toBe('the policy of the tool asks for human');
    expect(reason({ risk: 'high' })).toBe('risk high asks for pentarchy');
    expect(reason({ destructive: true })).toBe('the tool declares itself destructive');
    expect(reason({ flags: ['legal'], estimatedNano: 150e9, approval: 'human' })).toMatch(/^marked/);
    expect(reason({ estimatedNano: 60e9, approval: 'pentarchy', risk: 'high' })).toMatch(/^estimated/);
    expect(reason({ approval: 'pentarchy', risk: 'high' })).toMatch(/^the policy/);
  });

  it('of a call in a run with untrusted content are the setting’s for what it does', () => {
    const asked = (tainted: 'open_world' | 'personal', given = limits) =>
      requiredApproval(
        { estimatedNano: 0, risk: null, flags: [], approval: null, destructive: false, tainted },
        given,
      );
    expect(asked('open_world')).toEqual({
      approval: 'auto',
      reason: 'nothing asks for an approval',
      requester: 'the call leaves the platform, and untrusted content is in the conversation',
    });
    expect(asked('personal').requester).toBe(
      'the call changes your own things or writes to people, and untrusted content is in the conversation',
    );
    const set = { ...limits, taintedOpenWorld: 'human' as const, taintedPersonal: 'pentarchy' as const };
    expect(asked('open_world', set)).toEqual({
      approval: 'human',
      reason: 'the call leaves the platform, and untrusted content is in the conversation',
      requester: null,
    });
    expect(asked('personal', set)).toMatchObject({ approval: 'pentarchy', requester: null });
    expect(asked('personal', { ...limits, taintedPersonal: 'auto' })).toMatchObject({
      approval: 'auto',
      requester: null,
    });
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
