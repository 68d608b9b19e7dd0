/** Reports of vitest as rows of one table. */

const short = (text: string): string =>
  (text.length > 60 ? `${text.slice(0, 59)}…` : text).replaceAll('|', '\\|');

export interface AreaResult {
  name: string;
  code: number;
  cases: number;
  passed: number;
  seconds: number;
  /** Of suites the case that took longest, of figures the one furthest from its floor. */
  worst: string;
  failures: readonly string[];
}

export interface Circumstances {
  /** YYYY-MM-DD */
  date: string;
  machine: string;
  commit: string;
  /** Areas that were not run. */
  leftOut: readonly string[];
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
const list = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter(isRecord) : [];

/** Of the JSON reporter's file. A run that failed without a failed case (a file that could not be loaded) is a failure too. */
export const summaryOf = (name: string, code: number, seconds: number, report: unknown): AreaResult => {
  const cases = list(isRecord(report) ? report.testResults : []).flatMap((file) =>
    list(file.assertionResults),
  );
  const durationOf = (one: Record<string, unknown>): number =>
    typeof one.duration === 'number' ? one.duration / 1000 : 0;
  const slowest = cases.reduce<Record<string, unknown> | null>(
    (worst, one) => (worst === null || durationOf(one) > durationOf(worst) ? one : worst),
    null,
  );
  const failures = cases.filter(({ status }) => status === 'failed').map(({ fullName }) => String(fullName));
  if (code !== 0 && failures.length === 0) failures.push('the run itself');
  return {
    name,
    code,
    cases: cases.length,
    passed: cases.filter(({ status }) => status === 'passed').length,
    seconds,
    worst: slowest === null ? '' : `${durationOf(slowest).toFixed(1)} s: ${short(String(slowest.title))}`,
    failures,
  };
};

/** One command of an area of commands. */
export interface Step {
  name: string;
  code: number;
  seconds: number;
}

/** Of commands, each of which is a case that passes with exit code 0. */
export const stepsSummary = (name: string, steps: readonly Step[]): AreaResult => {
  const failures = steps.filter((step) => step.code !== 0).map((step) => step.name);
  const slowest = steps.toSorted((a, b) => b.seconds - a.seconds)[0];
  return {
    name,
    code: failures.length === 0 ? 0 : 1,
    cases: steps.length,
    passed: steps.length - failures.length,
    seconds: steps.reduce((sum, { seconds }) => sum + seconds, 0),
    worst: slowest === undefined ? '' : `${slowest.seconds.toFixed(1)} s: ${short(slowest.name)}`,
    failures,
  };
};

/**
 * Of the JSON that `npm run bench -- --json` writes: each figure is a case that passes when its floor is reached. A figure under its
 * floor shows in the table and is no failure of the run, since it depends on the machine; one that could not be measured is.
 */
export const figuresSummary = (name: string, code: number, seconds: number, bench: unknown): AreaResult => {
  const goals = list(isRecord(bench) ? bench.goals : []);
  const distance = (goal: Record<string, unknown>): number => {
    const [value, floor, aim] = [goal.value, goal.floor, goal.aim];
    if (typeof value !== 'number' || typeof floor !== 'number' || typeof aim !== 'number') return 0;
    return aim > floor ? value / floor : floor / value;
  };
  const measured = goals.filter(({ value }) => typeof value === 'number');
  const worst = measured.toSorted((a, b) => distance(a) - distance(b))[0];
  const failures = goals.filter(({ value }) => typeof value !== 'number').map(({ figure }) => String(figure));
  if (code !== 0 && failures.length === 0) failures.push('the run itself');
  return {
    name,
    code,
    cases: goals.length,
    passed: goals.filter(({ floorReached }) => floorReached === true).length,
    seconds,
    worst:
      worst === undefined
        ? ''
        : `${Number(worst.value).toFixed(2)} ${String(worst.unit)} (floor ${String(worst.floor)}): ${short(String(worst.figure))}`,
    failures,
  };
};

export const evidenceTable = (results: readonly AreaResult[]): string => {
  const total = {
    name: 'All',
    cases: results.reduce((sum, { cases }) => sum + cases, 0),
    passed: results.reduce((sum, { passed }) => sum + passed, 0),
    seconds: results.reduce((sum, { seconds }) => sum + seconds, 0),
  };
  const rows = results.map(
    ({ name, cases, passed, seconds, worst }) =>
      `| ${name} | ${cases} | ${passed} | ${seconds.toFixed(0)} s | ${worst} |`,
  );
  return [
    '| area | cases | passed | took | worst figure |',
    '|---|---:|---:|---:|---|',
    ...rows,
    `| **${total.name}** | ${total.cases} | ${total.passed} | ${total.seconds.toFixed(0)} s | |`,
  ].join('\n');
};

export const evidenceDocument = (results: readonly AreaResult[], about: Circumstances): string =>
  `# Evidence

Written by \`npm run prove\`, which runs these suites at a small size on SQLite; \`npm run test:all\` runs them and all others on
PostgreSQL too. The worst figure of a suite is its slowest case, of the load the figure furthest from its floor
([performance](performance.md)); both depend on the machine and on what else it does, the counts of the other areas do not.

${about.date}, ${about.machine}, commit ${about.commit}.${about.leftOut.length === 0 ? '' : `\n\nNot run this time: ${about.leftOut.join('; ')}.`}

${evidenceTable(results)}
`;
