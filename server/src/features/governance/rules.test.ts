import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { APPROVALS, FLAGS, RISKS } from '../../kernel/tool-policy.ts';
import { governanceConfig } from './config.ts';
import { policyFor } from './policies.rules.ts';
import { parseVote } from './prompt.rules.ts';
import {
  effectiveBallots,
  freeSeat,
  NEEDED,
  routeOf,
  shownBallots,
  tallyOf,
  tallyVerdictOf,
  verdictNow,
  vetoIn,
} from './rules.ts';
import { type Ballot, SEATS, type Seat, VETO_REASONS, VOTES } from './types.ts';

const config = governanceConfig(null);

const ballot = (seat: Seat | null, vote: Ballot['vote'], more: Partial<Ballot> = {}): Ballot => ({
  voter: seat ?? 'bob',
  voterType: 'agent',
  seat,
  vote,
  reason: 'r',
  veto: null,
  confidence: null,
  createdAt: 0,
  ...more,
});

const anyBallots = fc
  .array(
    fc.record({
      seat: fc.constantFrom(...SEATS),
      vote: fc.constantFrom(...VOTES),
      person: fc.boolean(),
      veto: fc.option(fc.constantFrom(...VETO_REASONS)),
    }),
    { maxLength: 10 },
  )
  .map((all) => {
    const seen = new Map<string, Ballot>();
    for (const { seat, vote, person, veto } of all) {
      seen.set(
        `${seat}${person}`,
        ballot(seat, vote, {
          voter: person ? `p-${seat}` : seat,
          voterType: person ? 'user' : 'agent',
          veto: seat === 'aegis' && vote === 'reject' ? veto : null,
        }),
      );
    }
    return [...seen.values()];
  });

describe('routes', () => {
  const route = (usd: number, more: Partial<Parameters<typeof routeOf>[0]> = {}) =>
    routeOf(
      {
        estimatedNano: Math.round(usd * 1e9),
        risk: null,
        flags: [],
        approval: null,
        destructive: false,
        tainted: null,
        ...more,
      },
      config.route,
    ).approval;

  it('follow cost, flags, risk, annotations and policy', () => {
    expect([0, 50, 50.000000001, 100, 100.000000001].map((usd) => route(usd))).toEqual([
      'auto',
      'auto',
      'pentarchy',
      'pentarchy',
      'human',
    ]);
    for (const flag of FLAGS) expect(route(0, { flags: [flag] })).toBe('human');
    expect(RISKS.map((risk) => route(0, { risk }))).toEqual(['auto', 'auto', 'pentarchy', 'human']);
    expect(route(0, { destructive: true })).toBe('pentarchy');
    expect(route(0, { destructive: true, approval: 'auto' })).toBe('auto');
    expect(route(0, { destructive: true, risk: 'low' })).toBe('auto');
    expect(route(60, { approval: 'auto' })).toBe('pentarchy');
    expect(route(0, { approval: 'auto', risk: 'medium', destructive: true })).toBe('auto');
    expect(route(0, { approval: 'auto', risk: 'high' })).toBe('pentarchy');
    expect(route(0, { approval: 'auto', risk: 'critical' })).toBe('human');
    expect(route(0, { approval: 'human', risk: 'low' })).toBe('human');
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
        const got = APPROVALS.indexOf(routeOf(given, config.route).approval);
        if (given.flags.length > 0 || given.estimatedNano > 100e9) expect(got).toBe(2);
        else if (given.estimatedNano > 50e9) expect(got).toBeGreaterThanOrEqual(1);
        // The person's yes comes beside all other reasons, and is left out only where another person decides.
        expect(routeOf({ ...given, tainted: null }, config.route).approval).toBe(APPROVALS[got]);
        expect(routeOf(given, config.route).requester !== null).toBe(given.tainted !== null && got < 2);
        if (given.approval !== null) expect(got).toBeGreaterThanOrEqual(APPROVALS.indexOf(given.approval));
        const dearer = routeOf({ ...given, estimatedNano: given.estimatedNano + 50e9 }, config.route);
        expect(APPROVALS.indexOf(dearer.approval)).toBeGreaterThanOrEqual(got);
      }),
    );
  });
});

