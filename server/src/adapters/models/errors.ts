/**
 * What a provider's failure means, the same for every wire. Messages name the provider, the status and the
 * provider's error code at most: bodies may echo keys and prompts, so they are neither shown nor kept as cause.
 */
import { ModelError, type ModelErrorKind, type PartialModelResult } from '../../kernel/model.ts';

/** Another try, or another model, may do: 408, 409, 425, 429 and 5xx. Anything else of 3xx and 4xx is for good. */
export const kindOfStatus = (status: number): ModelErrorKind => {
  if (status === 408 || status === 504) return 'timeout';
  if (status === 409 || status === 425 || status === 429 || status >= 500) return 'unavailable';
  return 'refused';
};

/** `retry-after-ms` (OpenAI), `retry-after` in seconds or as a date (RFC 9110, 10.2.3). Undefined: none or unreadable. */
export const parseRetryAfterMs = (
  header: (name: string) => string | undefined,
  nowMs: number,
): number | undefined => {
  const exact = Number(header('retry-after-ms') ?? Number.NaN);
  if (Number.isFinite(exact) && exact >= 0) return Math.ceil(exact);
  const text = header('retry-after')?.trim();
  if (text === undefined || text === '') return undefined;
  const seconds = Number(text);
  if (Number.isFinite(seconds)) return seconds >= 0 ? Math.ceil(seconds * 1000) : undefined;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A provider's `code`, `type` or `status` where it is a plain name such as `model_not_found`. */
export const safeErrorCode = (body: unknown): string | undefined => {
  if (!isRecord(body)) return undefined;
  const error = isRecord(body.error) ? body.error : body;
  return [error.code, error.type, error.status].find(
    (value): value is string => typeof value === 'string' && /^[a-z][a-z_]{1,47}$/i.test(value),
  );
};

export const statusError = (
  provider: string,
  status: number,
  options: { retryAfterMs?: number | undefined; code?: string | undefined } = {},
): ModelError =>
  new ModelError(
    kindOfStatus(status),
    provider,
    `${provider} answered ${status}${options.code === undefined ? '' : ` (${options.code})`}`,
    { status, ...(options.retryAfterMs === undefined ? {} : { retryAfterMs: options.retryAfterMs }) },
  );

export const abortedError = (provider: string, partial?: PartialModelResult): ModelError =>
  new ModelError(
    'aborted',
    provider,
    `the call to ${provider} was aborted`,
    partial === undefined ? {} : { partial },
  );

const TIMEOUT_CODES = new Map([
  ['UND_ERR_CONNECT_TIMEOUT', 'could not be reached in time'],
  ['UND_ERR_HEADERS_TIMEOUT', 'did not answer in time'],
  ['UND_ERR_BODY_TIMEOUT', 'stopped sending'],
  ['ETIMEDOUT', 'could not be reached in time'],
]);

const UNREACHABLE_CODES = new Map([
  ['ECONNREFUSED', 'refuses connections'],
  ['ENOTFOUND', 'has an unknown host name'],
  ['EAI_AGAIN', 'has an unknown host name'],
  ['ECONNRESET', 'reset the connection'],
  ['UND_ERR_SOCKET', 'closed the connection'],
]);

/** The first `code` on an error or its causes. */
const codeOf = (error: unknown): string => {
  let current: unknown = error;
  for (let depth = 0; depth < 4 && isRecord(current); depth++) {
    if (typeof current.code === 'string') return current.code;
    // fetch wraps the errors of several addresses
    if (current instanceof AggregateError && current.errors.length > 0) current = current.errors[0];
    else current = current.cause;
  }
  return '';
};

/** Failure of the connection itself: a timeout, a reset, no such host. */
export const networkError = (provider: string, error: unknown, partial?: PartialModelResult): ModelError => {
  const code = codeOf(error);
  const late = TIMEOUT_CODES.get(code);
  const options = partial === undefined ? {} : { partial };
  if (late !== undefined) return new ModelError('timeout', provider, `${provider} ${late}`, options);
  const what = UNREACHABLE_CODES.get(code) ?? 'failed while it answered';
  return new ModelError('unavailable', provider, `${provider} ${what}`, options);
};

export const garbageError = (provider: string, what: string, partial?: PartialModelResult): ModelError =>
  new ModelError('unavailable', provider, `${provider} ${what}`, partial === undefined ? {} : { partial });
