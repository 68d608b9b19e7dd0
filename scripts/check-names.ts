import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * No name means two things: what one feature exports, no other one exports too (docs/glossary.md). Exit 1 with one line for each
 * name that does. Names of the wire (`schema.ts`) are each feature's own words for its part of the API and are not counted.
 */

const FEATURES = 'server/src/features';
const EXPORTED = /^export (?:declare )?(?:async )?(?:const|let|function|class|interface|type|enum) (\w+)/gm;

const places = new Map<string, Set<string>>();
for (const feature of readdirSync(FEATURES)) {
  for (const file of readdirSync(path.join(FEATURES, feature), { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts') || file.endsWith('.test.ts') || path.basename(file) === 'schema.ts') continue;
    for (const [, name = ''] of readFileSync(path.join(FEATURES, feature, file), 'utf8').matchAll(EXPORTED)) {
      places.set(name, (places.get(name) ?? new Set()).add(feature));
    }
  }
}
const twice = [...places].filter(([, features]) => features.size > 1);
const faults = twice.map(
  ([name, features]) => `${name} is exported by ${[...features].join(' and ')}: say it in two words`,
);
for (const fault of faults) console.error(fault);
console.log(`${places.size} names exported by features, ${twice.length} of them by two`);
process.exitCode = faults.length > 0 ? 1 : 0;
