import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';

/** The command line as a process of its own, with nothing of this process's settings. */

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  json<T>(): T;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** What is piped in; without it standard input is at its end. */
  readonly input?: string;
  readonly cwd?: string;
}

export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves when the text has come on either stream. */
  said(text: RegExp): Promise<RegExpExecArray>;
}

const BIN = path.join(import.meta.dirname, '..', 'bin', 'pentarch.js');

export const start = (args: readonly string[], options: RunOptions = {}): Started => {
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '' } = process.env;
  const child = spawn(process.execPath, [BIN, ...args], {
    cwd: options.cwd ?? process.cwd(),
    env: { PATH, HOME, NODE_COMPILE_CACHE, ...options.env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  const listeners = new Set<() => void>();
  const tell = (): void => {
    for (const listener of [...listeners]) listener();
  };
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
    tell();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
    tell();
  });
  // A command that does not read ends before all is written.
  child.stdin.on('error', () => {});
  if (options.input === undefined) child.stdin.end();
  else child.stdin.end(options.input);
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      resolve({
        code,
        stdout,
        stderr,
        json: <T>(): T => JSON.parse(stdout) as T,
      });
      tell();
    });
  });
  return {
    child,
    ended,
    said: (text) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = text.exec(stdout + stderr);
          if (found === null && child.exitCode === null) return;
          listeners.delete(look);
          if (found === null) reject(new Error(`ended without ${text}: ${stdout}${stderr}`));
          else resolve(found);
        };
        listeners.add(look);
        look();
      }),
  };
};

export const run = (args: readonly string[], options: RunOptions = {}): Promise<Ended> =>
  start(args, options).ended;
