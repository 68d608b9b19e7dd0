import type { HighlightInput, HighlightOutput, Piece } from './kinds.ts';
import type { LanguageId } from './languages.ts';

/** Longer code stays in one colour. */
export const MAX_CODE = 60_000;
const LIMIT_MS = 10_000;
const MAX_KEPT = 60;

const kept = new Map<string, Piece[][]>();
const keyOf = (code: string, language: LanguageId): string => `${language}\n${code}`;

/** What is known already, so that code that is drawn again has its colours at once. */
export const highlighted = (code: string, language: LanguageId): Piece[][] | null =>
  kept.get(keyOf(code, language)) ?? null;

let worker: Worker | null = null;
let last: Promise<unknown> = Promise.resolve();

const ask = (input: HighlightInput): Promise<Piece[][] | null> =>
  new Promise((resolve) => {
    worker ??= new Worker(new URL('./highlight.worker.ts', import.meta.url), { type: 'module' });
    const asked = worker;
    const end = (lines: Piece[][] | null, whole: boolean): void => {
      clearTimeout(timer);
      asked.onmessage = null;
      asked.onerror = null;
      if (!whole) {
        asked.terminate();
        worker = null;
      }
      resolve(lines);
    };
    const timer = setTimeout(() => end(null, false), LIMIT_MS);
    asked.onmessage = ({ data }: MessageEvent<HighlightOutput>) => end(data.lines, true);
    asked.onerror = () => end(null, false);
    asked.postMessage(input);
  });

/** One piece of code after the other. Null where it stays in one colour. */
export const highlight = (code: string, language: LanguageId): Promise<Piece[][] | null> => {
  if (code.length > MAX_CODE) return Promise.resolve(null);
  const next = last.then(async () => {
    const known = highlighted(code, language);
    if (known !== null) return known;
    const lines = await ask({ code, language });
    if (lines === null) return null;
    const [oldest] = kept.keys();
    if (kept.size >= MAX_KEPT && oldest !== undefined) kept.delete(oldest);
    kept.set(keyOf(code, language), lines);
    return lines;
  });
  last = next;
  return next;
};
