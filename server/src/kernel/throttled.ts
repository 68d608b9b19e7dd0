import { AppError } from './errors.ts';
import type { ModelError } from './model.ts';

const USUAL_WAIT_S = 10;
const MAX_WAIT_S = 86_400;

/**
 * A provider's 429 as the API tells it: with the provider's own wait where it names one, so that callers know when to come
 * back. The wait stands in the details too, since what is stored of a run has no headers.
 */
export const throttled = (error: ModelError): AppError => {
  const { retryAfterMs } = error;
  const asked = retryAfterMs === undefined ? USUAL_WAIT_S : Math.max(1, Math.ceil(retryAfterMs / 1000));
  const retryAfterS = Math.min(asked, MAX_WAIT_S);
  return new AppError('RATE_LIMITED', error.message, {
    details: { provider: error.provider, status: 429, retry_after_s: retryAfterS },
    retryAfterS,
    cause: error,
  });
};
