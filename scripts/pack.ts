import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildConsole } from '../console/build.ts';
import { buildClients } from '../sdk/build.ts';

/**
 * `npm run pack [-- FOLDER]` makes what is published: the tarballs of `pentarch` (the server with its console), `pentarch-cli` and
 * `pentarch-sdk`, by default in dist/. They hold JavaScript, since Node strips no types under node_modules. The server's brings our own
 * packages (packages/) in its node_modules.
 */

const ROOT = path.join(import.meta.dirname, '..');
const OUT = path.resolve(process.argv[2] ?? path.join(ROOT, 'dist'));

type Manifest = Record<string, unknown>;

const run = (command: string, args: readonly string[], cwd = ROOT): string => {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stdout}${stderr}`);
  return stdout;
};

const node = (script: readonly string[], ...args: string[]): void => {
  run(process.execPath, [path.join(ROOT, ...script), ...args]);
};
const TSC = ['node_modules', 'typescript', 'bin', 'tsc'];

const manifestOf = (folder: string): Manifest => {
  const { private: _private, ...kept } = JSON.parse(
    readFileSync(path.join(ROOT, folder, 'package.json'), 'utf8'),
  ) as Manifest;
  return kept;
};

const finish = (stage: string, manifest: Manifest): void => {
  writeFileSync(path.join(stage, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  cpSync(path.join(ROOT, 'LICENSE'), path.join(stage, 'LICENSE'));
  if (!readdirSync(stage).includes('README.md')) {
    cpSync(path.join(ROOT, 'README.md'), path.join(stage, 'README.md'));
  }
  run('npm', ['pack', stage, '--pack-destination', OUT, '--ignore-scripts'], OUT);
};

/** Compiles a folder of sources whose types `npm run check` has looked at; what they import is not followed. */
const compile = (source: string, out: string): void => {
  const config = path.join(out, '..', 'tsconfig.json');
  writeFileSync(
    config,
    JSON.stringify({
      extends: path.join(ROOT, 'tsconfig.base.json'),
      compilerOptions: {
        rootDir: source,
        outDir: out,
        noCheck: true,
        noResolve: true,
        types: [],
        allowImportingTsExtensions: false,
      },
      include: [`${source}/**/*.ts`],
      exclude: [`${source}/**/*.test.ts`, `${source}/**/testing/**`],
    }),
  );
  node(TSC, '-p', config);
  rmSync(config);
};

const dependenciesOf = (manifest: Manifest): Record<string, string> => ({
  ...(manifest.dependencies as Record<string, string> | undefined),
});

/** Our own packages, as the server's node_modules holds them. Returns what they need of others. */
const bundlePackages = (stage: string): { names: string[]; needs: Record<string, string> } => {
  const folders = readdirSync(path.join(ROOT, 'packages')).map((name) => path.join('packages', name));
  const names = folders.map((folder) => String(manifestOf(folder).name));
  const needs: Record<string, string> = {};
  for (const [i, folder] of folders.entries()) {
    const to = path.join(stage, 'node_modules', names[i] ?? '');
    mkdirSync(to, { recursive: true });
    compile(path.join(ROOT, folder, 'src'), path.join(to, 'dist'));
    cpSync(path.join(ROOT, folder, 'README.md'), path.join(to, 'README.md'));
    const manifest = { ...manifestOf(folder), exports: { '.': './dist/index.js' } };
    writeFileSync(path.join(to, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
    Object.assign(needs, dependenciesOf(manifest));
  }
  return { names, needs };
};

const packServer = (stage: string): void => {
  compile(path.join(ROOT, 'server', 'src'), path.join(stage, 'dist'));
  cpSync(path.join(ROOT, 'server', 'models'), path.join(stage, 'models'), { recursive: true });
  cpSync(path.join(ROOT, 'server', 'bin'), path.join(stage, 'bin'), { recursive: true });
  cpSync(path.join(ROOT, 'console', 'dist'), path.join(stage, 'console'), { recursive: true });
  cpSync(path.join(ROOT, 'sdk', 'dist'), path.join(stage, 'clients'), { recursive: true });
  const { devDependencies: _dev, ...manifest } = manifestOf('server');
  const { names, needs } = bundlePackages(stage);
  finish(stage, {
    ...manifest,
    dependencies: { ...dependenciesOf(manifest), ...needs },
    bundleDependencies: names,
    bin: { 'pentarch-server': 'bin/pentarch-server.js' },
    engines: { node: '>=24' },
  });
};

const packCli = (stage: string): void => {
  compile(path.join(ROOT, 'cli', 'src'), path.join(stage, 'dist'));
  mkdirSync(path.join(stage, 'bin'));
  const bin = readFileSync(path.join(ROOT, 'cli', 'bin', 'pentarch.js'), 'utf8');
  const put = bin.replace("'src',\n  'main.ts'", "'dist',\n  'main.js'");
  if (put === bin) throw new Error('cli/bin/pentarch.js names no src/main.ts');
  writeFileSync(path.join(stage, 'bin', 'pentarch.js'), put, { mode: 0o755 });
  finish(stage, { ...manifestOf('cli'), engines: { node: '>=24' } });
};

mkdirSync(OUT, { recursive: true });
const home = mkdtempSync(path.join(tmpdir(), 'pentarch-pack-'));
try {
  await buildConsole({ ifStale: true });
  buildClients({ ifStale: true });
  const stage = (name: string): string => {
    const folder = path.join(home, name);
    mkdirSync(folder);
    return folder;
  };
  packServer(stage('server'));
  packCli(stage('cli'));
  const sdk = stage('sdk');
  node(['sdk', 'typescript', 'pack.ts'], sdk);
  run('npm', ['pack', sdk, '--pack-destination', OUT, '--ignore-scripts'], OUT);
} finally {
  rmSync(home, { recursive: true, force: true });
}
for (const name of readdirSync(OUT).filter((file) => file.endsWith('.tgz'))) {
  process.stdout.write(`${path.join(OUT, name)}\n`);
}
