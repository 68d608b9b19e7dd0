/** Waiting for work that may not end in time: the work goes on, who waits for it does not. */

/** Rejects with the signal's reason at the abort, whatever the work does with its signal. */
export const orAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
    if (signal.aborted) abort();
  });

/** Resolves with undefined after `limitMs`, or at the abort of `signal` where one is given. */
export const atMost = async <T>(
  work: Promise<T>,
  limitMs: number,
  signal?: AbortSignal,
): Promise<T | undefined> => {
  const { promise: left, resolve: leave } = Promise.withResolvers<undefined>();
  const stop = (): void => leave(undefined);
  const timer = setTimeout(stop, limitMs);
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted === true) stop();
  try {
    return await Promise.race([work, left]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
};
