/**
 * Calls of models with all that stands around one call: which model, tries with back-off before the first text,
 * fallback models in order, circuits of providers, costs. Errors of calls: `ModelCallError`, see `toAppError`.
 */

import { AppError } from '../../kernel/errors.ts';
import { ModelError, type ModelRef, type ModelUsage } from '../../kernel/model.ts';
import type { NanoUsd } from '../../kernel/money.ts';
import { createStorablePieces } from '../../kernel/storable.ts';
import { throttled } from '../../kernel/throttled.ts';
import { createBooking } from './booking.ts';
import type { ModelCall, ModelCallResult, ModelsOptions } from './call.ts';
import { inCallSpan } from './call-span.ts';
import { createChosen } from './chosen.ts';
import { createCircuits } from './circuits.ts';
import {
  affordableOutputTokens,
  type CircuitState,
  circuitState,
  DEFAULT_RETRY,
  type ModelPrice,
  worstCaseCost,
} from './rules.ts';
import { createTries, promptBoundOf } from './tries.ts';

const DEFAULT_CONTEXT_TOKENS = 32_768;

export interface ProviderState {
  provider: string;
  state: CircuitState;
  failuresInARow: number;
}

export interface ModelChoice {
  ref: ModelRef;
  isDefault: boolean;
  /** False while the provider's last calls failed: the fallbacks would answer. */
  isAvailable: boolean;
}

export interface Models {
  readonly defaultModel: ModelRef;
  /** The model of an id, the default one for null. VALIDATION_ERROR on `field` for an unknown one. */
  resolve(modelId: string | null, field?: string): ModelRef;
  /** As `resolve`, for a model that a caller asks for: one of those that are set up by name. */
  pick(modelId: string): ModelRef;
  /** What `pick` takes: the default model first, then in the order of the settings, the built-in one last. */
  choices(): ModelChoice[];
  generate(ref: ModelRef, call: ModelCall): Promise<ModelCallResult>;
  stream(ref: ModelRef, call: ModelCall, onText: (text: string) => void): Promise<ModelCallResult>;
  isLocal(ref: ModelRef): boolean;
  /** The model where it or a fallback of it can see pictures; else, with `otherwise`, another that is set up and can; null: none. */
  seeing(ref: ModelRef, otherwise: boolean): ModelRef | null;
  /** Context window in tokens: the smallest of the model and its fallbacks. */
  contextTokens(ref: ModelRef): number;
  price(ref: ModelRef): ModelPrice;
  cost(ref: ModelRef, usage: ModelUsage): { costNanoUsd: NanoUsd; estimated: boolean };
  /** More prompt tokens than any provider can count for the call; measured once for what follows. `ref`: of whom it is asked. */
  promptBound(call: ModelCall, ref?: ModelRef): number;
  /** The most that a call can cost, whichever of the model and its fallbacks answers. */
  worstCase(ref: ModelRef, promptBound: number, outputTokensCap: number): NanoUsd;
  /** Largest output cap whose worst case fits the budget, for the model and its fallbacks; below 1: none does. */
  affordableOutput(ref: ModelRef, promptBound: number, budgetNanoUsd: NanoUsd): number;
  /** State of each provider, for `/ready`. */
  states(): ProviderState[];
  close(): Promise<void>;
}

/** A call's failure as the API tells it. What is no `ModelError` comes back as it is. */
export const modelErrorOf = (error: unknown): unknown => {
  if (!(error instanceof ModelError) || error.kind === 'aborted') return error;
  if (error.status === 429) return throttled(error);
  return new AppError(error.kind === 'timeout' ? 'UPSTREAM_TIMEOUT' : 'UPSTREAM_ERROR', error.message, {
    details: {
      provider: error.provider,
      ...(error.status === undefined ? {} : { status: error.status }),
    },
    cause: error,
  });
};

/** Throws VALIDATION_ERROR where the default or a fallback names no provider that is there. */
export const createModels = (options: ModelsOptions): Models => {
  const chosen = createChosen(options);
  const { providers, known, defaultModel, offered, candidates, pick, resolve } = chosen;
  const circuits = createCircuits(options.clock);
  const { circuitOf, isOpen } = circuits;
  const booking = createBooking(options.prices);
  const { cost } = booking;

  const windowOf = (ref: ModelRef): number =>
    providers.get(ref.provider)?.contextTokens?.(ref.name) ??
    options.windowOf?.(ref) ??
    options.contextTokens ??
    DEFAULT_CONTEXT_TOKENS;

  const run = createTries({
    policy: options.retry ?? DEFAULT_RETRY,
    random: options.random,
    sleep: options.sleep,
    onCall: options.onCall ?? (() => {}),
    chosen,
    circuits,
    booking,
    windowOf,
  });

  return {
    defaultModel,
    pick,
    resolve,
    choices: () =>
      [...offered].map((id) => {
        const ref = known(id, '/context/model');
        return { ref, isDefault: id === defaultModel.id, isAvailable: !isOpen(ref) };
      }),
    generate: (ref, call) =>
      run(
        ref,
        call,
        () => false,
        (provider, model, messages) =>
          inCallSpan(model, { ...call, messages }, false, () =>
            provider.generate({ ...call, messages, model: model.name }),
          ),
      ),
    stream: (ref, call, onText) => {
      let shown = false;
      return run(
        ref,
        call,
        () => shown,
        async (provider, model, messages, firstText) => {
          const pieces = createStorablePieces((text) => {
            shown = true;
            firstText();
            onText(text);
          });
          try {
            return await inCallSpan(model, { ...call, messages }, true, () =>
              provider.stream({ ...call, messages, model: model.name }, pieces.push),
            );
          } finally {
            pieces.end();
          }
        },
      );
    },
    contextTokens: (ref) => Math.min(...candidates(ref).map(windowOf)),
    seeing: chosen.seeing,
    isLocal: (ref) => providers.get(ref.provider)?.local ?? false,
    price: (ref) => options.prices.of(ref),
    cost,
    promptBound: (call, ref) => promptBoundOf(call, ref === undefined ? undefined : candidates(ref)),
    worstCase: (ref, promptBound, outputTokensCap) => {
      let worst = 0;
      for (const candidate of candidates(ref))
        worst = Math.max(worst, worstCaseCost(options.prices.of(candidate), promptBound, outputTokensCap));
      return worst;
    },
    affordableOutput: (ref, promptBound, budgetNanoUsd) => {
      let least = Number.POSITIVE_INFINITY;
      for (const candidate of candidates(ref))
        least = Math.min(
          least,
          affordableOutputTokens(options.prices.of(candidate), promptBound, budgetNanoUsd),
        );
      return least;
    },
    states: () =>
      [...providers.keys()].map((provider) => {
        const circuit = circuitOf(provider);
        return {
          provider,
          state: circuitState(circuit, options.clock.now()),
          failuresInARow: circuit.failures,
        };
      }),
    close: async () => {
      await Promise.all(options.providers.map((provider) => provider.close()));
    },
  };
};
