import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { functionFault, functionsOf } from './lib/functions.ts';

/** Functions of these folders stay short enough to be read at once. Exit 1 with one line for each that does not. */

/** Whoever has cut a feature into steps adds it here. */
const FOLDERS = [
  'server/src/features/a2a',
  'server/src/features/agents',
  'server/src/features/anthropic',
  'server/src/features/audit',
  'server/src/features/chat',
  'server/src/features/communications',
  'server/src/features/conversations',
  'server/src/features/costs',
  'server/src/features/governance',
  'server/src/features/identity',
  'server/src/features/knowledge',
  'server/src/features/mcp',
  'server/src/features/memory',
  'server/src/features/models',
  'server/src/features/nodes',
  'server/src/features/notifications',
  'server/src/features/openai',
  'server/src/features/responses',
  'server/src/features/retention',
  'server/src/features/system',
  'server/src/features/tasks',
  'server/src/features/tenants',
  'server/src/features/users',
  'server/src/features/webhooks',
  'server/src/modules',
];
/** Below these the sources are not where they were, and nothing would be held. */
const FEWEST_OF_FOLDER = 10;
const FEWEST = 3_500;

const sourcesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => path.join(folder, file));

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
