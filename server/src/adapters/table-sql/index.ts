import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createFairTurns } from '../../kernel/fair-turns.ts';
import { type TableAnswer, type TableEngine, TableQueryError } from '../../kernel/table-sql.ts';
import { limitData, residentBytes, watchMemory } from '../child-memory.ts';
import type { Outcome, Ready, ToChild } from './messages.ts';

export interface TableEngineOptions {
  /** For one query, the loading of its tables included (default 10,000). */
  timeoutMs?: number;
  /** The engine's own bound (default 256); the process may hold as much again beside it. */
  memoryMib?: number;
  /** Queries at once; the others wait, and tenants take turns (default 2). */
  processes?: number;
  /** Of one tenant, that may wait (default 50). */
  maxWaiting?: number;
  /** Of an answer (default 1 MiB). */
  maxBytes?: number;
}

const ENV = { NODE_NO_WARNINGS: '1', MALLOC_ARENA_MAX: '2' };
const TOO_MUCH_MEMORY = 'The query needs more memory than is allowed.';
/** Column names, quotes and the frame of the answer come on top of its rows. */
const FRAME_FACTOR = 2;

const childFile = (): string =>
  fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? './child.ts' : './child.js', import.meta.url));

const startChild = (): ChildProcess =>
  fork(childFile(), [], {
    serialization: 'advanced',
    stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
    // Nothing of the platform's settings: they hold its secrets.
    env: ENV,
    // Addons are what the engine is; it may not write files or start processes by way of Node.
    execArgv: ['--max-old-space-size=256', '--permission', '--allow-fs-read=*', '--allow-addons'],
  });

/** What the child writes until it ends, which is its answer; null where that is no JSON. Rejects beyond `maxBytes`. */
const outcomeOf = (child: ChildProcess, maxBytes: number): Promise<Outcome | null> =>
  new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let sizeBytes = 0;
    child.stdout?.on('data', (part: Buffer) => {
      sizeBytes += part.length;
      if (sizeBytes > maxBytes) reject(new TableQueryError('The answer is larger than is allowed.'));
      else parts.push(part);
    });
    child.once('error', reject);
    child.once('close', () => {
      try {
        resolve(JSON.parse(Buffer.concat(parts).toString('utf8')) as Outcome);
      } catch {
        resolve(null);
      }
    });
  });

/** Rejects when the signal does, and when the child takes too long or too much. Its bounds are set before it sees the query. */
const runIn = async (
  child: ChildProcess,
  job: ToChild,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Outcome | null> => {
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => undefined);
  const timer = setTimeout(
    () => failed.reject(new TableQueryError(`The query takes longer than ${timeoutMs / 1000} s.`)),
    timeoutMs,
  );
  const onAbort = (): void =>
    failed.reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
  signal.addEventListener('abort', onAbort, { once: true });
  let unwatch = (): void => undefined;
  const work = async (): Promise<Outcome | null> => {
    const outcome = outcomeOf(child, job.maxBytes * FRAME_FACTOR + 64 * 1024);
    // Whoever waits for it sees the failure; the child may fail before anybody does.
    outcome.catch(() => undefined);
    const ready = await Promise.race([
      outcome.then(() => null),
      new Promise<Ready>((resolve) => child.once('message', (message) => resolve(message as Ready))),
    ]);
    if (ready === null) return outcome;
    const memoryMib = job.memoryMib * 2;
    await limitData(child.pid, ready.dataKib, memoryMib);
    unwatch = watchMemory(child.pid, residentBytes(child.pid) ?? 0, memoryMib, () =>
      failed.reject(new TableQueryError(TOO_MUCH_MEMORY)),
    );
    child.send(job, () => undefined);
    return outcome;
  };
  try {
    return await Promise.race([work(), failed.promise]);
  } finally {
    clearTimeout(timer);
    unwatch();
    signal.removeEventListener('abort', onAbort);
    child.kill('SIGKILL');
  }
};

/** The analytics engine (DuckDB), a fresh process for each query: what a query breaks is gone with it. */
export const createTableEngine = (options: TableEngineOptions = {}): TableEngine => {
  const { timeoutMs = 10_000, memoryMib = 256, processes = 2, maxWaiting = 50 } = options;
  const { maxBytes = 1024 * 1024 } = options;
  const running = new Set<ChildProcess>();
  const turns = createFairTurns({
    atOnce: processes,
    maxWaiting,
    crowded: () => new TableQueryError('Too many queries of this organisation wait already: try again.'),
  });
  let closed = false;

  const answerOf = async (job: ToChild, signal: AbortSignal): Promise<TableAnswer> => {
    const child = startChild();
    running.add(child);
    try {
      const outcome = await runIn(child, job, timeoutMs, signal);
      if (outcome === null) throw new TableQueryError(TOO_MUCH_MEMORY);
      if (outcome.type === 'fault') throw new TableQueryError(outcome.message.slice(0, 1_000));
      return outcome.answer;
    } finally {
      running.delete(child);
    }
  };

  return {
    dialect: 'DuckDB',
    async query(tables, sql, { tenantId, maxRows, signal }) {
      signal.throwIfAborted();
      const endTurn = await turns.take(tenantId);
      try {
        signal.throwIfAborted();
        if (closed) throw new Error('the engine is closed');
        return await answerOf({ tables, sql, maxRows, maxBytes, memoryMib }, signal);
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
