import type { Proposal } from 'pentarch-sdk';
import { agentLetters } from '../surface.tsx';
import styles from './council.module.css';
import { SEAT_NAMES, type SeatView, seatsOf, tallyText } from './seats.ts';

/**
 * The Pentarchy: five seats in a half circle that fill as votes come in. Nothing is said by colour alone: each seat has its
 * mark (✓ ✕ –), AEGIS sits behind a shield, and its veto is a word across the table. Give it a Proposal; it needs no more.
 */

type Shown = Pick<Proposal, 'status' | 'votes' | 'tally'>;

const WIDTH = 320;
const HEIGHT = 184;
const CENTRE = { x: WIDTH / 2, y: 158 };
const RADIUS = 128;
const SEAT = 21;
const MARKS: Readonly<Record<SeatView['state'], string>> = {
  approve: '✓',
  reject: '✕',
  abstain: '–',
  veto: '✕',
  empty: '',
};

/** Seats from left to right on the half circle. */
const placeOf = (index: number): { x: number; y: number } => {
  const angle = Math.PI * (1 - (index + 0.5) / 5);
  return { x: CENTRE.x + RADIUS * Math.cos(angle), y: CENTRE.y - RADIUS * Math.sin(angle) };
};

const SHIELD = 'M0 -25 20 -18V-2C20 12 11 20 0 25C-11 20-20 12-20-2V-18Z';

const SeatMark = ({ seat, index }: { seat: SeatView; index: number }) => {
  const { x, y } = placeOf(index);
  const name = SEAT_NAMES[seat.seat];
  return (
    <g
      className={`${styles.seat} ${styles[seat.state]}`}
      transform={`translate(${x} ${y})`}
      data-seat={seat.seat}
      data-vote={seat.state}
    >
      {seat.seat === 'aegis' ? <path d={SHIELD} /> : <circle r={SEAT} />}
      <text className={styles.mark} textAnchor="middle" dominantBaseline="central">
        {MARKS[seat.state] === '' ? agentLetters(seat.seat, name) : MARKS[seat.state]}
      </text>
      <text className={styles.name} textAnchor="middle" y={SEAT + 15}>
        {name}
      </text>
    </g>
  );
};

export const Council = ({ proposal }: { proposal: Shown }) => {
  const seats = seatsOf(proposal.votes);
  const said = seats.map((seat) => `${SEAT_NAMES[seat.seat]}: ${seat.words}`).join('; ');
  const vetoed = proposal.status === 'vetoed';
  return (
    <svg
      className={styles.council}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={`Votes of the five seats. ${tallyText(proposal)}. ${said}.`}
    >
      <path className={styles.table} d={`M${CENTRE.x - 62} ${CENTRE.y + 8}a62 62 0 0 1 124 0Z`} />
      {seats.map((seat, index) => (
        <SeatMark key={seat.seat} seat={seat} index={index} />
      ))}
      <text
        className={vetoed ? styles.veto : styles.tally}
        x={CENTRE.x}
        y={CENTRE.y - 12}
        textAnchor="middle"
      >
        {vetoed ? 'VETO' : `${proposal.tally.approve} of ${proposal.tally.seats}`}
      </text>
      <text className={styles.under} x={CENTRE.x} y={CENTRE.y + 3} textAnchor="middle">
        {vetoed ? 'by AEGIS' : `${proposal.tally.needed} needed`}
      </text>
    </svg>
  );
};

/** Who voted what, and why: the text beside the drawing. */
export const CouncilReasons = ({ votes }: { votes: Proposal['votes'] }) => (
  <ul className={styles.reasons}>
    {seatsOf(votes).map((seat) => (
      <li key={seat.seat} data-vote={seat.state}>
        <span className={`${styles.dot} ${styles[seat.state]}`} aria-hidden="true">
          {MARKS[seat.state]}
        </span>
        <span>
          <strong>{SEAT_NAMES[seat.seat]}</strong> {seat.words}
          {seat.reason !== '' && <span className={styles.reason}> – {seat.reason}</span>}
        </span>
      </li>
    ))}
  </ul>
);
