/** Child processes of the bench: started with a clean environment, all stopped by their id at the end. */
import { type ChildProcess, spawn } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Child {
  process: ChildProcess;
  name: string;
}

export interface Started extends Child {
  pid: number;
  /** Address that the process announced. */
  url: string;
  /** Milliseconds from spawn to the announcement. */
  startMs: number;
}

export interface StartOptions {
  name: string;
  /** Script and its arguments. */
  args: readonly string[];
  env?: Record<string, string>;
  /** Standard output and error go to this file: reading a pipe would take CPU from the measured process. */
  logFile: string;
  /** True for the JSON line of the log that carries `url`. */
  announces(line: Record<string, unknown>): boolean;
  timeoutMs: number;
}

const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

const jsonLine = (line: string): Record<string, unknown> | undefined => {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
};

/** Nothing of the caller's settings reaches the child, but what Node needs to run. */
const cleanEnvironment = (): Record<string, string> => {
  const { PATH = '', HOME = '', TMPDIR } = process.env;
  return { PATH, HOME, ...(TMPDIR === undefined ? {} : { TMPDIR }), NODE_ENV: 'production' };
};

/** Starts a Node process and waits for its address. Throws with the end of its output when it does not come. */
export const start = async (options: StartOptions): Promise<Started> => {
  const log = openSync(options.logFile, 'a');
  const startedAt = performance.now();
  const child = spawn(process.execPath, options.args, {
    env: { ...cleanEnvironment(), ...options.env },
    stdio: ['ignore', log, log],
  });
  children.add(child);
  let ended: string | undefined;
  child.once('error', (error) => {
    ended = String(error);
  });
  child.once('exit', (code, signal) => {
    children.delete(child);
    ended ??= `ended with ${signal ?? `code ${code}`}`;
  });
  const readAll = (): string => readFileSync(options.logFile, 'utf8');
  const fail = async (why: string): Promise<never> => {
    await stop({ process: child, name: options.name });
    const said = readAll()
      .split('\n')
      .filter((line) => line.trim() !== '' && !/^\s+at /.test(line));
    throw new Error(`${options.name} ${why}\n${said.slice(-8).join('\n')}`);
  };
  while (performance.now() - startedAt < options.timeoutMs) {
    for (const line of readAll().split('\n')) {
      const entry = jsonLine(line);
      if (entry === undefined || typeof entry.url !== 'string' || !options.announces(entry)) continue;
      const startMs = performance.now() - startedAt;
      return { process: child, name: options.name, pid: child.pid!, url: entry.url, startMs };
    }
    if (ended !== undefined) return fail(ended);
    await sleep(20);
  }
  return fail(`did not announce its address within ${options.timeoutMs} ms`);
};

export interface ProgramOptions {
  name: string;
  command: string;
  args: readonly string[];
  cwd: string;
  env: Record<string, string>;
  logFile: string;
  /** Where it will listen. It is ready as soon as something answers there, whatever it says. */
  url: string;
  timeoutMs: number;
}

/** Starts a program that does not announce its address. Throws with the end of its output when nothing answers in time. */
export const startProgram = async (options: ProgramOptions): Promise<Started> => {
  const log = openSync(options.logFile, 'a');
  const startedAt = performance.now();
  const child = spawn(options.command, options.args, {
    cwd: options.cwd,
    env: { ...cleanEnvironment(), ...options.env },
    stdio: ['ignore', log, log],
  });
  children.add(child);
  let ended = false;
  child.once('error', () => {
    ended = true;
  });
  child.once('exit', () => {
    children.delete(child);
    ended = true;
  });
  while (!ended && performance.now() - startedAt < options.timeoutMs) {
    const answered = await fetch(options.url, { signal: AbortSignal.timeout(2_000) }).then(
      () => true,
      () => false,
    );
    if (answered && child.pid !== undefined) {
      const startMs = performance.now() - startedAt;
      return { process: child, name: options.name, pid: child.pid, url: options.url, startMs };
    }
    await sleep(100);
  }
  await stop({ process: child, name: options.name });
  const said = readFileSync(options.logFile, 'utf8').trim().split('\n').slice(-8).join('\n');
  throw new Error(`${options.name} did not answer within ${options.timeoutMs} ms\n${said}`);
};

/** Ends a process by SIGTERM, after 10 s by SIGKILL. Resolves when it is gone. */
export const stop = async (child: Child): Promise<void> => {
  const { process: running } = child;
  if (running.exitCode !== null || running.signalCode !== null || running.pid === undefined) return;
  const gone = new Promise<void>((done) => running.once('exit', () => done()));
  running.kill('SIGTERM');
  const timer = setTimeout(() => running.kill('SIGKILL'), 10_000);
  await gone;
  clearTimeout(timer);
};

/** Stops what is still running of all that `start` started. */
export const stopAll = async (): Promise<void> => {
  await Promise.all([...children].map((child) => stop({ process: child, name: 'child' })));
};
