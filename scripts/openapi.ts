import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { emitOpenApi, openApiFaults } from './lib/openapi.ts';

/** `npm run openapi` writes api/openapi.json; with `--check` it only says whether the committed one is fresh and valid. */

const FILE = 'api/openapi.json';

const committed = (): string => {
  try {
    return readFileSync(FILE, 'utf8');
  } catch {
    return '';
  }
};

const text = await emitOpenApi();
const faults = await openApiFaults(text);
for (const fault of faults) process.stdout.write(`${FILE}: ${fault}\n`);
const stale = committed() !== text;
if (!process.argv.includes('--check')) {
  mkdirSync('api', { recursive: true });
  writeFileSync(FILE, text);
} else if (stale) {
  process.stdout.write(`${FILE} is stale: run "npm run openapi" and commit it\n`);
}
const failed = faults.length > 0 || (stale && process.argv.includes('--check'));
process.stdout.write(`${Object.keys((JSON.parse(text) as { paths: object }).paths).length} paths\n`);
// The embedding model may still be loading in its worker: nothing of it is wanted here.
process.exit(failed ? 1 : 0);
