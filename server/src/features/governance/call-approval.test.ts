import { describe, expect, it } from 'vitest';
import { requiredForCall, riskOf } from './call-approval.rules.ts';
import { governanceConfig } from './config.ts';
import { requiredApproval } from './required-approval.rules.ts';

const NONE = { readOnly: false, destructive: false, idempotent: false, openWorld: false };
const limits = governanceConfig(null).approvals;
const call = (tainted: boolean, args: Record<string, unknown> = {}) => ({ args, tainted });

describe('the risk of a tool', () => {
  it('is what its policy says, else what it declares of itself', () => {
    expect(riskOf({ annotations: NONE }, {})).toBe('medium');
    expect(riskOf({ annotations: { ...NONE, readOnly: true } }, {})).toBe('low');
    expect(riskOf({ annotations: { ...NONE, destructive: true, readOnly: true } }, {})).toBe('high');
    expect(riskOf({ annotations: { ...NONE, destructive: true } }, { risk: 'low' })).toBe('low');
  });
});

describe('what a call asks in a run with untrusted content', () => {
  const plain = { estimatedNano: 0, risk: null, flags: [], approval: null, destructive: false };
  const of = (tainted: 'open_world' | 'personal' | null) => requiredApproval({ ...plain, tainted }, limits);

  it('depends on whether it reaches out, or changes what is the person’s own', () => {
    const open = { annotations: { ...NONE, openWorld: true } };
    expect(requiredForCall(open, {}, call(true), limits)).toEqual(of('open_world'));
    expect(requiredForCall(open, {}, call(false), limits)).toEqual(of(null));
    expect(of('open_world')).not.toEqual(of(null));
    const own = { annotations: NONE, personal: true };
    expect(requiredForCall(own, {}, call(true), limits)).toEqual(of('personal'));
    expect(requiredForCall({ ...own, personal: false }, {}, call(true), limits)).toEqual(of(null));
    const byArguments = {
      annotations: NONE,
      personal: (args: Record<string, unknown>) => args.mine === true,
    };
    expect(requiredForCall(byArguments, {}, call(true, { mine: true }), limits)).toEqual(of('personal'));
    expect(requiredForCall(byArguments, {}, call(true, { mine: false }), limits)).toEqual(of(null));
    expect(
      requiredForCall({ ...own, annotations: { ...NONE, openWorld: true } }, {}, call(true), limits),
    ).toEqual(of('open_world'));
  });
});
