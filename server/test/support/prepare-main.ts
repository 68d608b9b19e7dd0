import { writeFileSync } from 'node:fs';
import path from 'node:path';
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

/** Packages of many files that nothing else of the server's dependencies loads. */
const INSIDE = /^(typebox|kysely|oidc-provider|pentarch-[a-z-]+)(\/|$)/;
const isOutside = (id: string): boolean =>
  !id.startsWith('.') && !id.startsWith('#') && !path.isAbsolute(id) && !INSIDE.test(id);

/** A source finds its threads, children and data beside itself: it goes on looking there. */
const atHome = (code: string, id: string): string =>
  code
    .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
    .replaceAll('import.meta.dirname', JSON.stringify(path.dirname(id)));

const bundle = async (): Promise<string> => {
  const build = await rolldown({
    input: MAIN,
    platform: 'node',
    external: isOutside,
    treeshake: false,
    logLevel: 'silent',
    plugins: [{ name: 'at-home', transform: (code, id) => ({ code: atHome(code, id) }) }],
  });
  const dir = path.join(folder, 'program');
  await build.write({ dir, format: 'esm', entryFileNames: 'main.js', chunkFileNames: '[name]-[hash].js' });
  await build.close();
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

const server = process.env.TEST_DATABASE_URL;
const prepared: Prepared = {
  program: await bundle(),
  sqliteFile: await emptySqlite(),
  postgresTemplate: server === undefined ? null : await emptyPostgres(server),
};
process.stdout.write(JSON.stringify(prepared));
