import { execFile, execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from './free-port.ts';

/**
 * A throw-away PostgreSQL cluster for tests: own data folder, free loopback port, no password, nothing kept. PostgreSQL
 * refuses to run as root, so for root it runs as the account `postgres` or `nobody`.
 */
export interface TestPostgres {
  /** Address of an empty database; a new one at each call. */
  freshUrl(): Promise<string>;
  stop(): Promise<void>;
}

const run = promisify(execFile);
const DEBIAN_FOLDER = '/usr/lib/postgresql';

const binaries = (): string => {
  const versions = existsSync(DEBIAN_FOLDER)
    ? readdirSync(DEBIAN_FOLDER).sort((a, b) => Number(b) - Number(a))
    : [];
  for (const version of versions) {
    const folder = path.join(DEBIAN_FOLDER, version, 'bin');
    if (existsSync(path.join(folder, 'initdb'))) return folder;
  }
  return execFileSync('pg_config', ['--bindir'], { encoding: 'utf8' }).trim();
};

/** The account to run as: null where this process is not root. */
const account = (): { uid: number; gid: number } | null => {
  if (process.getuid?.() !== 0) return null;
  for (const name of ['postgres', 'nobody']) {
    try {
      const id = (flag: string) =>
        Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: 'pipe' }));
      return { uid: id('-u'), gid: id('-g') };
    } catch {
      // No such account here: the next one may exist.
    }
  }
  throw new Error('no account to run PostgreSQL as');
};

const answers = async (url: string): Promise<boolean> => {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
};

const START_TIMEOUT_MS = 30_000;

/** `bin`: folder with `initdb` and `postgres`; default: the newest that Debian's packages or `pg_config` give. */
export const startPostgres = async (bin: string = binaries()): Promise<TestPostgres> => {
  const as = account();
  const identity = as ?? {};
  const folder = mkdtempSync(path.join(tmpdir(), 'pentarch-pg-'));
  if (as) chownSync(folder, as.uid, as.gid);
  const data = path.join(folder, 'data');
  const env = { ...process.env, LC_ALL: 'C.UTF-8' };
  await run(
    path.join(bin, 'initdb'),
    ['-D', data, '-U', 'pentarch', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync'],
    { ...identity, env, cwd: folder },
  );
  const port = await freePort();
  const off = ['fsync', 'synchronous_commit', 'full_page_writes'].flatMap((name) => ['-c', `${name}=off`]);
  const server = spawn(
    path.join(bin, 'postgres'),
    [
      '-D',
      data,
      '-p',
      String(port),
      '-k',
      folder,
      '-c',
      'listen_addresses=127.0.0.1',
      '-c',
      'max_connections=400',
      ...off,
    ],
    { ...identity, env, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let log = '';
  server.stderr.on('data', (chunk: Buffer) => {
    log = (log + chunk.toString()).slice(-4_000);
  });
  const exited = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  const stop = async (): Promise<void> => {
    // SIGINT is PostgreSQL's fast shutdown.
    server.kill('SIGINT');
    await exited;
    rmSync(folder, { recursive: true, force: true });
  };
  const urlOf = (database: string): string => `postgres://pentarch@127.0.0.1:${port}/${database}`;
  const startedAt = Date.now();
  while (!(await answers(urlOf('postgres')))) {
    if (server.exitCode !== null || Date.now() - startedAt > START_TIMEOUT_MS) {
      await stop();
      throw new Error(`PostgreSQL did not start: ${log}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  let databases = 0;
  return {
    async freshUrl() {
      const name = `test_${++databases}`;
      const client = new pg.Client({ connectionString: urlOf('postgres') });
      await client.connect();
      await client.query(`create database ${name}`);
      await client.end();
      return urlOf(name);
    },
    stop,
  };
};
