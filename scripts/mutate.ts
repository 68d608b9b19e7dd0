import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { createRings } from './lib/rings.ts';
import {
  blackBoxSuites,
  drawn,
  FEATURES,
  type Feature,
  featureOf,
  PARTS,
  type Part,
  rulesAmong,
  sourcesOf,
  unitSuites,
} from './mutation/plan.ts';
import { createRunner, type Runner } from './mutation/pool.ts';
import { type Equivalent, isEquivalent, type PartResult, withMutationSection } from './mutation/report.ts';
import { type NumberedMutant, plantTree, RECORD, type Tree, takeSeen } from './mutation/tree.ts';

/**
 * `npm run mutate`: how many small faults of the sources the suites notice. By hand or from a scheduler, not in CI: all faults take
 * many hours. Writes docs/evidence/mutation.json and its section of docs/evidence.md.
 *
 *   npm run mutate                               a sample of each part of each feature
 *   npm run mutate -- costs identity             of these features
 *   npm run mutate -- chat --part rules --count all --ring unit    every fault of the rules, by the suites of npm test alone
 *   npm run mutate -- --minutes 30               a part that is not done by then is left out
 *   npm run mutate -- costs --near               with the suites in the feature's folder alone: quicker, and a lower bound
 *   npm run mutate -- costs --suites a.test.ts,b.test.ts --dry     with these suites alone; nothing is written
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    part: { type: 'string' },
    ring: { type: 'string', default: 'all' },
    count: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '600' },
    workers: { type: 'string', default: '2' },
    suites: { type: 'string' },
    near: { type: 'boolean', default: false },
    file: { type: 'string' },
    dry: { type: 'boolean', default: false },
  },
});
const features = FEATURES.filter((name) => positionals.length === 0 || positionals.includes(name));
const parts = PARTS.filter((name) => values.part === undefined || values.part === name);
const unknown = positionals.filter((name) => !FEATURES.some((known) => known === name));
if (unknown.length > 0 || parts.length === 0)
  throw new Error(`takes ${FEATURES.join(', ')}; --part ${PARTS.join(', ')}`);
const deadline = Date.now() + Number(values.minutes) * 60_000;

/** A test waits at most as long as this, as in vitest.config.ts for started servers; the suite that waits is given up later by far. */
const TEST_TIMEOUT_MS = 60_000;
const RECORDING_MS = 600_000;
const RESULTS = path.join('docs', 'evidence', 'mutation.json');
const EQUIVALENT = path.join('docs', 'evidence', 'equivalent.json');
const PAGE = path.join('docs', 'evidence.md');

interface Suite {
  file: string;
  ring: 'unit' | 'server';
  reaches: ReadonlySet<number>;
  ms: number;
}
interface Verdict {
  mutant: NumberedMutant;
  outcome: 'killed' | 'timeout' | 'survived' | 'uncovered';
  by: string;
}

const say = (text: string): void => void process.stdout.write(`${text}\n`);
const read = <T>(file: string, otherwise: T): T =>
  existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as T) : otherwise;

/** Each worker takes from the queue with a runner of its own, until it is empty. */
const inParallel = async <T>(
  trees: readonly Tree[],
  queue: T[],
  work: (runner: Runner, tree: Tree, one: T) => Promise<void>,
): Promise<void> => {
  await Promise.all(
    trees.map(async (tree) => {
      const runner = createRunner(tree.folder, TEST_TIMEOUT_MS);
      try {
        for (let one = queue.shift(); one !== undefined; one = queue.shift()) await work(runner, tree, one);
      } finally {
        runner.close();
      }
    }),
  );
};

