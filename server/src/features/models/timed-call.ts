import { ModelError, type ModelRef, type ModelResult } from '../../kernel/model.ts';

/** One call of a provider as operators see it; a try that failed counts by itself. */
export interface ModelCallSample {
  /** `provider/name`. */
  model: string;
  /** `ok`, or the kind of its failure. */
  outcome: 'ok' | ModelError['kind'] | 'failed';
  seconds: number;
  /** Null where no text was streamed. */
  firstTextSeconds: number | null;
}

/** Makes the call and tells `onCall` how long it took; the call says by `firstText` when its first words are there. */
export const timedCall = async (
  ref: ModelRef,
  onCall: (sample: ModelCallSample) => void,
  call: (firstText: () => void) => Promise<ModelResult>,
): Promise<ModelResult> => {
  const from = performance.now();
  let firstTextSeconds: number | null = null;
  const tell = (outcome: ModelCallSample['outcome']): void =>
    onCall({ model: ref.id, outcome, seconds: (performance.now() - from) / 1000, firstTextSeconds });
  try {
    const result = await call(() => {
      firstTextSeconds ??= (performance.now() - from) / 1000;
    });
    tell('ok');
    return result;
  } catch (error) {
    tell(error instanceof ModelError ? error.kind : 'failed');
    throw error;
  }
};
