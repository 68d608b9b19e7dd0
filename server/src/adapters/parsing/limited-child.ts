import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { AppError } from '../../kernel/errors.ts';
import { ParseError } from '../../kernel/parser.ts';
import { limitData, residentBytes, watchMemory } from '../child-memory.ts';
import type { FromChild, ToChild } from './messages.ts';

const START_TIMEOUT_MS = 20_000;
const TOO_LARGE = 'the file needs more memory than is allowed';

export interface ChildLimits {
  timeoutMs: number;
  /** Above what the child holds at rest. */
  memoryMib: number;
}

export type OnPages = (done: number, of: number) => void;

export interface LimitedChild {
  readonly alive: boolean;
  /** What comes in answer; throws the `ParseError` that it tells. */
  ask(job: ToChild, onPages?: OnPages): Promise<Exclude<FromChild, { type: 'ready' | 'fault' | 'pages' }>>;
  kill(): void;
}

/**
 * A child process under three memory bounds: V8's heap, RLIMIT_DATA where `prlimit` is there, and a watch on its
 * resident size where /proc is. It may neither write files nor start processes (Node's permission model).
 */
export async function startLimitedChild(limits: ChildLimits): Promise<LimitedChild> {
  const file = fileURLToPath(
    new URL(import.meta.url.endsWith('.ts') ? './child.ts' : './child.js', import.meta.url),
  );
  const child = fork(file, [], {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    // Nothing of the platform's settings: they hold its secrets.
    env: { NODE_NO_WARNINGS: '1', MALLOC_ARENA_MAX: '2' },
    execArgv: [`--max-old-space-size=${limits.memoryMib}`, '--permission', '--allow-fs-read=*'],
  });
  let alive = true;
  child.once('exit', () => {
    alive = false;
  });
  const late = new AppError('SERVICE_UNAVAILABLE', 'the document cannot be read now; try again', {
    retryAfterS: 5,
    cause: new Error('the parsing process does not start'),
  });
  const ready = await nextMessage(child, START_TIMEOUT_MS, late);
  await limitData(child.pid, ready.type === 'ready' ? ready.dataKib : null, limits.memoryMib);
  const restBytes = residentBytes(child.pid) ?? 0;
  const idle = () => {
    child.unref();
    child.channel?.unref();
  };
  idle();

  return {
    get alive() {
      return alive;
    },
    async ask(job, onPages) {
      child.ref();
      child.channel?.ref();
      let tooLarge = false;
      const unwatch = watchMemory(child.pid, restBytes, limits.memoryMib, () => {
        tooLarge = true;
        child.kill('SIGKILL');
      });
      try {
        const late = new ParseError(
          'timeout',
          `the file takes longer than ${limits.timeoutMs / 1000} s to read`,
        );
        const answer = nextMessage(child, limits.timeoutMs, late, onPages);
        child.send(job, () => undefined);
        const message = await answer;
        if (message.type === 'fault') throw new ParseError(message.fault, message.message);
        if (message.type === 'ready' || message.type === 'pages')
          throw new Error('the parsing process answers out of turn');
        return message;
      } catch (error) {
        throw tooLarge ? new ParseError('too_large', TOO_LARGE) : error;
      } finally {
        unwatch();
        idle();
      }
    },
    kill() {
      child.kill('SIGKILL');
    },
  };
}

/** The next message but those of pages; `late` after `timeoutMs`, which also kills the child; a `ParseError` when it dies meanwhile. */
function nextMessage(
  child: ChildProcess,
  timeoutMs: number,
  late: Error,
  onPages?: OnPages,
): Promise<FromChild> {
  return new Promise((resolve, reject) => {
    const finish = (settle: () => void) => {
      clearTimeout(timer);
      child.off('message', onMessage);
      child.off('exit', onExit);
      child.off('error', onError);
      settle();
    };
    const onMessage = (message: unknown) => {
      const said = message as FromChild;
      if (said.type === 'pages') onPages?.(said.done, said.of);
      else finish(() => resolve(said));
    };
    const onError = (error: Error) => finish(() => reject(error));
    // V8 out of memory ends in an abort; so does an allocator that gets nothing more.
    const onExit = (code: number | null, signal: string | null) =>
      finish(() =>
        reject(
          signal !== null || (code ?? 0) > 127
            ? new ParseError('too_large', TOO_LARGE)
            : new ParseError('broken', 'the file makes its reader fail'),
        ),
      );
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      finish(() => reject(late));
    }, timeoutMs);
    child.on('message', onMessage);
    child.on('exit', onExit);
    child.on('error', onError);
    if (child.exitCode !== null || child.signalCode !== null) onExit(child.exitCode, child.signalCode);
  });
}
