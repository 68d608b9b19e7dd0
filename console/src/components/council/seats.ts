import type { Proposal } from 'pentarch-sdk';

/** What the drawing of the five seats shows, from a proposal's votes. */

type Vote = Proposal['votes'][number];
export type Seat = NonNullable<Vote['seat']>;

/** From left to right; AEGIS, which may veto, in the middle. */
export const SEATS: readonly Seat[] = ['athena', 'hermes', 'aegis', 'hephaestus', 'prometheus'];
export const SEAT_NAMES: Readonly<Record<Seat, string>> = {
  athena: 'Athena',
  hermes: 'Hermes',
  aegis: 'AEGIS',
  hephaestus: 'Hephaestus',
  prometheus: 'Prometheus',
};

export interface SeatView {
  readonly seat: Seat;
  readonly state: 'empty' | 'approve' | 'reject' | 'abstain' | 'veto';
  /** The vote in words, with who took the seat where a person did. */
  readonly words: string;
  readonly reason: string;
}

const WORDS: Readonly<Record<SeatView['state'], string>> = {
  empty: 'has not voted yet',
  approve: 'approves',
  reject: 'rejects',
  abstain: 'abstains',
  veto: 'vetoes',
};

/** A later vote for a seat stands in place of an earlier one: a person may take an agent's seat. */
export const seatsOf = (votes: readonly Vote[]): readonly SeatView[] =>
  SEATS.map((seat) => {
    const vote = votes.findLast((one) => one.seat === seat);
    if (vote === undefined) return { seat, state: 'empty', words: WORDS.empty, reason: '' };
    const state = vote.veto_reason === null ? vote.vote : 'veto';
    const cause = vote.veto_reason === null ? '' : ` (${vote.veto_reason.replaceAll('_', ' ')})`;
    const who = vote.voter_type === 'user' ? ' (a person in its seat)' : '';
    return { seat, state, words: `${WORDS[state]}${cause}${who}`, reason: vote.reason };
  });

export const tallyText = ({ status, tally }: Pick<Proposal, 'status' | 'tally'>): string =>
  status === 'vetoed'
    ? 'Vetoed by AEGIS'
    : `${tally.approve} approve, ${tally.reject} reject, ${tally.abstain} abstain; ${tally.needed} needed`;

/** It went to a person without a vote of the five: their seats would only stand empty. */
export const wasVoted = ({ status, votes }: Pick<Proposal, 'status' | 'votes'>): boolean =>
  status === 'voting' || votes.some((vote) => vote.seat !== null);
