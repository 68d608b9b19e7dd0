/** The load generator as the bench sees it: one job at a time in a process of its own. */
import { fork } from 'node:child_process';
import path from 'node:path';
import { type Child, stop } from './processes.ts';

export interface LoadJob {
  url: string;
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  /** `%n` in it becomes a running number. */
  body?: string;
  /** Closed loops, each on a connection of its own: a loop sends when its last answer has been read whole. */
  connections: number;
  /** Time over which the loops start, so that paced streams do not beat in step. */
  spreadMs: number;
  /** Time with load before the window opens. */
  warmMs: number;
  windowMs: number;
  /** The job ends early after so many requests. */
  maxRequests: number;
  /** Process whose CPU time is read when the window opens and closes. */
  pid: number;
  /** Text that every good answer holds near its end. */
  expect: string;
  /** Text that marks the first token; only then are times to it taken. */
  mark?: string;
}

export interface LoadResult {
  /** Good answers read whole within the window. */
  requests: number;
  /** Bad answers from the start of the warm-up on, and what the first one said. */
  failures: number;
  firstFailure?: string;
  seconds: number;
  cpuSeconds: number;
  /** One per request of the window, unsorted. */
  latenciesMs: number[];
  firstTokensMs: number[];
}

export interface Load {
  run(job: LoadJob): Promise<LoadResult>;
  close(): Promise<void>;
}

/** Starts the load process. `run` rejects when the process dies or its reply says what went wrong. */
export const startLoad = (): Load => {
  const process_ = fork(path.join(import.meta.dirname, 'load-main.ts'), { execArgv: [], stdio: 'inherit' });
  const child: Child = { process: process_, name: 'load generator' };
  const run = (job: LoadJob): Promise<LoadResult> =>
    new Promise((done, fail) => {
      const onExit = (): void => fail(new Error('the load generator has ended'));
      process_.once('exit', onExit);
      process_.once('message', (message) => {
        process_.off('exit', onExit);
        const reply = message as { result: LoadResult } | { error: string };
        if ('error' in reply) fail(new Error(reply.error));
        else done(reply.result);
      });
      process_.send(job);
    });
  return { run, close: () => stop(child) };
};