/** Runs each suite without a fault: which faults it gets to, and how long it takes. One that fails then is not asked. */
const record = async (trees: readonly Tree[], files: readonly string[]): Promise<Suite[]> => {
  const found: Suite[] = [];
  const { ringOf } = createRings();
  await inParallel(trees, [...files], async (runner, tree, file) => {
    takeSeen(tree.folder);
    const answer = await runner.alone(file, RECORD, RECORDING_MS);
    const reaches = takeSeen(tree.folder);
    if (answer === null || !answer.passed) say(`not asked, since it fails: ${file}: ${answer?.failure}`);
    else found.push({ file, ring: ringOf(file) === 'unit' ? 'unit' : 'server', reaches, ms: answer.ms });
  });
  return found.sort((a, b) => a.ms - b.ms);
};

/** What is left of the faults after a suite of `npm test`; those that it notices get their verdict. */
const judgeInBatch = async (
  runner: Runner,
  { file, ms }: Suite,
  faults: readonly NumberedMutant[],
  tell: (verdict: Verdict) => void,
): Promise<void> => {
  const limitMs = 15_000 + 5 * ms;
  const [first] = await runner.batch(file, [0], limitMs);
  for (let rest = faults; rest.length > 0; ) {
    const passes = await runner.batch(
      file,
      rest.map(({ id }) => id),
      limitMs,
    );
    const after = passes[rest.length];
    const ended = after !== undefined;
    // Without a fault it passes as at first, or one of the passes has changed more than its own modules.
    const sound =
      first?.failed === null && (!ended || (after.failed === null && after.passed === first.passed));
    for (const [index, mutant] of rest.entries()) {
      const pass = passes[index];
      if (pass === undefined) {
        if (index === passes.length) tell({ mutant, outcome: 'timeout', by: file });
        continue;
      }
      const failed = pass.failed ?? (pass.passed === first?.passed ? null : 'not all of its tests were run');
      if (failed === null) continue;
      const alone = sound ? null : await runner.alone(file, mutant.id, limitMs);
      if (sound || alone?.passed !== true) tell({ mutant, outcome: 'killed', by: `${file}: ${failed}` });
    }
    rest = ended ? [] : rest.slice(passes.length + 1);
  }
};

/** The suites over HTTP that get there, the quick ones first, until one fails. */
const judgeAlone = async (
  runner: Runner,
  suites: readonly Suite[],
  mutant: NumberedMutant,
): Promise<Verdict> => {
  const asked = suites.filter(({ reaches }) => reaches.has(mutant.id));
  for (const { file, ms, ring } of asked) {
    if (ring === 'unit') continue;
    const answer = await runner.alone(file, mutant.id, 30_000 + 5 * ms);
    if (answer === null) return { mutant, outcome: 'timeout', by: file };
    if (!answer.passed) return { mutant, outcome: 'killed', by: `${file}: ${answer.failure}` };
  }
  return { mutant, outcome: asked.length === 0 ? 'uncovered' : 'survived', by: '' };
};

/** First the suites of `npm test`, each over all faults that it gets to; what they leave goes to the others. */
const judge = async (
  trees: readonly Tree[],
  suites: readonly Suite[],
  faults: readonly NumberedMutant[],
  tell: (verdict: Verdict) => void,
): Promise<void> => {
  const alive = new Map(faults.map((mutant) => [mutant.id, mutant]));
  const decide = (verdict: Verdict): void => {
    if (alive.delete(verdict.mutant.id)) tell(verdict);
  };
  const units = suites.filter(({ ring }) => ring === 'unit');
  await inParallel(trees, units, async (runner, _tree, suite) => {
    const reached = [...alive.values()].filter(({ id }) => suite.reaches.has(id));
    if (reached.length > 0 && Date.now() < deadline) await judgeInBatch(runner, suite, reached, decide);
  });
  await inParallel(trees, [...alive.values()], async (runner, _tree, mutant) => {
    if (Date.now() < deadline) decide(await judgeAlone(runner, suites, mutant));
  });
};

