import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ACTIVE, DONE } from './tree.ts';

export interface RunnerOrder {
  /** Path of the suite in the tree. */
  suite: string;
  /** Of a batch: the faults, one after the other. */
  ids: readonly number[];
}

export interface RunnerAnswer {
  passed: boolean;
  ms: number;
  /** The first test that failed. */
  failure: string;
}

/** One pass of a batch. */
export interface Pass {
  id: number;
  passed: number;
  failed: string | null;
}

export interface Runner {
  /** Runs a suite with one fault on; null where it does not end in time. */
  alone(suite: string, active: number, timeoutMs: number): Promise<RunnerAnswer | null>;
  /**
   * Runs a suite with one fault after the other. What is missing behind the last pass was not got to: that one did not end within
   * `timeoutMs`, or took the process with it.
   */
  batch(suite: string, ids: readonly number[], timeoutMs: number): Promise<Pass[]>;
  close(): void;
}

const RUNNER = path.join('scripts', 'mutation', 'runner.ts');

const passesIn = (file: string): Pass[] =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line.endsWith('}'))
        .map((line) => JSON.parse(line) as Pass)
    : [];

/** A process that takes orders; a new one is started where the last has ended. */
const createProcess = (tree: string, mode: 'alone' | 'batch', testTimeoutMs: number) => {
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
    const started = spawn(process.execPath, [RUNNER, mode, String(testTimeoutMs)], {
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

  /** The answer, or null after `timeoutMs` without a change of what `progress` gives. */
  const ask = async (
    order: RunnerOrder,
    timeoutMs: number,
    progress: () => unknown = () => null,
  ): Promise<RunnerAnswer | null> => {
    const running = child ?? (await start());
    const answer = await new Promise<RunnerAnswer | null>((resolve) => {
      let [seen, since] = [progress(), Date.now()];
      const timer = setInterval(() => {
        const now = progress();
        if (now !== seen) [seen, since] = [now, Date.now()];
        else if (Date.now() - since > timeoutMs) done(null);
      }, 200);
      const onExit = (): void => done(null);
      const onMessage = (message: unknown): void => done(message as RunnerAnswer);
      const done = (result: RunnerAnswer | null): void => {
        clearInterval(timer);
        running.off('exit', onExit);
        running.off('message', onMessage);
        resolve(result);
      };
      running.once('exit', onExit);
      running.once('message', onMessage);
      running.send(order);
    });
    if (answer === null) end();
    return answer;
  };

  return {
    ask,
    close() {
      end();
      process.off('exit', end);
    },
  };
};

/** Runs suites in one tree, one at a time. */
export const createRunner = (tree: string, testTimeoutMs: number): Runner => {
  const alone = createProcess(tree, 'alone', testTimeoutMs);
  const batch = createProcess(tree, 'batch', testTimeoutMs);
  return {
    alone(suite, active, timeoutMs) {
      writeFileSync(path.join(tree, ACTIVE), String(active));
      return alone.ask({ suite, ids: [active] }, timeoutMs);
    },
    async batch(suite, ids, timeoutMs) {
      const done = path.join(tree, DONE);
      rmSync(done, { force: true });
      // The pass behind the last fault writes down what became of it.
      await batch.ask({ suite, ids: [...ids, 0, 0] }, timeoutMs, () => passesIn(done).length);
      return passesIn(done);
    },
    close() {
      alone.close();
      batch.close();
    },
  };
};
