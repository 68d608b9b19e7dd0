import { spawn } from 'node:child_process';
import path from 'node:path';

/** `npm run check`: everything about the sources that needs no running server. Exit 1 when a step fails. */

interface Step {
  name: string;
  about: string;
  command: readonly [string, ...string[]];
}

interface Outcome {
  step: Step;
  ok: boolean;
  seconds: number;
  output: string;
}

const bin = (name: string): string => path.join('node_modules', '.bin', name);
const script = (name: string, ...args: string[]): [string, ...string[]] => [
  process.execPath,
  path.join('scripts', name),
  ...args,
];

/** The longest first, so that two at a time end together. */
const STEPS: readonly Step[] = [
  { name: 'types', about: 'tsc on everything', command: [bin('tsc'), '-p', 'tsconfig.json'] },
  { name: 'openapi', about: 'api/openapi.json valid and fresh', command: script('openapi.ts', '--check') },
  { name: 'style', about: 'format and lint', command: [bin('biome'), 'check', '--max-diagnostics=50', '.'] },
  {
    name: 'build types',
    about: 'the server’s declarations can be emitted',
    command: [bin('tsc'), '-b', 'server'],
  },
  {
    name: 'sdk',
    about: 'generated parts of the clients fresh',
    command: [process.execPath, path.join('sdk', 'codegen', 'main.ts'), '--check'],
  },
  {
    name: 'sdk types',
    about: 'tsc on the TypeScript client with browser types only',
    command: [bin('tsc'), '-p', path.join('sdk', 'typescript'), '--noEmit'],
  },
  {
    name: 'console types',
    about: 'tsc on the console',
    command: [bin('tsc'), '-p', path.join('console', 'tsconfig.test.json')],
  },
  {
    name: 'console size',
    about: 'what a browser loads first stays under its budget',
    command: script('check-console.ts'),
  },
  { name: 'agents', about: 'docs/agents.md fresh', command: script('agents-docs.ts', '--check') },
  { name: 'layers', about: 'dependency rules', command: script('check-dependencies.ts') },
  {
    name: 'expressions',
    about: 'regular expressions are linear or bounded',
    command: script('check-expressions.ts'),
  },
  {
    name: 'unused',
    about: 'every file and export is used',
    command: [process.execPath, path.join('node_modules', 'knip', 'bin', 'knip.js'), '--no-progress'],
  },
  { name: 'texts', about: 'no secrets, paths, open ends', command: script('check-texts.ts') },
  {
    name: 'citations',
    about: 'what code and pages cite is there',
    command: script('check-citations.ts'),
  },
  { name: 'places', about: 'primitives are called in one place', command: script('check-places.ts') },
  {
    name: 'names',
    about: 'no name is exported by two features, few types by chat',
    command: script('check-names.ts'),
  },
  {
    name: 'functions',
    about: 'short enough to be read at once',
    command: script('check-functions.ts'),
  },
  {
    name: 'settings',
    about: 'docs/reference/settings.md fresh',
    command: script('settings-docs.ts', '--check'),
  },
  {
    name: 'licences',
    about: 'production dependencies may be shipped',
    command: script('check-licences.ts'),
  },
  { name: 'cli', about: 'docs/cli.md fresh', command: script('cli-docs.ts', '--check') },
];

const AT_ONCE = 2;

const run = (step: Step): Promise<Outcome> =>
  new Promise((resolve) => {
    const startedAt = performance.now();
    const [file, ...args] = step.command;
    const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const parts: Buffer[] = [];
    child.stdout.on('data', (part: Buffer) => parts.push(part));
    child.stderr.on('data', (part: Buffer) => parts.push(part));
    const done = (ok: boolean, note = ''): void => {
      const seconds = (performance.now() - startedAt) / 1000;
      resolve({ step, ok, seconds, output: Buffer.concat(parts).toString('utf8').trim() + note });
    };
    child.once('error', (error) => done(false, error.message));
    child.once('close', (code) => done(code === 0));
  });

const queue = [...STEPS];
const outcomes: Outcome[] = [];
const worker = async (): Promise<void> => {
  for (let step = queue.shift(); step !== undefined; step = queue.shift()) outcomes.push(await run(step));
};
await Promise.all(Array.from({ length: AT_ONCE }, worker));

const failed = outcomes.filter((outcome) => !outcome.ok);
for (const { step, output } of failed) {
  process.stdout.write(`\n── ${step.name} ──\n${output === '' ? 'failed without a word' : output}\n`);
}
process.stdout.write('\n');
for (const step of STEPS) {
  const outcome = outcomes.find((one) => one.step === step);
  if (outcome === undefined) continue;
  const { ok, seconds } = outcome;
  process.stdout.write(
    `${ok ? 'ok    ' : 'FAILED'}  ${step.name.padEnd(12)} ${seconds.toFixed(1).padStart(5)} s  ${step.about}\n`,
  );
}
process.exit(failed.length === 0 ? 0 : 1);
