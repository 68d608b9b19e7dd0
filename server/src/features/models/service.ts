/**
 * Calls of models with all that stands around one call: which model, tries with back-off before the first text,
 * fallback models in order, circuits of providers, costs. Errors of calls: `ModelCallError`, see `toAppError`.
 */
import type { Clock } from '../../kernel/clock.ts';
import { AppError, invalid } from '../../kernel/errors.ts';
import {
  ModelError,
  type ModelProvider,
  type ModelRef,
  type ModelRequest,
  type ModelResult,
  type ModelToolCall,
  type ModelUsage,
} from '../../kernel/model.ts';
import type { NanoUsd } from '../../kernel/money.ts';
import { createStorablePieces, storable, storableDeep } from '../../kernel/storable.ts';
import { throttled } from '../../kernel/throttled.ts';
import { estimatePromptTokens, estimateTokens, promptTokensBound } from '../../kernel/tokens.ts';
import { inCallSpan } from './call-span.ts';
import {
  affordableOutputTokens,
  BUILTIN,
  boundUsage,
  type Circuit,
  type CircuitState,
  CLOSED_CIRCUIT,
  circuitState,
  costOfUsage,
  DEFAULT_RETRY,
  decideRetry,
  filledUsage,
  type ModelPrice,
  nextCircuit,
  parseModelId,
  type RetryPolicy,
  type UsageBound,
  worstCaseCost,
} from './rules.ts';
import { sendable } from './sendable.rules.ts';
import { type ModelCallSample, timedCall } from './timed-call.ts';

export interface ModelsOptions {
  providers: readonly ModelProvider[];
  /** `provider/name` or `builtin`. */
  defaultModel: string;
  /** Tried in order where a model is not available. */
  fallbacks?: readonly string[];
  /** Further models that a caller may pick (the setting MODELS). */
  offered?: readonly string[];
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

/** Of what is sent, which is more than what was handed over where that is not in the providers' form. */
const boundOf = (call: ModelCall): number =>
  promptTokensBound({ ...call, messages: sendable(call.messages, call.tools) });

const DEFAULT_CONTEXT_TOKENS = 32_768;
/** No call has more tokens than this, whatever a provider says. */
const MAX_TOKENS = 100_000_000;

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
  /** Context window in tokens: the smallest of the model and its fallbacks. */
  contextTokens(ref: ModelRef): number;
  price(ref: ModelRef): ModelPrice;
  cost(ref: ModelRef, usage: ModelUsage): { costNanoUsd: NanoUsd; estimated: boolean };
  /** More prompt tokens than any provider can count for the call; measured once for what follows. */
  promptBound(call: ModelCall): number;
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
  const providers = new Map(options.providers.map((provider) => [provider.name, provider]));
  const circuits = new Map<string, Circuit>();
  const policy = options.retry ?? DEFAULT_RETRY;
  const onCall = options.onCall ?? (() => {});

  const known = (modelId: string, field: string): ModelRef => {
    const ref = parseModelId(modelId);
    if (ref !== undefined && providers.has(ref.provider)) return ref;
    const names = [...providers.keys()].map((name) => (name === 'builtin' ? name : `${name}/…`)).join(', ');
    throw invalid({ field, reason: `must be a model of a provider that is set up: ${names}` });
  };

  const defaultModel = known(options.defaultModel, '/MODEL');
  const fallbacks = (options.fallbacks ?? []).map((id) => known(id, '/MODEL_FALLBACKS'));
  const offered = new Set([
    defaultModel.id,
    ...fallbacks.map((ref) => ref.id),
    ...(options.offered ?? []).map((id) => known(id, '/MODELS').id),
    BUILTIN.id,
  ]);
  const candidates = (ref: ModelRef): ModelRef[] => [
    ref,
    ...fallbacks.filter((other) => other.id !== ref.id),
  ];

  const circuitOf = (provider: string): Circuit => circuits.get(provider) ?? CLOSED_CIRCUIT;
  const report = (provider: string, outcome: 'ok' | ModelError['kind']): void => {
    const before = circuitOf(provider);
    const after = nextCircuit(before, outcome, options.clock.now());
    if (after !== before) circuits.set(provider, after);
  };
  const isOpen = (ref: ModelRef): boolean =>
    circuitState(circuitOf(ref.provider), options.clock.now()) === 'open';

  const cost = (ref: ModelRef, usage: ModelUsage) => {
    const price = options.prices.of(ref);
    return {
      costNanoUsd: costOfUsage(usage, price),
      estimated: price.estimated || usage.estimated,
    };
  };

  const windowOf = (ref: ModelRef): number =>
    providers.get(ref.provider)?.contextTokens?.(ref.name) ??
    options.windowOf?.(ref) ??
    options.contextTokens ??
    DEFAULT_CONTEXT_TOKENS;

  const filled = (
    usage: ModelUsage,
    call: ModelCall,
    said: { content: string; toolCalls?: readonly ModelToolCall[] },
  ): ModelUsage =>
    filledUsage(usage, {
      inputTokens: () => estimatePromptTokens(call),
      outputTokens: () =>
        (said.toolCalls ?? []).reduce(
          (sum, one) => sum + estimateTokens(one.name + one.arguments),
          said.content === '' ? 0 : estimateTokens(said.content),
        ),
    });

