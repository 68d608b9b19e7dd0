import type { Caller } from '../../../kernel/caller.ts';
import { AppError } from '../../../kernel/errors.ts';

/**
 * Open streams of clients, on which the protocol tells that the list of tools has changed. Tools come and go in many
 * ways (a server connects, an operator accepts or denies, a role changes), so the list itself is looked at. A stream
 * whose token is not good any more ends.
 */
export interface WatchedStream {
  token: string;
  changed(): void;
  end(): void;
}

export interface ToolWatchOptions {
  authenticate(token: string): Caller | Promise<Caller>;
  /** Equal for equal lists of tools. */
  signatureOf(caller: Caller): Promise<string>;
  everyMs: number;
  onError(error: unknown): void;
}

interface Entry {
  stream: WatchedStream;
  signature: string | null;
}

const isRefusal = (error: unknown): boolean =>
  error instanceof AppError && (error.code === 'UNAUTHORIZED' || error.code === 'FORBIDDEN');

export const createToolWatch = (options: ToolWatchOptions) => {
  const entries = new Set<Entry>();
  let looking = false;

  const look = async (entry: Entry): Promise<void> => {
    try {
      const signature = await options.signatureOf(await options.authenticate(entry.stream.token));
      if (!entries.has(entry) || signature === entry.signature) return;
      const isFirst = entry.signature === null;
      entry.signature = signature;
      if (!isFirst) entry.stream.changed();
    } catch (error) {
      if (!isRefusal(error)) return options.onError(error);
      entries.delete(entry);
      entry.stream.end();
    }
  };

  const lookAtAll = async (): Promise<void> => {
    if (looking) return;
    looking = true;
    for (const entry of [...entries]) await look(entry);
    looking = false;
  };
  const timer = setInterval(() => void lookAtAll(), options.everyMs);
  timer.unref();

  return {
    size: (): number => entries.size,
    /** Returns the end of the watch. */
    add(stream: WatchedStream): () => void {
      const entry: Entry = { stream, signature: null };
      entries.add(entry);
      void look(entry);
      return () => entries.delete(entry);
    },
    close: (): void => clearInterval(timer),
  };
};
