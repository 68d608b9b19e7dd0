import { detectAll } from 'tinyld';
import type { DocumentBlock } from '../../kernel/parser.ts';

const SAMPLE_UNITS = 4_000;
const MIN_LETTERS = 24;
/** Scripts of many languages need more to tell them apart. */
const MIN_LATIN_LETTERS = 36;
/** Of the statistics, 0–1; and how far the next language must be behind. */
const MIN_ACCURACY = 0.05;
const MIN_LEAD = 1.3;

/** The statistics go wrong over all languages at once (German comes out as Hindi), so the script decides first. */
const SCRIPTS: { pattern: RegExp; languages: string[] }[] = [
  {
    pattern: /\p{Script=Latin}/gu,
    languages: 'en de fr es it pt nl sv da no fi is pl cs sk hu ro hr sl et lv lt tr vi id ca eo la ga'.split(
      ' ',
    ),
  },
  { pattern: /\p{Script=Cyrillic}/gu, languages: 'ru uk bg sr mk be kk'.split(' ') },
  { pattern: /\p{Script=Arabic}/gu, languages: 'ar fa ur'.split(' ') },
  { pattern: /\p{Script=Devanagari}/gu, languages: ['hi'] },
  { pattern: /\p{Script=Greek}/gu, languages: ['el'] },
  { pattern: /\p{Script=Hebrew}/gu, languages: ['he'] },
  { pattern: /\p{Script=Hangul}/gu, languages: ['ko'] },
  { pattern: /\p{Script=Thai}/gu, languages: ['th'] },
  { pattern: /\p{Script=Bengali}/gu, languages: ['bn'] },
  { pattern: /\p{Script=Tamil}/gu, languages: ['ta'] },
  { pattern: /\p{Script=Georgian}/gu, languages: ['ka'] },
  { pattern: /\p{Script=Armenian}/gu, languages: ['hy'] },
];

/** ISO 639-1, or null when the text is too short or of no clear language: none is better than a wrong one. */
export function detectLanguage(blocks: readonly DocumentBlock[]): string | null {
  const sample = sampleOf(blocks);
  const letters = sample.match(/\p{L}/gu)?.length ?? 0;
  const han = sample.match(/\p{Script=Han}/gu)?.length ?? 0;
  const kana = sample.match(/[\p{Script=Hiragana}\p{Script=Katakana}]/gu)?.length ?? 0;
  // An ideograph says as much as several letters.
  if (letters + 2 * (han + kana) < MIN_LETTERS) return null;
  if (han + kana > letters * 0.3) return kana > han * 0.1 ? 'ja' : 'zh';
  const script = SCRIPTS.find(({ pattern }) => (sample.match(pattern)?.length ?? 0) > letters * 0.5);
  if (!script) return null;
  if (script.languages.length === 1) return script.languages[0] ?? null;
  if (script.languages.includes('en') && letters < MIN_LATIN_LETTERS) return null;
  const [best, next] = detectAll(sample, { only: script.languages });
  if (best === undefined || best.accuracy < MIN_ACCURACY) return null;
  return best.accuracy >= (next?.accuracy ?? 0) * MIN_LEAD ? best.lang : null;
}

/** Prose first: code and tables say little about the language around them. */
function sampleOf(blocks: readonly DocumentBlock[]): string {
  let sample = '';
  for (const kinds of [['text', 'list', 'heading'], ['table']]) {
    for (const block of blocks) {
      if (!kinds.includes(block.kind)) continue;
      sample += `${block.text.slice(0, 1_000)}\n`;
      if (sample.length > SAMPLE_UNITS) return sample.slice(0, SAMPLE_UNITS);
    }
    if (sample.length > 200) break;
  }
  return sample;
}
