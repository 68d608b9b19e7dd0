import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { startServer } from '../server/test/support/server.ts';

/**
 * What the clients add: 100 sequential calls of `GET /api/v1/agents/zeus` through each library against the bare HTTP of its
 * language, over one kept connection each, both reading the JSON. Rounds alternate; the figure is the ratio of medians.
 * Needs python3 and go. `node bench/clients.ts [rounds]`
 */

const CALLS = 100;
const rounds = Number(process.argv[2] ?? 9);
const ROOT = path.join(import.meta.dirname, '..');

interface Times {
  bareMs: number[];
  libraryMs: number[];
}

const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
};

const server = await startServer();
const folder = mkdtempSync(path.join(tmpdir(), 'pentarch-bench-clients-'));
try {
  const admin = await server.signIn();
  const made = await admin.post('/v2/auth/api-keys', { name: 'bench' });
  const env = {
    ...process.env,
    PENTARCH_URL: server.url,
    PENTARCH_API_KEY: made.json<{ key: string }>().key,
    CALLS: String(CALLS),
    ROUNDS: String(rounds),
    PYTHONPATH: path.join(ROOT, 'sdk', 'python', 'src'),
    PYTHONDONTWRITEBYTECODE: '1',
    GOPROXY: 'off',
    GOTOOLCHAIN: 'local',
    GOFLAGS: '-mod=mod -buildvcs=false',
  };
  // Not in step: the server's log must be read meanwhile, or its pipe fills and it stands still.
  const run = async (command: string, args: readonly string[]): Promise<string> =>
    (await promisify(execFile)(command, args, { env, cwd: folder })).stdout;

  const module = 'github.com/pentarch/pentarch/sdk/go/v2';
  copyFileSync(path.join(ROOT, 'bench', 'clients', 'main.go'), path.join(folder, 'main.go'));
  await run('go', ['mod', 'init', 'example.test/calls']);
  await run('go', [
    'mod',
    'edit',
    `-replace=${module}=${path.join(ROOT, 'sdk', 'go')}`,
    `-require=${module}@v2.0.0`,
  ]);
  await run('go', ['build', '-o', 'calls', '.']);

  const languages: readonly [string, string, () => Promise<string>][] = [
    ['TypeScript', 'fetch', () => run(process.execPath, [path.join(ROOT, 'bench', 'clients', 'calls.ts')])],
    ['Python', 'http.client', () => run('python3', [path.join(ROOT, 'bench', 'clients', 'calls.py')])],
    ['Go', 'net/http', () => run(path.join(folder, 'calls'), [])],
  ];
  process.stdout.write(`| ${CALLS} calls | bare | ms | library, ms | ratio |\n|---|---|---|---|---|\n`);
  for (const [language, bare, times] of languages) {
    // The programs beside this one print exactly this.
    const { bareMs, libraryMs } = JSON.parse(await times()) as Times;
    const [base, ours] = [median(bareMs), median(libraryMs)];
    process.stdout.write(
      `| ${language} | ${bare} | ${base.toFixed(0)} | ${ours.toFixed(0)} | ${(ours / base).toFixed(2)} |\n`,
    );
  }
} finally {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
}
