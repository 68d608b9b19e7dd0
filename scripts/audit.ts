import { spawnSync } from 'node:child_process';

/**
 * Known vulnerabilities of what is shipped (`npm audit --omit=dev`), as CI asks for them. High and critical ones fail it. A
 * registry that cannot be reached, or that answers no audits, is said and does not: CI must not fail for want of a network.
 */

const LEVELS = ['critical', 'high', 'moderate', 'low', 'info'] as const;
const FAILING: readonly string[] = ['critical', 'high'];
const TIMEOUT_MS = 60_000;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const parse = (text: string): Record<string, unknown> | null => {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
};

/** What the report says, and whether that fails; null where it is no report. */
const read = (report: Record<string, unknown> | null): { lines: string[]; failed: boolean } | null => {
  const counts = isRecord(report?.metadata) ? report.metadata.vulnerabilities : undefined;
  if (report === null || !isRecord(counts)) return null;
  const found = isRecord(report.vulnerabilities)
    ? Object.values(report.vulnerabilities).filter(isRecord)
    : [];
  const lines = found.map(
    ({ name, severity, range, fixAvailable }) =>
      `${String(severity)}: ${String(name)} ${String(range)}${fixAvailable === false ? ', no fix yet' : ''}`,
  );
  const summary = LEVELS.map((level) => `${Number(counts[level] ?? 0)} ${level}`).join(', ');
  return { lines: [...lines, summary], failed: FAILING.some((level) => Number(counts[level] ?? 0) > 0) };
};

const { stdout, stderr, error } = spawnSync('npm', ['audit', '--omit=dev', '--json'], {
  encoding: 'utf8',
  timeout: TIMEOUT_MS,
  maxBuffer: 64 * 1024 * 1024,
  shell: process.platform === 'win32',
});
const told = read(parse(stdout ?? ''));
if (told === null) {
  const [why = 'no report'] = `${error?.message ?? ''}${stderr ?? ''}`
    .split('\n')
    .filter((line) => line !== '');
  process.stdout.write(`not asked for vulnerabilities: the registry did not answer (${why})\n`);
} else {
  process.stdout.write(`${told.lines.join('\n')}\n`);
  process.exitCode = told.failed ? 1 : 0;
}
