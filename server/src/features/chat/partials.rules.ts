import type { ModelRef, ModelUsage } from '../../kernel/model.ts';
import type { NanoUsd } from '../../kernel/money.ts';
import { estimateTokens } from '../../kernel/tokens.ts';
import type { Usage } from '../conversations/index.ts';
import type { Hold } from '../costs/index.ts';

/**
 * What is kept of a model call that goes on for longer than a second: whose it is, and the text as it comes. Rows of it lie among
 * the steps of the run, and go with the write that settles the call; those that are left belong to a process that was killed.
 */
interface KeptCall {
  /** Of the run's own loop: its text is what the person reads. */
  own: boolean;
  model: ModelRef;
  hold: Hold;
  promptTokens: number;
  /** UTF-16 units of the text that stood before the call. */
  before: number;
  /** What the run had used before the call. */
  costNano: NanoUsd;
  usage: Usage;
  title: string;
  agentIds: readonly string[];
}

/** The first row of a call says whose it is; each has the text that came since the one before. */
interface PartialRow {
  v: 1;
  text: string;
  call?: KeptCall;
}

export const partialRow = (text: string, call: KeptCall | null): string =>
  JSON.stringify({ v: 1, text, ...(call === null ? {} : { call }) } satisfies PartialRow);

/** `kind` of the rows of one call. */
export const PARTIAL = 'partial';
/** Numbers of their own: those of the steps stay free. */
export const FIRST_PARTIAL = 1_000_000;

interface LeftCall {
  call: KeptCall;
  /** All of the loop's text. */
  content: string;
  usage: ModelUsage;
}

/** The calls that nobody has settled, from their rows in order; what they have used is estimated from what came. */
export const leftCalls = (rows: readonly { kind: string; payload: string }[]): LeftCall[] => {
  const byCall = Map.groupBy(rows, (row) => row.kind);
  return [...byCall.values()].flatMap((parts): LeftCall[] => {
    const read = parts.map(({ payload }) => JSON.parse(payload) as PartialRow);
    const call = read[0]?.call;
    if (call === undefined) return [];
    const content = read.map(({ text }) => text).join('');
    const usage: ModelUsage = {
      inputTokens: call.promptTokens,
      outputTokens: estimateTokens(content.slice(call.before)),
      cachedInputTokens: 0,
      cacheWriteTokens: 0,
      reasoningTokens: 0,
      estimated: true,
    };
    return [{ call, content, usage }];
  });
};
