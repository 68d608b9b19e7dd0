import {
  type Ballot,
  type ProposalStatus,
  SEATS,
  type Seat,
  VETO_REASONS,
  type VetoReason,
  type Vote,
} from '../types.ts';

/** What a set of ballots decides (contract, section 7). Pure. */

/** The ballots that count: one for each seat, a person's in place of its agent's. */
export const effectiveBallots = (ballots: readonly Ballot[]): Map<Seat, Ballot> => {
  const bySeat = new Map<Seat, Ballot>();
  for (const ballot of ballots) {
    if (ballot.seat === null) continue;
    const held = bySeat.get(ballot.seat);
    if (held === undefined || ballot.voterType === 'user') bySeat.set(ballot.seat, ballot);
  }
  return bySeat;
};

/** What is shown: ballots that count, and those of people who decided without a seat. */
export const shownBallots = (ballots: readonly Ballot[]): Ballot[] => {
  const counting = new Set(effectiveBallots(ballots).values());
  return ballots.filter((ballot) => ballot.seat === null || counting.has(ballot));
};

export interface Tally {
  approve: number;
  reject: number;
  abstain: number;
  needed: number;
  seats: number;
}

export const NEEDED = 3;

export const tallyOf = (ballots: readonly Ballot[]): Tally => {
  const count = { approve: 0, reject: 0, abstain: 0 };
  const shown = shownBallots(ballots);
  for (const ballot of shown) count[ballot.vote] += 1;
  return { ...count, needed: NEEDED, seats: SEATS.length };
};

export interface Verdict {
  status: ProposalStatus;
  reason: string;
}

/**
 * What the votes of the seats decide; null while it is open. A veto and a rejection close at once; an approval waits
 * until AEGIS has voted too, so that a quick majority cannot get ahead of its veto.
 */
export const tallyVerdictOf = (ballots: readonly Ballot[]): Verdict | null => {
  const seats = effectiveBallots(ballots);
  const aegis = seats.get('aegis');
  if (aegis?.vote === 'reject' && aegis.veto !== null) {
    return { status: 'vetoed', reason: `AEGIS vetoed (${aegis.veto}): ${aegis.reason}` };
  }
  const count = (vote: Vote): number => [...seats.values()].filter((ballot) => ballot.vote === vote).length;
  const [approve, reject] = [count('approve'), count('reject')];
  if (reject >= NEEDED) return { status: 'rejected', reason: `${reject} of ${SEATS.length} seats rejected` };
  if (approve >= NEEDED && aegis !== undefined) {
    return { status: 'approved', reason: `${approve} of ${SEATS.length} seats approved` };
  }
  if (seats.size === SEATS.length) {
    return {
      status: 'awaiting_human',
      reason: `no majority of the five: ${approve} for, ${reject} against, ${count('abstain')} abstained`,
    };
  }
  return null;
};

/**
 * What the votes decide while agents vote one after another. Until every seat that an agent holds has a ballot, a veto
 * closes, and people's ballots count among themselves; what the agents cast is shown and decides nothing yet. So a
 * decision shows all five, and does not depend on who was quickest.
 */
export const verdictNow = (ballots: readonly Ballot[], agentSeats: readonly Seat[]): Verdict | null => {
  const isRoundOver = agentSeats.every((seat) => ballots.some((ballot) => ballot.seat === seat));
  const verdict = tallyVerdictOf(ballots);
  if (isRoundOver || verdict?.status === 'vetoed') return verdict;
  return tallyVerdictOf(ballots.filter((ballot) => ballot.voterType === 'user'));
};

/** A person in the seat of AEGIS vetoes by naming one of the veto reasons. */
export const vetoIn = (reason: string): VetoReason | null =>
  reason
    .toLowerCase()
    .split(/[^a-z_]+/)
    .reduce<VetoReason | null>(
      (found, word) => found ?? VETO_REASONS.find((one) => one === word) ?? null,
      null,
    );

/**
 * The seat that a person takes who names none: the one held before, else the first whose agent has not approved and
 * that no other person holds. Null where none is left.
 */
export const freeSeat = (
  ballots: readonly Ballot[],
  voter: string,
  reserved: (seat: Seat) => boolean,
): Seat | null => {
  const own = ballots.find((ballot) => ballot.voterType === 'user' && ballot.voter === voter)?.seat;
  if (own) return own;
  const seats = effectiveBallots(ballots);
  const open = SEATS.filter((seat) => seats.get(seat)?.voterType !== 'user');
  return (
    open.find((seat) => reserved(seat)) ??
    open.find((seat) => seats.get(seat)?.vote !== 'approve') ??
    open[0] ??
    null
  );
};
