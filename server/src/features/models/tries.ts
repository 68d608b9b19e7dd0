import {
  ModelError,
  type ModelMessage,
  type ModelProvider,
  type ModelRef,
  type ModelResult,
} from '../../kernel/model.ts';
import { storableDeep } from '../../kernel/storable.ts';
import { picturesIn, promptTokensBound } from '../../kernel/tokens.ts';
import type { Booking } from './booking.ts';
import type { ModelCall, ModelCallError, ModelCallResult } from './call.ts';
import type { Chosen } from './chosen.ts';
import type { Circuits } from './circuits.ts';
import { earlierAsWords, sendableTo } from './earlier-pictures.rules.ts';
import { boundUsage, decideRetry, type RetryPolicy, type UsageBound } from './rules.ts';
import { sendable } from './sendable.rules.ts';
import { type ModelCallSample, timedCall } from './timed-call.ts';

export interface TriesOptions {
  policy: RetryPolicy;
  random(): number;
  sleep(delayMs: number, signal: AbortSignal): Promise<void>;
  onCall(sample: ModelCallSample): void;
  chosen: Pick<Chosen, 'providers' | 'candidates' | 'sees'>;
  circuits: Pick<Circuits, 'isOpen' | 'report'>;
  booking: Booking;
  windowOf(ref: ModelRef): number;
}

/** One call of a provider with these messages; `firstText` is called with its first text. */
export type CallOnce = (
  provider: ModelProvider,
  ref: ModelRef,
  messages: ModelMessage[],
  firstText: () => void,
) => Promise<ModelResult>;

/** Of what is sent, which is more than what was handed over where that is not in the providers' form. */
export const promptBoundOf = (call: ModelCall, models?: readonly ModelRef[]): number => {
  const of = (messages: ModelMessage[]): number =>
    promptTokensBound({ ...call, messages: sendable(messages, call.tools) }, models);
  const words = earlierAsWords(call.messages);
  return words === call.messages ? of(words) : Math.max(of(call.messages), of(words));
};

/** No call has more tokens than this, whatever a provider says. */
const MAX_TOKENS = 100_000_000;

/** A call with its tries: again after a back-off, then the fallback models in order. */
export const createTries = (options: TriesOptions) => {
  const { policy, onCall, windowOf } = options;
  const { providers, candidates, sees } = options.chosen;
  const { isOpen, report } = options.circuits;
  const { cost, filled, failed, stoppedUnderWay, abortedBefore } = options.booking;

  /**
   * Those that can see, where there is something to be seen: another would answer without having looked. The others are behind them
   * where only earlier turns have pictures, and are told their names.
   */
  const candidatesFor = (ref: ModelRef, { messages }: Pick<ModelCall, 'messages'>): ModelRef[] => {
    const all = candidates(ref);
    const shown = picturesIn(messages);
    if (shown.length === 0) return all;
    const seeing = all.filter(sees);
    if (seeing.length === 0) return all;
    const isOwn = shown.some(({ earlier }) => earlier !== true);
    return isOwn ? seeing : [...seeing, ...all.filter((one) => !sees(one))];
  };

  /** `hadText` tells whether the failed call had already shown something to the caller. */
  const run = async (
    ref: ModelRef,
    call: ModelCall,
    hadText: () => boolean,
    once: CallOnce,
  ): Promise<ModelCallResult> => {
    const { signal } = call;
    // Here, since every call comes through: what a caller forgets to measure must not be believed without end.
    const all = candidatesFor(ref, call);
    const inputTokens = call.promptBound ?? promptBoundOf(call, all);
    const outputTokens = call.maxOutputTokens ?? MAX_TOKENS;
    const boundOn = (candidate: ModelRef): UsageBound => ({
      inputTokens,
      outputTokens,
      windowTokens: windowOf(candidate),
    });
    const closed = all.filter((candidate) => !isOpen(candidate));
    // With every circuit open one try is still better than none.
    const order = closed.length > 0 ? closed : all.slice(0, 1);
    const maxAttempts = closed.length > 0 ? policy.maxAttempts : 1;
    let attempts = 0;
    let lastError: ModelCallError | undefined;
    for (const candidate of order) {
      const provider = providers.get(candidate.provider);
      if (provider === undefined) continue;
      const form = sendableTo(call, sees(candidate));
      for (let attempt = 1; ; attempt++) {
        if (signal.aborted) throw abortedBefore(candidate);
        attempts++;
        try {
          const result = await timedCall(candidate, onCall, (firstText) =>
            once(provider, candidate, form.messages(), firstText),
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
          // It may be a picture of before that is refused: the conversation goes on without it.
          if (decision.what === 'stop' && kind === 'refused' && !begun && form.leaveOutPictures()) continue;
          if (decision.what === 'stop') throw lastError;
          if (decision.what === 'next') break;
          await options.sleep(decision.delayMs, signal);
          if (signal.aborted) throw abortedBefore(candidate);
        }
      }
    }
    throw lastError ?? abortedBefore(ref);
  };

  return run;
};
