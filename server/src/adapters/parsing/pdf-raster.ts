import { ImageKind, OPS } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { PdfPage } from './pdf-open.ts';

/** The images of a page as one grey picture, as they lie on it; what is drawn of lines and letters is not in it. */
export interface PageRaster {
  /** 0 black, 255 white; by rows from the top. */
  data: Uint8Array;
  width: number;
  height: number;
  /** Pixels of one point of the page. */
  scale: number;
}

type Matrix = [number, number, number, number, number, number];

interface Grey {
  data: Uint8Array;
  /** Of each pixel, how much covers what lies below; absent: all. */
  alpha: Uint8Array | null;
  width: number;
  height: number;
}

interface RawImage {
  width: number;
  height: number;
  kind?: number;
  data: Uint8Array | Uint8ClampedArray;
}

/** What text recognition is made for; finer ones only cost time. */
const BEST_DPI = 300;
const LEAST_DPI = 200;
const MAX_PIXELS = 16_000_000;
/** Smaller pictures are ornaments. */
const MIN_POINTS = 24;
const IMAGE_WAIT_MS = 20_000;

/** Null for a page without images that could hold text. */
export async function rasterOf(page: PdfPage): Promise<PageRaster | null> {
  const { width, height, transform } = page.getViewport({ scale: 1 });
  const list = await page.getOperatorList({ annotationMode: 0 });
  const placed = placedImages(list, transform as Matrix);
  const large = placed.filter(({ matrix }) => Math.min(...sidesOf(matrix)) >= MIN_POINTS);
  if (large.length === 0) return null;
  const nativeDpi = Math.max(...large.map(({ matrix, width: w }) => (w / sidesOf(matrix)[0]) * 72));
  const dpi = Math.max(LEAST_DPI, Math.min(BEST_DPI, nativeDpi));
  const scale = Math.min(dpi / 72, Math.sqrt(MAX_PIXELS / (width * height)));
  const raster: PageRaster = {
    data: new Uint8Array(Math.ceil(width * scale) * Math.ceil(height * scale)).fill(255),
    width: Math.ceil(width * scale),
    height: Math.ceil(height * scale),
    scale,
  };
  for (const image of large) {
    const raw = await image.load(page);
    if (raw === null) continue;
    const [across, down] = sidesOf(image.matrix).map((side) => side * scale) as [number, number];
    const shrink = Math.max(1, Math.floor(Math.min(raw.width / across, raw.height / down)));
    const grey = image.mask ? greyOfMask(raw, image.ink) : greyOf(raw);
    paint(raster, shrunk(grey, shrink), scaled(image.matrix, scale));
  }
  return raster;
}

/** How much of the page its images cover, 0 to 1; also where large ones are not decoded. */
export async function imageShare(page: PdfPage): Promise<number> {
  const { width, height, transform } = page.getViewport({ scale: 1 });
  const list = await page.getOperatorList({ annotationMode: 0 });
  const areas = placedImages(list, transform as Matrix)
    .map(({ matrix }) => sidesOf(matrix))
    .filter((sides) => Math.min(...sides) >= MIN_POINTS)
    .map(([across, down]) => across * down);
  return Math.min(1, areas.reduce((sum, area) => sum + area, 0) / Math.max(1, width * height));
}

interface Placed {
  matrix: Matrix;
  width: number;
  mask: boolean;
  /** What a mask is painted with. */
  ink: number;
  load(page: PdfPage): Promise<RawImage | null>;
}

function placedImages(list: Awaited<ReturnType<PdfPage['getOperatorList']>>, start: Matrix): Placed[] {
  const found: Placed[] = [];
  const stack: { matrix: Matrix; ink: number }[] = [];
  let state = { matrix: start, ink: 0 };
  const move = (by: unknown) => {
    if (isMatrix(by)) state = { ...state, matrix: times(state.matrix, by) };
  };
  list.fnArray.forEach((operator, i) => {
    const args = (list.argsArray[i] ?? []) as unknown[];
    // A place that nothing is drawn at is that of an image which is too large for this reader.
    if (operator === OPS.restore && list.fnArray[i - 1] === OPS.transform)
      found.push({ matrix: state.matrix, ink: 0, mask: false, width: 0, load: async () => null });
    if (operator === OPS.save || operator === OPS.paintFormXObjectBegin) stack.push(state);
    if (operator === OPS.restore || operator === OPS.paintFormXObjectEnd) state = stack.pop() ?? state;
    if (operator === OPS.transform) move(args);
    if (operator === OPS.paintFormXObjectBegin) move(args[0]);
    if (operator === OPS.setFillRGBColor) state = { ...state, ink: inkOf(args[0]) };
    const { matrix, ink } = state;
    if (operator === OPS.paintImageXObject && typeof args[0] === 'string')
      found.push({ matrix, ink, mask: false, width: Number(args[1]), load: loader(args[0]) });
    const inline = asImage(args[0]);
    if (operator === OPS.paintInlineImageXObject && inline)
      found.push({ matrix, ink, mask: false, width: inline.width, load: async () => inline });
    if (operator === OPS.paintImageMaskXObject) {
      const mask = args[0] as { data?: unknown; width?: unknown; height?: unknown } | undefined;
      const name = mask?.data;
      const load = typeof name === 'string' ? loader(name) : async () => inline;
      found.push({ matrix, ink, mask: true, width: Number(mask?.width), load });
    }
  });
  return found;
}

