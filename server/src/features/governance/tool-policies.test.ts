import { describe, expect, it } from 'vitest';
import type { ToolPolicy } from '../../kernel/tool-policy.ts';
import type { AgentTool } from '../../kernel/tools.ts';
import { governanceConfig } from './config.ts';
import { overlay, policyFor, type ServerPolicies } from './tool-policies.rules.ts';
import { createToolPolicies } from './tool-policies.ts';

const { approvals } = governanceConfig(null);
const tool = (annotations: Partial<AgentTool['annotations']> = {}): AgentTool =>
  ({
    server: 'shop',
    name: 'order',
    annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false, ...annotations },
  }) as AgentTool;
const holding = (policies: ServerPolicies, said?: ToolPolicy) =>
  createToolPolicies({ policies, approvals }, { policyOf: () => said ?? null });

describe('the policy that holds for a tool', () => {
  it('is the file’s over what its registration says, part by part', () => {
    const file = {
      shop: { tools: { order: { risk: 'high' as const, allow: [{ arguments: { to: ['a'] } }] } } },
    };
    const said: ToolPolicy = { risk: 'low', cost_usd: 2, flags: ['legal'], approval: 'human' };
    expect(holding(file, said).of(tool())).toEqual({
      risk: 'high',
      cost_usd: 2,
      flags: ['legal'],
      approval: 'human',
      allow: [{ arguments: { to: ['a'] } }],
    });
    expect(holding({}).of(tool())).toEqual(overlay({}, {}));
    expect(overlay({ cost_usd: 5, flags: ['legal'] }, { cost_usd: 0, flags: [] })).toMatchObject({
      cost_usd: 0,
      flags: [],
    });
  });

  it('is shown resolved: cost, risk, flags, and the approval that a call outside of untrusted content asks for', () => {
    expect(holding({}).resolve(tool(), {})).toEqual({
      cost_usd: 0,
      risk: 'medium',
      flags: [],
      approval: 'auto',
    });
    expect(holding({}).resolve(tool(), { cost_usd: 70, flags: ['legal'], risk: 'low' })).toEqual({
      cost_usd: 70,
      risk: 'low',
      flags: ['legal'],
      approval: 'human',
    });
    expect(holding({}).resolve(tool(), { cost_usd: 70 }).approval).toBe('pentarchy');
    const strict = createToolPolicies(
      { policies: {}, approvals: { ...approvals, taintedOpenWorld: 'human' } },
      { policyOf: () => null },
    );
    expect(strict.resolve(tool({ openWorld: true }), {}).approval).toBe('auto');
    expect(holding({}).resolve(tool({ destructive: true, openWorld: true }), {})).toMatchObject({
      risk: 'high',
      approval: 'pentarchy',
    });
  });

  it('has the more literal glob of server and tool, in whatever order the file names them', () => {
    const entries: [string, { default?: ToolPolicy; tools?: Record<string, ToolPolicy> }][] = [
      ['*', { default: { cost_usd: 1 }, tools: { '*': { risk: 'low' } } }],
      ['s*', { default: { cost_usd: 2 } }],
      [
        'shop',
        {
          tools: {
            '*': { approval: 'auto' },
            'ord*': { approval: 'pentarchy' },
            order: { approval: 'human' },
          },
        },
      ],
    ];
    for (const list of [entries, entries.toReversed()]) {
      const policies = Object.fromEntries(
        list.map(([glob, entry]) => [
          glob,
          { ...entry, tools: Object.fromEntries(Object.entries(entry.tools ?? {}).reverse()) },
        ]),
      );
      expect(policyFor(policies, 'shop', 'order')).toMatchObject({
        cost_usd: 2,
        risk: 'low',
        approval: 'human',
      });
      expect(policyFor(policies, 'shop', 'ordinary').approval).toBe('pentarchy');
      expect(policyFor(policies, 'shop', 'other').approval).toBe('auto');
      expect(policyFor(policies, 'far', 'order')).toMatchObject({ cost_usd: 1, approval: undefined });
    }
  });
});
