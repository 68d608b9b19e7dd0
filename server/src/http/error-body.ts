import type { AppError, ErrorCode } from '../kernel/errors.ts';

/** Largest refused body that is read to its end, so that its sender gets to the answer instead of a broken connection. */
export const MAX_DRAINED_BYTES = 32 * 1024 * 1024;

/** A and B are the contract's, section 2; `oauth` is that of the identity provider's own paths (RFC 6749, 5.2). */
export type ErrorShape = 'A' | 'B' | 'oauth';

const OAUTH_CODES: Partial<Record<ErrorCode, string>> = {
  BAD_REQUEST: 'invalid_request',
  UNAUTHORIZED: 'invalid_token',
  FORBIDDEN: 'insufficient_scope',
  PAYLOAD_TOO_LARGE: 'invalid_request',
  URI_TOO_LONG: 'invalid_request',
  UNSUPPORTED_MEDIA_TYPE: 'invalid_request',
  VALIDATION_ERROR: 'invalid_request',
  RATE_LIMITED: 'temporarily_unavailable',
  SERVICE_UNAVAILABLE: 'temporarily_unavailable',
  INTERNAL_ERROR: 'server_error',
};

/**
 * The error bodies. In shape B `code` is the reason where there is one (TOKEN_EXPIRED),
 * else the table's code.
 */
export const errorBody = (error: AppError, shape: ErrorShape, requestId: string): Record<string, unknown> => {
  const { code, message, details } = error;
  if (shape === 'oauth') {
    return {
      error: OAUTH_CODES[code] ?? code.toLowerCase(),
      error_description: message,
      request_id: requestId,
    };
  }
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
