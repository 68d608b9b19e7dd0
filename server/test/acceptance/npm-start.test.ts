import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it } from 'vitest';
import { req } from '../requirements.ts';

/** The command that the README names, as a person or a supervisor runs and ends it. */
const REPOSITORY = path.join(import.meta.dirname, '..', '..', '..');

let folder = '';
let npm: ChildProcess | null = null;
afterEach(() => {
  // Its group: npm, the shell and the server.
  try {
    if (npm?.pid !== undefined) process.kill(-npm.pid, 'SIGKILL');
  } catch {
    // All have ended, as they should.
  }
  rmSync(folder, { recursive: true, force: true });
});

interface Line {
  msg?: string;
  url?: string;
}

/** Resolves when the server listens; without `prestart`, which makes the console. */
const start = async (): Promise<{ ended: Promise<number | null>; lines: Line[]; url: string }> => {
  folder = mkdtempSync(path.join(tmpdir(), 'pentarch-npm-'));
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn('npm', ['start', '--ignore-scripts', '--silent'], {
    cwd: REPOSITORY,
    env: {
      PATH,
      HOME,
      HOST: '127.0.0.1',
      PORT: '0',
      DATA_DIR: path.join(folder, 'data'),
      MCP_BUILTIN: 'off',
      SHUTDOWN_LEAD_S: '0',
    },
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  npm = child;
  const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  const lines: Line[] = [];
  createInterface({ input: child.stdout }).on('line', (text) => {
    if (text.startsWith('{')) lines.push(JSON.parse(text) as Line);
  });
  await expect
    .poll(() => lines.some((line) => line.msg === 'listening'), { timeout: 120_000, interval: 50 })
    .toBe(true);
  const url = String(lines.find((line) => line.msg === 'listening')?.url);
  return { ended, lines, url };
};

describe('npm start', () => {
  it.each(['SIGTERM', 'SIGKILL'] as const)(
    req('SYS-11', '%s of npm ends the server, which closes all as on a SIGTERM of its own'),
    { timeout: 240_000 },
    async (signal) => {
      const { ended, lines, url } = await start();
      const answers = () =>
        fetch(`${url}/health`).then(
          () => true,
          () => false,
        );
      expect(await answers()).toBe(true);
      npm?.kill(signal);
      await ended;
      await expect.poll(answers, { timeout: 60_000 }).toBe(false);
      expect(lines.map((line) => line.msg)).toContain('stopping');
    },
  );
});
