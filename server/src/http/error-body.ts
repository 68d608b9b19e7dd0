import type { AppError } from '../kernel/errors.ts';

export type ErrorShape = 'A' | 'B';

/**
 * The two error bodies of the contract, section 2. In shape B `code` is the reason where there is one (TOKEN_EXPIRED),
 * else the table's code.
 */
export const errorBody = (error: AppError, shape: ErrorShape, requestId: string): Record<string, unknown> => {
  const { code, message, details } = error;
  if (shape === 'A') return { error: { code, message, details, request_id: requestId } };
  const reason = code === 'UNAUTHORIZED' && typeof details.reason === 'string' ? details.reason : code;
  return { error: code.toLowerCase(), message, code: reason, details, request_id: requestId };
};

/** Headers that belong to an error, whatever its body: RFC 6750 for 401, Retry-After, Allow and the like. */
export const errorHeaders = (error: AppError): Record<string, string> => {
  const headers: Record<string, string> = { ...error.headers };
  if (error.code === 'UNAUTHORIZED') {
    const missing = error.details.reason === 'TOKEN_MISSING' || error.details.reason === undefined;
    headers['www-authenticate'] = missing
      ? 'Bearer'
      : `Bearer error="invalid_token", error_description="${error.message.replaceAll(/["\\]/g, '')}"`;
  }
  if (error.retryAfterS !== undefined)
    headers['retry-after'] = String(Math.max(1, Math.ceil(error.retryAfterS)));
  return headers;
};
