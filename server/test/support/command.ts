import { type ChildProcess, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { PROGRAM } from './prepared.ts';

/** A command of the server's program as a child process, with no setting of this process but what it needs to run. */
export interface CommandResult {
  code: number | null;
  out: string;
  err: string;
}

export const startCommand = (
  args: readonly string[],
  env: Record<string, string>,
): { child: ChildProcess; done: Promise<CommandResult> } => {
  const { PATH = '', HOME = '', TMPDIR = tmpdir() } = process.env;
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd: TMPDIR,
    env: { PATH, HOME, TMPDIR, MODEL: 'builtin', SHUTDOWN_LEAD_S: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (part: Buffer) => {
    out += part.toString();
  });
  child.stderr.on('data', (part: Buffer) => {
    err += part.toString();
  });
  return {
    child,
    done: new Promise((resolve) => child.once('close', (code) => resolve({ code, out, err }))),
  };
};

export const runCommand = (args: readonly string[], env: Record<string, string>): Promise<CommandResult> =>
  startCommand(args, env).done;
