/** Reports of vitest as rows of one table. */

export interface AreaResult {
  name: string;
  code: number;
  cases: number;
  passed: number;
  seconds: number;
  /** The case that took longest. */
  slowest: { name: string; seconds: number } | null;
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
    slowest: slowest === null ? null : { name: String(slowest.title), seconds: durationOf(slowest) },
    failures,
  };
};

const short = (text: string): string =>
  (text.length > 60 ? `${text.slice(0, 59)}…` : text).replaceAll('|', '\\|');

export const evidenceTable = (results: readonly AreaResult[]): string => {
  const total = {
    name: 'All',
    cases: results.reduce((sum, { cases }) => sum + cases, 0),
    passed: results.reduce((sum, { passed }) => sum + passed, 0),
    seconds: results.reduce((sum, { seconds }) => sum + seconds, 0),
  };
  const rows = results.map(
    ({ name, cases, passed, seconds, slowest }) =>
      `| ${name} | ${cases} | ${passed} | ${seconds.toFixed(0)} s | ${slowest === null ? '' : `${slowest.seconds.toFixed(1)} s: ${short(slowest.name)}`} |`,
  );
  return [
    '| area | cases | passed | took | worst figure (slowest case) |',
    '|---|---:|---:|---:|---|',
    ...rows,
    `| **${total.name}** | ${total.cases} | ${total.passed} | ${total.seconds.toFixed(0)} s | |`,
  ].join('\n');
};

export const evidenceDocument = (results: readonly AreaResult[], about: Circumstances): string =>
  `# Evidence

Written by \`npm run prove\`, which runs these suites at a small size on SQLite; \`npm run test:all\` runs them and all others on
PostgreSQL too. Times depend on the machine and on what else it does; counts do not.

${about.date}, ${about.machine}, commit ${about.commit}.${about.leftOut.length === 0 ? '' : `\n\nNot run this time: ${about.leftOut.join('; ')}.`}

${evidenceTable(results)}
`;
