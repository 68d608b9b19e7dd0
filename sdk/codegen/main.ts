import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { writeCli } from './cli.ts';
import { writeGo } from './go.ts';
import { buildApi } from './models.ts';
import { writePython } from './python.ts';
import { writeReference } from './reference.ts';
import { writeTypeScript } from './typescript.ts';

/** `npm run sdk` writes the generated parts of the three clients and of the command line, and their reference pages; with `--check` it only says whether they are fresh. */

const ROOT = path.join(import.meta.dirname, '..', '..');

const read = (file: string): string => {
  try {
    return readFileSync(path.join(ROOT, file), 'utf8');
  } catch {
    return '';
  }
};

const document: unknown = JSON.parse(read('api/openapi.json'));
const api = buildApi(document);
const sources = new Map([...writeTypeScript(api), ...writePython(api), ...writeGo(api)]);
const files = new Map([...sources, ...writeCli(api), ...writeReference(sources)]);
const stale = [...files].filter(([file, text]) => read(file) !== text);

if (process.argv.includes('--check')) {
  for (const [file] of stale) process.stdout.write(`${file} is stale: run "npm run sdk" and commit it\n`);
  process.exitCode = stale.length === 0 ? 0 : 1;
} else {
  for (const [file, text] of stale) {
    mkdirSync(path.dirname(path.join(ROOT, file)), { recursive: true });
    writeFileSync(path.join(ROOT, file), text);
  }
}
const methods = [...api.resources.values()].reduce((sum, list) => sum + list.length, 0);
process.stdout.write(`${api.resources.size} resources, ${methods} operations, ${api.models.length} models\n`);
