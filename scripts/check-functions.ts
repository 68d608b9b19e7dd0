import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { functionFault, functionsOf } from './lib/functions.ts';

/** Functions of the server and its packages stay short enough to be read at once. Exit 1 with one line for each that does not. */

const FOLDERS = ['server/src', ...readdirSync('packages').map((name) => path.join('packages', name, 'src'))];
/** A released migration is read from its top to its end, and never changed. */
const NOT_HELD = /^server\/src\/db\/migrations\//;
/** Below these the sources are not where they were, and nothing would be held. */
const FEWEST_OF_FOLDER = 10;
const FEWEST = 9_000;

const sourcesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => path.join(folder, file))
    .filter((file) => !NOT_HELD.test(file));

let count = 0;
let faults = 0;
for (const folder of FOLDERS) {
  const before = count;
  for (const file of sourcesOf(folder)) {
    for (const one of functionsOf(file, readFileSync(file, 'utf8'))) {
      count++;
      const fault = functionFault(one);
      if (fault === null) continue;
      faults++;
      process.stdout.write(`${file}:${one.line} ${one.name || 'a function'} has ${fault}\n`);
    }
  }
  if (count - before >= FEWEST_OF_FOLDER) continue;
  faults++;
  process.stdout.write(`only ${count - before} functions were read in ${folder}\n`);
}
if (count < FEWEST) {
  process.stdout.write(`only ${count} functions were read: the sources are not where they were\n`);
  process.exit(1);
}
process.stdout.write(`${count} functions\n`);
process.exit(faults === 0 ? 0 : 1);
