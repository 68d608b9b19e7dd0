import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/**
 * Builds the console into console/dist, with a compressed twin of each file. `--if-stale` does so only when the sources
 * have changed since (by content), which takes some milliseconds to find out: `npm start` begins with it.
 */

const HERE = import.meta.dirname;
const DIST = path.join(HERE, 'dist');
const SOURCES = [
  'console/src/**/*',
  'console/public/**/*',
  'console/{index.html,vite.config.ts,package.json,tsconfig.json,build.ts}',
  'sdk/typescript/src/**/*.ts',
  'package-lock.json',
];
const COMPRESSED = /\.(js|css|html|svg|json)$/;
/** Below this a compressed file saves no packet. */
const MIN_BYTES = 1_000;

/** A hash over name and content of everything that goes in. */
export const sourcesHash = (): string => {
  const root = path.join(HERE, '..');
  const hash = createHash('sha256');
  const files = globSync(SOURCES, { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
  for (const file of files) hash.update(path.relative(root, file)).update('\0').update(readFileSync(file));
  return hash.digest('hex');
};

const stampFile = path.join(DIST, 'sources.sha256');
const isFresh = (hash: string): boolean => existsSync(stampFile) && readFileSync(stampFile, 'utf8') === hash;

const compress = (folder: string): void => {
  const names = globSync('**/*', { cwd: folder, withFileTypes: true }).filter(
    (entry) => entry.isFile() && COMPRESSED.test(entry.name),
  );
  for (const entry of names) {
    const file = path.join(entry.parentPath, entry.name);
    const bytes = readFileSync(file);
    if (bytes.length < MIN_BYTES) continue;
    writeFileSync(
      `${file}.br`,
      brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
    );
    writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
  }
};

/**
 * Puts the new files in place of the old, by renames alone: another process may do the same at this moment, and what is being
 * served or put there by it is never taken apart. Who comes second leaves it be.
 */
const put = (fresh: string, hash: string): void => {
  const old = `${fresh}.old`;
  for (let tries = 0; !isFresh(hash); tries++) {
    try {
      if (existsSync(DIST)) renameSync(DIST, old);
      renameSync(fresh, DIST);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      if (tries >= 10 || !['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(code)) throw error;
    } finally {
      rmSync(old, { recursive: true, force: true });
    }
  }
};

/** True when it built, false when what stood there was fresh. The new files replace the old ones at once. */
export const buildConsole = async (options: { ifStale: boolean }): Promise<boolean> => {
  const hash = sourcesHash();
  if (options.ifStale && isFresh(hash)) return false;
  process.stderr.write('Building the console (only after its sources changed; some seconds) …\n');
  const { build } = await import('vite');
  const fresh = path.join(HERE, `dist.${process.pid}`);
  // Vite takes it from the environment, where a test runner has set its own: the browser would get React's development build.
  const environment = process.env.NODE_ENV;
  process.env.NODE_ENV = 'production';
  try {
    await build({
      configFile: path.join(HERE, 'vite.config.ts'),
      logLevel: 'warn',
      build: { outDir: fresh, emptyOutDir: true },
    });
    compress(fresh);
    writeFileSync(path.join(fresh, 'sources.sha256'), hash);
    put(fresh, hash);
  } finally {
    if (environment === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = environment;
    rmSync(fresh, { recursive: true, force: true });
  }
  return true;
};

if (import.meta.main) {
  try {
    await buildConsole({ ifStale: process.argv.includes('--if-stale') });
  } catch (error) {
    // The server is of use without its pages, and says at `/` what is missing.
    process.stderr.write(
      `The console could not be built: ${error instanceof Error ? error.message : error}\n`,
    );
    process.exitCode = process.argv.includes('--if-stale') ? 0 : 1;
  }
}