  const failed = (error: ModelError, ref: ModelRef, call: ModelCall, bound: UsageBound): ModelCallError => {
    if (error.partial === undefined) return new ModelCallError(error, ref, 0);
    const usage = boundUsage(filled(error.partial.usage, call, error.partial), bound);
    const partial = { content: storable(error.partial.content), usage };
    const bounded = new ModelError(error.kind, error.provider, error.message, { ...error, partial });
    return new ModelCallError(bounded, ref, cost(ref, usage).costNanoUsd);
  };
  /**
   * A call that is stopped before its first text has reached the provider with its prompt, which is paid for: else whoever
   * stops early enough would spend what no limit sees.
   */
  const stoppedUnderWay = (error: ModelError, call: ModelCall): ModelError => {
    if (error.kind !== 'aborted' || error.partial !== undefined) return error;
    const usage: ModelUsage = {
      inputTokens: estimatePromptTokens(call),
      outputTokens: 0,
      cachedInputTokens: 0,
      cacheWriteTokens: 0,
      reasoningTokens: 0,
      estimated: true,
    };
    const partial = { content: '', usage };
    return new ModelError(error.kind, error.provider, error.message, { ...error, partial });
  };
  const abortedBefore = (ref: ModelRef): ModelCallError =>
    new ModelCallError(
      new ModelError('aborted', ref.provider, `the call to ${ref.provider} was aborted`),
      ref,
      0,
    );

  /** `hadText` tells whether the failed call had already shown something to the caller. */
  const run = async (
    ref: ModelRef,
    call: ModelCall,
    hadText: () => boolean,
    once: (provider: ModelProvider, ref: ModelRef, firstText: () => void) => Promise<ModelResult>,
  ): Promise<ModelCallResult> => {
    const { signal } = call;
    // Here, since every call comes through: what a caller forgets to measure must not be believed without end.
    const inputTokens = call.promptBound ?? boundOf(call);
    const outputTokens = call.maxOutputTokens ?? MAX_TOKENS;
    const boundOn = (candidate: ModelRef): UsageBound => ({
      inputTokens,
      outputTokens,
      windowTokens: windowOf(candidate),
    });
    const all = candidates(ref);
    const closed = all.filter((candidate) => !isOpen(candidate));
    // With every circuit open one try is still better than none.
    const order = closed.length > 0 ? closed : all.slice(0, 1);
    const maxAttempts = closed.length > 0 ? policy.maxAttempts : 1;
    let attempts = 0;
    let lastError: ModelCallError | undefined;
    for (const candidate of order) {
      const provider = providers.get(candidate.provider);
      if (provider === undefined) continue;
      for (let attempt = 1; ; attempt++) {
        if (signal.aborted) throw abortedBefore(candidate);
        attempts++;
        try {
          const result = await timedCall(candidate, onCall, (firstText) =>
            once(provider, candidate, firstText),
          );
          report(candidate.provider, 'ok');
          const usage = boundUsage(filled(result.usage, call, result), boundOn(candidate));
          const { content, toolCalls } = storableDeep({
            content: result.content,
            toolCalls: result.toolCalls,
          });
          return {
            ...result,
            content,
            toolCalls,
            usage,
            ref: candidate,
            attempts,
            ...cost(candidate, usage),
          };
        } catch (thrown) {
          if (!(thrown instanceof ModelError)) throw thrown;
          const error = stoppedUnderWay(thrown, call);
          report(candidate.provider, error.kind);
          lastError = failed(error, candidate, call, boundOn(candidate));
          // A partial answer without text (tool calls) was paid for as well: it is not thrown away unseen.
          const begun = hadText() || error.partial !== undefined;
          const { kind, status, retryAfterMs } = error;
          const failure = { kind, status, retryAfterMs, hadText: begun };
          const decision = decideRetry(failure, attempt, options.random(), { ...policy, maxAttempts });
          if (decision.what === 'stop') throw lastError;
          if (decision.what === 'next') break;
          await options.sleep(decision.delayMs, signal);
          if (signal.aborted) throw abortedBefore(candidate);
        }
      }
    }
    throw lastError ?? abortedBefore(ref);
  };

  return {
    defaultModel,
    pick: (modelId) => {
      const ref = known(modelId, '/context/model');
      if (offered.has(ref.id)) return ref;
      throw invalid({
        field: '/context/model',
        reason: `must be one of ${[...offered].join(', ')} (the setting MODELS adds others)`,
      });
    },
    choices: () =>
      [...offered].map((id) => {
        const ref = known(id, '/context/model');
        return { ref, isDefault: id === defaultModel.id, isAvailable: !isOpen(ref) };
      }),
    resolve: (modelId, field = '/context/model') => (modelId === null ? defaultModel : known(modelId, field)),
    generate: (ref, call) => {
      const messages = sendable(call.messages, call.tools);
      return run(
        ref,
        call,
        () => false,
        (provider, model) =>
          inCallSpan(model, { ...call, messages }, false, () =>
            provider.generate({ ...call, messages, model: model.name }),
          ),
      );
    },
    stream: (ref, call, onText) => {
      let shown = false;
      const messages = sendable(call.messages, call.tools);
      return run(
        ref,
        call,
        () => shown,
        async (provider, model, firstText) => {
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
    isLocal: (ref) => providers.get(ref.provider)?.local ?? false,
    price: (ref) => options.prices.of(ref),
    cost,
    promptBound: boundOf,
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
