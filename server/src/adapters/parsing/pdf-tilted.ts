import type { PdfRun } from './pdf-run.ts';

/** Text that stands at an odd angle, or along a curve: drawn letter by letter, each of which would be a line of its own. */

export interface Tilted {
  run: PdfRun;
  /** On the page, in points. */
  x: number;
  y: number;
  length: number;
  /** In radians. */
  angle: number;
}

const QUARTER = Math.PI / 2;
/** As scanners and exporters lay a page askew. */
const STRAIGHT = (3 * Math.PI) / 180;
/** Between two letters of a curve. */
const MAX_BEND = (40 * Math.PI) / 180;
/** In sizes: how far the next letter, or the next word, begins behind the last one. */
const NEAR = 0.75;
const WORD_GAP = 0.15;
/** Letters along a curve are often spaced: in sizes, how much more of it parts words. */
const MORE_THAN_USUAL = 0.2;
/** Frames of their own, behind those of turned text. */
const FIRST_FRAME = 10;

const turn = (a: number, b: number): number => {
  const between = Math.abs(a - b) % (2 * Math.PI);
  return Math.min(between, 2 * Math.PI - between);
};
const isStraight = ({ angle }: Tilted): boolean =>
  turn(angle, Math.round(angle / QUARTER) * QUARTER) < STRAIGHT;

const gapOf = (a: Tilted, b: Tilted): number =>
  Math.hypot(b.x - a.x - a.length * Math.cos(a.angle), b.y - a.y - a.length * Math.sin(a.angle));

const follows = (a: Tilted, b: Tilted): boolean =>
  Math.abs(a.run.size - b.run.size) < a.run.size * 0.2 &&
  turn(a.angle, b.angle) < MAX_BEND &&
  gapOf(a, b) < a.run.size * NEAR;

/** In the order of drawing; straight text stays as it is. */
export function joinTilted(texts: readonly Tilted[]): PdfRun[] {
  if (texts.every(isStraight)) return texts.map(({ run }) => run);
  const chains: Tilted[][] = [];
  for (const text of texts) {
    const chain = chains.at(-1);
    const last = chain?.at(-1);
    if (chain && last && follows(last, text)) chain.push(text);
    else chains.push([text]);
  }
  return chains.flatMap((chain, index) =>
    chain.every(isStraight) ? chain.map(({ run }) => run) : [runOf(chain, index)],
  );
}

function runOf(chain: readonly Tilted[], index: number): PdfRun {
  const [first] = chain;
  if (!first) throw new Error('a chain of nothing');
  const { run, angle, x, y } = first;
  const gaps = chain.slice(1).map((part, i) => gapOf(chain[i] ?? part, part));
  const usual = [...gaps].sort((a, b) => a - b)[Math.floor(gaps.length / 2)] ?? 0;
  const least = Math.max(run.size * WORD_GAP, usual + run.size * MORE_THAN_USUAL);
  const text = chain
    .map(
      (part, i) => `${i > 0 && (part.run.spaced || (gaps[i - 1] ?? 0) > least) ? ' ' : ''}${part.run.text}`,
    )
    .join('');
  const length = chain.reduce((sum, part) => sum + part.length, 0);
  // Lines of one angle stand below each other; one along a curve stands alone.
  const isLine = chain.every((part) => turn(part.angle, angle) < STRAIGHT);
  const degrees = Math.round((angle * 180) / Math.PI) + 180;
  const along = isLine ? x * Math.cos(angle) + y * Math.sin(angle) : x;
  return {
    text,
    x: along,
    end: along + length,
    y: isLine ? y * Math.cos(angle) - x * Math.sin(angle) : y,
    size: run.size,
    frame: isLine ? FIRST_FRAME + degrees : FIRST_FRAME + 1_000 + index,
    rtl: false,
  };
}