const summarise = (
  feature: Feature,
  part: Part,
  possible: number,
  verdicts: readonly Verdict[],
  suites: readonly Suite[],
): PartResult => {
  const known = read<Equivalent[]>(EQUIVALENT, []);
  const alive = verdicts.filter(({ outcome }) => outcome === 'survived' || outcome === 'uncovered');
  const survivors = alive
    .filter(({ mutant }) => !isEquivalent(mutant, known))
    .map(({ mutant: { file, line, kind, original, replacement }, outcome }) => {
      return { file, line, kind, original, replacement, covered: outcome === 'survived' };
    });
  return {
    feature,
    part,
    possible,
    tried: verdicts.length,
    killed: verdicts.length - alive.length,
    timedOut: verdicts.filter(({ outcome }) => outcome === 'timeout').length,
    equivalent: alive.length - survivors.length,
    survivors,
    suites: {
      unit: suites.filter(({ ring }) => ring === 'unit').length,
      blackBox: suites.filter(({ ring }) => ring === 'server').map(({ file }) => file),
    },
    seed: values.seed,
    date: new Date().toISOString().slice(0, 10),
    commit: execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], { encoding: 'utf8' }).trim(),
  };
};

const store = (result: PartResult): void => {
  if (values.dry) return;
  mkdirSync(path.dirname(RESULTS), { recursive: true });
  const others = read<PartResult[]>(RESULTS, []).filter(
    ({ feature, part }) => feature !== result.feature || part !== result.part,
  );
  const all = [...others, result].sort((a, b) =>
    `${a.feature} ${a.part}`.localeCompare(`${b.feature} ${b.part}`),
  );
  writeFileSync(RESULTS, `${JSON.stringify(all, null, 2)}\n`);
  writeFileSync(PAGE, withMutationSection(readFileSync(PAGE, 'utf8'), all));
};

const suitesFor = (feature: Feature, files: readonly string[]): string[] => {
  if (values.suites !== undefined) return values.suites.split(',');
  const own = files.filter((file) => featureOf(file) === feature);
  const suites = [...unitSuites(own), ...(values.ring === 'unit' ? [] : blackBoxSuites(feature))];
  return values.near ? suites.filter((file) => featureOf(file) === feature) : suites;
};

const home = mkdtempSync(path.join(tmpdir(), 'pentarch-mutation-'));
process.once('exit', () => rmSync(home, { recursive: true, force: true }));
// The way out over `exit` ends the runners and what they started.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
const files = sourcesOf(features);
const rules = rulesAmong(files, createRings().imports, (file) => readFileSync(file, 'utf8'));
const trees = Array.from({ length: Number(values.workers) }, (_, index) =>
  plantTree(path.join(home, `tree-${index}`), files),
);
const mutants = trees[0]?.mutants ?? [];
const asked = [...new Set(features.flatMap((feature) => suitesFor(feature, files)))];
say(
  `${mutants.length} faults in ${files.length} files (${rules.size} of rules); ${asked.length} suites are recorded`,
);
const suites = await record(trees, asked);
for (const feature of features) {
  for (const part of parts) {
    const own = mutants.filter(
      ({ file }) =>
        featureOf(file) === feature &&
        rules.has(file) === (part === 'rules') &&
        file.includes(values.file ?? ''),
    );
    const count = values.count === 'all' ? own.length : Number(values.count);
    const wanted = drawn(own, count, values.seed);
    const verdicts: Verdict[] = [];
    await judge(trees, suites, wanted, (verdict) => {
      verdicts.push(verdict);
      const { mutant, outcome, by } = verdict;
      const change = `${mutant.original.slice(0, 80)} → ${mutant.replacement.slice(0, 80)}`.replaceAll(
        /\s+/g,
        ' ',
      );
      say(`${outcome.padEnd(9)} ${mutant.file}:${mutant.line} ${change} ${by}`);
    });
    // Those that are noticed come first: a part that was broken off would look better than it is.
    if (verdicts.length === wanted.length) store(summarise(feature, part, own.length, verdicts, suites));
    else say(`${feature}, ${part}: broken off after ${verdicts.length} of ${wanted.length}, and not stored`);
  }
}
