import { describe, expect, it } from 'vitest';
import { DEFAULT_RULE_LIMITS, type SeatFacts, voteByRule } from './written.rules.ts';

const facts: SeatFacts = {
  estimatedNano: 0,
  risk: 'low',
  flags: [],
  descriptionLength: 40,
  tool: { annotations: null, health: { available: true, calls: 10, failures: 1 } },
  tainted: false,
  signs: [],
  sourceSigns: [],
  audience: [],
  budget: { limitNano: 10_000_000_000, remainingNano: 4_000_000_000 },
  recentRejections: 0,
};
const seat =
  (name: Parameters<typeof voteByRule>[0]) =>
  (more: Partial<SeatFacts> = {}) =>
    voteByRule(name, { ...facts, ...more }, DEFAULT_RULE_LIMITS);

describe('the written rule of', () => {
  it('athena turns down what was turned down twice, and abstains where there is nothing to judge', () => {
    const vote = seat('athena');
    expect(vote()).toMatchObject({ vote: 'approve', veto: null, confidence: 0.8 });
    expect(vote({ recentRejections: 1 })).toMatchObject({
      vote: 'approve',
      reason: expect.stringContaining('1 times'),
    });
    expect(vote({ recentRejections: 2 })).toMatchObject({
      vote: 'reject',
      reason: expect.stringContaining('(limit 2)'),
    });
    expect(vote({ descriptionLength: 10 }).vote).toBe('approve');
    expect(vote({ descriptionLength: 9 })).toMatchObject({ vote: 'abstain', confidence: 0.5 });
  });

  it('hermes turns down what reaches more than ten', () => {
    const reaching = (count: number) =>
      seat('hermes')({ audience: Array.from({ length: count }, (_, n) => `h${n}`) });
    expect(reaching(10)).toMatchObject({
      vote: 'approve',
      reason: 'it reaches 10 addresses and hosts (limit 10)',
    });
    expect(reaching(11)).toMatchObject({
      vote: 'reject',
      reason: 'it reaches 11 addresses and hosts (limit 10)',
    });
  });

  it('aegis vetoes injected instructions after untrusted content, and turns down what else is dangerous', () => {
    const vote = seat('aegis');
    expect(vote()).toMatchObject({
      vote: 'approve',
      reason: '0 signs of injected instructions, 0 flags, risk low',
    });
    expect(vote({ tainted: true })).toMatchObject({ vote: 'approve' });
    expect(vote({ signs: ['override', 'role'] })).toMatchObject({
      vote: 'reject',
      veto: null,
      reason: '2 signs of injected instructions: override, role',
    });
    expect(vote({ signs: ['override'], tainted: true })).toMatchObject({
      vote: 'reject',
      veto: 'security_risk',
    });
    expect(vote({ sourceSigns: ['override'] })).toMatchObject({ vote: 'reject', veto: null });
    expect(vote({ flags: ['personal_data'] }).vote).toBe('reject');
    expect(vote({ flags: ['security'] }).vote).toBe('reject');
    expect(vote({ risk: 'high' }).vote).toBe('approve');
    expect(vote({ risk: 'critical' }).vote).toBe('reject');
  });

  it('aegis turns down a destructive call to the outside after untrusted content, and only all three together', () => {
    const annotated = (destructive: boolean, openWorld: boolean, tainted: boolean) =>
      seat('aegis')({
        tainted,
        tool: { annotations: { readOnly: false, destructive, idempotent: false, openWorld }, health: null },
      }).vote;
    expect(annotated(true, true, true)).toBe('reject');
    expect(annotated(true, true, false)).toBe('approve');
    expect(annotated(true, false, true)).toBe('approve');
    expect(annotated(false, true, true)).toBe('approve');
    expect(seat('aegis')({ tool: null, tainted: true }).vote).toBe('approve');
  });

  it('hephaestus turns down a tool that is gone or fails more than half of the time, from five calls on', () => {
    const vote = (available: boolean, calls: number, failures: number) =>
      seat('hephaestus')({ tool: { annotations: null, health: { available, calls, failures } } });
    expect(vote(true, 10, 5).vote).toBe('approve');
    expect(vote(true, 10, 6)).toMatchObject({
      vote: 'reject',
      reason: expect.stringContaining('60 % (limit 50 %)'),
    });
    expect(vote(true, 4, 4).vote).toBe('approve');
    expect(vote(true, 5, 5).vote).toBe('reject');
    expect(vote(true, 0, 0).vote).toBe('approve');
    expect(vote(false, 0, 0)).toMatchObject({ vote: 'reject', confidence: 0.95 });
    expect(seat('hephaestus')({ tool: null }).vote).toBe('abstain');
    expect(seat('hephaestus')({ tool: { annotations: null, health: null } }).vote).toBe('abstain');
  });

  it('prometheus turns down what passes the budget, or takes more than a quarter of what is left', () => {
    const vote = (usd: number, budget = facts.budget) =>
      seat('prometheus')({ estimatedNano: Math.round(usd * 1_000_000_000), budget });
    expect(vote(0, null)).toMatchObject({ vote: 'approve', reason: 'estimated cost 0 USD' });
    expect(vote(1, null)).toMatchObject({ vote: 'abstain', confidence: 0.5 });
    expect(vote(1)).toMatchObject({
      vote: 'approve',
      reason: expect.stringContaining('25 % of what is left'),
    });
    expect(vote(1.001)).toMatchObject({ vote: 'reject', confidence: 0.8 });
    expect(vote(4)).toMatchObject({ vote: 'reject', confidence: 0.8 });
    expect(vote(4.001)).toMatchObject({ vote: 'reject', confidence: 0.95 });
  });
});
