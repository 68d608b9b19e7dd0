import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * No name means two things: what one feature exports, no other one exports too (docs/glossary.md). Exit 1 with one line for each
 * name that does. Names of the wire (`schema.ts`) are each feature's own words for its part of the API and are not counted.
 * Where types had multiplied, their number is held as well.
 */

const FEATURES = 'server/src/features';
/** Exported types of a feature, those of the wire included. */
const MOST_TYPES: Readonly<Record<string, number>> = { chat: 39 };
const EXPORTED_TYPE = /^export (?:type|interface) \w+/gm;
const EXPORTED = /^export (?:declare )?(?:async )?(?:const|let|function|class|interface|type|enum) (\w+)/gm;

const places = new Map<string, Set<string>>();
const types = new Map<string, number>();
for (const feature of readdirSync(FEATURES)) {
  for (const file of readdirSync(path.join(FEATURES, feature), { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts') || file.endsWith('.test.ts')) continue;
    const text = readFileSync(path.join(FEATURES, feature, file), 'utf8');
    types.set(feature, (types.get(feature) ?? 0) + (text.match(EXPORTED_TYPE)?.length ?? 0));
    if (path.basename(file) === 'schema.ts') continue;
    for (const [, name = ''] of text.matchAll(EXPORTED)) {
      places.set(name, (places.get(name) ?? new Set()).add(feature));
    }
  }
}
const twice = [...places].filter(([, features]) => features.size > 1);
const faults = twice.map(
  ([name, features]) => `${name} is exported by ${[...features].join(' and ')}: say it in two words`,
);
for (const [feature, most] of Object.entries(MOST_TYPES)) {
  const count = types.get(feature) ?? 0;
  if (count === 0 || count > most) faults.push(`${feature} exports ${count} types, ${most} at the most`);
}
for (const fault of faults) console.error(fault);
console.log(`${places.size} names exported by features, ${twice.length} of them by two`);
process.exitCode = faults.length > 0 ? 1 : 0;
