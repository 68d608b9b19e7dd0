import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { arch, availableParallelism, platform, tmpdir, totalmem } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import {
  type AreaResult,
  evidenceDocument,
  evidenceTable,
  figuresSummary,
  type Step,
  stepsSummary,
  summaryOf,
} from './lib/evidence.ts';
import { type PartResult, withMutationSection } from './mutation/report.ts';

/**
 * `npm run prove`: the suites that show what the product promises, at a small size and on SQLite, as one table; writes
 * docs/evidence.md. Needs Python with pip for API conformance and Debian's faketime to move a clock (as test:all does); nothing else
 * has to run. Load is measured last; what else the machine does at that time is in its figures.
 *
 *   npm run prove                     all areas
 *   npm run prove -- --only isolation,llm          some of them; the file is left as it is
 *   npm run prove -- --only isolation,llm --write  and the file written, which then says what was left out
 */

interface Suites {
  id: string;
  name: string;
  /** Suites of server/test/all stand in test:all's configuration. */
  config: 'vitest.config.ts' | 'vitest.all.config.ts';
  files: readonly string[];
}
interface Commands {
  id: string;
  name: string;
  /** Arguments of node. */
  commands: readonly (readonly [script: string, ...args: string[]])[];
}
interface Figures {
  id: string;
  name: string;
  bench: string;
}
type Area = Suites | Commands | Figures;

const AREAS: readonly Area[] = [
  {
    id: 'isolation',
    name: 'Isolation of people and tenants',
    config: 'vitest.config.ts',
    files: ['server/test/acceptance/isolation.test.ts', 'server/test/acceptance/access-table.test.ts'],
  },
  {
    id: 'conformance',
    name: 'API conformance (schemathesis, five roles)',
    config: 'vitest.all.config.ts',
    files: ['server/test/all/api-conformance.test.ts'],
  },
  {
    id: 'hostile',
    name: 'Hostile requests, tokens and sockets',
    config: 'vitest.config.ts',
    files: [
      'server/test/acceptance/bad-input.test.ts',
      'server/src/features/identity/jwt-cases.test.ts',
      'server/src/features/knowledge/file-bombs.server.test.ts',
      'server/src/features/realtime/websocket-cases.test.ts',
      'server/src/features/webhooks/ssrf.test.ts',
    ],
  },
  {
    id: 'llm',
    name: 'Models that obey injections',
    config: 'vitest.config.ts',
    files: ['server/test/acceptance/llm-safety.test.ts', 'server/src/features/governance/votes.test.ts'],
  },
  {
    id: 'money',
    name: 'Cost limits and ledger under load',
    config: 'vitest.config.ts',
    files: [
      'server/src/features/costs/cost-stress.server.test.ts',
      'server/src/features/costs/cost-limits.server.test.ts',
    ],
  },
  {
    id: 'faults',
    name: 'Killed servers, broken providers, full stores',
    config: 'vitest.all.config.ts',
    files: [
      'server/test/all/kill-rounds.test.ts',
      'server/test/all/mixed-kill-rounds.test.ts',
      'server/test/all/slow-and-deep.test.ts',
      'server/test/all/moved-clock.test.ts',
      'server/src/features/chat/run-faults.server.test.ts',
      'server/test/acceptance/lifecycle.test.ts',
    ],
  },
  {
    id: 'governance',
    name: 'Gates, votes and approvals',
    config: 'vitest.config.ts',
    files: [
      'server/src/features/governance/gate.test.ts',
      'server/src/features/governance/proposals.test.ts',
      'server/src/features/governance/ask.test.ts',
      'server/src/features/governance/costs.test.ts',
    ],
  },
  {
    id: 'work',
    name: 'Tasks, schedules, webhooks and notifications',
    config: 'vitest.config.ts',
    files: [
      'server/src/features/tasks/tasks.test.ts',
      'server/src/features/webhooks/webhooks.test.ts',
      'server/src/features/notifications/notifications.test.ts',
    ],
  },
  {
    id: 'answers',
    name: 'Answers from documents, with citations',
    config: 'vitest.config.ts',
    files: [
      'server/src/features/chat/answers.server.test.ts',
      'server/src/features/chat/documents-first.server.test.ts',
    ],
  },
  {
    id: 'docs',
    name: 'Every example of the documents; packages as installed',
    config: 'vitest.all.config.ts',
    files: [
      'server/test/all/docs.test.ts',
      'server/test/all/docs-cli.test.ts',
      'server/test/all/packages.test.ts',
    ],
  },
  {
    id: 'dependencies',
    name: 'Dependencies: licences, reasons, use, vulnerabilities; SBOM',
    commands: [
      ['scripts/check-licences.ts'],
      ['scripts/check-dependencies.ts'],
      ['scripts/audit.ts'],
      ['scripts/sbom.ts'],
    ],
  },
  { id: 'load', name: 'Load: floors reached', bench: 'bench/http.ts' },
];

