import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Files, tarballOf, zipOf } from './archives.ts';

/**
 * Builds the packages of the three clients into sdk/dist, from where the server hands them out at /sdk/: a wheel, an npm tarball, and
 * what a Go module proxy answers. Needs neither Python nor Go. `--if-stale` does so only when the sources have changed since.
 */

const HERE = import.meta.dirname;
const ROOT = path.join(HERE, '..');
const DIST = path.join(HERE, 'dist');
const GO_MODULE = 'github.com/pentarch/pentarch/sdk/go/v2';
const SOURCES = [
  'LICENSE',
  'tsconfig.base.json',
  'sdk/{build,archives}.ts',
  'sdk/typescript/{README.md,package.json,pack.ts,tsconfig.json}',
  'sdk/typescript/src/**/*.ts',
  'sdk/python/{README.md,metadata.txt,pyproject.toml,build_backend.py}',
  'sdk/python/src/**/*.{py,typed}',
  'sdk/go/*',
];

const filesOf = (patterns: readonly string[], cwd: string): string[] =>
  globSync([...patterns], { cwd, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('__pycache__'))
    .map((entry) => path.relative(cwd, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'))
    .sort();

const readAll = (names: readonly string[], cwd: string, prefix: string): [string, Buffer][] =>
  names.map((name) => [prefix + name, readFileSync(path.join(cwd, name))]);

const sha256 = (data: Buffer, encoding: 'hex' | 'base64url' = 'hex'): string =>
  createHash('sha256').update(data).digest(encoding);

const versionOf = (file: string, pattern: RegExp): string => {
  const found = pattern.exec(readFileSync(path.join(HERE, file), 'utf8'))?.[1];
  if (found === undefined) throw new Error(`${file} names no version`);
  return found;
};

interface Package {
  readonly language: 'typescript' | 'python' | 'go';
  readonly name: string;
  readonly version: string;
  /** Below /sdk/. */
  readonly file: string;
  readonly bytes: Buffer;
}

/** As sdk/python/build_backend.py builds it (PEP 427). */
const wheel = (): Package => {
  const folder = path.join(HERE, 'python');
  const version = versionOf('python/src/pentarch/_version.py', /^VERSION = "([^"]+)"/m);
  const src = path.join(folder, 'src');
  const files = new Map(readAll(filesOf(['pentarch/**/*.py', 'pentarch/py.typed'], src), src, ''));
  const info = `pentarch-${version}.dist-info`;
  const template = readFileSync(path.join(folder, 'metadata.txt'), 'utf8');
  const readme = readFileSync(path.join(folder, 'README.md'), 'utf8');
  files.set(
    `${info}/METADATA`,
    Buffer.from(`${template.replace('{version}', version).trimEnd()}\n\n${readme}`),
  );
  files.set(
    `${info}/WHEEL`,
    Buffer.from('Wheel-Version: 1.0\nGenerator: pentarch\nRoot-Is-Purelib: true\nTag: py3-none-any\n'),
  );
  files.set(`${info}/licenses/LICENSE`, readFileSync(path.join(ROOT, 'LICENSE')));
  const record = [...files].map(
    ([name, data]) => `${name},sha256=${sha256(data, 'base64url')},${data.length}\n`,
  );
  files.set(`${info}/RECORD`, Buffer.from(`${record.join('')}${info}/RECORD,,\n`));
  const file = `pentarch-${version}-py3-none-any.whl`;
  return { language: 'python', name: 'pentarch', version, file, bytes: zipOf(files) };
};

const tarball = (): Package => {
  const folder = mkdtempSync(path.join(tmpdir(), 'pentarch-sdk-'));
  try {
    const packing = spawnSync(process.execPath, [path.join(HERE, 'typescript', 'pack.ts'), folder], {
      encoding: 'utf8',
    });
    if (packing.status !== 0) throw new Error(`sdk/typescript: ${packing.stdout}${packing.stderr}`);
    const files = new Map(readAll(filesOf(['**/*'], folder), folder, 'package/'));
    const version = versionOf('typescript/package.json', /"version": "([^"]+)"/);
    const file = `pentarch-sdk-${version}.tgz`;
    return { language: 'typescript', name: 'pentarch-sdk', version, file, bytes: tarballOf(files) };
  } finally {
    rmSync(folder, { recursive: true });
  }
};

/** The same files as `go` itself takes from the repository's tag `sdk/go/v…`, so that both have one checksum in go.sum. */
const goModule = (): Package => {
  const folder = path.join(HERE, 'go');
  const version = `v${versionOf('go/version.go', /^const Version = "([^"]+)"/m)}`;
  const prefix = `${GO_MODULE}@${version}/`;
  const files = new Map([
    ...readAll(filesOf(['*'], folder), folder, prefix),
    ...readAll(['LICENSE'], ROOT, prefix),
  ]);
  const sorted: Files = new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
  const file = `go/${GO_MODULE}/@v/${version}.zip`;
  return { language: 'go', name: GO_MODULE, version, file, bytes: zipOf(sorted) };
};

/** What else a module proxy answers (go.dev/ref/mod#goproxy-protocol). */
const proxyFiles = ({ version }: Package): [string, Buffer][] => {
  const info = Buffer.from(`${JSON.stringify({ Version: version, Time: '1980-01-01T00:00:00Z' })}\n`);
  const base = `go/${GO_MODULE}`;
  return [
    [`${base}/@v/list`, Buffer.from(`${version}\n`)],
    [`${base}/@v/${version}.info`, info],
    [`${base}/@v/${version}.mod`, readFileSync(path.join(HERE, 'go', 'go.mod'))],
    [`${base}/@latest`, info],
  ];
};

/** A hash over name and content of everything that goes in. */
const sourcesHash = (): string => {
  const hash = createHash('sha256');
  for (const name of filesOf(SOURCES, ROOT))
    hash
      .update(name)
      .update('\0')
      .update(readFileSync(path.join(ROOT, name)));
  return hash.digest('hex');
};

const stamp = path.join(DIST, 'sources.sha256');
const isFresh = (hash: string): boolean => existsSync(stamp) && readFileSync(stamp, 'utf8') === hash;

/** Puts the new folder in place of the old by renames; who comes second leaves it be. */
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

/** Everything that stands below /sdk/, by its name there. */
export const buildFiles = (): Files => {
  const packages = [tarball(), wheel(), goModule()];
  const files = new Map(packages.map(({ file, bytes }) => [file, bytes]));
  for (const one of packages)
    if (one.language === 'go') for (const [n, b] of proxyFiles(one)) files.set(n, b);
  const listed = packages.map(({ bytes, ...rest }) => ({
    ...rest,
    size: bytes.length,
    sha256: sha256(bytes),
  }));
  files.set('packages.json', Buffer.from(`${JSON.stringify({ packages: listed }, null, 2)}\n`));
  return files;
};

/** True when it built, false when what stood there was fresh. */
export const buildClients = (options: { ifStale: boolean }): boolean => {
  const hash = sourcesHash();
  if (options.ifStale && isFresh(hash)) return false;
  const fresh = path.join(HERE, `dist.${process.pid}`);
  try {
    for (const [name, bytes] of buildFiles()) {
      mkdirSync(path.dirname(path.join(fresh, name)), { recursive: true });
      writeFileSync(path.join(fresh, name), bytes);
    }
    writeFileSync(path.join(fresh, 'sources.sha256'), hash);
    if (!options.ifStale) rmSync(stamp, { force: true });
    put(fresh, hash);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return true;
};

if (import.meta.main) {
  const ifStale = process.argv.includes('--if-stale');
  try {
    buildClients({ ifStale });
  } catch (error) {
    // The server is of use without them, and says at /sdk/ what is missing.
    process.stderr.write(
      `The clients could not be built: ${error instanceof Error ? error.message : error}\n`,
    );
    process.exitCode = ifStale ? 0 : 1;
  }
}
