import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AcceptanceServer, startAcceptanceServer } from '../../../sdk/acceptance.ts';
import { readmeExamples } from '../../../sdk/readme-examples.ts';

/** The Python client: the shared vectors, and its acceptance suite against a started server. Needs `python3`, `mypy` and `pyright`. */

const FOLDER = path.join(import.meta.dirname, '..', '..', '..', 'sdk', 'python');

const run = (
  args: readonly string[],
  env: Record<string, string> = {},
  command = 'python3',
  hint = 'apt-get install python3',
): Promise<{ code: number | null; output: string }> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: FOLDER,
      env: { ...process.env, PYTHONPATH: 'src', PYTHONDONTWRITEBYTECODE: '1', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.once('error', (error) => reject(new Error(`${command} is needed (${hint}): ${error.message}`)));
    child.once('close', (code) => resolve({ code, output }));
  });

let acceptance: AcceptanceServer;
beforeAll(async () => {
  acceptance = await startAcceptanceServer();
});
afterAll(() => acceptance?.close());

it('passes the vectors', async () => {
  const { code, output } = await run(['-m', 'unittest', 'tests.test_vectors']);
  expect(output).toContain('OK');
  expect(code).toBe(0);
});

it('reads answers as models, and copies clients with other options', async () => {
  const { code, output } = await run([
    '-W',
    'error',
    '-m',
    'unittest',
    'tests.test_models',
    'tests.test_options',
  ]);
  expect(output).toMatch(/Ran [1-9]\d* tests[\s\S]*OK/);
  expect(code).toBe(0);
});

it('is clean for mypy --strict', async () => {
  // A folder of `pip install --target`, where mypy is not installed for all.
  const { PYTHON_TOOLS: tools } = process.env;
  const { code, output } = await run(['-m', 'mypy'], tools === undefined ? {} : { PYTHONPATH: tools });
  expect(output).toMatch(/^Success: no issues found in [1-9]\d* source files/m);
  expect(code).toBe(0);
}, 180_000);

it('is clean for pyright in its strict mode', async () => {
  const { code, output } = await run([], {}, 'pyright', 'npm install -g pyright');
  expect(output).toContain('0 errors, 0 warnings, 0 informations');
  expect(code).toBe(0);
}, 180_000);

it('passes the acceptance suite', async () => {
  const { code, output } = await run(
    ['-W', 'error::ResourceWarning', '-m', 'unittest', 'tests.acceptance'],
    await acceptance.freshEnv(),
  );
  expect(output).toMatch(/Ran [1-9]\d* tests[\s\S]*OK/);
  expect(code).toBe(0);
}, 180_000);

it('runs every example of the README', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'pentarch-readme-'));
  try {
    const { PENTARCH_URL: url = '', PENTARCH_API_KEY: key = '' } = await acceptance.freshEnv();
    const examples = readmeExamples('python', { url, key });
    expect(examples).toHaveLength(3);
    const outputs: string[] = [];
    for (const [n, code] of examples.entries()) {
      const file = path.join(folder, `example_${n}.py`);
      writeFileSync(file, code);
      const { code: exit, output } = await run([file], { PYTHONPATH: path.join(FOLDER, 'src') });
      expect(exit, output).toBe(0);
      outputs.push(output);
    }
    expect(outputs[1]).toMatch(/The lamp burns paraffin\.\nNOT_FOUND\n$/);
    expect(outputs[2]).not.toBe('');
  } finally {
    rmSync(folder, { recursive: true });
  }
}, 180_000);

it('is importable from its built wheel alone', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'pentarch-wheel-'));
  try {
    const built = await run(['-m', 'pip', 'wheel', '--no-index', '--no-deps', '--wheel-dir', folder, '.']);
    expect(built.output).toContain('pentarch-2.0.0-py3-none-any.whl');
    const script =
      'import pentarch, pathlib; print(pathlib.Path(pentarch.__file__).with_name("py.typed").exists() or pentarch.__file__)';
    const wheel = path.join(folder, 'pentarch-2.0.0-py3-none-any.whl');
    const used = await run(['-c', script], { PYTHONPATH: wheel });
    expect(used.code, used.output).toBe(0);
    expect(used.output).toContain(wheel);
  } finally {
    rmSync(folder, { recursive: true });
  }
}, 180_000);
