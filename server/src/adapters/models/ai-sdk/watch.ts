/** What stands around one call of a provider package: its stop, its waits, and the gathering of its text. */
import { ModelError } from '../../../kernel/model.ts';
import { abortedError } from '../errors.ts';

export interface Watch {
  /** For the package; its reason is what stopped the call. */
  signal: AbortSignal;
  /** Rejects with that reason: raced against the package, which may not heed the signal. */
  stopped: Promise<never>;
  stop(reason: unknown): void;
  /** Starts the wait anew: stops the call with a timeout unless called again or ended within it. */
  within(timeoutMs: number, what: string): void;
  end(): void;
}

/** Stops the call when the caller aborts or nothing comes in time, and tells the two apart. */
export const watch = (provider: string, signal: AbortSignal): Watch => {
  const controller = new AbortController();
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  // Raced where the call is waited for; a stop after that has nobody to tell.
  stopped.catch(() => {});
  let timer: NodeJS.Timeout | undefined;
  const stop = (reason: unknown): void => {
    reject(reason);
    controller.abort(reason);
  };
  const onAbort = (): void => stop(abortedError(provider));
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort);
  return {
    signal: controller.signal,
    stopped,
    stop,
    within: (timeoutMs, what) => {
      clearTimeout(timer);
      timer = setTimeout(() => stop(new ModelError('timeout', provider, `${provider} ${what}`)), timeoutMs);
    },
    end: () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    },
  };
};

/**
 * Hands text on once for all parts that came in one turn of the event loop. A listener that throws is not called
 * again, and `onThrow` hears of it.
 */
export const gather = (onText: (text: string) => void, onThrow: (error: unknown) => void) => {
  let waiting = '';
  let planned: NodeJS.Immediate | undefined;
  let thrown: { error: unknown } | undefined;
  const flush = (): void => {
    clearImmediate(planned);
    planned = undefined;
    const text = waiting;
    waiting = '';
    if (text === '' || thrown !== undefined) return;
    try {
      onText(text);
    } catch (error) {
      thrown = { error };
      onThrow(error);
    }
  };
  return {
    add: (text: string): void => {
      waiting += text;
      if (waiting !== '') planned ??= setImmediate(flush);
    },
    flush,
    thrown: () => thrown,
  };
};
