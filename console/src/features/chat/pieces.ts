/** A text in pieces, those that are what was looked for marked; upper and lower case are the same. */
export interface Piece {
  /** Where it begins. */
  readonly at: number;
  readonly piece: string;
  readonly isHit: boolean;
}

export const piecesOf = (text: string, q: string): readonly Piece[] => {
  const wanted = q.replaceAll(/\s+/g, ' ').trim().toLowerCase();
  const lower = text.toLowerCase();
  // Some letters have lower ones of another length: then nothing is marked, rather than the wrong place.
  if (wanted === '' || lower.length !== text.length) return [{ at: 0, piece: text, isHit: false }];
  const pieces: Piece[] = [];
  let from = 0;
  for (let at = lower.indexOf(wanted); at !== -1; at = lower.indexOf(wanted, from)) {
    if (at > from) pieces.push({ at: from, piece: text.slice(from, at), isHit: false });
    from = at + wanted.length;
    pieces.push({ at, piece: text.slice(at, from), isHit: true });
  }
  if (from < text.length) pieces.push({ at: from, piece: text.slice(from), isHit: false });
  return pieces;
};
