import { OPS } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { PdfPage } from './pdf-open.ts';
import { frameOf, inFrame, MIN_SIZE_PT, VERTICAL_FRAME } from './pdf-run.ts';

/** One drawn character (or ligature) with its place, in its frame (see `PdfRun`). */
export interface PdfGlyph {
  text: string;
  x: number;
  y: number;
  width: number;
  size: number;
  frame: number;
}

type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number];
const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];

const times = (m: Matrix, n: Matrix): Matrix => [
  m[0] * n[0] + m[2] * n[1],
  m[1] * n[0] + m[3] * n[1],
  m[0] * n[2] + m[2] * n[3],
  m[1] * n[2] + m[3] * n[3],
  m[0] * n[4] + m[2] * n[5] + m[4],
  m[1] * n[4] + m[3] * n[5] + m[5],
];

const isNumbers = (value: unknown): value is ArrayLike<number> =>
  Array.isArray(value) || ArrayBuffer.isView(value);

/** Arguments of an operator come as an array, or as one packed array within it. */
const matrixOf = (args: unknown): Matrix => {
  const inner = isNumbers(args) && args.length === 1 ? (args as unknown as unknown[])[0] : args;
  if (!isNumbers(inner) || inner.length < 6) return IDENTITY;
  return Array.from({ length: 6 }, (_, i) => Number(inner[i])) as unknown as Matrix;
};

interface Font {
  vertical: boolean;
  type3: boolean;
  /** Width of a thousand units at size 1. */
  unit: number;
  downAdvance: number;
}

interface DrawnGlyph {
  unicode: string;
  width: number;
  isSpace: boolean;
  vmetric?: readonly number[] | null;
}

const isDrawn = (value: unknown): value is DrawnGlyph =>
  typeof value === 'object' && value !== null && 'unicode' in value && 'width' in value;

interface State {
  ctm: Matrix;
  font: Font | null;
  size: number;
  charSpacing: number;
  wordSpacing: number;
  scale: number;
  leading: number;
  rise: number;
}

const START: State = {
  ctm: IDENTITY,
  font: null,
  size: 0,
  charSpacing: 0,
  wordSpacing: 0,
  scale: 1,
  leading: 0,
  rise: 0,
};

/**
 * The characters of a page as they are drawn, each with its place. The reader's own text comes joined and turned, which
 * cannot be taken apart again where it is drawn twice or reads from right to left. Null where a font gives no sizes.
 */
export async function readGlyphs(page: PdfPage): Promise<PdfGlyph[] | null> {
  const list = await page.getOperatorList({ annotationMode: 0 });
  const walk = createWalk((name) => fontOf(page, name));
  list.fnArray.forEach((operator, i) => {
    walk.step(operator, (list.argsArray[i] ?? []) as unknown[]);
  });
  return walk.glyphs();
}

function fontOf(page: PdfPage, name: string): Font | null {
  if (!page.commonObjs.has(name)) return null;
  const font: unknown = page.commonObjs.get(name);
  if (typeof font !== 'object' || font === null) return null;
  const { vertical, isType3Font, fontMatrix, defaultVMetrics } = font as Record<string, unknown>;
  const advance = isNumbers(defaultVMetrics) ? Number(defaultVMetrics[0]) : -1000;
  return {
    vertical: vertical === true,
    type3: isType3Font === true,
    unit: isNumbers(fontMatrix) ? Number(fontMatrix[0]) : 0.001,
    downAdvance: advance,
  };
}

