import { performance } from 'node:perf_hooks';
import type { Check } from '../system/index.ts';

/** Who asks for readiness after this time has a load that failed tried again. */
const AGAIN_AFTER_MS = 10_000;

export interface WarmUpOptions {
  /** Otherwise `begin` does nothing, and the first use loads. */
  atStart: boolean;
  /** Rejects when it cannot be loaded. */
  load(): Promise<void>;
  onLoaded(tookMs: number): void;
  onError(error: unknown): void;
}

/**
 * What is loaded beside the start, so that the start is no slower for it, and what /ready says of it: a node that is sent
 * requests before would have the first of them wait.
 */
export const createWarmUp = ({ atStart, load, onLoaded, onError }: WarmUpOptions) => {
  let state: 'waiting' | 'loading' | 'loaded' | 'failed' = 'waiting';
  let failedAt = 0;

  const begin = (): void => {
    if (!atStart) return;
    const failedBefore = state === 'failed';
    const since = performance.now();
    if (!failedBefore) state = 'loading';
    failedAt = Number.POSITIVE_INFINITY;
    load().then(
      () => {
        state = 'loaded';
        onLoaded(Math.round(performance.now() - since));
      },
      (error: unknown) => {
        state = 'failed';
        failedAt = performance.now();
        onError(error);
      },
    );
  };

  return {
    begin,
    check: (): Check => {
      if (!atStart || state === 'loaded') return { status: 'ok' };
      if (state !== 'failed') return { status: 'failed', detail: 'the embedding model is being loaded' };
      if (performance.now() - failedAt > AGAIN_AFTER_MS) begin();
      return { status: 'failed', detail: 'the embedding model could not be loaded: the log says why' };
    },
  };
};
