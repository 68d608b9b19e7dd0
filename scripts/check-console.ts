import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { buildConsole } from '../console/build.ts';

/** Builds the console where it is stale, and adds up what a browser loads before it shows the first page. */

const BUDGET_BYTES = 250_000;
const DIST = path.join('console', 'dist');

interface Chunk {
  file: string;
  imports?: string[];
  css?: string[];
  isEntry?: boolean;
}

const isManifest = (value: unknown): value is Record<string, Chunk> =>
  typeof value === 'object' && value !== null && Object.values(value).every((chunk) => 'file' in chunk);

await buildConsole({ ifStale: true });
const manifest: unknown = JSON.parse(readFileSync(path.join(DIST, 'manifest.json'), 'utf8'));
if (!isManifest(manifest)) throw new Error('manifest.json is not as expected');

const files = new Set<string>(['index.html', 'theme.js']);
const visit = (key: string): void => {
  const chunk = manifest[key];
  if (chunk === undefined || files.has(chunk.file)) return;
  files.add(chunk.file);
  for (const css of chunk.css ?? []) files.add(css);
  for (const name of chunk.imports ?? []) visit(name);
};
for (const [key, chunk] of Object.entries(manifest)) if (chunk.isEntry === true) visit(key);
// The one subset of the typeface that English text needs.
for (const chunk of Object.values(manifest)) {
  if (/inter-latin-wght-normal.*\.woff2$/.test(chunk.file)) files.add(chunk.file);
}

/** As it travels: the compressed twin where there is one. */
const sizeOf = (file: string): number => {
  const compressed = statSync(path.join(DIST, `${file}.br`), { throwIfNoEntry: false });
  return (compressed ?? statSync(path.join(DIST, file))).size;
};
let sum = 0;
for (const file of files) {
  const size = sizeOf(file);
  sum += size;
  process.stdout.write(`${String(size).padStart(8)}  ${file}\n`);
}
process.stdout.write(`${String(sum).padStart(8)}  in all, budget ${BUDGET_BYTES}\n`);
process.exit(sum <= BUDGET_BYTES && files.size > 3 ? 0 : 1);
