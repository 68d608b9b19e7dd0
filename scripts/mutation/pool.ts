import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { ACTIVE } from './tree.ts';

export interface RunnerOrder {
  /** Path of the suite in the tree. */
  suite: string;
}

export interface RunnerAnswer {
  passed: boolean;
  cases: number;
  ms: number;
  /** The first test that failed. */
  failure: string;
}

export interface Runner {
  /** Runs a suite with one fault on; null where it does not end in time. */
  run(suite: string, active: number, timeoutMs: number): Promise<RunnerAnswer | null>;
  close(): void;
}

const RUNNER = path.join('scripts', 'mutation', 'runner.ts');

/** Runs suites in one tree, one at a time, and begins anew with a process that does not answer. */
export const createRunner = (tree: string, testTimeoutMs: number): Runner => {
  let child: ChildProcess | null = null;

  const end = (): void => {
    if (child?.pid !== undefined) {
      try {
        // Its workers and the servers of its suites too: it leads a group.
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has ended by itself.
      }
    }
    child = null;
  };
  process.once('exit', end);

  const start = async (): Promise<ChildProcess> => {
    const started = spawn(process.execPath, [RUNNER, String(testTimeoutMs)], {
      cwd: tree,
      detached: true,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    child = started;
    await new Promise((resolve, reject) => {
      started.once('message', resolve);
      started.once('exit', (code) => reject(new Error(`the runner of suites ended with ${code}`)));
    });
    return started;
  };

  return {
    close() {
      end();
      process.off('exit', end);
    },
    async run(suite, active, timeoutMs) {
      writeFileSync(path.join(tree, ACTIVE), String(active));
      const running = child ?? (await start());
      const answer = await new Promise<RunnerAnswer | null>((resolve) => {
        const timer = setTimeout(() => done(null), timeoutMs);
        const onExit = (): void => done(null);
        const onMessage = (message: unknown): void => done(message as RunnerAnswer);
        const done = (result: RunnerAnswer | null): void => {
          clearTimeout(timer);
          running.off('exit', onExit);
          running.off('message', onMessage);
          resolve(result);
        };
        running.once('exit', onExit);
        running.once('message', onMessage);
        running.send({ suite });
      });
      if (answer === null) end();
      return answer;
    },
  };
};
