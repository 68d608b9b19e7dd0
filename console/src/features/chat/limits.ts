import { CostExceededError, type Model, RateLimitedError } from 'pentarch-sdk';

/** Why a message was not taken, where the person has only to wait, or somebody to raise a limit. */
export type Limit =
  | { readonly kind: 'rate'; readonly untilMs: number }
  | { readonly kind: 'cost'; readonly message: string };

const DEFAULT_WAIT_S = 30;

export const limitOf = (error: unknown, nowMs: number): Limit | null => {
  if (error instanceof RateLimitedError)
    return { kind: 'rate', untilMs: nowMs + (error.retryAfterS ?? DEFAULT_WAIT_S) * 1000 };
  if (error instanceof CostExceededError) return { kind: 'cost', message: error.message };
  return null;
};

const ATTACHED = /\n\nAttached: ([^\n]+)$/;

/** A question as it was written, without the line that names its files. */
export const withoutAttached = (text: string): string => text.replace(ATTACHED, '');

/** Names for the documents of a question, as its last line has them. */
export const attachedNames = (text: string, count: number): readonly string[] => {
  const names = ATTACHED.exec(text)?.[1]?.split(', ') ?? [];
  return Array.from({ length: count }, (_, n) =>
    names.length === count ? (names[n] ?? '') : `Document ${n + 1}`,
  );
};

/** `openai/gpt-5 (default)` is shown as `gpt-5 (default)`. */
export const modelName = ({ id, default: isDefault, available }: Model): string =>
  `${id.split('/').slice(1).join('/') || id}${isDefault ? ' (default)' : ''}${available ? '' : ' – not answering'}`;
