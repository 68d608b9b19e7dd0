import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * `node sdk/typescript/pack.ts [folder]` builds into the folder, by default dist/: JavaScript, types and a package.json
 * of its own, which is what `npm pack` and `npm publish` take.
 */

const HERE = import.meta.dirname;
const ROOT = path.join(HERE, '..', '..');
const DIST = path.resolve(process.argv[2] ?? path.join(HERE, 'dist'));

// A folder that somebody named is theirs: only our own is emptied.
if (process.argv[2] === undefined) rmSync(DIST, { recursive: true, force: true });
const built = spawnSync(
  process.execPath,
  [path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', HERE, '--outDir', DIST],
  {
    stdio: 'inherit',
  },
);
if (built.status !== 0) process.exit(built.status ?? 1);

const {
  private: _private,
  exports: _exports,
  ...kept
} = JSON.parse(readFileSync(path.join(HERE, 'package.json'), 'utf8')) as Record<string, unknown>;
const manifest = {
  ...kept,
  exports: { '.': { types: './index.d.ts', default: './index.js' } },
  types: './index.d.ts',
};
writeFileSync(path.join(DIST, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
copyFileSync(path.join(HERE, 'README.md'), path.join(DIST, 'README.md'));
copyFileSync(path.join(ROOT, 'LICENSE'), path.join(DIST, 'LICENSE'));
