/** Rows of tables as text: cells between bars. */

const YEAR = /^(?:(?:fy|q[1-4]|h[12])[ -]?)?(?:19|20)\d{2}(?:[/–-]\d{2,4})?(?: ?[qh][1-4])?$/i;
const hasNumber = (cell: string): boolean => /\p{N}/u.test(cell);

/** Names of columns hold no numbers, but for years and quarters over cells that are none. */
export const isHeadRow = (cells: readonly string[], next: readonly string[] | undefined): boolean => {
  const numbered = cells.flatMap((cell, i) => (hasNumber(cell) ? [i] : []));
  if (numbered.length === 0) return true;
  return (
    next !== undefined &&
    numbered.length < cells.length &&
    numbered.every((i) => YEAR.test(cells[i] ?? '')) &&
    numbered.some((i) => !YEAR.test(next[i] ?? ''))
  );
};
