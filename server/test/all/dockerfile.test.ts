import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createClient } from '../support/client.ts';
import { freePort } from '../support/free-port.ts';
import { ADMIN } from '../support/server.ts';

/**
 * deploy/Dockerfile without a container: each stage is a folder, COPY copies what git has, RUN runs in the stage's folder, and
 * what the last stage holds is started as its ENTRYPOINT says. npm takes everything from its cache, which `npm ci` has filled.
 */

vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000 });

const ROOT = path.join(import.meta.dirname, '..', '..', '..');
const NODE_BIN = path.join(ROOT, 'node_modules', 'node', 'bin');

interface Instruction {
  name: string;
  rest: string;
}

const instructionsOf = (text: string): Instruction[] =>
  text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      const [name = '', ...words] = line.split(/\s+/);
      return { name, rest: words.join(' ') };
    });

let home: string;
/** What the build sees: files that git has, none that lie about. */
let context: string;
/** Folder of each stage by name and number. */
const stages = new Map<string, string>();
let last = {
  folder: '',
  env: {} as Record<string, string>,
  entrypoint: [] as string[],
  cmd: [] as string[],
  user: '',
};

const place = (stage: string, file: string): string =>
  path.join(stage, file.startsWith('/') ? file : `/app/${file}`);

const copy = (stage: string, rest: string): void => {
  const words = rest.split(' ');
  const from = words[0]?.startsWith('--from=') === true ? words.shift()?.slice('--from='.length) : undefined;
  const target = words.pop() ?? '';
  const isFolder = target.endsWith('/') || target === './' || words.length > 1;
  for (const source of words) {
    const base = from === undefined ? context : (stages.get(from) ?? '');
    const found = path.join(base, source);
    // Docker copies a folder's content, and a file under its own name into a folder.
    const into =
      source.endsWith('/') || !isFolder
        ? place(stage, target)
        : path.join(place(stage, target), path.basename(source));
    mkdirSync(path.dirname(into), { recursive: true });
    cpSync(found, into, { recursive: true, verbatimSymlinks: true });
  }
};

const run = (stage: string, command: string): void => {
  // What only root of a machine can do is asked of the instruction itself, below.
  if (command.startsWith('install -d')) return;
  const { status, stdout, stderr } = spawnSync('sh', ['-ec', command], {
    cwd: place(stage, '.'),
    encoding: 'utf8',
    env: {
      PATH: `${NODE_BIN}:${process.env.PATH ?? ''}`,
      HOME: process.env.HOME ?? '',
      npm_config_offline: 'true',
      npm_config_update_notifier: 'false',
    },
  });
  if (status !== 0) throw new Error(`RUN ${command}: ${stdout.slice(-1_000)}${stderr.slice(-1_000)}`);
};

beforeAll(() => {
  home = mkdtempSync(path.join(tmpdir(), 'pentarch-image-'));
  context = path.join(home, 'context');
  mkdirSync(context);
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' })
    .split('\0')
    .filter(Boolean);
  for (const file of files) {
    if (existsSync(path.join(ROOT, file))) cpSync(path.join(ROOT, file), path.join(context, file));
  }
  for (const { name, rest } of instructionsOf(
    readFileSync(path.join(ROOT, 'deploy', 'Dockerfile'), 'utf8'),
  )) {
    if (name === 'FROM') {
      const [base = '', , as = String(stages.size)] = rest.split(' ');
      const folder = path.join(home, `stage-${as}`);
      const before = stages.get(base);
      mkdirSync(path.join(folder, 'app'), { recursive: true });
      if (before !== undefined) cpSync(before, folder, { recursive: true });
      stages.set(as, folder);
      last = { folder, env: {}, entrypoint: [], cmd: [], user: 'root' };
    } else if (name === 'COPY') copy(last.folder, rest);
    else if (name === 'RUN') run(last.folder, rest);
    else if (name === 'ENV')
      for (const pair of rest.split(' ')) last.env[pair.split('=')[0] ?? ''] = pair.split('=')[1] ?? '';
    else if (name === 'ENTRYPOINT') last.entrypoint = JSON.parse(rest) as string[];
    else if (name === 'CMD') last.cmd = JSON.parse(rest) as string[];
    else if (name === 'USER') last.user = rest;
  }
});
afterAll(() => {
  if (home !== undefined) rmSync(home, { recursive: true, force: true });
});

describe('the image', () => {
  it('holds what the program needs and no more, and runs its own doctor', async () => {
    expect(last.user).toBe('node');
    const app = path.join(last.folder, 'app');
    for (const needless of [
      'console/src',
      'server/test',
      'docs',
      'node_modules/vitest',
      'node_modules/typescript',
    ]) {
      expect(existsSync(path.join(app, needless)), needless).toBe(false);
    }
    expect(existsSync(path.join(app, 'console', 'dist', 'index.html'))).toBe(true);
    expect([last.entrypoint, last.cmd]).toEqual([
      ['node', '--max-semi-space-size=64', 'server/src/start.js'],
      ['serve'],
    ]);
    const env = {
      ...last.env,
      PATH: `${NODE_BIN}:/usr/bin:/bin`,
      HOST: '127.0.0.1',
      PORT: String(await freePort()),
      DATA_DIR: path.join(home, 'data'),
    };
    const [program = '', ...args] = last.entrypoint;
    const found = spawnSync(program, [...args, 'migrate'], { cwd: app, env, encoding: 'utf8' });
    expect(found.status, found.stderr).toBe(0);
    const doctor = spawnSync(program, [...args, 'doctor', '--offline'], { cwd: app, env, encoding: 'utf8' });
    expect(doctor.status, doctor.stdout + doctor.stderr).toBe(0);
    // A document goes through the parser and the embedding model, whose libraries the image has thinned out.
    const child = spawn(program, [...args, ...last.cmd], {
      cwd: app,
      env: { ...env, ADMIN_PASSWORD: ADMIN.password, RATE_LIMITS: 'off', SHUTDOWN_LEAD_S: '0' },
      stdio: 'ignore',
    });
    try {
      const client = createClient(() => `http://127.0.0.1:${env.PORT}`, null);
      const ready = async (): Promise<number> =>
        client.get('/ready').then(
          (answer) => answer.status,
          () => 0,
        );
      await expect.poll(ready, { timeout: 120_000, interval: 500 }).toBe(200);
      const token = (await client.post('/v2/auth/login', ADMIN)).json<{ access_token: string }>()
        .access_token;
      const admin = createClient(() => `http://127.0.0.1:${env.PORT}`, token);
      const made = await admin.post('/v2/knowledge/documents', {
        title: 'Lens',
        content: 'Polishing the lens.',
      });
      expect(made.status, made.text).toBe(201);
      const hits = await admin.post('/v2/knowledge/search', { query: 'How does one polish glass?' });
      expect(hits.text).toContain('Polishing the lens.');
      const page = await fetch(`http://127.0.0.1:${env.PORT}/`, { headers: { accept: 'text/html' } });
      expect(await page.text()).toContain('<html');
    } finally {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
  });
});
