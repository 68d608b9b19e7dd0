import {
  ApiError,
  CancelledError,
  ConnectionFailedError,
  CostExceededError,
  ForbiddenError,
  NotFoundError,
  OAuthError,
  RateLimitedError,
  TimedOutError,
  UnauthorizedError,
  ValidationError,
} from 'pentarch-sdk';

/** What a fault means to the person who sees it. */
export interface Fault {
  title: string;
  message: string;
  /** To name to the operator; stands in logs and audit. */
  requestId: string | null;
  /** False when trying again cannot help. */
  retry: boolean;
}

export const faultOf = (error: unknown): Fault => {
  const requestId = error instanceof ApiError ? error.requestId : null;
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof ForbiddenError) {
    return {
      title: 'You have no right to this',
      message: `${message}. Ask an admin of your organisation.`,
      requestId,
      retry: false,
    };
  }
  if (error instanceof NotFoundError) {
    return {
      title: 'This does not exist',
      message: 'It may have been deleted, or belongs to somebody else.',
      requestId,
      retry: false,
    };
  }
  if (isUnanswered(error)) {
    return {
      title: navigator.onLine ? 'The server does not answer' : 'You are offline',
      message: 'What is read comes by itself when the connection is back; what you sent, send again.',
      requestId,
      retry: true,
    };
  }
  if (isSignedOut(error)) {
    return {
      title: 'Your session has ended',
      message: 'Sign in again to continue. What you wrote is kept.',
      requestId,
      retry: false,
    };
  }
  if (error instanceof CostExceededError)
    return { title: 'A cost limit is reached', message, requestId, retry: false };
  if (error instanceof RateLimitedError) {
    const wait = error.retryAfterS === null ? '' : ` Try again in ${error.retryAfterS} s.`;
    return { title: 'Too many requests', message: `${message}.${wait}`, requestId, retry: true };
  }
  if (error instanceof ValidationError)
    return { title: 'The input was refused', message, requestId, retry: false };
  return { title: 'Something went wrong', message, requestId, retry: true };
};

/** The provider answered, and not with a refusal: it is overloaded, or something in between speaks for it. */
const isNoRefusal = ({ code, status }: OAuthError): boolean =>
  status >= 500 || status === 408 || status === 429 || code === 'invalid_response';

export const isUnanswered = (error: unknown): boolean =>
  error instanceof ConnectionFailedError ||
  error instanceof TimedOutError ||
  (error instanceof OAuthError && isNoRefusal(error));

/** The sign-in is over: nothing but a new one helps. */
export const isSignedOut = (error: unknown): error is Error =>
  (error instanceof UnauthorizedError && error.status === 401) ||
  (error instanceof OAuthError && !isNoRefusal(error));

export const isCancelled = (error: unknown): boolean => error instanceof CancelledError;

/** Worth another try by itself; the client has tried what it may, so only reads are. */
export const mayRetryQuery = (failures: number, error: unknown): boolean =>
  failures < 1 && error instanceof ApiError && error.status >= 500;

/** Faults of single fields, by their name in the request body (`/model` → `model`); the rest under ''. */
export const fieldFaults = (error: unknown): Readonly<Record<string, string>> => {
  if (!(error instanceof ValidationError)) return {};
  return Object.fromEntries(
    error.fields.map(({ field, reason }) => [field.replace(/^\//, '').replaceAll('/', '.'), reason]),
  );
};
