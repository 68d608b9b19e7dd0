import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import * as ts from 'typescript6';
import { faultsOf, type Verdict, type Verdicts } from './lib/expression-verdicts.ts';
import { createFinder, type Found } from './lib/expressions.ts';

/**
 * Whether every regular expression of the sources takes linear time, or looks at a bounded text. The analyser needs seconds
 * for some, so its verdicts are kept in `expressions.json`: `--write` analyses those that are new and drops those that are
 * gone. Exit 1 with a line for each fault.
 */

const FILES = [
  'server/src/**/*.{ts,js}',
  'packages/*/src/**/*.ts',
  'sdk/typescript/src/**/*.ts',
  'cli/src/**/*.ts',
  'console/src/**/*.{ts,tsx}',
];
const LIST = path.join('scripts', 'expressions.json');
/** Processes and threads of their own that are ended when they take too long: what only they import may be slow. */
const LIMITED = [
  'server/src/adapters/parsing/child.ts',
  'server/src/adapters/table-sql/child.ts',
  'server/src/features/memory/extract.worker.ts',
];
/** Expressions whose text is not constant, and why that is no danger. */
const BUILT: Readonly<Record<string, string>> = {
  'packages/prose/src/bounded.ts': 'a copy of a bounded expression, for split and matchAll',
  'server/src/http/path-table.ts': 'from the templates of the own routes: [^/]+ between slashes',
};
/** What the analyser cannot read, looked at by a person. */
const READ_BY_PEOPLE: readonly string[] = ['v'];
const MIN_EXPRESSIONS = 500;
const TIMEOUT_MS = 20_000;

interface Attack {
  pumps: { prefix: string; pump: string; bias: number }[];
  suffix: string;
}
interface Diagnostics {
  status: 'safe' | 'vulnerable' | 'unknown';
  complexity?: { type: string; degree?: number };
  attack?: Attack;
}
const require = createRequire(import.meta.url);
const { check } = require('recheck') as {
  check(source: string, flags: string, options: { timeout: number }): Promise<Diagnostics>;
};
const analyser = `recheck ${(require('recheck/package.json') as { version: string }).version}`;

const files = FILES.flatMap((pattern) => globSync(pattern)).filter(
  (file) => !/\.test\.tsx?$|(^|\/)(node_modules|dist)\//.test(file),
);
const finder = createFinder(ts, new Map(files.map((file) => [file, readFileSync(file, 'utf8')])));
const { found, unread } = finder.find();
const limited = finder.onlyFrom(LIMITED);
const keyOf = (one: Found): string => `/${one.source}/${one.flags}`;

/** Milliseconds that the analyser's attack takes at the length of the bound: the better of two. */
const attackMs = (one: Found, attack: Attack, max: number): number => {
  const fixed = attack.suffix.length + attack.pumps.reduce((sum, { prefix }) => sum + prefix.length, 0);
  const round = attack.pumps.reduce((sum, { pump }) => sum + pump.length, 0);
  const times = Math.max(1, Math.floor((max - fixed) / Math.max(1, round)));
  const text = `${attack.pumps.map(({ prefix, pump }) => prefix + pump.repeat(times)).join('')}${attack.suffix}`;
  const expression = new RegExp(one.source, one.flags);
  const once = (): number => {
    expression.lastIndex = 0;
    const from = performance.now();
    expression.exec(text.slice(0, max));
    return performance.now() - from;
  };
  return Math.ceil(Math.min(once(), once()));
};

const analyse = async (one: Found, max: number | null): Promise<Verdict> => {
  if (READ_BY_PEOPLE.some((flag) => one.flags.includes(flag))) return { verdict: 'read by people' };
  const { status, complexity, attack } = await check(one.source, one.flags, { timeout: TIMEOUT_MS });
  if (status === 'safe') return { verdict: 'safe' };
  if (status === 'unknown') return { verdict: 'undecided' };
  const verdict =
    complexity?.type === 'exponential' ? 'exponential' : `polynomial ${complexity?.degree ?? '?'}`;
  if (max === null || attack === undefined || verdict === 'exponential') return { verdict };
  return { verdict, max, attack_ms: attackMs(one, attack, max) };
};

const read = (): Verdicts => {
  try {
    return JSON.parse(readFileSync(LIST, 'utf8')) as Verdicts;
  } catch {
    return { analyser, expressions: {} };
  }
};

const widest = new Map<string, { one: Found; max: number | null }>();
for (const one of found) {
  const known = widest.get(keyOf(one));
  const max = Math.max(known?.max ?? 0, one.max ?? 0);
  widest.set(keyOf(one), { one, max: max === 0 ? null : max });
}

if (process.argv.includes('--write')) {
  const kept = read();
  const before = kept.analyser === analyser ? kept.expressions : {};
  const queue = [...widest];
  const verdicts = new Map<string, Verdict>();
  const next = async (): Promise<void> => {
    for (let entry = queue.shift(); entry !== undefined; entry = queue.shift()) {
      const [key, { one, max }] = entry;
      const known = before[key];
      const fresh =
        known !== undefined && (known.max ?? null) === (known.verdict.startsWith('polynomial') ? max : null);
      verdicts.set(key, fresh ? known : await analyse(one, max));
    }
  };
  await Promise.all([next(), next()]);
  const expressions = Object.fromEntries([...verdicts].sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(LIST, `${JSON.stringify({ analyser, expressions }, null, 2)}\n`);
}

const list = read();
const faults = faultsOf({ found, limited, verdicts: list, analyser, keyOf });
for (const { file, line, text } of unread)
  if (BUILT[file] === undefined) faults.push(`${file}:${line} is not of constant text: ${text.slice(0, 80)}`);
for (const fault of faults) process.stdout.write(`${fault}\n`);
if (found.length < MIN_EXPRESSIONS) {
  process.stdout.write(`only ${found.length} expressions were found: the reader does not work\n`);
  process.exit(1);
}
process.stdout.write(`${found.length} expressions in ${files.length} files\n`);
// The analyser's process would keep this one alive.
process.exit(faults.length === 0 ? 0 : 1);
