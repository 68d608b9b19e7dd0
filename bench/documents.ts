import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { createDocumentParser } from '../server/src/adapters/parsing/parser.ts';
import { createRecognizer } from '../server/src/adapters/parsing/recognizer.ts';
import { INPUTS, type Input } from './documents/inputs.ts';
import { read, scoresOf, wordsOf } from './documents/scores.ts';

/**
 * How well documents are read, beside programs of others:
 *
 *   node bench/documents.ts [--python python3] [--packages FOLDER] [--files FOLDER] [--json]
 *
 * Without `--files` the inputs are its own (bench/documents/inputs.ts), whose content is known. With it, files of others: nothing is
 * known of those, so each reader is told by the share of its words that we have as well, and files below 0.9 are named.
 * pypdf, pdfminer.six, markitdown and pandoc (`pypandoc_binary`) are asked where Python finds them, also in `--packages`.
 */
const { values } = parseArgs({
  options: {
    python: { type: 'string', default: 'python3' },
    packages: { type: 'string' },
    files: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});

type Readings = Record<string, Record<string, string[]>>;

const pagesOf = new Map<string, string>();
const parser = createDocumentParser({
  recognizer: createRecognizer({
    settings: { languages: ['eng'], dataDir: null },
    force: false,
    memory: {
      get: async ({ sha256, page }) => pagesOf.get(`${sha256}/${page}`) ?? null,
      put: async ({ sha256, page }, text) => void pagesOf.set(`${sha256}/${page}`, text),
    },
    timeoutMs: 300_000,
  }),
});

const ours = async (name: string, bytes: Uint8Array): Promise<string[]> => {
  try {
    return read(await parser.parse(bytes, { filename: name, declaredType: null, tenantId: 'bench' }));
  } catch {
    return [];
  }
};

const theirs = async (folder: string): Promise<Readings> => {
  const script = path.join(import.meta.dirname, 'documents', 'readers.py');
  const more = values.packages === undefined ? [] : [path.resolve(values.packages)];
  const { stdout } = await promisify(execFile)(values.python, [script, folder, ...more], {
    maxBuffer: 1024 ** 3,
  });
  return JSON.parse(stdout) as Readings;
};

const percent = (share: number | null): string => (share === null ? '–' : `${(share * 100).toFixed(0)} %`);
const print = (row: readonly string[]): void => console.log(`| ${row.join(' | ')} |`);

const known = async (): Promise<void> => {
  const folder = mkdtempSync(path.join(tmpdir(), 'pentarch-documents-'));
  try {
    for (const { name, bytes } of INPUTS) writeFileSync(path.join(folder, name), bytes);
    const others = await theirs(folder);
    const own: Record<string, string[]> = {};
    for (const { name, bytes } of INPUTS) own[name] = await ours(name, bytes);
    const readings: Readings = { Pentarch: own, ...others };
    const rows = INPUTS.flatMap((input: Input) =>
      Object.entries(readings).flatMap(([reader, files]) => {
        const pages = files[input.name];
        return pages === undefined ? [] : [{ file: input.name, reader, ...scoresOf(input, pages) }];
      }),
    );
    if (values.json) return console.log(JSON.stringify(rows));
    print(['file', 'reader', 'words', 'order', 'cells', 'pages', 'numbers']);
    print(Array(7).fill('---'));
    for (const { file, reader, words, order, cells, pages, numbers } of rows)
      print([file, reader, ...[words, order, cells, pages, numbers].map(percent)]);
  } finally {
    rmSync(folder, { recursive: true });
  }
};

const countsOf = (words: readonly string[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
};

/** Of the words of `wanted`, the share that `has` has as often. */
const shareOf = (wanted: readonly string[], has: readonly string[]): number => {
  const counts = countsOf(has);
  let both = 0;
  for (const [word, count] of countsOf(wanted)) both += Math.min(count, counts.get(word) ?? 0);
  return both / wanted.length;
};

const unknown = async (folder: string): Promise<void> => {
  const others = await theirs(folder);
  const own: Record<string, string[]> = {};
  for (const name of readdirSync(folder).sort())
    own[name] = wordsOf((await ours(name, readFileSync(path.join(folder, name)))).join('\n'));
  const rows = Object.entries(others).flatMap(([reader, files]) =>
    Object.entries(files).flatMap(([file, pages]) => {
      const words = wordsOf(pages.join('\n'));
      return words.length < 5 ? [] : [{ reader, file, share: shareOf(words, own[file] ?? []) }];
    }),
  );
  if (values.json) return console.log(JSON.stringify(rows));
  print(['reader', 'files', 'its words that we have', 'files below 90 %']);
  print(Array(4).fill('---'));
  for (const reader of Object.keys(others)) {
    const of = rows.filter((row) => row.reader === reader);
    const mean = of.reduce((sum, { share }) => sum + share, 0) / of.length;
    const low = of.filter(({ share }) => share < 0.9).map(({ file, share }) => `${file} (${percent(share)})`);
    print([reader, String(of.length), percent(mean), low.join(', ')]);
  }
};

try {
  await (values.files === undefined ? known() : unknown(path.resolve(values.files)));
} finally {
  await parser.close();
}
