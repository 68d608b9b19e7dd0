import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Ballot, SEATS, type Seat, VETO_REASONS, VOTES } from '../types.ts';
import {
  effectiveBallots,
  freeSeat,
  NEEDED,
  shownBallots,
  tallyOf,
  tallyVerdictOf,
  verdictNow,
  vetoIn,
} from './verdict.rules.ts';

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

describe('tally', () => {
  it('asks a person where the five find no majority, with the figures', () => {
    const votes = [
      ballot('athena', 'approve'),
      ballot('hermes', 'approve'),
      ballot('aegis', 'reject'),
      ballot('hephaestus', 'reject'),
      ballot('prometheus', 'abstain'),
    ];
    expect(tallyVerdictOf(votes)).toEqual({
      status: 'awaiting_human',
      reason: 'no majority of the five: 2 for, 2 against, 1 abstained',
    });
    expect(tallyVerdictOf(votes.slice(1))).toBeNull();
  });

  it('lets people decide among themselves while agents still vote', () => {
    const people = (['athena', 'hermes', 'aegis'] as const).map((seat) =>
      ballot(seat, 'approve', { voter: `p-${seat}`, voterType: 'user' }),
    );
    expect(verdictNow(people, ['hephaestus', 'prometheus'])?.status).toBe('approved');
    const agents = people.map((one) => ({ ...one, voterType: 'agent' as const }));
    expect(verdictNow(agents, ['hephaestus', 'prometheus'])).toBeNull();
    // A ballot without a seat is shown and is none of the five.
    expect(effectiveBallots([ballot(null, 'approve')]).size).toBe(0);
  });

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