describe('tally', () => {
  it('puts a person in place of the agent of the seat', () => {
    const votes = [
      ballot('athena', 'approve'),
      ballot('athena', 'reject', { voter: 'bob', voterType: 'user' }),
    ];
    expect(effectiveBallots(votes).get('athena')?.voter).toBe('bob');
    expect(shownBallots(votes)).toHaveLength(1);
    expect(tallyOf(votes)).toEqual({ approve: 0, reject: 1, abstain: 0, needed: 3, seats: 5 });
  });

  it('never approves against a veto, without three, or before AEGIS has voted; and closes when all have voted', () => {
    fc.assert(
      fc.property(anyBallots, (ballots) => {
        const verdict = tallyVerdictOf(ballots);
        const tally = tallyOf(ballots);
        const aegis = effectiveBallots(ballots).get('aegis');
        if (aegis?.vote === 'reject' && aegis.veto !== null) expect(verdict?.status).toBe('vetoed');
        else if (tally.reject >= NEEDED) expect(verdict?.status).toBe('rejected');
        if (verdict?.status === 'approved') {
          expect(tally.approve).toBeGreaterThanOrEqual(NEEDED);
          expect(aegis).toBeDefined();
        }
        if (verdict?.status === 'awaiting_human') expect(tally.approve).toBeLessThan(NEEDED);
        if (tally.approve + tally.reject + tally.abstain === SEATS.length) expect(verdict).not.toBeNull();
        expect(tally.approve + tally.reject + tally.abstain).toBeLessThanOrEqual(SEATS.length);
      }),
      { numRuns: 500 },
    );
  });

  it('lets nothing but a veto and people decide while agents are still voting, and everything afterwards', () => {
    fc.assert(
      fc.property(anyBallots, fc.subarray([...SEATS]), (ballots, agentSeats) => {
        const verdict = verdictNow(ballots, agentSeats);
        const missing = agentSeats.filter((seat) => !ballots.some((cast) => cast.seat === seat));
        const people = ballots.filter((cast) => cast.voterType === 'user');
        const whole = tallyVerdictOf(ballots);
        if (missing.length === 0 || whole?.status === 'vetoed') expect(verdict).toEqual(whole);
        else expect(verdict).toEqual(tallyVerdictOf(people));
      }),
      { numRuns: 500 },
    );
    const three = [ballot('aegis', 'approve'), ballot('athena', 'approve'), ballot('hermes', 'approve')];
    expect(verdictNow(three, SEATS)).toBeNull();
    expect(
      verdictNow([...three, ballot('hephaestus', 'reject'), ballot('prometheus', 'reject')], SEATS)?.status,
    ).toBe('approved');
  });

  it('does not depend on the order of the ballots', () => {
    fc.assert(
      fc.property(anyBallots, (ballots) => {
        expect(tallyVerdictOf([...ballots].reverse())?.status).toBe(tallyVerdictOf(ballots)?.status);
      }),
    );
  });

  it('finds a seat whose agent has not approved', () => {
    const votes = [ballot('athena', 'approve'), ballot('hermes', 'reject')];
    expect(freeSeat(votes, 'bob', () => false)).toBe('hermes');
    expect(freeSeat(votes, 'bob', (seat) => seat === 'prometheus')).toBe('prometheus');
    const people = SEATS.map((seat) => ballot(seat, 'approve', { voter: `p-${seat}`, voterType: 'user' }));
    expect(freeSeat(people, 'bob', () => false)).toBeNull();
    expect(freeSeat(people, 'p-aegis', () => false)).toBe('aegis');
  });

  it('hears a veto only in its own words', () => {
    expect(vetoIn('this is a security_risk for us')).toBe('security_risk');
    expect(vetoIn('Compliance!')).toBe('compliance');
    expect(vetoIn('noncompliance_x')).toBeNull();
    expect(vetoIn('too dear')).toBeNull();
  });
});

describe('the file', () => {
  it('changes thresholds, seats and policies, and says what is wrong', () => {
    const changed = governanceConfig({
      thresholds: { auto_usd: 1, pentarchy_usd: 2 },
      seats: { aegis: { holder: 'role:admin', model: 'a/b' } },
      voting_s: 10,
    });
    expect(changed.route).toMatchObject({ autoNano: 1e9, pentarchyNano: 2e9 });
    expect(changed.seats.aegis).toMatchObject({ holder: { kind: 'role', name: 'admin' }, model: 'a/b' });
    expect(changed.votingMs).toBe(10_000);
    expect(() => governanceConfig({ thresholds: { auto_usd: -1 }, seats: { zeus: {} } })).toThrow(
      /auto_usd[\s\S]*seats/,
    );
    expect(() => governanceConfig({ thresholds: { auto_usd: 200 } })).toThrow(/pentarchy_usd/);
    expect(() => governanceConfig([])).toThrow(/GOVERNANCE_FILE/);
  });

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

describe('a vote', () => {
  it('is taken only in its whole form', () => {
    const good = '{"vote":"reject","reason":"x","confidence":1,"veto_reason":"compliance"}';
    expect(parseVote('aegis', good)).toEqual({
      vote: 'reject',
      reason: 'x',
      confidence: 1,
      veto: 'compliance',
    });
    expect(parseVote('athena', good)?.veto).toBeNull();
    for (const bad of [
      '',
      'approve',
      '[]',
      '{"vote":"approve"}',
      '{"vote":"APPROVE","reason":"x"}',
      '{"vote":"approve","reason":" "}',
      '{"vote":"approve","reason":"x","confidence":"1"}',
      '{"vote":"reject","reason":"x","veto_reason":"because"}',
    ]) {
      expect(parseVote('aegis', bad), bad).toBeNull();
    }
    fc.assert(fc.property(fc.string(), (text) => void parseVote('aegis', text)));
  });
});
