import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type TableAnswer, type TableEngine, TableQueryError } from '../../kernel/table-sql.ts';
import type { FromChild, ToChild } from './messages.ts';

export interface TableEngineOptions {
  /** For one query, the loading of its tables included (default 10,000). */
  timeoutMs?: number;
  /** The engine's own bound (default 256). */
  memoryMib?: number;
  /** Queries at once; the others wait (default 2). */
  processes?: number;
}

const ENV = { NODE_NO_WARNINGS: '1' };

/** The analytics engine (DuckDB), a fresh process for each query: what a query breaks is gone with it. */
export const createTableEngine = (options: TableEngineOptions = {}): TableEngine => {
  const { timeoutMs = 10_000, memoryMib = 256, processes = 2 } = options;
  const file = fileURLToPath(
    new URL(import.meta.url.endsWith('.ts') ? './child.ts' : './child.js', import.meta.url),
  );
  const running = new Set<ChildProcess>();
  const waiting: (() => void)[] = [];
  let busy = 0;
  let closed = false;

  const turn = async (): Promise<void> => {
    if (busy < processes) {
      busy++;
      return;
    }
    await new Promise<void>((resolve) => waiting.push(resolve));
  };
  const endTurn = (): void => {
    const next = waiting.shift();
    if (next) next();
    else busy--;
  };

  const runChild = (job: ToChild, signal: AbortSignal): Promise<TableAnswer> =>
    new Promise((resolve, reject) => {
      const child = fork(file, [], {
        serialization: 'advanced',
        stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
        // Nothing of the platform's settings: they hold its secrets.
        env: ENV,
        // Addons are what the engine is; it may not write files or start processes by way of Node.
        execArgv: ['--max-old-space-size=512', '--permission', '--allow-fs-read=*', '--allow-addons'],
      });
      running.add(child);
      let done = false;
      const finish = (settle: () => void): void => {
        if (done) return;
        done = true;
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        running.delete(child);
        child.kill('SIGKILL');
        settle();
      };
      const onAbort = (): void =>
        finish(() => reject(signal.reason instanceof Error ? signal.reason : new Error('aborted')));
      const timer = setTimeout(
        () => finish(() => reject(new TableQueryError(`The query takes longer than ${timeoutMs / 1000} s.`))),
        timeoutMs,
      );
      signal.addEventListener('abort', onAbort, { once: true });
      child.once('message', (message: FromChild) =>
        finish(() =>
          message.type === 'answer'
            ? resolve(message.answer)
            : reject(new TableQueryError(message.message.slice(0, 1_000))),
        ),
      );
      child.once('error', (error) => finish(() => reject(error)));
      child.once('exit', () =>
        finish(() => reject(new TableQueryError('The query needs more memory than is allowed.'))),
      );
      child.send(job, () => undefined);
    });

  return {
    dialect: 'DuckDB',
    async query(tables, sql, { maxRows, signal }) {
      signal.throwIfAborted();
      await turn();
      try {
        signal.throwIfAborted();
        if (closed) throw new Error('the engine is closed');
        return await runChild({ tables, sql, maxRows, memoryMib }, signal);
      } finally {
        endTurn();
      }
    },
    async close() {
      closed = true;
      for (const child of running) child.kill('SIGKILL');
    },
  };
};
