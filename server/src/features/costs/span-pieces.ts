import { DAY_MS, monthStart, nextMonth, SLOT_MS } from '../../db/cost-sums.ts';
import { dateText, localDate, type Span } from './periods.rules.ts';

/** How a span is put together from sums and from rows, so that it comes out exact: what is taken away was added with a sum. */
export interface Piece extends Span {
  sign: 1 | -1;
}

export interface Pieces {
  /** Quarters of an hour, and what they leave of the span at its ends. */
  slots: Span | null;
  slotRows: Span[];
  /** Days, months, and the rows that these have too few or too many. */
  days: Span | null;
  userMonths: Span | null;
  userDays: Piece[];
  rows: Piece[];
}

const nearestDay = (at: number): number => Math.round(at / DAY_MS) * DAY_MS;

const nearestMonth = (at: number): number => {
  const before = monthStart(at);
  const after = nextMonth(at);
  return at - before <= after - at ? before : after;
};

/** From `wanted` to where the sums begin or end. */
const between = (from: number, to: number): Piece[] => {
  if (from === to) return [];
  return from < to ? [{ start: from, end: to, sign: 1 }] : [{ start: to, end: from, sign: -1 }];
};

const slotsOf = ({ start, end }: Span): Pick<Pieces, 'slots' | 'slotRows'> => {
  const first = Math.ceil(start / SLOT_MS) * SLOT_MS;
  const last = Math.floor(end / SLOT_MS) * SLOT_MS;
  if (first >= last) return { slots: null, slotRows: [{ start, end }] };
  return {
    slots: { start: first, end: last },
    slotRows: [
      { start, end: first },
      { start: last, end },
    ].filter((one) => one.start < one.end),
  };
};

export const piecesOf = (span: Span): Pieces => {
  const slots = slotsOf(span);
  const first = nearestDay(span.start);
  const last = nearestDay(span.end);
  if (first >= last)
    return { ...slots, days: null, userMonths: null, userDays: [], rows: [{ ...span, sign: 1 }] };
  const days = { start: first, end: last };
  const rows = [...between(span.start, first), ...between(last, span.end)];
  const [firstMonth, lastMonth] = [nearestMonth(first), nearestMonth(last)];
  if (firstMonth >= lastMonth)
    return { ...slots, days, userMonths: null, userDays: [{ ...days, sign: 1 }], rows };
  return {
    ...slots,
    days,
    userMonths: { start: firstMonth, end: lastMonth },
    userDays: [...between(first, firstMonth), ...between(lastMonth, last)],
    rows,
  };
};

/**
 * Spans of slots that lie in one local day each, together all that a span touches. A day in which clocks change may come in more than
 * one piece.
 */
export const daysOf = (zone: string, span: Span): Span[] => {
  const dateAt = (at: number): string => dateText(localDate(zone, at));
  const days: Span[] = [];
  for (let start = Math.floor(span.start / SLOT_MS) * SLOT_MS; start < span.end; ) {
    const date = dateAt(start);
    let end = start + DAY_MS;
    // Mostly a day is one, and looked at where it ends; any other slot by slot.
    if (dateAt(end - SLOT_MS) !== date || dateAt(end) === date) {
      end = start + SLOT_MS;
      while (end < span.end && dateAt(end) === date) end += SLOT_MS;
    }
    days.push({ start, end });
    start = end;
  }
  return days;
};
