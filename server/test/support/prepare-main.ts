import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { rolldown } from 'rolldown';
import { openPostgres, openSqlite } from '../../src/db/open.ts';
import type { Prepared } from './prepared.ts';

/**
 * What the suites that start servers share, made once for a run of vitest (`prepare.ts`) in the folder that
 * is the argument: the server in a few files in place of 1,900, and an empty store of each engine with its schema.
 */
const [folder = ''] = process.argv.slice(2);
const MAIN = path.join(import.meta.dirname, '..', '..', 'src', 'main.ts');

const UNATTENDED = {
  ADMIN_PASSWORD: 'nobody signs in with this one',
  MODEL: 'builtin',
  MCP_BUILTIN: 'off',
  EMBEDDING_WARM_UP: 'off',
  SHUTDOWN_LEAD_S: '0',
};

/** Packages with files of the machine's own, and those that only a setting of a few suites loads. */
const OUTSIDE = /^(argon2|sqlite-vec|onnxruntime-node|node-llama-cpp|pg-native|@aws-sdk\/|@huggingface\/)/;

/** A source finds its threads, children and data beside itself: it goes on looking there. */
const atHome = (code: string, id: string): string =>
  code
    .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
    .replaceAll('import.meta.dirname', JSON.stringify(path.dirname(id)))
    .replaceAll(/\b__dirname\b/g, JSON.stringify(path.dirname(id)));

const bundle = async (): Promise<string> => {
  const build = await rolldown({
    input: MAIN,
    platform: 'node',
    external: OUTSIDE,
    treeshake: false,
    logLevel: 'silent',
    plugins: [{ name: 'at-home', transform: (code, id) => ({ code: atHome(code, id) }) }],
  });
  const dir = path.join(folder, 'program');
  await build.write({ dir, format: 'esm', entryFileNames: 'main.js', chunkFileNames: '[name]-[hash].js' });
  await build.close();
  // Else the runtime reads each file twice to find out what it is.
  writeFileSync(path.join(dir, 'package.json'), '{"type":"module"}');
  const start = path.join(dir, 'start.js');
  // As server/src/start.js does it, with a cache that goes with the folder.
  writeFileSync(
    start,
    `import { enableCompileCache } from 'node:module';\nenableCompileCache(${JSON.stringify(path.join(folder, 'cache'))});\nawait import('./main.js');\n`,
  );
  return start;
};

const emptySqlite = async (): Promise<string> => {
  const file = path.join(folder, 'empty.sqlite');
  const db = await openSqlite({ file, synchronous: 'normal' });
  await db.close();
  return file;
};

/** On the server of test:all, which is thrown away with it. */
const emptyPostgres = async (server: string): Promise<string> => {
  const name = `pentarch_empty_${process.pid}_${Date.now().toString(36)}`;
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  const url = new URL(server);
  url.pathname = `/${name}`;
  const db = await openPostgres({ url: url.href, waitForIndexes: true });
  await db.close();
  return name;
};

/** Ends a server as users do: a process that is killed, as those of most suites are, leaves nothing in the cache. */
const fillCache = async (program: string, sqliteFile: string): Promise<void> => {
  const home = path.join(folder, 'first');
  const dataDir = path.join(home, 'data');
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  copyFileSync(sqliteFile, path.join(dataDir, 'pentarch.sqlite'));
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [program], {
    cwd: home,
    env: { PATH, HOME, DATA_DIR: dataDir, HOST: '127.0.0.1', PORT: '0', ...UNATTENDED },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line.includes('"msg":"listening"')) child.kill('SIGTERM');
  });
  const [code] = await ended;
  if (code !== 0) throw new Error(`the prepared server ended with ${String(code)}`);
  rmSync(home, { recursive: true });
};

const server = process.env.TEST_DATABASE_URL;
const program = await bundle();
const sqliteFile = await emptySqlite();
await fillCache(program, sqliteFile);
const prepared: Prepared = {
  program,
  sqliteFile,
  postgresTemplate: server === undefined ? null : await emptyPostgres(server),
};
process.stdout.write(JSON.stringify(prepared));
