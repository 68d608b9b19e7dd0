import { describe, expect, it } from 'vitest';
import { policyFor } from './tool-policies.rules.ts';

describe('policies of the file', () => {
  it('lets the more literal glob win, part by part', () => {
    const policies = {
      '*': { default: { risk: 'low' as const } },
      shop: {
        default: { cost_usd: 5 },
        tools: {
          '*': { approval: 'auto' as const },
          'order_*': { approval: 'human' as const },
          'a.b': { cost_usd: 9 },
        },
      },
    };
    expect(policyFor(policies, 'shop', 'order_big')).toMatchObject({
      cost_usd: 5,
      approval: 'human',
      risk: 'low',
    });
    expect(policyFor(policies, 'shop', 'axb')).toMatchObject({ cost_usd: 5, approval: 'auto' });
    expect(policyFor(policies, 'other', 'x')).toMatchObject({ risk: 'low', cost_usd: undefined });
  });
});
