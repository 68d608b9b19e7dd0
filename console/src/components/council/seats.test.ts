import type { Proposal } from 'pentarch-sdk';
import { describe, expect, it } from 'vitest';
import { seatsOf, tallyText, wasVoted } from './seats.ts';

const vote = (more: Partial<Proposal['votes'][number]>): Proposal['votes'][number] => ({
  voter: 'aegis',
  voter_type: 'agent',
  seat: 'aegis',
  vote: 'approve',
  reason: 'because',
  veto_reason: null,
  confidence: 0.9,
  created_at: '2026-01-01T00:00:00.000Z',
  ...more,
});

describe('the five seats', () => {
  it('are empty until votes come', () => {
    expect(seatsOf([]).map((seat) => seat.state)).toEqual(['empty', 'empty', 'empty', 'empty', 'empty']);
  });
  it('tell a veto from a rejection', () => {
    const state = (more: Partial<Proposal['votes'][number]>) => seatsOf([vote(more)])[2];
    expect(state({ vote: 'reject' })).toMatchObject({ state: 'reject', words: 'rejects' });
    expect(state({ vote: 'reject', veto_reason: 'data_breach' })).toMatchObject({
      state: 'veto',
      words: 'vetoes (data breach)',
    });
  });
  it('show the person who took a seat in place of its agent', () => {
    const seats = seatsOf([vote({ vote: 'reject' }), vote({ voter: 'u1', voter_type: 'user' })]);
    expect(seats[2]).toMatchObject({ state: 'approve', words: 'approves (a person in its seat)' });
  });
  it('leave out a vote without a seat, which decides by itself', () => {
    expect(seatsOf([vote({ seat: null, voter_type: 'user' })]).every((seat) => seat.state === 'empty')).toBe(
      true,
    );
  });
  it('are shown where they vote, or have voted', () => {
    const byPerson = vote({ seat: null, voter_type: 'user' });
    expect(wasVoted({ status: 'voting', votes: [] })).toBe(true);
    expect(wasVoted({ status: 'vetoed', votes: [vote({})] })).toBe(true);
    expect(wasVoted({ status: 'awaiting_human', votes: [] })).toBe(false);
    expect(wasVoted({ status: 'approved', votes: [byPerson] })).toBe(false);
  });
  it('are counted in words', () => {
    const tally = { approve: 2, reject: 1, abstain: 0, needed: 3, seats: 5 };
    expect(tallyText({ status: 'voting', tally })).toBe('2 approve, 1 reject, 0 abstain; 3 needed');
    expect(tallyText({ status: 'vetoed', tally })).toBe('Vetoed by AEGIS');
  });
});