const { values } = parseArgs({
  options: { only: { type: 'string' }, write: { type: 'boolean', default: false } },
});
const areas = AREAS.filter(({ id }) => values.only === undefined || values.only.split(',').includes(id));
if (areas.length === 0) throw new Error(`--only takes ${AREAS.map(({ id }) => id).join(', ')}`);

const folder = mkdtempSync(path.join(tmpdir(), 'pentarch-prove-'));

/** A folder with schemathesis: the one that is named, or one made for this run. */
const schemathesisFolder = (): string => {
  if (process.env.SCHEMATHESIS_PATH !== undefined) return process.env.SCHEMATHESIS_PATH;
  const target = path.join(folder, 'python');
  execFileSync(
    'python3',
    ['-m', 'pip', 'install', '--quiet', '--target', target, 'schemathesis==4.32.5', 'hypothesis==6.170.17'],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  return target;
};

/** Runs node; what it prints goes nowhere unless it is `shown`, what it complains of is shown. */
const node = (
  args: readonly string[],
  { env = process.env, shown = false }: { env?: NodeJS.ProcessEnv; shown?: boolean } = {},
): Promise<number> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      env,
      stdio: ['ignore', shown ? 'inherit' : 'ignore', 'inherit'],
    });
    child.once('error', reject);
    child.once('close', (status) => resolve(status ?? 1));
  });

const timed = async (work: () => Promise<number>): Promise<{ code: number; seconds: number }> => {
  const startedAt = performance.now();
  const code = await work();
  return { code, seconds: (performance.now() - startedAt) / 1000 };
};

const run = async (area: Area): Promise<AreaResult> => {
  if ('commands' in area) {
    const steps: Step[] = [];
    for (const command of area.commands) {
      const { code, seconds } = await timed(() => node(command));
      steps.push({ name: path.basename(command[0], '.ts'), code, seconds });
    }
    return stepsSummary(area.name, steps);
  }
  const report = path.join(folder, `${area.id}.json`);
  if ('bench' in area) {
    const { code, seconds } = await timed(() => node([area.bench, '--json', report], { shown: true }));
    return figuresSummary(area.name, code, seconds, JSON.parse(readFileSync(report, 'utf8')) as unknown);
  }
  const env = {
    ...process.env,
    ...(area.id === 'conformance' ? { SCHEMATHESIS_PATH: schemathesisFolder() } : {}),
  };
  const vitest = path.join('node_modules', 'vitest', 'vitest.mjs');
  const args = ['run', '--config', area.config, '--reporter=json', `--outputFile=${report}`, ...area.files];
  const { code, seconds } = await timed(() => node([vitest, ...args], { env }));
  return summaryOf(area.name, code, seconds, JSON.parse(readFileSync(report, 'utf8')) as unknown);
};

const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();

const results: AreaResult[] = [];
try {
  for (const area of areas) {
    process.stdout.write(`… ${area.name}\n`);
    const result = await run(area);
    results.push(result);
    for (const failure of result.failures) process.stdout.write(`  FAILED ${failure}\n`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.stdout.write(`\n${evidenceTable(results)}\n`);
if (values.only === undefined || values.write) {
  const changed = git('status', '--porcelain', '--untracked-files=no') !== '';
  const document = evidenceDocument(results, {
    date: new Date().toISOString().slice(0, 10),
    machine: `${availableParallelism()} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, ${platform()} ${arch()}, Node ${process.version}`,
    leftOut: AREAS.filter((area) => !areas.includes(area)).map(({ name }) => name),
    commit: `${git('rev-parse', '--short=12', 'HEAD')}${changed ? ' with changes' : ''}`,
  });
  const page = path.join('docs', 'evidence.md');
  const mutation = JSON.parse(
    readFileSync(path.join('docs', 'evidence', 'mutation.json'), 'utf8'),
  ) as PartResult[];
  writeFileSync(page, withMutationSection(document, mutation));
  process.stdout.write('docs/evidence.md\n');
}
process.exit(results.every(({ failures, code }) => failures.length === 0 && code === 0) ? 0 : 1);
