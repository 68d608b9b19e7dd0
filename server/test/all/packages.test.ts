import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createDocShell, type DocShell, ROOT } from '../support/doc-shell.ts';

/**
 * What `npm run pack` makes, as others get it: unpacked into an empty folder, with the declared dependencies and nothing else
 * beside it. Nothing is fetched: the dependencies are this repository's own, so one that is not declared is missing.
 */

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const NAMES = ['pentarch', 'pentarch-cli', 'pentarch-sdk'] as const;
interface Manifest {
  version: string;
  private?: boolean;
  license?: string;
  bin?: Record<string, string>;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

let home: string;
let project: string;
let shell: DocShell;

const run = (command: string, args: readonly string[], cwd: string): void => {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stdout}${stderr}`);
};
const folderOf = (name: string): string => path.join(project, 'node_modules', name);
const manifestOf = (name: string): Manifest =>
  JSON.parse(readFileSync(path.join(folderOf(name), 'package.json'), 'utf8')) as Manifest;

beforeAll(() => {
  home = mkdtempSync(path.join(tmpdir(), 'pentarch-packages-'));
  const packed = path.join(home, 'packed');
  run(process.execPath, [path.join(ROOT, 'scripts', 'pack.ts'), packed], ROOT);
  project = path.join(home, 'project');
  for (const name of NAMES) {
    const folder = folderOf(name);
    mkdirSync(folder, { recursive: true });
    const tarball = readdirSync(packed).find((file) => new RegExp(`^${name}-\\d.*\\.tgz$`).test(file)) ?? '';
    run('tar', ['-xzf', path.join(packed, tarball), '--strip-components', '1', '-C', folder], packed);
  }
  for (const name of NAMES) {
    for (const dependency of Object.keys(manifestOf(name).dependencies ?? {})) {
      const link = folderOf(dependency);
      if (existsSync(link)) continue;
      mkdirSync(path.dirname(link), { recursive: true });
      const nested = path.join(ROOT, 'server', 'node_modules', dependency);
      symlinkSync(existsSync(nested) ? nested : path.join(ROOT, 'node_modules', dependency), link);
    }
  }
  shell = createDocShell(home);
});
afterAll(() => {
  if (home !== undefined) rmSync(home, { recursive: true, force: true });
});

describe('the packages that are published', () => {
  it.each(NAMES)('%s says what it is, and holds JavaScript alone', (name) => {
    const { version, license, private: hidden, devDependencies } = manifestOf(name);
    expect({ version, license, hidden, devDependencies }).toEqual({
      version: '2.0.0',
      license: 'Apache-2.0',
      hidden: undefined,
      devDependencies: undefined,
    });
    const files = readdirSync(folderOf(name), { recursive: true, encoding: 'utf8' });
    expect(files.filter((file) => /(?<!\.d)\.tsx?$|\.test\.js$/.test(file))).toEqual([]);
    expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json']));
  });

  it('bring our own packages within the server’s', () => {
    const { dependencies = {} } = manifestOf('pentarch');
    for (const name of ['pentarch-prose', 'pentarch-memory-patterns', 'pentarch-builtin-model']) {
      expect(existsSync(path.join(folderOf('pentarch'), 'node_modules', name, 'dist', 'index.js'))).toBe(
        true,
      );
    }
    // What a bundled package needs of others is installed with the server.
    expect(dependencies).toHaveProperty('chrono-node');
  });

  it('start the server with its console, which the command line signs in to, reads a PDF for, and asks', async () => {
    const cli = path.join(folderOf('pentarch-cli'), manifestOf('pentarch-cli').bin?.pentarch ?? '');
    const env = {
      HOST: '127.0.0.1',
      PORT: '0',
      DATA_DIR: path.join(home, 'data'),
      ADMIN_PASSWORD: 'correct horse battery staple',
      MODEL: 'builtin',
      XDG_CONFIG_HOME: path.join(home, 'config'),
    };
    const serving = shell.start(`exec node ${cli} serve`, { env, cwd: project });
    try {
      const [, url = ''] = await serving.said(/"url":"([^"]+)","port".*"msg":"listening"/);
      const page = await fetch(url, { headers: { accept: 'text/html' } });
      expect(await page.text()).toContain('<div id="root">');
      const asked = async (command: string, input = ''): Promise<string> => {
        const ended = await shell.run(`node ${cli} ${command}`, { env, input, cwd: project });
        expect(ended.code, ended.err).toBe(0);
        return ended.out;
      };
      await asked(`login --url ${url} --email admin@localhost --password-stdin`, `${env.ADMIN_PASSWORD}\n`);
      const handbook = path.join(ROOT, 'server', 'test', 'fixtures', 'keepers-handbook.pdf');
      await asked(`documents add ${handbook}`);
      expect(await asked('chat "How many leave days does a first assistant have?"')).toContain('34');
    } finally {
      serving.signal('SIGTERM');
      expect((await serving.ended).code).toBe(0);
    }
  });

  it('have a program for the server alone', async () => {
    const bin = path.join(folderOf('pentarch'), manifestOf('pentarch').bin?.['pentarch-server'] ?? '');
    const help = await shell.run(`node ${bin} --help`, { cwd: project });
    expect(help.code, help.err).toBe(0);
    expect(help.out).toContain('backup');
  });
});
