import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { countOf, faultsOfEngine, faultsOfPlaces, SINGLE_PLACES } from './lib/single-places.ts';

/** Exit 1 with one line for each call of the server's sources that belongs to a primitive, and for each primitive that is gone. */

const SOURCES = 'server/src';

const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .map((file) => path.posix.join(SOURCES, file.split(path.sep).join('/')));
const textOf = (file: string): string => readFileSync(file, 'utf8');

const ofFeatures = (file: string): boolean => file.startsWith(`${SOURCES}/features/`);
const faults = files.flatMap((file) => [
  ...faultsOfPlaces(file, textOf(file)),
  ...(ofFeatures(file) ? faultsOfEngine(file, textOf(file)) : []),
]);
for (const place of SINGLE_PLACES) {
  const [primitive = ''] = place.files;
  const count = countOf(primitive, textOf(primitive), place);
  if (count !== 1) faults.push(`${primitive} calls ${place.method} ${count} times: ${place.instead}, once`);
  for (const file of place.files)
    if (countOf(file, textOf(file), place) === 0)
      faults.push(`${file} has no ${place.method} any more: take it off the list`);
}
for (const fault of faults) console.error(fault);
console.log(`${SINGLE_PLACES.length} primitives, ${files.length} sources`);
process.exitCode = faults.length > 0 ? 1 : 0;
