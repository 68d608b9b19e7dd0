import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { fail } from './fault.ts';

/** Tesseract as WebAssembly, with program and language data from this machine alone. */

export interface OcrSettings {
  /** Names of Tesseract's languages, the most likely first: `eng`, `deu`. */
  languages: readonly string[];
  /** Folder of further language data (`deu.traineddata`, also `.gz`). */
  dataDir: string | null;
}

/** One word with its place in pixels, and the line that it stands in. */
export interface OcrWord {
  text: string;
  /** 0 to 100. */
  confidence: number;
  left: number;
  top: number;
  width: number;
  height: number;
  line: string;
}

/** The part of Tesseract's interface that is used; the package brings no types. */
interface TesseractModule {
  FS: { writeFile(name: string, data: Uint8Array): void; unlink(name: string): void };
  TessBaseAPI: new () => {
    Init(dataPath: string | null, languages: string, mode: number): number;
    SetVariable(name: string, value: string): void;
    SetPageSegMode(mode: number): void;
    SetImageFile(exif: number, angle: number): number;
    SetSourceResolution(dpi: number): void;
    Recognize(monitor: null): number;
    GetTSVText(page: number): string;
    Clear(): void;
  };
}
type LoadCore = (options: { print(): void; printErr(): void }) => Promise<TesseractModule>;

const require = createRequire(import.meta.url);
/** Neural recognition alone. */
const LSTM = 1;
/** The parts of a page are found by itself. */
const AUTO = 3;
const WORD = '5';
const INPUT = '/input';
const SHIPPED = '@tesseract.js-data/eng';

/** Null where no data of this language is on the machine. */
function languageFile(language: string, dataDir: string | null): string | null {
  if (!/^[a-z][a-z0-9_]{1,30}$/i.test(language)) return null;
  const own = dataDir === null ? [] : [`${language}.traineddata`, `${language}.traineddata.gz`];
  const found = own.map((name) => path.join(dataDir ?? '', name)).find((file) => existsSync(file));
  if (found !== undefined) return found;
  try {
    const name = language === 'eng' ? SHIPPED : `@tesseract.js-data/${language}`;
    const home = path.dirname(require.resolve(`${name}/package.json`));
    const file = path.join(home, '4.0.0_best_int', `${language}.traineddata.gz`);
    return existsSync(file) ? file : null;
  } catch {
    return null;
  }
}

export const missingLanguages = ({ languages, dataDir }: OcrSettings): string[] =>
  languages.filter((language) => languageFile(language, dataDir) === null);

/** Of a picture as a file: PGM, PNG, JPEG, TIFF or WebP. */
interface OcrPicture {
  file: Uint8Array;
  /** How it is turned, as Exif counts. */
  orientation?: number;
  /** Where it is known; otherwise it is guessed. */
  dpi?: number;
}

interface OcrPage {
  words: OcrWord[];
  /** In pixels, as it was read. */
  width: number;
  height: number;
}

type OcrEngine = (picture: OcrPicture) => OcrPage;

const engines = new Map<string, Promise<OcrEngine>>();

/** Loaded once for each set of languages. */
export function ocrEngine(settings: OcrSettings): Promise<OcrEngine> {
  const key = `${settings.languages.join('+')}@${settings.dataDir ?? ''}`;
  const known = engines.get(key);
  if (known) return known;
  const made = loadEngine(settings);
  engines.set(key, made);
  return made;
}

async function loadEngine({ languages, dataDir }: OcrSettings): Promise<OcrEngine> {
  const load = require('tesseract.js-core/tesseract-core-simd-lstm.js') as LoadCore;
  const core = await load({ print() {}, printErr() {} });
  for (const language of languages) {
    const file = languageFile(language, dataDir);
    if (file === null) return fail('broken', `there is no data for text recognition in ${language}`);
    const packed = readFileSync(file);
    core.FS.writeFile(`${language}.traineddata`, file.endsWith('.gz') ? gunzipSync(packed) : packed);
  }
  const api = new core.TessBaseAPI();
  if (api.Init(null, languages.join('+'), LSTM) !== 0)
    return fail('broken', 'the data for text recognition cannot be loaded');
  api.SetPageSegMode(AUTO);
  return ({ file, orientation = 1, dpi }) => {
    core.FS.writeFile(INPUT, file);
    try {
      if (api.SetImageFile(orientation, 0) !== 0)
        return fail('broken', 'the picture is damaged or incomplete');
      if (dpi !== undefined) api.SetSourceResolution(dpi);
      api.Recognize(null);
      const table = api.GetTSVText(0);
      const [, , , , , , , , width, height] = table.split('\n', 1)[0]?.split('\t') ?? [];
      return { words: wordsOf(table), width: Number(width), height: Number(height) };
    } finally {
      api.Clear();
      core.FS.unlink(INPUT);
    }
  };
}

/** Tab-separated values: level, page, block, paragraph, line, word, left, top, width, height, confidence, text. */
function wordsOf(table: string): OcrWord[] {
  return table.split('\n').flatMap((row) => {
    const [level, , block, paragraph, line, , left, top, width, height, confidence, ...text] =
      row.split('\t');
    const word = text.join('\t').trim();
    if (level !== WORD || word === '') return [];
    return [
      {
        text: word,
        confidence: Number(confidence),
        left: Number(left),
        top: Number(top),
        width: Number(width),
        height: Number(height),
        line: `${block}/${paragraph}/${line}`,
      },
    ];
  });
}
