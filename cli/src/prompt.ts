import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { Runtime } from './context.ts';
import { usage } from './errors.ts';

/** Questions and piped input. Questions go to standard error, so that answers can be piped on. */

/** Everything that is piped in. */
export const readAll = async ({ stdin }: Runtime): Promise<string> => {
  const parts: Buffer[] = [];
  for await (const part of stdin) parts.push(typeof part === 'string' ? Buffer.from(part) : part);
  return Buffer.concat(parts).toString('utf8');
};

/** A secret from a pipe: its first line. */
export const secretFromInput = async (runtime: Runtime, what: string): Promise<string> => {
  const [line = ''] = (await readAll(runtime)).split(/\r?\n/);
  if (line === '') throw usage(`no ${what} came on standard input`);
  return line;
};

export interface Lines {
  /** The next line; null at the end of the input, or when the signal fires. */
  next(prompt: string, signal?: AbortSignal): Promise<string | null>;
  close(): void;
}

/** What is typed shows nowhere. */
const nowhere = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() });

/**
 * Lines of standard input, one at a time, typed or piped.
 * @param hidden what is typed is secret and not shown.
 */
export const openLines = (runtime: Runtime, onInterrupt: () => void, hidden = false): Lines => {
  const terminal = runtime.stdin.isTTY === true;
  const reader = createInterface({
    input: runtime.stdin,
    ...(terminal ? { output: hidden ? nowhere() : process.stderr, terminal: true } : {}),
  });
  const waiting: string[] = [];
  let ended = false;
  let wake: () => void = () => {};
  reader.on('line', (line) => {
    waiting.push(line);
    wake();
  });
  reader.on('close', () => {
    ended = true;
    wake();
  });
  reader.on('SIGINT', onInterrupt);
  return {
    async next(prompt, signal) {
      if (terminal && hidden) runtime.stderr.write(`\n${prompt}`);
      else if (terminal) {
        reader.setPrompt(prompt);
        reader.prompt();
      }
      for (;;) {
        if (signal?.aborted === true) return null;
        const line = waiting.shift();
        if (line !== undefined) return line;
        if (ended) return null;
        await new Promise<void>((resolve) => {
          wake = resolve;
          signal?.addEventListener('abort', () => resolve(), { once: true });
        });
      }
    },
    close: () => reader.close(),
  };
};
