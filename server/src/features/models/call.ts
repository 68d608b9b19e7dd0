import type { Clock } from '../../kernel/clock.ts';
import {
  ModelError,
  type ModelProvider,
  type ModelRef,
  type ModelRequest,
  type ModelResult,
} from '../../kernel/model.ts';
import type { NanoUsd } from '../../kernel/money.ts';
import type { ModelPrice, RetryPolicy } from './rules.ts';
import type { ModelCallSample } from './timed-call.ts';

export interface ModelsOptions {
  providers: readonly ModelProvider[];
  /** `provider/name` or `builtin`. */
  defaultModel: string;
  /** Tried in order where a model is not available. */
  fallbacks?: readonly string[];
  /** Further models that a caller may pick (the setting MODELS). */
  offered?: readonly string[];
  /** Globs of models that see pictures beside those that are known to; behind an exclamation mark: that do not. */
  visionModels?: readonly string[];
  prices: { of(ref: ModelRef): ModelPrice };
  /** Context window of a model in tokens, where it is known. */
  windowOf?: (ref: ModelRef) => number | null;
  /** Of all others (the setting CONTEXT_TOKENS). Default 32,768. */
  contextTokens?: number;
  clock: Clock;
  /** 0 up to 1. */
  random: () => number;
  /** Resolves after the time, or at once when the signal is aborted. */
  sleep: (delayMs: number, signal: AbortSignal) => Promise<void>;
  retry?: RetryPolicy;
  /** Told of each call of a provider. */
  onCall?: (sample: ModelCallSample) => void;
}

export interface ModelCall extends Omit<ModelRequest, 'model'> {
  /** `promptBound` of the call, where it has been measured already: what is reserved for its prompt. */
  promptBound?: number;
}

export interface ModelCallResult extends ModelResult {
  /** The model that answered: a fallback where the asked one was not available. */
  ref: ModelRef;
  costNanoUsd: NanoUsd;
  /** True where the price or the counts are estimates. */
  estimated: boolean;
  /** Calls of providers in all, this one included. */
  attempts: number;
}

/** A failed call with the model that failed last and what its partial answer cost (0 without one). */
export class ModelCallError extends ModelError {
  readonly ref: ModelRef;
  readonly costNanoUsd: NanoUsd;

  constructor(error: ModelError, ref: ModelRef, costNanoUsd: NanoUsd) {
    super(error.kind, error.provider, error.message, { ...error, cause: error.cause });
    this.name = 'ModelCallError';
    this.ref = ref;
    this.costNanoUsd = costNanoUsd;
  }
}