/** The decoded image of this name; null where it cannot be decoded. */
const loader =
  (name: string) =>
  (page: PdfPage): Promise<RawImage | null> =>
    new Promise((resolve) => {
      const late = setTimeout(() => resolve(null), IMAGE_WAIT_MS);
      const objects = name.startsWith('g_') ? page.commonObjs : page.objs;
      objects.get(name, (image: unknown) => {
        clearTimeout(late);
        resolve(asImage(image));
      });
    });

function asImage(value: unknown): RawImage | null {
  if (typeof value !== 'object' || value === null) return null;
  const { data, width, height, kind } = value as Record<string, unknown>;
  if (!(data instanceof Uint8Array || data instanceof Uint8ClampedArray)) return null;
  if (typeof width !== 'number' || typeof height !== 'number') return null;
  return { data, width, height, ...(typeof kind === 'number' ? { kind } : {}) };
}

const isMatrix = (value: unknown): value is Matrix =>
  Array.isArray(value) && value.length >= 6 && value.slice(0, 6).every((n) => typeof n === 'number');

const times = (m: Matrix, n: readonly number[]): Matrix => {
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = n;
  return [
    m[0] * a + m[2] * b,
    m[1] * a + m[3] * b,
    m[0] * c + m[2] * d,
    m[1] * c + m[3] * d,
    m[0] * e + m[2] * f + m[4],
    m[1] * e + m[3] * f + m[5],
  ];
};
const scaled = (m: Matrix, by: number): Matrix => m.map((n) => n * by) as Matrix;
/** Width and height of the unit square on the page. */
const sidesOf = ([a, b, c, d]: Matrix): [number, number] => [
  Math.max(Math.hypot(a, b), 0.01),
  Math.max(Math.hypot(c, d), 0.01),
];

const luminance = (r: number, g: number, b: number): number => (r * 77 + g * 150 + b * 29) >> 8;

function inkOf(color: unknown): number {
  const hex = typeof color === 'string' ? /^#([\da-f]{2})([\da-f]{2})([\da-f]{2})/i.exec(color) : null;
  return hex
    ? luminance(...(hex.slice(1, 4).map((part) => Number.parseInt(part, 16)) as [number, number, number]))
    : 0;
}

function greyOf({ data, width, height, kind }: RawImage): Grey {
  const size = width * height;
  const grey = new Uint8Array(size);
  if (kind === ImageKind.GRAYSCALE_1BPP) {
    const row = (width + 7) >> 3;
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++)
        grey[y * width + x] = ((data[y * row + (x >> 3)] ?? 0) >> (7 - (x & 7))) & 1 ? 255 : 0;
    return { data: grey, alpha: null, width, height };
  }
  const step = kind === ImageKind.RGBA_32BPP ? 4 : 3;
  const alpha = step === 4 ? new Uint8Array(size) : null;
  for (let i = 0, at = 0; i < size; i++, at += step) {
    grey[i] = luminance(data[at] ?? 0, data[at + 1] ?? 0, data[at + 2] ?? 0);
    if (alpha) alpha[i] = data[at + 3] ?? 255;
  }
  return { data: grey, alpha, width, height };
}

/** Bits that are not set are painted. */
function greyOfMask({ data, width, height }: RawImage, ink: number): Grey {
  const row = (width + 7) >> 3;
  const alpha = new Uint8Array(width * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      alpha[y * width + x] = ((data[y * row + (x >> 3)] ?? 0) >> (7 - (x & 7))) & 1 ? 0 : 255;
  return { data: new Uint8Array(width * height).fill(ink), alpha, width, height };
}

/** Squares of `by` pixels as their mean: fine lines are not lost. */
function shrunk(image: Grey, by: number): Grey {
  if (by < 2) return image;
  const width = Math.floor(image.width / by);
  const height = Math.floor(image.height / by);
  const mean = (from: Uint8Array): Uint8Array => {
    const out = new Uint8Array(width * height);
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) {
        let sum = 0;
        for (let dy = 0; dy < by; dy++) {
          const start = (y * by + dy) * image.width + x * by;
          for (let dx = 0; dx < by; dx++) sum += from[start + dx] ?? 0;
        }
        out[y * width + x] = sum / (by * by);
      }
    return out;
  };
  return { data: mean(image.data), alpha: image.alpha && mean(image.alpha), width, height };
}

/** `matrix` puts the unit square, whose image begins at its top, onto the raster. */
function paint(raster: PageRaster, image: Grey, matrix: Matrix): void {
  const [a, b, c, d, e, f] = matrix;
  const determinant = a * d - b * c;
  if (Math.abs(determinant) < 1e-6) return;
  const xs = [e, e + a, e + c, e + a + c];
  const ys = [f, f + b, f + d, f + b + d];
  const [left, right] = [
    Math.max(0, Math.floor(Math.min(...xs))),
    Math.min(raster.width, Math.ceil(Math.max(...xs))),
  ];
  const [top, bottom] = [
    Math.max(0, Math.floor(Math.min(...ys))),
    Math.min(raster.height, Math.ceil(Math.max(...ys))),
  ];
  const { width, height, data, alpha } = image;
  for (let y = top; y < bottom; y++) {
    for (let x = left; x < right; x++) {
      const [px, py] = [x + 0.5 - e, y + 0.5 - f];
      const u = (d * px - c * py) / determinant;
      const v = (a * py - b * px) / determinant;
      if (u < 0 || u >= 1 || v < 0 || v >= 1) continue;
      const at = Math.floor((1 - v) * height - 1e-9) * width + Math.floor(u * width);
      const cover = alpha ? (alpha[at] ?? 0) : 255;
      const to = y * raster.width + x;
      raster.data[to] = ((data[at] ?? 255) * cover + (raster.data[to] ?? 255) * (255 - cover)) / 255;
    }
  }
}
