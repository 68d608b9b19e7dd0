import { enableCompileCache } from 'node:module';
import process from 'node:process';
import { CommanderError } from 'commander';
import type { Runtime } from './context.ts';
import { failureOf, usage } from './errors.ts';
import { createOutput, type Sink } from './output.ts';
import { buildProgram } from './program.ts';
import { handOn, serverCommandOf } from './server-commands.ts';

/** Arguments, signals and streams of the process; the only file that touches them. */

const sink = (stream: NodeJS.WriteStream): Sink => ({
  write: (text) => void stream.write(text),
  get isTTY() {
    return stream.isTTY === true;
  },
  get columns() {
    return stream.isTTY ? stream.columns : undefined;
  },
});

/** `pentarch … | head`: the reader has enough, which is no error. */
const endQuietly = (error: NodeJS.ErrnoException): void => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
};
process.stdout.on('error', endQuietly);
process.stderr.on('error', endQuietly);

const listeners = new Set<() => void>();
const interrupt = (): void => {
  // Nobody cleans up: end as any other program.
  if (listeners.size === 0) process.exit(130);
  for (const listener of [...listeners]) listener();
};
process.on('SIGINT', interrupt);

const runtime: Runtime = {
  env: process.env,
  cwd: process.cwd(),
  stdin: process.stdin,
  stdout: sink(process.stdout),
  stderr: sink(process.stderr),
  now: Date.now,
  onInterrupt(listener) {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
  interrupt,
  exit: (code) => {
    process.exitCode = code;
  },
};

enableCompileCache();

const args = process.argv.slice(2);
const json = args.includes('--json');
const { stdout, stderr, env } = runtime;
const out = createOutput({ stdout, stderr, env, json });

const run = async (): Promise<void> => {
  if (serverCommandOf(args) !== null) {
    process.exitCode = await handOn(args, runtime.onInterrupt);
    return;
  }
  const { program } = buildProgram(runtime);
  const quiet = (command: typeof program): void => {
    command.exitOverride();
    if (json) command.configureOutput({ outputError: () => {} });
    for (const child of command.commands) quiet(child);
  };
  quiet(program);
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Help and version were asked for; everything else is a wrong use, whose text stands there already.
    if (error.exitCode === 0) return;
    if (json) out.failure(failureOf(usage(error.message.replace(/^error: /, ''))));
    process.exitCode = 2;
  }
};

try {
  await run();
} catch (error) {
  const failure = failureOf(error);
  out.failure(failure);
  process.exitCode = failure.exitCode;
}
// Piped input that nobody reads to its end would keep the process.
process.stdin.unref?.();