function createWalk(fontNamed: (name: string) => Font | null) {
  const out: PdfGlyph[] = [];
  const stack: State[] = [];
  let state: State = START;
  let line: Matrix = IDENTITY;
  let at: [number, number] = [0, 0];
  let unsized = false;

  const move = (x: number, y: number) => {
    line = times(line, [1, 0, 0, 1, x, y]);
    at = [0, 0];
  };
  const set = (change: Partial<State>) => {
    state = { ...state, ...change };
  };

  const show = (glyphs: unknown) => {
    const { font, ctm, charSpacing, wordSpacing, scale } = state;
    if (!font || !Array.isArray(glyphs)) return;
    if (font.type3) unsized = true;
    const size = Math.abs(state.size);
    for (const glyph of glyphs as unknown[]) {
      if (typeof glyph === 'number') {
        const shift = (-glyph * state.size) / 1000;
        at = font.vertical ? [at[0], at[1] + shift] : [at[0] + shift * scale, at[1]];
        continue;
      }
      if (!isDrawn(glyph)) continue;
      const spacing = charSpacing + (glyph.isSpace ? wordSpacing : 0);
      const down = glyph.vmetric?.[0] ?? font.downAdvance;
      const advance = font.vertical
        ? down * size * font.unit - spacing
        : (glyph.width * state.size * font.unit + spacing) * scale;
      place(glyph, times(ctm, line), font, size, advance);
      at = font.vertical ? [at[0], at[1] + advance] : [at[0] + advance, at[1]];
    }
  };

  const place = (
    glyph: DrawnGlyph,
    m: Matrix,
    { vertical, unit }: Font,
    fontSize: number,
    advance: number,
  ) => {
    const size = fontSize * Math.hypot(m[2], m[3]);
    if (size < MIN_SIZE_PT || glyph.unicode === '') return;
    const frame = vertical ? VERTICAL_FRAME : frameOf(m[0], m[1]);
    const own = vertical ? Math.abs(advance) : Math.abs(glyph.width * fontSize * unit * state.scale);
    const [px, py] = [at[0], at[1] + state.rise];
    const [x, y] = inFrame(frame, m[0] * px + m[2] * py + m[4], m[1] * px + m[3] * py + m[5]);
    const along = vertical ? Math.hypot(m[2], m[3]) : Math.hypot(m[0], m[1]);
    out.push({ text: glyph.unicode, x, y, width: own * along, size, frame });
  };

  const steps: Record<number, (args: unknown[]) => void> = {
    [OPS.save]: () => stack.push(state),
    [OPS.restore]: () => {
      state = stack.pop() ?? state;
    },
    [OPS.transform]: (args) => set({ ctm: times(state.ctm, matrixOf(args)) }),
    [OPS.paintFormXObjectBegin]: (args) => {
      stack.push(state);
      if (args[0]) set({ ctm: times(state.ctm, matrixOf(args[0])) });
    },
    [OPS.paintFormXObjectEnd]: () => {
      state = stack.pop() ?? state;
    },
    [OPS.beginText]: () => {
      line = IDENTITY;
      at = [0, 0];
    },
    [OPS.setTextMatrix]: (args) => {
      line = matrixOf(args);
      at = [0, 0];
    },
    [OPS.moveText]: ([x, y]) => move(Number(x), Number(y)),
    [OPS.setLeadingMoveText]: ([x, y]) => {
      set({ leading: -Number(y) });
      move(Number(x), Number(y));
    },
    [OPS.nextLine]: () => move(0, -state.leading),
    [OPS.setLeading]: ([leading]) => set({ leading: Number(leading) }),
    [OPS.setCharSpacing]: ([spacing]) => set({ charSpacing: Number(spacing) }),
    [OPS.setWordSpacing]: ([spacing]) => set({ wordSpacing: Number(spacing) }),
    [OPS.setHScale]: ([percent]) => set({ scale: Number(percent) / 100 }),
    [OPS.setTextRise]: ([rise]) => set({ rise: Number(rise) }),
    [OPS.setFont]: ([name, size]) => set({ font: fontNamed(String(name)), size: Number(size) }),
    [OPS.setGState]: ([pairs]) => {
      for (const [key, value] of Array.isArray(pairs) ? (pairs as [string, unknown][]) : []) {
        if (key === 'Font' && Array.isArray(value))
          set({ font: fontNamed(String(value[0])), size: Number(value[1]) });
      }
    },
    [OPS.showText]: ([glyphs]) => show(glyphs),
  };

  return {
    step: (operator: number, args: unknown[]) => steps[operator]?.(args),
    glyphs: () => (unsized ? null : out),
  };
}
